//! The `tablewright` command. Everything it does is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    tablewright_cli::run(std::env::args_os())
}
