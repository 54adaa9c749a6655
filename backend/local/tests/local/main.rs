//! The embedded engine as its users see it: through the AWS SDK, over HTTP, and from another process.
#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]

mod crash;
mod hostile;
mod http;
mod lock;
mod process;
mod sdk;
mod sent_again;
mod stream_cost;
mod streams;
mod tables;
mod ttl;
