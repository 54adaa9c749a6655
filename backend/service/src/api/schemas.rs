//! The schemas of an API: what is read and what is written may differ, and both are collected.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value};

const PLACE: &str = "/components/schemas";

/// The schemas met so far.
#[derive(Debug)]
pub(crate) struct Schemas {
    read: SchemaGenerator,
    written: SchemaGenerator,
    /// The security schemes, by name.
    credentials: Map<String, Value>,
}

impl Schemas {
    pub(crate) fn new() -> Self {
        // OpenAPI 3.1 takes schemas of this draft as they are.
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = PLACE.into();
            settings.meta_schema = None;
        });
        Schemas {
            read: settings.clone().for_deserialize().into_generator(),
            written: settings.for_serialize().into_generator(),
            credentials: Map::new(),
        }
    }

    /// Something a caller is known by.
    pub(crate) fn credential(&mut self, name: &str, scheme: Value) {
        self.credentials.insert(name.to_owned(), scheme);
    }

    /// All that callers are known by.
    pub(crate) fn take_credentials(&mut self) -> Map<String, Value> {
        std::mem::take(&mut self.credentials)
    }

    /// What is sent to us.
    pub(crate) fn read<T: JsonSchema>(&mut self) -> Value {
        self.read.subschema_for::<T>().to_value()
    }

    /// What we send.
    pub(crate) fn written<T: JsonSchema>(&mut self) -> Value {
        self.written.subschema_for::<T>().to_value()
    }

    /// The schema itself, not a reference to it.
    pub(crate) fn read_inline<T: JsonSchema>(&mut self) -> Value {
        T::json_schema(&mut self.read).to_value()
    }

    /// All of them by name. What is read as one thing and written as another has two names; `document` is told the second.
    pub(crate) fn finish(mut self, document: &mut Value) -> Map<String, Value> {
        let mut all = self.written.take_definitions(true);
        let mut read = self.read.take_definitions(true);
        let names: Vec<String> = read.keys().cloned().collect();
        let differs = |name: &String| all.get(name).is_some_and(|other| *other != read[name]);
        let renamed: Vec<String> = names.into_iter().filter(differs).collect();
        for name in renamed {
            let other = format!("{name}Input");
            let (from, to) = (format!("#{PLACE}/{name}"), format!("#{PLACE}/{other}"));
            // Only what is read refers to it by this name.
            for schema in read.values_mut() {
                point(schema, &from, &to);
            }
            for_requests(document, &mut |schema| point(schema, &from, &to));
            if let Some(schema) = read.remove(&name) {
                read.insert(other, schema);
            }
        }
        all.extend(read);
        all
    }
}

/// Points references elsewhere.
fn point(schema: &mut Value, from: &str, to: &str) {
    match schema {
        Value::Object(map) => {
            if let Some(Value::String(reference)) = map.get_mut("$ref")
                && reference == from
            {
                to.clone_into(reference);
            }
            map.values_mut().for_each(|value| point(value, from, to));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| point(value, from, to)),
        _ => {}
    }
}

/// Everything in a document that describes what is sent to us.
fn for_requests(document: &mut Value, act: &mut dyn FnMut(&mut Value)) {
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    let operations = paths
        .into_iter()
        .flat_map(|paths| paths.values_mut())
        .filter_map(Value::as_object_mut)
        .flat_map(|path| path.values_mut());
    for operation in operations {
        for part in ["parameters", "requestBody"] {
            if let Some(part) = operation.get_mut(part) {
                act(part);
            }
        }
    }
}
