//! A data model of NoSQL Workbench as a model to start from.
//!
//! Tables, keys, indexes, projections and capacity are taken as they are. Facets become entities; without facets the samples are sorted by
//! the attribute that names their kind, or by the beginnings of their keys. Types of fields and templates of keys come from samples, and
//! every sample is held against the model that came of it. What cannot be kept is listed.

mod bounds;
mod draft;
mod entity;
mod error;
mod fields;
mod groups;
mod key_bounds;
mod learned;
mod matches;
mod names;
mod notes;
mod parts;
mod questions;
mod shapes;
mod source;
mod spelling;
mod templates;
mod verify;
mod versioned;
mod write;

pub use error::ImportError;

/// A model that was made from a file.
#[derive(Debug, Clone)]
pub struct Imported {
    /// The model in its canonical form.
    pub text: String,
    /// What could not be kept, or was guessed, in words.
    pub lost: Vec<String>,
}

/// What the file calls its model.
///
/// # Errors
/// When the file is no data model of NoSQL Workbench for Amazon DynamoDB.
pub fn name_in(text: &str) -> Result<String, ImportError> {
    source::read(text).map(|source| source.name)
}

/// The model of this name, from the text of a file.
///
/// # Errors
/// When the file is no data model of NoSQL Workbench for Amazon DynamoDB.
///
/// ```
/// let text = r##"{
///   "ModelName": "Shop",
///   "DataModel": [{
///     "TableName": "shop",
///     "KeyAttributes": {
///       "PartitionKey": { "AttributeName": "PK", "AttributeType": "S" },
///       "SortKey": { "AttributeName": "SK", "AttributeType": "S" }
///     },
///     "TableFacets": [{
///       "FacetName": "Order",
///       "NonKeyAttributes": ["customer", "number"],
///       "TableData": [{
///         "PK": { "S": "CUSTOMER#ada" }, "SK": { "S": "ORDER#00017" },
///         "customer": { "S": "ada" }, "number": { "N": "17" }
///       }]
///     }]
///   }]
/// }"##;
/// let imported = tablewright_emit::workbench::import::import(text, "shop").unwrap();
/// let model = tablewright_model::parse(&imported.text).unwrap();
/// assert_eq!(model.entities[0].key.partition.to_string(), "CUSTOMER#{customer}");
/// assert_eq!(model.entities[0].key.sort.as_ref().unwrap().to_string(), "ORDER#{number:05}");
/// ```
pub fn import(text: &str, name: &str) -> Result<Imported, ImportError> {
    let source = source::read(text)?;
    let mut draft = draft::draft(&source);
    let written = |draft: &entity::Draft| {
        let text = write::write(name, &source, draft);
        let formatted = tablewright_model::format::format(&text);
        formatted.map_err(|faults| not_read(&faults))
    };
    let read = |text: String| tablewright_model::parse(&text).map_err(|faults| not_read(&faults));
    let mut model = read(written(&draft)?)?;
    while key_bounds::narrow(&model, &mut draft) {
        model = read(written(&draft)?)?;
    }
    let differing = verify::verify(&model, &draft);
    draft.lost.extend(differing);
    for line in &mut draft.lost {
        *line = write::one_paragraph(line);
    }
    Ok(Imported {
        text: written(&draft)?,
        lost: draft.lost,
    })
}

fn not_read(faults: &[tablewright_model::Diagnostic]) -> ImportError {
    ImportError::NotRead {
        why: faults
            .first()
            .map_or_else(String::new, |fault| fault.message.clone()),
    }
}
