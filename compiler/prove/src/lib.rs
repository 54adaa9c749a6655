//! Proof: data made from a model, every access pattern asked of it, every answer held against what the pattern means.
//!
//! [`populate`] makes records, [`questions`] asks about them, [`Oracle`] knows the answers, [`deeds`] changes them, and [`heat`]
//! tells which partition is busiest. None of them knows a table, a key template or a request: the oracle shares no code with the planner
//! or the library it judges.

mod deed;
mod difference;
mod expected;
mod question;
mod record;

pub use deed::{Act, Deed, DeedAction, Effect, Refusal};
pub use expected::Expected;
pub use question::{Kind, Question};
pub use record::{Record, RecordError};
