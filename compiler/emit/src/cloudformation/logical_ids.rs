//! Names of resources in a template: letters and digits only, each once.

use std::collections::BTreeMap;

use crate::EmitError;

/// The longest name CloudFormation takes.
const LONGEST: usize = 255;

/// A name of the model as CloudFormation takes it: `todo-app-data` is `TodoAppData`. What is neither letter nor digit parts words.
pub(crate) fn logical_id(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words
        .map(|word| {
            let (first, rest) = word.split_at(word.len().min(1));
            format!("{}{rest}", first.to_ascii_uppercase())
        })
        .collect()
}

/// The names that are taken, and by what.
#[derive(Debug, Default)]
pub(crate) struct LogicalIds(BTreeMap<String, String>);

impl LogicalIds {
    /// The name made of these parts, for what it names.
    pub(crate) fn take(&mut self, parts: &[&str], what: &str) -> Result<String, EmitError> {
        let name: String = parts.iter().map(|part| logical_id(part)).collect();
        if name.is_empty() || name.len() > LONGEST {
            return Err(EmitError::BadName {
                name: parts.concat(),
                what: what.to_owned(),
            });
        }
        match self.0.insert(name.clone(), what.to_owned()) {
            Some(first) => Err(EmitError::SameName {
                name,
                first,
                second: what.to_owned(),
            }),
            None => Ok(name),
        }
    }
}
