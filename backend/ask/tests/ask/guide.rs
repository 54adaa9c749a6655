//! The commands of `docs/ask.md` up to the first question, run as they are written.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use tablewright_testing::Program;

/// What stands for cargo: the program is built already.
const CARGO: &str = r#"#!/bin/sh
case "$*" in
  "run --release --bin ask -- "*) shift 5 ;;
  "run --release --quiet --bin ask -- "*) shift 6 ;;
  *) echo "the guide asks for what the test does not know: cargo $*" >&2; exit 2 ;;
esac
exec "$ASK" "$@"
"#;

fn program(folder: &Path, name: &str, text: &str) {
    std::fs::create_dir_all(folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn ask_in(folder: &Path) -> Command {
    Program::command(env!("CARGO_BIN_EXE_ask"), folder)
}

/// What commands say.
fn said(folder: &Path, commands: &str) -> String {
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", folder.join("first").display());
    let settings = ask_in(folder);
    let settings = settings.get_envs();
    let output = settings
        .fold(&mut Command::new("sh"), |command, (name, value)| {
            command.env(name, value.unwrap_or_default())
        })
        .args(["-euc", commands])
        .env("PATH", path)
        .env("ASK", env!("CARGO_BIN_EXE_ask"))
        .current_dir(folder)
        .output()
        .unwrap();
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{commands}\n{problem}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_commands_of_the_guide_lead_to_the_first_question() {
    let page = include_str!("../../../../docs/ask.md");
    let page = page.split("\n## Agents").next().unwrap();
    let blocks = page.split("```sh\n").skip(1);
    let blocks: Vec<&str> = blocks
        .map(|rest| rest.split("```").next().unwrap())
        .collect();
    let [known, start, asks, waits] = blocks.as_slice() else {
        panic!("other commands than this test knows: {blocks:#?}");
    };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    program(&folder.join("first"), "cargo", CARGO);
    said(folder, known);
    assert_eq!(start.trim(), "cargo run --release --bin ask");
    let service = Program::start(ask_in(folder));
    let address = service.caller(folder, "nobody").address;
    let asks = asks.replace("http://127.0.0.1:8083", &address);
    let asked: Value = serde_json::from_str(&said(folder, &asks)).unwrap();
    let shown = page
        .split("```json\n")
        .nth(1)
        .unwrap()
        .split("```")
        .next()
        .unwrap();
    let shown: Value = serde_json::from_str(shown).unwrap();
    let keys = |value: &Value| {
        value
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(keys(&asked), keys(&shown));
    // In the same terminal, with the id one was given, and less patience.
    let head = asks.lines().next().unwrap();
    let id = asked["question_id"].as_str().unwrap();
    let shown_id = shown["question_id"].as_str().unwrap();
    let waits = waits.replace(shown_id, id).replace("wait=30", "wait=1");
    let read: Value = serde_json::from_str(&said(folder, &format!("{head}\n{waits}"))).unwrap();
    assert_eq!(read["status"], "OPEN");
}
