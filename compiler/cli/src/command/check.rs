//! `tablewright check`: what is wrong with a model, and what to write instead.

use tablewright_check::fix::{Applied, fix};
use tablewright_check::report::{Findings, SourceFile, Summary, json, sarif, text};
use tablewright_check::{RULES, check_text};

use crate::Outcome;
use crate::arguments::{CheckArguments, CheckFormat};
use crate::error::{Failure, shown};
use crate::file;
use crate::input::{self, Input};
use crate::output::Output;

pub(crate) fn run(arguments: &CheckArguments, output: &mut Output) -> Result<Outcome, Failure> {
    let mut inputs = input::read(&arguments.models)?;
    if arguments.fix {
        if inputs.iter().any(|input| input.path.is_none()) {
            return Err(Failure::NothingToFix);
        }
        for input in &mut inputs {
            let applied = mend(input)?;
            if arguments.format == CheckFormat::Text {
                output.print(&mended(&input.file, &applied))?;
            }
        }
    }
    let all: Vec<Findings> = inputs
        .into_iter()
        .map(|input| {
            let found = check_text(input.file.text());
            Findings::new(input.file, found)
        })
        .collect();
    match arguments.format {
        CheckFormat::Text => report(&all, output)?,
        CheckFormat::Json => output.print(&json::render(&all))?,
        CheckFormat::Sarif => output.print(&sarif::render(RULES, &all))?,
    }
    let least = arguments.fail_on.severity();
    let mut found = all.iter().flat_map(Findings::diagnostics);
    Ok(Outcome::findings_if(
        found.any(|diagnostic| diagnostic.severity >= least),
    ))
}

/// The findings as people read them, and one line that counts them.
fn report(all: &[Findings], output: &mut Output) -> Result<(), Failure> {
    for findings in all {
        output.print(&text::render(findings, output.style()))?;
    }
    output.print(&format!("{}\n", Summary::of(all)))
}

/// Applies the mechanical fixes of a file, and writes it if that changed it.
fn mend(input: &mut Input) -> Result<Vec<Applied>, Failure> {
    let fixed = fix(input.file.text(), check_text);
    if let Some(path) = &input.path
        && fixed.text != input.file.text()
    {
        file::replace(path, &fixed.text).map_err(Failure::unwritable(&shown(path)))?;
        input.file = SourceFile::new(input.file.path(), fixed.text);
    }
    Ok(fixed.applied)
}

/// A line for each fix that was made.
fn mended(file: &SourceFile, applied: &[Applied]) -> String {
    applied
        .iter()
        .map(|fix| format!("fixed {}: {} ({})\n", file.path(), fix.title, fix.rule))
        .collect()
}
