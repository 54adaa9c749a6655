//! The description of the API, held against what the service does.

use std::collections::BTreeMap;

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::client::Reply;

/// The OpenAPI document.
pub(crate) struct Description {
    pub(crate) document: Value,
    validators: BTreeMap<(String, String, String, String), Validator>,
}

impl Description {
    pub(crate) fn new(document: Value) -> Self {
        let mut validators = BTreeMap::new();
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                for (status, response) in operation["responses"].as_object().unwrap() {
                    let content = response["content"].as_object();
                    for (media_type, content) in content.into_iter().flatten() {
                        // The schema with all others at the place its references name.
                        let mut schema = content["schema"].clone();
                        schema["components"] = document["components"].clone();
                        let validator = jsonschema::validator_for(&schema)
                            .unwrap_or_else(|error| panic!("{method} {path} {status}: {error}"));
                        let place = [path, method, status, media_type].map(String::clone);
                        validators.insert(place.into(), validator);
                    }
                }
            }
        }
        Description {
            document,
            validators,
        }
    }

    /// The template of a path, if the API has it.
    fn template(&self, path: &str) -> Option<&str> {
        let path = path.split('?').next().unwrap_or(path);
        let parts: Vec<&str> = path.split('/').collect();
        let fits = |template: &&String| {
            let wanted: Vec<&str> = template.split('/').collect();
            let same = |(a, b): (&&str, &&str)| a.starts_with('{') || a == b;
            wanted.len() == parts.len() && wanted.iter().zip(&parts).all(same)
        };
        let paths = self.document["paths"].as_object().unwrap();
        paths.keys().find(fits).map(String::as_str)
    }

    /// The answer is one that is described: its status, its type, its shape.
    pub(crate) fn check(&self, method: &str, path: &str, reply: &Reply) {
        let Some(template) = self.template(path) else {
            return;
        };
        let method = method.to_ascii_lowercase();
        let operation = &self.document["paths"][template][&method];
        if operation.is_null() {
            assert_eq!(reply.status, 405);
            return;
        }
        let status = reply.status.to_string();
        let described = &operation["responses"][&status];
        assert!(
            !described.is_null(),
            "{method} {template}: {status} is not described: {reply:?}"
        );
        if reply.body.is_empty() {
            assert!(
                described["content"].is_null(),
                "{method} {template}: {status} has no body"
            );
            return;
        }
        let media_type = reply.header("content-type").unwrap().to_owned();
        let place = (template.to_owned(), method.clone(), status, media_type);
        let validator = self
            .validators
            .get(&place)
            .unwrap_or_else(|| panic!("{place:?} is not described"));
        let body = reply.json();
        if let Err(error) = validator.validate(&body) {
            panic!("{place:?}: {error}: {body}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_description_is_whole_and_true_of_the_handlers() {
    let app = crate::started::Started::usual().await;
    let document = &app.description.document;
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["title"], "Notes");
    let mut ids = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(!ids.contains(&id), "{id}");
            ids.push(id);
            assert!(
                !operation["summary"].as_str().unwrap().is_empty(),
                "{method} {path}"
            );
            let statuses = operation["responses"].as_object().unwrap();
            assert!(
                statuses.keys().any(|status| status.starts_with('2')),
                "{method} {path}"
            );
            let callers_only = path.starts_with("/api/");
            assert!(statuses.contains_key("401"), "{method} {path}");
            let token = json!([{ "token": [] }]);
            assert_eq!(
                operation["security"] == token,
                callers_only,
                "{method} {path}"
            );
        }
    }
    assert!(ids.contains(&"write_note"), "{ids:?}");
    resolve(document, document);

    let write = &document["paths"]["/api/v1/notes"]["post"];
    let statuses: Vec<&String> = write["responses"].as_object().unwrap().keys().collect();
    assert_eq!(
        statuses,
        [
            "201", "400", "401", "408", "413", "414", "415", "422", "431", "500", "503"
        ]
    );
    assert_eq!(write["parameters"][0]["name"], "Idempotency-Key");
    let schemas = &document["components"]["schemas"];
    assert_eq!(schemas["NewNote"]["additionalProperties"], false);
    assert_eq!(schemas["NewNote"]["required"], json!(["text"]));

    let list = &document["paths"]["/api/v1/notes"]["get"]["parameters"];
    assert_eq!(list[1]["name"], "limit");
    assert_eq!(list[1]["schema"]["maximum"], 100);
    assert_eq!(list[1]["required"], false);
    let read = &document["paths"]["/api/v1/notes/{note_id}"]["get"]["parameters"][0];
    assert_eq!(
        (read["in"].as_str(), read["name"].as_str()),
        (Some("path"), Some("note_id"))
    );

    // What may be left out when it comes in is always there when it goes out, if only as `null`.
    let echo = &document["paths"]["/api/v1/echo"]["post"];
    let sent = &echo["requestBody"]["content"]["application/json"]["schema"]["$ref"];
    assert_eq!(sent, "#/components/schemas/EchoInput");
    assert_eq!(schemas["EchoInput"].get("required"), None);
    assert_eq!(schemas["Echo"]["required"], json!(["text", "inner"]));
}

/// Every reference leads somewhere.
fn resolve(document: &Value, part: &Value) {
    match part {
        Value::Object(map) => {
            if let Some(Value::String(reference)) = map.get("$ref") {
                let found = document.pointer(reference.strip_prefix('#').unwrap());
                assert!(found.is_some(), "{reference}");
            }
            map.values().for_each(|part| resolve(document, part));
        }
        Value::Array(parts) => parts.iter().for_each(|part| resolve(document, part)),
        _ => {}
    }
}
