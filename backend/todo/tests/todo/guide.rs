//! The commands of `docs/todo.md`, run as they are written.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::{Program, todo_in};

/// The blocks of a page in one language, in order.
fn blocks<'p>(page: &'p str, language: &str) -> Vec<&'p str> {
    let begin = format!("```{language}\n");
    let parts = page.split(begin.as_str()).skip(1);
    parts
        .map(|rest| rest.split("```").next().unwrap())
        .collect()
}

/// What stands for cargo, which would build the program once more: it runs the program that is built, with the words of the guide.
const CARGO: &str = r#"#!/bin/sh
case "$*" in
  "run --release --bin todo -- "*) shift 5; exec "$TODO" "$@" ;;
  "run --release --quiet --bin todo -- "*) shift 6; exec "$TODO" "$@" ;;
  *) echo "the guide asks for what the test does not know: cargo $*" >&2; exit 2 ;;
esac
"#;

fn program(folder: &Path, name: &str, text: &str) {
    std::fs::create_dir_all(folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// What commands say, each on its own.
fn said(folder: &Path, commands: &str) -> String {
    let path = std::env::var("PATH").unwrap();
    let output = todo_in(folder)
        .get_envs()
        .fold(&mut Command::new("sh"), |command, (name, value)| {
            command.env(name, value.unwrap_or_default())
        })
        .args(["-euc", commands])
        .env("PATH", format!("{}:{path}", folder.join("first").display()))
        .env("TODO", env!("CARGO_BIN_EXE_todo"))
        .current_dir(folder)
        .output()
        .unwrap();
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{commands}\n{problem}");
    String::from_utf8(output.stdout).unwrap()
}

/// From a clone to the first task, by the commands of the page; and what is stored agrees.
#[tokio::test(flavor = "multi_thread")]
async fn the_commands_of_the_guide_do_what_it_says() {
    let page = include_str!("../../../../docs/todo.md");
    let commands = blocks(page, "sh");
    let [start, make, look, check] = commands.as_slice() else {
        panic!("other commands than this test knows: {commands:#?}");
    };
    assert_eq!(start.trim(), "cargo run --release --bin todo");
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    program(&folder.join("first"), "cargo", CARGO);
    let service = Program::start(todo_in(folder));
    let address = service.caller(folder, "ada").address;
    let here = |commands: &str| commands.replace("http://127.0.0.1:8081", &address);

    let made: Value = serde_json::from_str(&said(folder, &here(make))).unwrap();
    let shown: Value = serde_json::from_str(blocks(page, "json")[0]).unwrap();
    let (made, shown) = (made.as_object().unwrap(), shown.as_object().unwrap());
    assert!(made.keys().eq(shown.keys()), "{made:?}");
    for (name, value) in shown {
        let is_of_its_own = ["task_id", "created_at", "updated_at"].contains(&name.as_str());
        assert!(is_of_its_own || made[name] == *value, "{name}: {value}");
    }

    // Sent again it is the same task, as the README says.
    let again: Value = serde_json::from_str(&said(folder, &here(make))).unwrap();
    assert_eq!(again.as_object().unwrap(), made);

    // The README has the same commands.
    let readme = include_str!("../../../../README.md");
    let first = format!("{make}{}\n", look.lines().next().unwrap());
    assert!(blocks(readme, "sh").contains(&first.as_str()), "{first}");

    // Each is sent by itself, with the token of the block before: its first line makes it.
    let token = make.lines().next().unwrap();
    let mut answers = look.lines().map(|line| {
        let command = format!("{token}\n{}", here(line));
        serde_json::from_str::<Value>(&said(folder, &command)).unwrap()
    });
    let title = "Read the guide";
    assert_eq!(answers.next().unwrap()["items"][0]["title"], title);
    assert_eq!(answers.next().unwrap()["items"][0]["title"], title);
    assert_eq!(answers.next().unwrap()["by_priority"]["high"], 1);
    assert!(answers.next().is_none());

    service.kill();
    let told = said(folder, check);
    assert!(told.contains("1 tasks of 1 users agree"), "{told}");
}
