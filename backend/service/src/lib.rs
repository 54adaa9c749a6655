//! The HTTP kit the services share.
//!
//! The guide, `docs/services.md`, follows.
//!
#![doc = include_str!("../../../docs/services.md")]

mod about;
mod answer;
mod api;
mod auth;
mod etag;
mod guard;
mod health;
mod html;
mod idempotency;
mod lambda;
mod logs;
mod numbers;
mod observe;
mod page;
mod paging;
mod problem;
mod program;
mod rate;
mod request;
mod said;
mod server;
mod service;
mod settings;
mod sign_in;
mod text;

pub use about::About;
pub use answer::{Answer, Created, NoContent, Tagged, ToAnswer};
pub use api::{Documented, Input, Operation, Output, Route, Routes, delete, get, patch, post, put};
pub use auth::{
    AUDIENCE, Caller, DEVELOPMENT_ISSUER, DevelopmentIssuer, IssuerError, KEY_FILE, Person,
    TokenError, development_secret, token_for,
};
pub use etag::{ETag, IfMatch, IfNoneMatch};
pub use health::Readiness;
pub use idempotency::{
    Claimed, Claims, KEPT_SECONDS, KEY_HEADER, REPLAYED_HEADER, Record, Replayable, Write,
};
pub use lambda::handle_events;
pub use logs::start_logs;
pub use page::{
    Form, PageSignIn, only_for_this_machine, page_asset, page_of_html, page_routes, page_that_asks,
};
pub use paging::{Cursor, Limit, Listing};
pub use problem::{FieldError, Kind, MEDIA_TYPE, Problem, ProblemBody};
pub use program::{Alone, FunctionError, begin, is_under_lambda, run_function, serve_beside};
pub use rate::Address;
pub use request::{Json, Params, Path};
pub use said::say;
pub use server::{Ending, ServeError, Server, serve, told_to_end};
pub use service::{Service, tables_are_there};
pub use settings::{
    Check, FILE_VARIABLE, Fault, Issuer, KIT, Limits, LogFormat, Published, Rate, Secret, Setting,
    Settings, SettingsError, Sources, duration, is_known, markdown, number, page_address,
};
pub use text::{Faults, block, is_blank, line};
