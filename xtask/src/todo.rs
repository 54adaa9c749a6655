//! The To-Do API from outside: requests made from its description, and its page in a browser.

use std::{env, fs};

use anyhow::{Context, anyhow, bail};
use tablewright_model::model::{ActionKind, Verb};

use crate::program::{
    Service, at_an_issuer, does_what_it_says, in_a_browser, schemathesis, target_folder,
};
use crate::python::remove;

const MODEL: &str = "models/todo.toml";

/// The API as it describes itself, and every list of its model among what was asked. The program has been built.
pub(crate) fn described_api() -> anyhow::Result<()> {
    let service = Service::start("todo", "schemathesis-data", &[])?;
    let token = service.token("name=schemathesis")?;
    let mut schemathesis = schemathesis(&service, &token)?;
    schemathesis
        .env("TODO_URL", &service.url)
        .env("TODO_TOKEN", &token)
        .env("SCHEMATHESIS_HOOKS", "hooks")
        .env("PYTHONPATH", env::current_dir()?.join("xtask/todo"))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    does_what_it_says(&service, &mut schemathesis)?;
    every_list_was_asked(&service.got("/metrics")?)?;
    service.still_runs()
}

/// A test that asks little finds little. What a list was refused for is not asked of the tables, and a failure would have been told.
fn every_list_was_asked(metrics: &str) -> anyhow::Result<()> {
    let text = fs::read_to_string(MODEL).context(MODEL)?;
    let model = tablewright_model::parse(&text).map_err(|_| anyhow!("{MODEL} has faults"))?;
    let lists = model.accesses.iter().filter(|access| is_list(&access.verb));
    let missing: Vec<&str> = lists
        .map(|access| access.name.value.as_str())
        .filter(|name| !metrics.contains(&format!("pattern=\"{name}\"")))
        .collect();
    match missing.is_empty() {
        true => Ok(()),
        false => bail!(
            "no request that was made up reached {}: xtask/todo/hooks.py says what is asked",
            missing.join(", ")
        ),
    }
}

fn is_list(verb: &Verb) -> bool {
    match verb {
        Verb::List(_) | Verb::Search { .. } => true,
        Verb::Batch(action) => action.kind == ActionKind::Get,
        _ => false,
    }
}

/// The page in a browser.
pub(crate) fn page() -> anyhow::Result<()> {
    let lake = target_folder()?.join("page-lake");
    remove(&lake)?;
    let lake = lake.to_string_lossy();
    let service = Service::start("todo", "page-data", &[("TABLEWRIGHT_LAKE", &lake)])?;
    in_a_browser(service, "backend/todo/tests/page.mjs")
}

/// Signing in at an issuer, which the script is itself.
pub(crate) fn sign_in() -> anyhow::Result<()> {
    at_an_issuer("todo", "sign-in-data", "backend/todo/tests/sign_in.mjs")
}
