//! A folder of its own, and the command run in it.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// A model without findings.
pub(crate) const CLEAN: &str = r#"[model]
name = "notes"

[table.notes]
partition_key = "PK"
sort_key      = "SK"
type          = "Type"

[entity.Note]
table = "notes"
key   = { partition = "USER#{user_id}", sort = "NOTE#{note_id}" }

[entity.Note.fields]
user_id = "ulid"
note_id = "ulid"
text    = "string(1..2000)"

[entity.Note.facts]
items = 1_000
size  = "300 B"

[access.notes]
list = "Note"
by   = ["user_id"]

[access.write_note]
create = "Note"
"#;

/// A folder that is removed with it.
pub(crate) struct Sandbox(TempDir);

impl Sandbox {
    pub(crate) fn new() -> Self {
        Sandbox(TempDir::new().unwrap())
    }

    /// One with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let sandbox = Self::new();
        for (path, text) in files {
            sandbox.write(path, text.as_bytes());
        }
        sandbox
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// The command, to be run here without what the caller's terminal says.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.command_in("", arguments)
    }

    pub(crate) fn command_in(&self, folder: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tablewright"));
        command.args(arguments).current_dir(self.path(folder));
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"] {
            command.env_remove(name);
        }
        command.env("TERM", "xterm-256color");
        command
    }

    /// Runs it and tells what a person would see.
    pub(crate) fn run(&self, arguments: &[&str]) -> String {
        self.told(&self.command(arguments).output().unwrap())
    }

    pub(crate) fn run_in(&self, folder: &str, arguments: &[&str]) -> String {
        self.told(&self.command_in(folder, arguments).output().unwrap())
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &str) -> String {
        let mut child = self
            .command(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // A command that refuses its arguments does not read what it is given.
        if let Err(error) = stdin.write_all(input.as_bytes()) {
            assert_eq!(error.kind(), std::io::ErrorKind::BrokenPipe, "{error}");
        }
        drop(stdin);
        self.told(&child.wait_with_output().unwrap())
    }

    fn told(&self, output: &Output) -> String {
        let mut told = format!("exit {}\n", output.status.code().unwrap());
        for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            let text = String::from_utf8(bytes.clone()).unwrap();
            if !text.is_empty() {
                write!(told, "── {name}\n{}", anonymous(&text, self.0.path())).unwrap();
            }
        }
        told
    }
}

/// Without what differs from run to run and from system to system.
fn anonymous(text: &str, folder: &Path) -> String {
    let text = text
        .replace(&folder.display().to_string(), "FOLDER")
        .replace("tablewright.exe", "tablewright");
    let lines = text.split_inclusive('\n').map(without_measures);
    lines.collect()
}

/// A line without what a proof took of the machine.
fn without_measures(line: &str) -> String {
    for told in ["took ", "\"seconds\": ", "\"peak_memory_bytes\": "] {
        let (indent, rest) = line.split_at(line.len() - line.trim_start().len());
        if rest.starts_with(told) {
            return format!("{indent}{told}…\n");
        }
    }
    line.to_owned()
}
