//! A lake, read by programs that share no code with the one that wrote it.

use std::env;
use std::process::Command;

use crate::python::{environment, remove, run, target};

/// DuckDB and pyarrow on a lake that is made for them. The example `sample` has been built.
pub(crate) fn read_by_others() -> anyhow::Result<()> {
    let python = environment("lake-readers", "xtask/lake/requirements.txt")?;
    let folder = env::current_dir()?.join(target()).join("lake-sample");
    remove(&folder)?;
    let sample = target().join("debug/examples/sample");
    run(Command::new(sample).arg(&folder))?;
    run(Command::new(python)
        .arg("backend/lake/tests/readers.py")
        .arg(&folder))
}
