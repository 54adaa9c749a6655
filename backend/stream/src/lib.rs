//! Consumers of DynamoDB's change streams.
//!
//! The guide, `docs/streams.md`, follows.
//!
#![doc = include_str!("../../../docs/streams.md")]

mod attempt;
mod batches;
mod consumer;
mod consumers;
mod count_out;
mod dead;
mod error;
pub mod events;
mod fetch;
mod function;
mod going;
mod handler;
mod image;
mod lag;
mod lambda;
mod lanes;
mod lease;
#[rustfmt::skip] // generated
pub mod model;
mod numbers;
mod options;
mod pending;
mod progress;
mod reader;
mod record;
mod replay;
mod rest;
mod seen;
mod shard;
mod share;
mod source;
mod time_left;
mod window;

pub use consumer::Consumer;
pub use consumers::{Consumers, Following};
pub use count_out::CountOut;
pub use dead::{DeadLetters, NotFound};
pub use error::StreamError;
pub use function::{Answer, Function, whenever_called};
pub use handler::{Did, Failure, Handler, Shard, Takes, Turn};
pub use image::{image_of_json, image_to_json};
pub use lambda::LambdaConsumer;
pub use options::{Options, Order, Start};
pub use progress::Progress;
pub use record::{Cause, NotARecord, Record};

/// The client that reads change streams.
pub use aws_sdk_dynamodbstreams::Client as Streams;
