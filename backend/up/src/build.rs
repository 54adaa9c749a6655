//! What is built before anything starts.

use std::path::Path;
use std::process::Stdio;

use tokio::process::Command;

use crate::UpError;

/// Runs a command in a folder; what it says is shown as it says it.
pub(crate) async fn build(command: &str, folder: &Path) -> Result<(), UpError> {
    let failed = |why: String| UpError::Build {
        command: command.to_owned(),
        why,
    };
    let mut words = command.split_whitespace();
    let program = words
        .next()
        .ok_or_else(|| failed(String::from("`build` of [up] names no program")))?;
    let status = Command::new(program)
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::null())
        // Whoever stops waiting stops it.
        .kill_on_drop(true)
        .status()
        .await
        .map_err(|why| failed(why.to_string()))?;
    match status.success() {
        true => Ok(()),
        false => Err(failed(status.to_string())),
    }
}
