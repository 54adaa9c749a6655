//! The TypeScript types of every model, held against what its services produce, both ways.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use std::{env, fs};

use anyhow::{Context, bail};

use crate::full_mailbox::FullMailbox;
use crate::node;
use crate::program::{Service, target_folder};
use crate::python::{remove, run, target};

/// Where the compiler's packages, its settings and the values people typed are.
const FROM: &str = "xtask/typescript";

/// What the services are asked.
const REQUESTS: &str = "xtask/typescript/requests.mjs";

/// Where they keep their tables, in the target folder.
const DATA: &str = "typescript-data";

/// What says that a mail came back.
const BOUNCE_TOKEN: &str = "a-token-for-what-comes-back";

/// So long it is waited for what follows from a request.
const UNTIL_IT_FOLLOWS: Duration = Duration::from_secs(90);

/// What the generated types must accept and refuse is written from the Rust types and from what running services stored, compiled by TypeScript, and
/// what people typed there is read by the Rust types.
pub(crate) fn check() -> anyhow::Result<()> {
    let packages = node::packages("typescript-node", FROM)?;
    let folder = env::current_dir()?.join(target()).join("typescript");
    remove(&folder)?;
    fs::create_dir_all(folder.join("typed"))?;
    for file in ["package.json", "tsconfig.json"] {
        fs::copy(Path::new(FROM).join(file), folder.join(file))?;
    }
    for entry in fs::read_dir(Path::new(FROM).join("typed"))? {
        let entry = entry?;
        fs::copy(entry.path(), folder.join("typed").join(entry.file_name()))?;
    }
    shapes("write", &[folder.as_os_str()])?;
    served(&folder)?;
    let compiler = packages.join("node_modules/typescript/bin/tsc");
    run(Command::new("node")
        .arg(compiler)
        .arg("--project")
        .arg(&folder))
    .context("the TypeScript types are not what the services produce")?;
    let typed = Command::new("node")
        .arg(folder.join("compiled/typed/all.js"))
        .stderr(Stdio::inherit())
        .output()?;
    if !typed.status.success() {
        bail!("the values typed in TypeScript could not be printed");
    }
    let file = folder.join("typed.json");
    fs::write(&file, typed.stdout)?;
    shapes("read", &[file.as_os_str()])
}

/// Asks every service over HTTP, and holds what it stored to its types. The programs have been built.
fn served(folder: &Path) -> anyhow::Result<()> {
    let data = target_folder()?.join(DATA);
    // What is told to people follows by the change stream, and what is stored of it comes before its file.
    for (name, told) in [
        ("todo", None),
        ("tasks", Some("mail")),
        ("ask", Some("push")),
    ] {
        let settings = [("TABLEWRIGHT_BOUNCE_TOKEN", BOUNCE_TOKEN)];
        let settings = if name == "tasks" { &settings[..] } else { &[] };
        let service = Service::start(name, &format!("{DATA}/{name}"), settings)?;
        run(Command::new("node").args([REQUESTS, name, &service.url]))?;
        if let Some(told) = told {
            wait_for_a_file(&data.join(name).join(told))?;
        }
        if name == "tasks" {
            let asked = [REQUESTS, "bounced", &service.url, BOUNCE_TOKEN];
            run(Command::new("node")
                .args(asked)
                .arg(data.join("tasks/mail")))?;
        }
        service.still_runs()?;
    }
    a_mail_waits()?;
    shapes("served", &[folder.as_os_str(), data.as_os_str()])
}

/// The task manager once more, with a server that takes no mail now.
fn a_mail_waits() -> anyhow::Result<()> {
    let server = FullMailbox::start()?;
    let settings = [
        ("TABLEWRIGHT_SMTP_URL", server.url.as_str()),
        ("TABLEWRIGHT_MAIL_FROM", "Tasks <noreply@example.org>"),
    ];
    let service = Service::start_again("tasks", &format!("{DATA}/tasks"), &settings)?;
    run(Command::new("node").args([REQUESTS, "full", &service.url]))?;
    // It is written down that it waits before it is tried again.
    wait_until(|| server.refused() > 1).context("no mail was tried again")?;
    service.still_runs()
}

fn wait_for_a_file(folder: &Path) -> anyhow::Result<()> {
    wait_until(|| fs::read_dir(folder).map_or(0, Iterator::count) > 0)
        .with_context(|| format!("nothing came to {}", folder.display()))
}

fn wait_until(is_so: impl Fn() -> bool) -> anyhow::Result<()> {
    let began = Instant::now();
    while !is_so() {
        if began.elapsed() > UNTIL_IT_FOLLOWS {
            bail!("it was waited for in vain");
        }
        sleep(Duration::from_millis(100));
    }
    Ok(())
}

fn shapes(what: &str, places: &[&OsStr]) -> anyhow::Result<()> {
    run(Command::new(target_folder()?.join("debug/shapes"))
        .arg(what)
        .args(places))
}
