//! The task manager from outside: requests made from its description, its page in a browser, and its mails by a real server.

use std::process::Command;

use crate::program::{Service, as_described, at_an_issuer, free_address, in_a_browser_told};
use crate::python::{environment, run};

/// The API as it describes itself, to an admin. The program has been built.
pub(crate) fn described_api() -> anyhow::Result<()> {
    let service = Service::start("tasks", "schemathesis-tasks-data", &[])?;
    as_described(service, "name=schemathesis&group=Admins")
}

/// The page in a browser, with an admin and a member. The script is the mail server too.
pub(crate) fn page() -> anyhow::Result<()> {
    let mails = free_address()?;
    let settings = [
        ("TABLEWRIGHT_SMTP_URL", &*format!("smtp://{mails}")),
        ("TABLEWRIGHT_MAIL_FROM", "Tasks <noreply@example.org>"),
    ];
    let service = Service::start("tasks", "page-tasks-data", &settings)?;
    let told = [mails.port().to_string()];
    in_a_browser_told(service, "backend/tasks/tests/page.mjs", &told)
}

/// Signing in at an issuer, and coming back to the task a mail led to.
pub(crate) fn sign_in() -> anyhow::Result<()> {
    at_an_issuer(
        "tasks",
        "sign-in-tasks-data",
        "backend/tasks/tests/sign_in.mjs",
    )
}

/// Mail by a real server that refuses, delays, drops and goes away, and the program killed and frozen meanwhile.
pub(crate) fn mail() -> anyhow::Result<()> {
    let python = environment("smtp", "xtask/tasks/requirements.txt")?;
    run(Command::new(env!("CARGO"))
        // As all tests are built, so that nothing is compiled again.
        .args(["test", "--quiet", "--workspace", "--test", "tasks"])
        .args(["--", "--ignored", "smtp::", "--nocapture"])
        .env("TABLEWRIGHT_TEST_PYTHON", python))
}
