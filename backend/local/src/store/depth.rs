//! Expressions that nest too deeply, refused before the engine follows them: its parser would run out of stack, and take the process along.

use serde_json::Value;

use crate::Reply;

/// As deep as an expression may nest. DynamoDB takes at most 300 operators in all.
const DEEPEST: usize = 100;

/// The refusal of a request with an expression that nests too deeply.
pub(crate) fn refusal(body: &[u8]) -> Option<Reply> {
    // Most requests are shallow, and are not read twice.
    let openings = body.iter().filter(|byte| **byte == b'(').count();
    let negations = body
        .windows(3)
        .filter(|word| word.eq_ignore_ascii_case(b"not"))
        .count();
    if openings + negations <= DEEPEST {
        return None;
    }
    let body: Value = serde_json::from_slice(body).ok()?;
    let name = too_deep(&body)?;
    let message = format!("Invalid {name}: The expression nests deeper than {DEEPEST} levels");
    let body = serde_json::json!({
        "__type": "com.amazon.coral.validate#ValidationException",
        "message": message,
    });
    Some(Reply {
        status: 400,
        body: body.to_string(),
    })
}

/// The name of an expression somewhere in a request that nests too deeply.
fn too_deep(value: &Value) -> Option<&str> {
    match value {
        Value::Object(fields) => fields.iter().find_map(|(name, value)| match value {
            Value::String(text) if name.ends_with("Expression") => {
                (depth(text) > DEEPEST).then_some(name.as_str())
            }
            value => too_deep(value),
        }),
        Value::Array(values) => values.iter().find_map(too_deep),
        _ => None,
    }
}

/// How deep parentheses nest, and how many negations there are: each is a step further down for a parser.
fn depth(expression: &str) -> usize {
    let (mut open, mut deepest) = (0_usize, 0_usize);
    for byte in expression.bytes() {
        match byte {
            b'(' => open += 1,
            b')' => open = open.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(open);
    }
    let words = expression.split(|c: char| !c.is_ascii_alphanumeric());
    deepest
        + words
            .filter(|word| word.eq_ignore_ascii_case("not"))
            .count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(filter: &str) -> Option<Reply> {
        let body = serde_json::json!({ "TableName": "t", "FilterExpression": filter });
        refusal(body.to_string().as_bytes())
    }

    #[test]
    fn only_what_nests_too_deeply_is_refused() {
        let nested =
            |levels: usize| format!("{}a=b{}", "(a=b OR ".repeat(levels), ")".repeat(levels));
        assert!(scan(&nested(100)).is_none());
        let refused = scan(&nested(101)).unwrap();
        assert_eq!(refused.status, 400);
        assert!(
            refused.body.contains("ValidationException"),
            "{}",
            refused.body
        );
        assert!(scan(&format!("{}a = b", "NOT ".repeat(300))).is_some());
        assert!(
            scan(&"(a = b) AND ".repeat(200)).is_none(),
            "wide is not deep"
        );
        // What is stored may have as many parentheses as it likes.
        let body = serde_json::json!({ "Item": { "text": { "S": "(".repeat(5000) } } });
        assert!(refusal(body.to_string().as_bytes()).is_none());
        assert!(
            refusal("(".repeat(500).as_bytes()).is_none(),
            "the engine refuses what is no JSON"
        );
    }
}
