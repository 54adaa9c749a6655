//! The JSON Schema of the language, generated from the types that read it.

use schemars::generate::SchemaSettings;

use crate::source::ModelFile;

/// The schema, as pretty JSON with a final newline.
pub fn json_schema() -> String {
    let schema = SchemaSettings::draft07()
        .into_generator()
        .into_root_schema_for::<ModelFile>();
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}
