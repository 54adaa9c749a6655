//! This test binary started again, as another process that has a data directory open.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use tablewright_local::Engine;

use crate::tables;

/// Names the data directory to the other process.
const DIRECTORY: &str = "TABLEWRIGHT_TEST_DIRECTORY";

/// What the other process says before the id of each write that was acknowledged.
const ACKNOWLEDGED: &str = "acknowledged ";

const WRITERS: usize = 4;

/// A process that writes until it is killed.
pub(crate) struct Writer {
    child: Child,
    told: BufReader<ChildStdout>,
}

impl Writer {
    /// Its ids begin with `prefix`.
    pub(crate) fn start(directory: &Path, prefix: &str) -> Self {
        Self::start_as("process::write_until_killed", directory, prefix)
    }

    /// What it writes are tables, and their names begin with `prefix`.
    pub(crate) fn start_making_tables(directory: &Path, prefix: &str) -> Self {
        Self::start_as("process::make_tables_until_killed", directory, prefix)
    }

    fn start_as(test: &str, directory: &Path, prefix: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([test, "--exact", "--ignored"])
            .args(["--nocapture", "--test-threads=1"])
            .env(DIRECTORY, directory)
            .env("TABLEWRIGHT_TEST_PREFIX", prefix)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let told = BufReader::new(child.stdout.take().unwrap());
        Writer { child, told }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The next id it was told is written; none if it has ended.
    pub(crate) fn next(&mut self) -> Option<String> {
        let mut line = String::new();
        while self.told.read_line(&mut line).unwrap() > 0 {
            // What it was about to say when it was killed is no acknowledgement.
            if let Some((_, id)) = line
                .strip_suffix('\n')
                .and_then(|line| line.split_once(ACKNOWLEDGED))
            {
                return Some(id.to_owned());
            }
            line.clear();
        }
        None
    }

    /// Ends it as a loss of power would, and returns what it still had said.
    pub(crate) fn kill(mut self) -> Vec<String> {
        self.child.kill().unwrap();
        let rest = std::iter::from_fn(|| self.next()).collect();
        self.child.wait().unwrap();
        rest
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it is the process that other tests start and kill"]
async fn write_until_killed() {
    let directory = std::env::var_os(DIRECTORY).expect("started by another test");
    let prefix = std::env::var("TABLEWRIGHT_TEST_PREFIX").unwrap();
    let dynamodb = Engine::open(directory).unwrap().dynamodb();
    if dynamodb
        .list_tables()
        .send()
        .await
        .unwrap()
        .table_names()
        .is_empty()
    {
        tables::create(&dynamodb, "things").await;
    }
    let writers = (0..WRITERS).map(|writer| {
        let (dynamodb, prefix) = (dynamodb.clone(), prefix.clone());
        tokio::spawn(async move {
            for n in 0.. {
                let id = format!("{prefix}-{writer}-{n}");
                tables::put(&dynamodb, "things", &id).await;
                let mut stdout = std::io::stdout().lock();
                writeln!(stdout, "{ACKNOWLEDGED}{id}").unwrap();
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
}

#[tokio::test]
#[ignore = "it is the process that other tests start and kill"]
async fn make_tables_until_killed() {
    let directory = std::env::var_os(DIRECTORY).expect("started by another test");
    let prefix = std::env::var("TABLEWRIGHT_TEST_PREFIX").unwrap();
    let dynamodb = Engine::open(directory).unwrap().dynamodb();
    for n in 0.. {
        let name = format!("{prefix}-{n}");
        tables::create(&dynamodb, &name).await;
        let mut stdout = std::io::stdout().lock();
        writeln!(stdout, "{ACKNOWLEDGED}{name}").unwrap();
    }
}
