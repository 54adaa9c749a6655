//! `tablewright up`: the engine, the services and a front page, started together and ended together.
//!
//! The guide, `docs/up.md`, follows.
//!
#![doc = include_str!("../../../docs/up.md")]

mod build;
mod demo;
mod error;
mod front;
mod group;
mod log;
mod own_group;
mod plan;
mod ports;
mod ready;
mod room;
mod run;
mod service;

pub use error::UpError;
pub use plan::{Link, Plan, ServicePlan, Token};
pub use ports::PortOf;
pub use run::{Demo, Options, Ready, Told, run};
