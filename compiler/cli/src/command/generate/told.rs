//! What came of it: written, or told to be out of date.

use tablewright_emit::artefacts::Generated;
use tablewright_emit::snapshots::Finding;

use super::stored;
use crate::Outcome;
use crate::command::outdated;
use crate::error::{Failure, shown};
use crate::file::Together;
use crate::output::Output;

/// Writes the files that differ, and tells which.
pub(super) fn write(generated: &Generated, output: &mut Output) -> Result<Outcome, Failure> {
    let mut current = 0;
    let mut together = Together::default();
    let mut told = String::new();
    for (path, text) in &generated.files {
        if stored(path)?.as_deref() == Some(text.as_bytes()) {
            current += 1;
            continue;
        }
        together.write(path, text)?;
        told.push_str(&format!("wrote {}\n", shown(path)));
        let findings = generated.findings.iter();
        for finding in findings.filter(|finding| finding.path == *path) {
            let details = finding.details();
            told.extend(details.iter().map(|line| format!("  {line}\n")));
        }
    }
    for path in &generated.left_over {
        together.remove(path);
        let name = shown(path);
        told.push_str(&format!("removed {name}: nothing generates it any more\n"));
    }
    together.make()?;
    output.print(&told)?;
    for finding in generated
        .findings
        .iter()
        .filter(|f| !is_written(generated, f))
    {
        output.print(&format!("{finding}\n"))?;
    }
    if current > 0 {
        output.print(&format!("{} up to date\n", files(current)))?;
    }
    Ok(Outcome::Clean)
}

/// Says what is out of date, or why nothing is written.
pub(super) fn report(
    generated: &Generated,
    stale: &[String],
    check: bool,
    output: &mut Output,
) -> Result<Outcome, Failure> {
    let mut count = 0;
    if check {
        count += stale.len();
        output.print(&stale.concat())?;
    }
    for finding in &generated.findings {
        if check || finding.refuses() {
            count += 1;
            output.print(&format!("{finding}\n"))?;
        }
    }
    if !check {
        output.print("nothing was written\n")?;
        return Ok(Outcome::Findings);
    }
    for (path, text) in &generated.files {
        // What a finding speaks of has been told, and with it the version that is to be kept.
        if generated
            .findings
            .iter()
            .any(|finding| finding.is_about(path))
        {
            continue;
        }
        let stored = stored(path)?;
        if stored.as_deref() != Some(text.as_bytes()) {
            count += 1;
            let command = "tablewright generate";
            output.print(&outdated::told(
                &shown(path),
                stored.as_deref(),
                text,
                command,
            ))?;
        }
    }
    for path in &generated.left_over {
        count += 1;
        let name = shown(path);
        output.print(&format!(
            "{name} is left over: nothing generates it any more\n  help: run `tablewright generate`, which removes it\n"
        ))?;
    }
    if count == 0 {
        let all = files(generated.files.len());
        output.print(&format!("{all} up to date\n"))?;
    } else {
        let things = if count == 1 { "finding" } else { "findings" };
        output.print(&format!("{count} {things}\n"))?;
    }
    Ok(Outcome::findings_if(count > 0))
}

/// Whether generating has mended it.
fn is_written(generated: &Generated, finding: &Finding) -> bool {
    let mut files = generated.files.iter();
    files.any(|(path, _)| *path == finding.path)
}

fn files(count: usize) -> String {
    if count == 1 {
        String::from("1 file")
    } else {
        format!("{count} files")
    }
}
