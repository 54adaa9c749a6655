//! What tests of services share. Nothing that is shipped depends on it.
//!
//! A test starts its service in its own way, on an [`Engine`](tablewright_local::Engine) of its own, and asks it as a [`Caller`] over real HTTP:
//! what comes back is a [`Reply`] that says what is wrong with it. [`Wire`] is the way from the service to the engine, watched and made to fail; [`Policed`] is that way for who has the policies that are deployed, and no other right; [`Ahead`] a clock that is
//! put forward; [`Program`] the service as a process that can be killed; [`Firebase`] a stand-in that takes notifications as Firebase does. [`Function`] is a
//! program under AWS Lambda, [`Gateway`] a request as it comes there, and [`Issuer`] somebody who signs tokens outside of development.
#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "only tests use it, and a test may fail where it stands"
)]

mod ahead;
mod caller;
mod client_over;
mod documented;
mod firebase;
mod issuer;
mod lambda;
mod policed;
mod program;
mod reply;
mod served;
mod stack;
mod stored;
mod until;
mod wire;

pub use self::ahead::Ahead;
pub use self::caller::Caller;
pub use self::client_over::client_over;
pub use self::documented::has_the_settings;
pub use self::firebase::{Firebase, Mood};
pub use self::issuer::Issuer;
pub use self::lambda::{Function, Gateway, GatewayReply};
pub use self::policed::{Allowed, Asked, Policed, deployed};
pub use self::program::Program;
pub use self::reply::Reply;
pub use self::served::{served, stream_event};
pub use self::stack::{Deployed, functions_of};
pub use self::stored::stored;
pub use self::until::until;
pub use self::wire::{Fault, Sent, Wire};
