//! The task manager from outside: requests made from its description, and its page in a browser.

use crate::program::{Service, as_described, in_a_browser};

/// The API as it describes itself, to an admin. The program has been built.
pub(crate) fn described_api() -> anyhow::Result<()> {
    let service = Service::start("tasks", "schemathesis-tasks-data", &[])?;
    as_described(service, "name=schemathesis&group=Admins")
}

/// The page in a browser, with an admin and a member.
pub(crate) fn page() -> anyhow::Result<()> {
    let service = Service::start("tasks", "page-tasks-data", &[])?;
    in_a_browser(service, "backend/tasks/tests/page.mjs")
}
