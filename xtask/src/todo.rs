//! The To-Do API from outside: requests made from its description, and its page in a browser.

use std::process::Command;

use crate::node;
use crate::program::{Service, as_described, chromium, free_address, in_a_browser};
use crate::python::run;

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
    let packages = node::packages("browser", "xtask/browser")?;
    let browser = chromium()?;
    let issuer = format!("http://{}", free_address()?);
    let service = Service::start(
        "todo",
        "sign-in-data",
        &[
            ("TABLEWRIGHT_ISSUER", &issuer),
            ("TABLEWRIGHT_AUDIENCE", "todo-page"),
            ("TABLEWRIGHT_SIGN_IN_CLIENT", "todo-page"),
            // Its keys are there as soon as the script runs.
            ("TABLEWRIGHT_LOG", "error"),
        ],
    )?;
    run(Command::new("node")
        .args(["backend/todo/tests/sign_in.mjs", &service.url, &issuer])
        .args([packages, browser])
        .arg("todo-page"))?;
    service.still_runs()
}
