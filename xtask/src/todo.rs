//! The To-Do API from outside: requests made from its description, and its page in a browser.

use crate::program::{Service, as_described, at_an_issuer, in_a_browser};

/// The API as it describes itself. The program has been built.
pub(crate) fn described_api() -> anyhow::Result<()> {
    let service = Service::start("todo", "schemathesis-data", &[])?;
    as_described(service, "name=schemathesis")
}

/// The page in a browser.
pub(crate) fn page() -> anyhow::Result<()> {
    let service = Service::start("todo", "page-data", &[])?;
    in_a_browser(service, "backend/todo/tests/page.mjs")
}

/// Signing in at an issuer, which the script is itself.
pub(crate) fn sign_in() -> anyhow::Result<()> {
    at_an_issuer("todo", "sign-in-data", "backend/todo/tests/sign_in.mjs")
}
