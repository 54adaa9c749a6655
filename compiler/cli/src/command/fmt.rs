//! `tablewright fmt`: the canonical form of a model.

use tablewright_check::report::{Findings, text};
use tablewright_model::format::format as canonical;

use crate::Outcome;
use crate::arguments::FmtArguments;
use crate::error::{Failure, shown};
use crate::file;
use crate::input::{self, Input};
use crate::output::Output;

pub(crate) fn run(arguments: &FmtArguments, output: &mut Output) -> Result<Outcome, Failure> {
    let inputs = input::read(&arguments.models)?;
    let count = inputs.len();
    let from_files = inputs.iter().all(|input| input.path.is_some());
    let mut changed = 0;
    let mut broken = 0;
    for input in inputs {
        match one(input, arguments.check, output)? {
            State::Canonical => {}
            State::Changed => changed += 1,
            State::Broken => broken += 1,
        }
    }
    if from_files {
        let done = if arguments.check {
            "to format"
        } else {
            "formatted"
        };
        let models = if count == 1 { "model" } else { "models" };
        output.print(&format!("{changed} of {count} {models} {done}\n"))?;
    }
    Ok(Outcome::findings_if(
        broken > 0 || (arguments.check && changed > 0),
    ))
}

enum State {
    Canonical,
    Changed,
    Broken,
}

/// Formats one model, or says that it should be.
fn one(input: Input, only_check: bool, output: &mut Output) -> Result<State, Failure> {
    let new = match canonical(input.file.text()) {
        Ok(new) => new,
        Err(faults) => {
            let findings = Findings::new(input.file, faults);
            output.print_beside(&text::render(&findings, output.style()));
            return Ok(State::Broken);
        }
    };
    let changed = new != input.file.text();
    match &input.path {
        None if !only_check => output.print(&new)?,
        _ if only_check && changed => {
            output.print(&format!("not canonical: {}\n", input.file.path()))?;
        }
        Some(path) if changed => {
            file::replace(path, &new).map_err(Failure::unwritable(&shown(path)))?;
            output.print(&format!("formatted {}\n", input.file.path()))?;
        }
        _ => {}
    }
    Ok(if changed {
        State::Changed
    } else {
        State::Canonical
    })
}
