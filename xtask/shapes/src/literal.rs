//! Values as TypeScript writes them.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::Value;

/// What the types of a model are imported as.
pub(crate) const MODULE: &str = "Types";

/// `const a1: Types.Task = { … };` on one line, where an expected error is looked for.
pub(crate) fn constant(count: &mut usize, kind: &str, literal: &str) -> String {
    *count += 1;
    format!("export const a{count}: {MODULE}.{kind} = {literal};\n")
}

/// A value of JSON is a value of TypeScript.
pub(crate) fn of_json(value: &Value) -> String {
    value.to_string()
}

/// An item as the document client gives it.
pub(crate) fn of_item(item: &HashMap<String, AttributeValue>) -> String {
    let mut names: Vec<&String> = item.keys().collect();
    names.sort();
    let attributes: Vec<String> = names
        .into_iter()
        .map(|name| {
            format!(
                "{}: {}",
                Value::from(name.as_str()),
                of_attribute(&item[name])
            )
        })
        .collect();
    format!("{{ {} }}", attributes.join(", "))
}

fn of_attribute(value: &AttributeValue) -> String {
    let listed = |texts: Vec<String>| texts.join(", ");
    match value {
        AttributeValue::S(text) => Value::from(text.as_str()).to_string(),
        AttributeValue::N(number) => number.clone(),
        AttributeValue::Bool(value) => value.to_string(),
        AttributeValue::B(bytes) => format!(
            "new Uint8Array([{}])",
            listed(bytes.as_ref().iter().map(u8::to_string).collect())
        ),
        // A set has no order of its own.
        AttributeValue::Ss(texts) => {
            let texts = texts.iter();
            let mut texts: Vec<String> = texts
                .map(|text| Value::from(text.as_str()).to_string())
                .collect();
            texts.sort();
            format!("new Set([{}])", listed(texts))
        }
        AttributeValue::Ns(numbers) => {
            let mut numbers = numbers.clone();
            numbers.sort();
            format!("new Set([{}])", listed(numbers))
        }
        AttributeValue::L(values) => {
            format!("[{}]", listed(values.iter().map(of_attribute).collect()))
        }
        AttributeValue::M(values) => of_item(values),
        _ => "null".to_owned(),
    }
}
