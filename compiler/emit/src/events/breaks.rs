//! Whether those who know the schema of an event can read what another schema describes.

use serde_json::{Map, Value};

use crate::rust::changes::BEFORE;

/// What would break them, a line each. Members may be added, and one that might be absent may be there always.
pub(super) fn breaks(before: &Value, after: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", before, after, &mut found);
    found
}

fn compare(path: &str, before: &Value, after: &Value, found: &mut Vec<String>) {
    let (Value::Object(before), Value::Object(after)) = (before, after) else {
        return;
    };
    let said = |schema: &Map<String, Value>| -> Map<String, Value> {
        let ours = [
            "properties",
            "required",
            "title",
            "description",
            "$comment",
            "$defs",
        ];
        let keywords = schema.iter();
        keywords
            .filter(|(keyword, _)| !ours.contains(&keyword.as_str()))
            .map(|(keyword, value)| (keyword.clone(), value.clone()))
            .collect()
    };
    if said(before) != said(after) {
        found.push(format!("{} is of another type", named(path)));
        return;
    }
    let of_before = |schema: &Map<String, Value>| schema.get("description") == Some(&BEFORE.into());
    if of_before(before) != of_before(after) {
        found.push(format!("{} is told of another moment", named(path)));
    }
    for name in required(before) {
        if !required(after).contains(&name)
            && after
                .get("properties")
                .is_some_and(|all| all.get(name).is_some())
        {
            found.push(format!("{} may be absent now", named(&join(path, name))));
        }
    }
    for members in ["properties", "$defs"] {
        let Some(Value::Object(known)) = before.get(members) else {
            continue;
        };
        for (name, schema) in known {
            let path = join(path, name);
            match after.get(members).and_then(|all| all.get(name)) {
                None => found.push(format!("{} is gone", named(&path))),
                Some(now) => compare(&path, schema, now, found),
            }
        }
    }
}

fn required(schema: &Map<String, Value>) -> Vec<&str> {
    let required = schema.get("required").and_then(Value::as_array);
    let names = required.into_iter().flatten();
    names.filter_map(Value::as_str).collect()
}

fn join(path: &str, name: &str) -> String {
    match path {
        // Those who write a model know the fields of the detail, not where they are.
        "" | "detail" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}

fn named(path: &str) -> String {
    match path {
        "" => String::from("the event"),
        path => format!("`{path}`"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{BEFORE, breaks};

    #[test]
    fn what_is_added_breaks_nobody() {
        let before = json!({ "type": "object", "required": ["a"], "properties": { "a": { "type": "string" }, "b": { "type": "string" } } });
        let mut after = before.clone();
        after["properties"]["c"] = json!({ "type": "integer" });
        after["required"] = json!(["a", "b", "c"]);
        assert_eq!(breaks(&before, &after), Vec::<String>::new());
        assert_eq!(
            breaks(&after, &before),
            ["`b` may be absent now", "`c` is gone"]
        );
    }

    #[test]
    fn a_value_before_the_change_is_another_than_that_after_it() {
        let after = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
        let mut before = after.clone();
        before["properties"]["a"]["description"] = json!(BEFORE);
        assert_eq!(breaks(&after, &before), ["`a` is told of another moment"]);
        assert_eq!(breaks(&before, &before), Vec::<String>::new());
    }

    #[test]
    fn another_type_breaks_whatever_is_within() {
        let of = |kind: &str| json!({ "type": "object", "properties": { "a": { "type": "object", "properties": { "b": { "type": kind } } } } });
        assert_eq!(
            breaks(&of("string"), &of("integer")),
            ["`a.b` is of another type"]
        );
    }
}
