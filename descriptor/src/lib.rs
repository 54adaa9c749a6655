//! What a run time must know of a model, in the words of the model.
//!
//! Generated code writes a [`SchemaText`](written::SchemaText): tables, the entities with their templates, types and conditions as text, and
//! how each access pattern is answered. [`Schema::resolve`] types the templates and understands the conditions, with the same
//! parsers the compiler uses. Both sides meet here and nowhere else: the compiler lowers a model to this, the run time builds
//! every key and every request from it.
//!
//! ```
//! use tablewright_descriptor::{KeyAttribute, Schema, Table};
//! use tablewright_descriptor::written::{EntityText, SchemaText};
//! use tablewright_descriptor::words::pair;
//!
//! let text = SchemaText::new("notes")
//!     .table(Table::new("notes", KeyAttribute::string("PK")).sort_key(KeyAttribute::string("SK")))
//!     .entity(
//!         EntityText::new("Note", "notes", pair("USER#{user_id}", "NOTE#{note_id}"))
//!             .fields(&[("user_id", "id"), ("note_id", "ulid"), ("text", "string(1..2000)")]),
//!     );
//! let schema = Schema::resolve(text).unwrap();
//! assert_eq!(schema.entity("Note").identity(), ["user_id", "note_id"]);
//! ```

mod carried;
pub mod condition;
pub mod field_type;
pub mod key_text;
mod reads_first;
mod resolve;
mod schema;
pub mod suggest;
mod table;
pub mod words;
pub mod written;

pub use carried::Carried;
pub use resolve::{SchemaError, number_of};
pub use schema::{
    Action, COUNTING_SINCE, Entity, Event, Field, IndexKey, Keeper, KeyPart, Number, Read, Schema,
    StoredKey, Structure, Unique, Via, Write,
};
pub use table::{Index, KeyAttribute, KeyKind, Projection, StreamView, Table};
pub use written::{ActionKind, EventKind, Layout, Versioning};
