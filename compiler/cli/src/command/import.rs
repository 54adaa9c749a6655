//! `tablewright import`: a data model of NoSQL Workbench as a model to start from.

use std::fs;
use std::path::Path;

use tablewright_emit::workbench::import::{ImportError, import, name_in};

use crate::Outcome;
use crate::arguments::ImportArguments;
use crate::command::new::is_name;
use crate::error::{Failure, shown};
use crate::input;
use crate::output::Output;
use crate::project::Project;

pub(crate) fn run(arguments: &ImportArguments, output: &mut Output) -> Result<Outcome, Failure> {
    let path = shown(&arguments.file);
    let bytes = fs::read(&arguments.file).map_err(Failure::unreadable(&path))?;
    let text = input::decode(&path, bytes)?;
    let refused = |why: ImportError| Failure::NoImport {
        path: path.clone(),
        why,
    };
    let name = match &arguments.name {
        Some(name) => name.clone(),
        None => file_name(&name_in(&text).map_err(refused)?, &arguments.file),
    };
    if !is_name(&name) {
        return Err(Failure::BadName { name });
    }
    let imported = import(&text, &name).map_err(refused)?;
    let mut project = Project::find()?.unwrap_or_else(Project::begin);
    let model = format!("models/{name}.toml");
    let mut told = project.begin_model(&model, &imported.text)?;
    told.push_str(&format!("next: read it, then `tablewright check {name}`\n"));
    let mut lost = String::from("what could not be kept, or was guessed:\n");
    for line in &imported.lost {
        lost.push_str(&format!("  {line}\n"));
    }
    output.print_beside(&lost);
    output.print(&told)?;
    Ok(Outcome::Clean)
}

/// The name of a file for a model of this name; that of the other file where nothing is left of it.
fn file_name(model: &str, file: &Path) -> String {
    let usual = |c: char| match c {
        c if c.is_ascii_alphanumeric() => c.to_ascii_lowercase(),
        _ => '-',
    };
    let plain = |text: &str| -> String {
        let text: String = text.chars().map(usual).collect();
        let words: Vec<&str> = text.split('-').filter(|word| !word.is_empty()).collect();
        words.join("-").chars().take(64).collect()
    };
    match plain(model) {
        name if name.is_empty() => plain(&file.file_stem().unwrap_or_default().to_string_lossy()),
        name => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_model_gives_its_name_to_the_file() {
        let file = Path::new("exports/My Shop.json");
        assert_eq!(file_name("Credit Card Offers", file), "credit-card-offers");
        assert_eq!(file_name("../../etc/passwd", file), "etc-passwd");
        assert_eq!(file_name("日本", file), "my-shop");
    }
}
