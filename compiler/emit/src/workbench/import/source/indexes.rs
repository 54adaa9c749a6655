//! Global indexes.

use serde_json::Value;

use super::super::error::ImportError;
use super::IndexSource;
use super::members::{is_nothing, name_of, noted, object, optional_list, unknown};
use super::tables::read_keys;

pub(super) fn read_index(
    value: &Value,
    place: &str,
    lost: &mut Vec<String>,
) -> Result<IndexSource, ImportError> {
    let index = object(value, place)?;
    let name = name_of(index, "IndexName", place)?;
    let of = format!("the index {name}");
    let known = ["IndexName", "KeyAttributes", "Projection"];
    unknown(index, &known, &of, lost);
    let projection = index.get("Projection");
    match projection.map(Value::as_object) {
        Some(Some(members)) => {
            let known = ["ProjectionType", "NonKeyAttributes"];
            unknown(members, &known, &format!("the projection of {of}"), lost);
        }
        Some(None) => lost.extend(projection.map(|value| noted("Projection", &of, value))),
        None => {}
    }
    let kind = projection.and_then(|projection| projection.get("ProjectionType")?.as_str());
    let projection = match kind {
        None | Some("ALL") => None,
        Some("KEYS_ONLY") => Some(Vec::new()),
        Some("INCLUDE") => {
            let place = format!("{place}.Projection");
            let members = projection.map_or(&Value::Null, |projection| projection);
            let names = optional_list(object(members, &place)?, "NonKeyAttributes", &place)?;
            let mut fields = Vec::new();
            for (at, name) in names.iter().enumerate() {
                let place = format!("{place}.NonKeyAttributes[{at}]");
                let expected =
                    || ImportError::wrong(&place, "the name of an attribute is expected");
                let name = name.as_str().ok_or_else(expected)?.to_owned();
                if !fields.contains(&name) {
                    fields.push(name);
                }
            }
            Some(fields)
        }
        Some(_) => {
            let expected = "ALL, KEYS_ONLY or INCLUDE is expected";
            return Err(ImportError::wrong(
                &format!("{place}.Projection.ProjectionType"),
                expected,
            ));
        }
    };
    let names = index
        .get("Projection")
        .and_then(|projection| projection.get("NonKeyAttributes"));
    if let Some(names) = names.filter(|names| kind != Some("INCLUDE") && !is_nothing(names)) {
        lost.push(noted(
            "NonKeyAttributes",
            &format!("the projection of {of}"),
            names,
        ));
    }
    Ok(IndexSource {
        name,
        keys: read_keys(index, place, lost)?,
        projection,
    })
}
