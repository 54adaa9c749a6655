//! The OpenAPI document.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::routes::{Described, Documentation};
use super::{Operation, Schemas};
use crate::About;
use crate::problem::Kind;

/// The document of a service: of its routes for callers that signed in, and of those for all.
pub(crate) fn document(
    about: &About,
    signed_in: &[Documentation],
    open: &[Documentation],
    rate_limited: bool,
) -> Value {
    let mut schemas = Schemas::new();
    let mut paths = Map::new();
    let mut tags = Vec::new();
    let mut ids = BTreeSet::new();
    let groups = [(signed_in, Some(true)), (open, None)];
    for (group, signed_in) in groups {
        for documentation in group {
            let (tag, told) = documentation.tag;
            tags.push(json!({ "name": tag, "description": told }));
            for route in &documentation.described {
                let mut operation = operation(&mut schemas, route, signed_in, rate_limited);
                operation.insert("tags".into(), json!([tag]));
                let id = unique_id(&mut ids, route);
                operation.insert("operationId".into(), id.into());
                let path = paths.entry(&route.path).or_insert_with(|| json!({}));
                path[route.method] = operation.into();
            }
        }
    }
    let mut document = json!({
        "openapi": "3.1.0",
        "info": { "title": about.title, "description": about.about, "version": about.version },
        "servers": [{ "url": "/" }],
        "tags": tags,
        "paths": paths,
    });
    let token = json!({ "type": "http", "scheme": "bearer", "bearerFormat": "JWT" });
    schemas.credential("token", token);
    let credentials = schemas.take_credentials();
    let schemas = schemas.finish(&mut document);
    document["components"] = json!({ "schemas": schemas, "securitySchemes": credentials });
    document
}

fn operation(
    schemas: &mut Schemas,
    route: &Described,
    signed_in: Option<bool>,
    rate_limited: bool,
) -> Map<String, Value> {
    let mut operation = Operation::new(schemas, &route.path);
    for describe in &route.describe {
        describe(&mut operation);
    }
    if signed_in.is_some() {
        operation.problem(&Kind::UNAUTHENTICATED);
    }
    if rate_limited {
        operation.problem(&Kind::RATE_LIMITED);
    }
    for kind in [
        Kind::ADDRESS_TOO_LONG,
        Kind::HEADERS_TOO_LARGE,
        Kind::INTERNAL,
        Kind::UNAVAILABLE,
        Kind::OVERLOADED,
        Kind::TIMEOUT,
    ] {
        operation.problem(&kind);
    }
    let mut operation = operation.finish(signed_in);
    operation.insert("summary".into(), route.summary.into());
    if let Some(about) = route.about {
        operation.insert("description".into(), about.into());
    }
    operation
}

/// Ids are names of functions; two of one name differ by their method and path.
fn unique_id(ids: &mut BTreeSet<String>, route: &Described) -> String {
    let mut id = route.id.clone();
    if ids.contains(&id) {
        let path = route
            .path
            .replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        id = format!("{}{path}", route.method);
    }
    ids.insert(id.clone());
    id
}
