//! The lake of a model: every change and the current state, as Parquet files.
//!
//! The guide, `docs/lake.md`, follows.
//!
#![doc = include_str!("../../../docs/lake.md")]

mod bronze;
mod changes;
mod columns;
mod compact;
mod decode;
mod encode;
mod error;
mod export;
mod files;
mod fits;
mod follow;
mod freshness;
mod function;
mod glue;
mod gold;
mod gold_of;
mod identity;
mod image;
mod key_field;
mod lake;
mod lease;
mod look;
mod merge;
mod model;
mod name;
mod options;
mod part;
mod place;
mod present;
mod reached;
mod read;
mod rebuild;
mod rebuild_from;
mod recognise;
mod refining;
mod rows;
mod s3;
mod state;
mod status;
mod workshop;
mod writer;

pub use changes::{Changed, Image, Position, Told};
pub use compact::Compacted;
pub use error::LakeError;
pub use export::Export;
pub use freshness::Freshness;
pub use gold::{GoldRow, GoldTable, Refine};
pub use lake::Lake;
pub use model::LakeModel;
pub use options::LakeOptions;
pub use part::part_of;
pub use place::Place;
pub use read::Reader;
pub use rebuild::Rebuilt;
pub use refining::Refining;
pub use status::{EntityStatus, Status};

/// Rows of a file, column by column.
pub use arrow_array::RecordBatch;
