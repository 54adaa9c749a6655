//! A lake, read by programs that share no code with the one that wrote it; in a folder, and in a bucket of a stand-in for S3.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::python::{environment, remove, run, target};
use crate::server::Server;

/// DuckDB and pyarrow on a lake that is made for them. The example `sample` has been built.
pub(crate) fn read_by_others() -> anyhow::Result<()> {
    let folder = empty("lake-sample")?;
    run(example("sample").arg(&folder).arg(&folder))?;
    compared(&folder)
}

/// The same in a bucket; and there a writer that is killed, succeeded, and refused a second time. The examples have been built.
pub(crate) fn in_a_bucket() -> anyhow::Result<()> {
    let python = environment("compat/moto", "xtask/compat/requirements.txt")?;
    let s3 = Server::start(Command::new(&python).arg("xtask/compat/serve_moto.py"))?;
    let with_s3 = |mut command: Command| {
        command
            .env("AWS_ENDPOINT_URL", &s3.url)
            .env("AWS_REGION", "us-east-1")
            .env("AWS_ACCESS_KEY_ID", "test")
            .env("AWS_SECRET_ACCESS_KEY", "test");
        command
    };
    let bucket = |words: &[&str]| {
        let mut command = Command::new(&python);
        command.arg("xtask/lake/bucket.py").args(words);
        run(&mut with_s3(command))
    };
    bucket(&["make", "lakes"])?;
    run(with_s3(example("bucket")).arg("s3://lakes/killed"))?;
    let folder = empty("lake-in-a-bucket")?;
    run(with_s3(example("sample"))
        .arg("s3://lakes/read")
        .arg(&folder))?;
    bucket(&["fetch", "lakes", "read/", &folder.display().to_string()])?;
    compared(&folder)
}

fn example(name: &str) -> Command {
    Command::new(target().join("debug/examples").join(name))
}

fn empty(name: &str) -> anyhow::Result<PathBuf> {
    let folder = env::current_dir()?.join(target()).join(name);
    remove(&folder)?;
    Ok(folder)
}

fn compared(folder: &Path) -> anyhow::Result<()> {
    let python = environment("lake-readers", "xtask/lake/requirements.txt")?;
    run(Command::new(python)
        .arg("backend/lake/tests/readers.py")
        .arg(folder))
}
