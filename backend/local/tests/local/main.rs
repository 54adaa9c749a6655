//! The embedded engine as its users see it: through the AWS SDK, over HTTP, and from another process.

mod sdk;
mod tables;
