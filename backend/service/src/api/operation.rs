//! One operation of the API, as it is described.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::Schemas;
use crate::problem::{Kind, MEDIA_TYPE, ProblemBody};

/// One operation of the API, while its arguments and results describe themselves.
#[derive(Debug)]
pub struct Operation<'s> {
    schemas: &'s mut Schemas,
    /// The names in its path, in order.
    names: Vec<String>,
    parameters: Vec<Value>,
    body: Option<Value>,
    responses: BTreeMap<u16, Response>,
    signed_in: Option<bool>,
    /// The credentials of the service's own that it takes, any of them.
    credentials: Vec<&'static str>,
}

#[derive(Debug, Default)]
struct Response {
    about: Vec<String>,
    content: Map<String, Value>,
    headers: Map<String, Value>,
}

impl<'s> Operation<'s> {
    pub(super) fn new(schemas: &'s mut Schemas, path: &str) -> Self {
        let names = path.split('{').skip(1);
        let names = names.filter_map(|rest| rest.split('}').next());
        let names = names.map(|name| name.trim_start_matches('*').to_owned());
        Operation {
            schemas,
            names: names.collect(),
            parameters: Vec::new(),
            body: None,
            responses: BTreeMap::new(),
            signed_in: None,
            credentials: Vec::new(),
        }
    }

    /// It takes a credential that is no token of the issuer; if there are several, any of them. `scheme` is a security scheme of OpenAPI.
    pub fn credential(&mut self, name: &'static str, scheme: Value) {
        self.schemas.credential(name, scheme);
        self.credentials.push(name);
        self.problem(&Kind::UNAUTHENTICATED);
    }

    /// It is for callers that have signed in, or also for them.
    pub fn signed_in(&mut self, needed: bool) {
        self.signed_in = Some(needed);
        self.problem(&Kind::UNAUTHENTICATED);
    }

    /// The parameters in its path: the fields of a structure by name, the parts of a tuple in order, or one value.
    pub fn path<T: JsonSchema>(&mut self) {
        let schema = self.schemas.read_inline::<T>();
        let names = std::mem::take(&mut self.names);
        for (position, name) in names.into_iter().enumerate() {
            let found = schema
                .pointer(&format!("/properties/{name}"))
                .or_else(|| schema.pointer(&format!("/prefixItems/{position}")));
            let (schema, about) = described(found.unwrap_or(&schema).clone());
            self.parameter("path", &name, true, about, schema);
        }
        self.problem(&Kind::MALFORMED);
    }

    /// The parameters of its query: the fields of a structure.
    pub fn query<T: JsonSchema>(&mut self) {
        let schema = self.schemas.read_inline::<T>();
        let required: Vec<&str> = match schema.get("required").and_then(Value::as_array) {
            Some(names) => names.iter().filter_map(Value::as_str).collect(),
            None => Vec::new(),
        };
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            let (mut property, about) = described(without_null(property.clone()));
            let required = required.contains(&name.as_str());
            // Whoever tries it on `/docs` sends every example there is, and would see a part of a list.
            if !required && let Some(property) = property.as_object_mut() {
                property.remove("examples");
            }
            self.parameter("query", name, required, about, property);
        }
        self.problem(&Kind::MALFORMED);
    }

    /// A header it takes.
    pub fn header(&mut self, name: &str, about: &str, schema: Value) {
        self.parameter("header", name, false, Some(about.to_owned()), schema);
    }

    fn parameter(
        &mut self,
        place: &str,
        name: &str,
        required: bool,
        about: Option<String>,
        schema: Value,
    ) {
        // Several values have commas between them.
        let is_several = place == "query" && schema["type"] == "array";
        let mut parameter =
            json!({ "name": name, "in": place, "required": required, "schema": schema });
        if is_several {
            parameter["style"] = "form".into();
            parameter["explode"] = false.into();
        }
        if let Some(about) = about {
            parameter["description"] = about.into();
        }
        self.parameters.push(parameter);
    }

    /// The JSON body it takes. The first of the `examples` of its schema is what people try it with.
    pub fn body<T: JsonSchema>(&mut self) {
        let schema = self.schemas.read::<T>();
        let mut content = json!({ "schema": schema });
        // As OpenAPI has those of a body, so that they are what `/docs` begins with.
        let read = self.schemas.read_inline::<T>();
        if let Some(example) = read.pointer("/examples/0") {
            content["examples"] = json!({ "example": { "value": example } });
        }
        let content = json!({ "application/json": content });
        self.body = Some(json!({ "required": true, "content": content }));
        for kind in [
            Kind::MALFORMED,
            Kind::TOO_SLOW,
            Kind::TOO_LARGE,
            Kind::UNSUPPORTED_MEDIA_TYPE,
            Kind::INVALID,
        ] {
            self.problem(&kind);
        }
    }

    /// A way it answers, with a JSON body.
    pub fn answer<T: JsonSchema>(&mut self, status: u16, about: &str) {
        let schema = self.schemas.written::<T>();
        self.answer_of(status, about, "application/json", schema);
    }

    /// A way it answers, with a body of any type.
    pub fn answer_of(&mut self, status: u16, about: &str, media_type: &str, schema: Value) {
        self.answer_empty(status, about);
        let response = self.responses.entry(status).or_default();
        let content = json!({ "schema": schema });
        response.content.insert(media_type.to_owned(), content);
    }

    /// A way it answers, without a body.
    pub fn answer_empty(&mut self, status: u16, about: &str) {
        let response = self.responses.entry(status).or_default();
        response.about.push(about.to_owned());
    }

    /// A header of an answer described before.
    pub fn answer_header(&mut self, status: u16, name: &str, about: &str) {
        let header = json!({ "description": about, "schema": { "type": "string" } });
        let response = self.responses.entry(status).or_default();
        response.headers.insert(name.to_owned(), header);
    }

    /// A problem it may answer with.
    pub fn problem(&mut self, kind: &Kind) {
        let about = format!("{} (`{}`)", kind.title, kind.uri());
        let known = self.responses.get(&kind.status);
        if known.is_some_and(|response| response.about.contains(&about)) {
            return;
        }
        let schema = self.schemas.written::<ProblemBody>();
        self.answer_of(kind.status, &about, MEDIA_TYPE, schema);
        if matches!(kind.status, 429 | 503) {
            let about = "In how many seconds to ask again.";
            self.answer_header(kind.status, "Retry-After", about);
        }
    }

    /// The description, but for its names.
    pub(super) fn finish(mut self, signed_in: Option<bool>) -> Map<String, Value> {
        // What no argument takes is still in the path.
        if !self.names.is_empty() {
            self.path::<String>();
        }
        let mut operation = Map::new();
        if !self.parameters.is_empty() {
            operation.insert("parameters".into(), self.parameters.into());
        }
        if let Some(body) = self.body {
            operation.insert("requestBody".into(), body);
        }
        let responses: Map<String, Value> = self
            .responses
            .into_iter()
            .map(|(status, response)| {
                let mut described = json!({ "description": response.about.join(". ") });
                if !response.content.is_empty() {
                    described["content"] = response.content.into();
                }
                if !response.headers.is_empty() {
                    described["headers"] = response.headers.into();
                }
                (status.to_string(), described)
            })
            .collect();
        operation.insert("responses".into(), responses.into());
        let security = match signed_in.or(self.signed_in) {
            Some(true) => json!([{ "token": [] }]),
            Some(false) => json!([{}, { "token": [] }]),
            None => self
                .credentials
                .iter()
                .map(|name| json!({ *name: [] }))
                .collect(),
        };
        operation.insert("security".into(), security);
        operation
    }
}

/// What is not said in a query is not there: it has no null.
fn without_null(mut schema: Value) -> Value {
    let is_null = |schema: &Value| *schema == json!({ "type": "null" });
    if let Some(Value::Array(kinds)) = schema.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = kinds.as_slice() {
            schema["type"] = only.clone();
        }
    }
    if let Some(Value::Array(words)) = schema.get_mut("enum") {
        words.retain(|word| !word.is_null());
    }
    let Some(Value::Array(kinds)) = schema.get_mut("anyOf") else {
        return schema;
    };
    kinds.retain(|kind| !is_null(kind));
    if let [Value::Object(only)] = kinds.as_slice() {
        let only = only.clone();
        if let Some(schema) = schema.as_object_mut() {
            schema.remove("anyOf");
            schema.extend(only);
        }
    }
    schema
}

/// A schema without its description, and the description.
fn described(mut schema: Value) -> (Value, Option<String>) {
    let about = schema
        .as_object_mut()
        .and_then(|schema| schema.remove("description"));
    match about {
        Some(Value::String(about)) => (schema, Some(about)),
        _ => (schema, None),
    }
}
