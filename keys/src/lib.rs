//! Key templates: the text of a DynamoDB key, its encoding, and what can be proven about it.
//!
//! A *key template* such as `STATUS#{status}#{task_id}` says how the fields of an entity become the text of
//! a key. This crate parses templates ([`Template`]), gives their fields a domain ([`Shape`],
//! [`TypedTemplate`]), renders and decodes keys, and decides by construction, not by example, whether two
//! templates can meet, whether one is ambiguous and whether its keys sort like its values ([`algebra`]).
//!
//! ```
//! use tablewright_keys::{CharSet, KeyValue, Shape, Template, algebra};
//!
//! let template = Template::parse("TASK#{priority:rank}#{title}").expect("the template is well formed");
//! let typed = template
//!     .typed(|field| match field {
//!         "priority" => Some(Shape::OneOf(vec!["urgent".into(), "high".into(), "low".into()])),
//!         "title" => Some(Shape::Text { chars: CharSet::any(), min: 1, max: Some(80) }),
//!         _ => None,
//!     })
//!     .expect("every field has a shape");
//!
//! let key = typed.render(|field| match field {
//!     "priority" => Some(KeyValue::Text("high".into())),
//!     "title" => Some(KeyValue::Text("fix #12".into())),
//!     _ => None,
//! });
//! assert_eq!(key.as_deref(), Ok("TASK#1#fix$20$2312"));
//!
//! assert_eq!(algebra::ambiguity(&typed), None);
//! assert_eq!(algebra::order(&typed), Ok(()));
//! ```

pub mod algebra;
pub mod bounds;
mod charset;
mod decode;
mod encode;
mod escape;
mod form;
mod lower;
pub mod nearest;
mod shape;
mod shard;
mod size;
mod template;
mod typed;

pub use charset::CharSet;
pub use encode::{EncodeError, KeyValue, encode_piece};
pub use escape::{escape, unescape};
pub use lower::to_lower;
pub use shape::{Precision, Shape, fits_width, keeps_declared_order, unsupported};
pub use shard::{fnv1a_64, shard_of, shard_texts};
pub use size::max_bytes;
pub use template::{Encodings, FieldRef, Piece, Template, TemplateError, TemplateErrorKind};
pub use typed::{TypedPiece, TypedTemplate};

/// Separates the parts of a key. It sorts below every character an escaped value can contain.
pub const DELIMITER: char = '#';

/// Starts an escape sequence in an encoded value; therefore not allowed in a template's literals.
pub const ESCAPE: char = '$';
