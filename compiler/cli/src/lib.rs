//! The `tablewright` command: thin fronts to the compiler, one module each.
//!
//! A command exits with 0 when all is well, 1 when it found something, 2 when it could not run.

mod arguments;
mod command;
mod error;
mod file;
mod input;
mod output;
mod project;
mod signals;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use crate::arguments::{Arguments, Command};
use crate::error::Failure;
use crate::output::Output;

/// How a command that could run went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// Nothing to do.
    Clean,
    /// Something was found, or a file is not as it should be.
    Findings,
}

impl Outcome {
    fn findings_if(found: bool) -> Self {
        if found {
            Outcome::Findings
        } else {
            Outcome::Clean
        }
    }
}

/// Runs the command line, the program's name first.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are among these; where they cannot be printed there is nobody to tell.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let mut output = Output::new(arguments.color);
    match dispatch(arguments.command, &mut output) {
        Ok(Outcome::Clean) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(1),
        Err(failure) => {
            output.failure(&failure);
            ExitCode::from(2)
        }
    }
}

fn dispatch(command: Command, output: &mut Output) -> Result<Outcome, Failure> {
    match command {
        Command::Check(arguments) => command::check::run(&arguments, output),
        Command::Plan(arguments) => command::plan::run(&arguments, output),
        Command::Explain(arguments) => command::explain::run(&arguments, output),
        Command::Fmt(arguments) => command::fmt::run(&arguments, output),
        Command::Generate(arguments) => command::generate::run(&arguments, output),
        Command::New(arguments) => command::new::run(&arguments, output),
        Command::Import(arguments) => command::import::run(&arguments, output),
        Command::Schema => command::schema::run(output),
        Command::Prove(arguments) => command::prove::run(&arguments, output),
        Command::Up(arguments) => command::up::run(&arguments, output),
        Command::Local(arguments) => command::local::run(&arguments, output),
        Command::Token(arguments) => command::token::run(&arguments, output),
        Command::Stream(arguments) => command::stream::run(&arguments, output),
        Command::Events(arguments) => command::events::run(&arguments, output),
        Command::Lake(arguments) => command::lake::run(&arguments, output),
    }
}

/// The description of the whole command line, for documentation and completion.
pub fn command() -> clap::Command {
    Arguments::command()
}
