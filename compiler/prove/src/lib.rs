//! Proof: data made from a model, every access pattern asked of it, every answer held against what the pattern means.
//!
//! [`populate`] makes records, [`questions`] asks about them, [`Oracle`] knows the answers, [`deeds`] changes them, and [`heat`]
//! tells which partition is busiest. None of them knows a table, a key template or a request: the oracle shares no code with the planner
//! or the library it judges.

mod data;
mod deed;
mod deeds;
mod demand;
mod difference;
mod enough;
mod expected;
mod few;
mod fold;
mod heat;
mod indexed;
#[cfg(test)]
mod models;
mod of_all;
mod oracle;
mod parameters;
mod proof;
mod question;
mod questions;
mod record;
pub mod report;
mod run;
mod valid;

pub use data::{Later, PopulateError, Population, populate};
pub use deed::{Act, Deed, DeedAction, Effect, Refusal};
pub use deeds::deeds;
pub use expected::Expected;
pub use few::{Few, WhyFew};
pub use heat::{Heat, READ_LIMIT, Verdict, WRITE_LIMIT, heat};
pub use oracle::Oracle;
pub use proof::{Because, Growth, PatternProof, PlaceUnits, Proof};
pub use question::{Kind, Question, Refinement};
pub use questions::questions;
pub use record::{Record, RecordError};
pub use run::{LeftBehind, PREFIX, Place, ProveError, Settings, Step, prove};
