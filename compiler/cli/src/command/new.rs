//! `tablewright new`: a model to start from, clean under `check` and canonical under `fmt`.

use crate::Outcome;
use crate::arguments::NewArguments;
use crate::error::Failure;
use crate::output::Output;
use crate::project::Project;

const SINGLE_TABLE: &str = include_str!("new/single_table.toml");
const TABLE_PER_ENTITY: &str = include_str!("new/table_per_entity.toml");

/// What stands in the templates for the name of the model.
const PLACEHOLDER: &str = "NAME";

pub(crate) fn run(arguments: &NewArguments, output: &mut Output) -> Result<Outcome, Failure> {
    let name = &arguments.name;
    if !is_name(name) {
        return Err(Failure::BadName { name: name.clone() });
    }
    let mut project = Project::find()?.unwrap_or_else(Project::begin);
    let model = format!("models/{name}.toml");
    let template = if arguments.table_per_entity {
        TABLE_PER_ENTITY
    } else {
        SINGLE_TABLE
    };
    let mut told = project.begin_model(&model, &template.replace(PLACEHOLDER, name))?;
    told.push_str(&format!("next: edit it, then `tablewright check {name}`\n"));
    output.print(&told)?;
    Ok(Outcome::Clean)
}

/// Whether a model can have the name: it becomes the name of a file and of a table as well.
pub(crate) fn is_name(name: &str) -> bool {
    let usual = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    // A table's name has 3 to 255 characters, and the templates add some.
    (1..=64).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(usual)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_clean_and_canonical() {
        for template in [SINGLE_TABLE, TABLE_PER_ENTITY] {
            let model = template.replace(PLACEHOLDER, "shop");
            assert_eq!(tablewright_check::check_text(&model), []);
            assert_eq!(
                tablewright_model::format::format(&model).as_ref(),
                Ok(&model)
            );
        }
    }

    #[test]
    fn a_name_is_no_path() {
        for good in ["shop", "a", "my-shop_2"] {
            assert!(is_name(good), "{good}");
        }
        for bad in [
            "",
            "9x",
            "a/b",
            "..",
            "-",
            "--help",
            "a b",
            "a.toml",
            "ä",
            "a\\b",
            &"x".repeat(65),
        ] {
            assert!(!is_name(bad), "{bad}");
        }
    }
}
