//! Events: what happened, in the shape of EventBridge, for those who are not part of this program.

mod event;
mod eventbridge;
mod log;
mod publisher;
mod together;
mod webhook;

pub use event::{Event, NotAnEvent};
pub use eventbridge::EventBridge;
pub use log::{EventLog, LogError, Logged};
pub use publisher::{Publisher, Sink};
pub use webhook::{BadSecret, Secret, Unsigned, Webhook};
