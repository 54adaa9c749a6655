//! `tablewright schema`: what editors need to complete and validate a model.

use tablewright_model::schema::json_schema;

use crate::Outcome;
use crate::error::Failure;
use crate::output::Output;

pub(crate) fn run(output: &mut Output) -> Result<Outcome, Failure> {
    output.print(&json_schema())?;
    Ok(Outcome::Clean)
}
