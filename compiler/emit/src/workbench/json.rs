//! JSON whose members stay in the order in which they were put.

use serde_json::Value;

/// What fits is written on one line.
const WIDTH: usize = 100;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Json {
    Text(String),
    Number(u64),
    Flag(bool),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub(super) fn text(text: impl Into<String>) -> Json {
        Json::Text(text.into())
    }

    pub(super) fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
        let members = members.into_iter();
        Json::Object(
            members
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        )
    }

    pub(super) fn texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> Json {
        Json::List(texts.into_iter().map(Json::text).collect())
    }

    /// As the text of a file.
    pub(super) fn to_text(&self) -> String {
        let mut text = String::new();
        self.write(0, &mut text);
        text.push('\n');
        text
    }

    fn write(&self, depth: usize, text: &mut String) {
        let line = self.in_one_line();
        if depth * 2 + line.chars().count() <= WIDTH {
            text.push_str(&line);
            return;
        }
        let indent = "  ".repeat(depth + 1);
        let (open, close) = match self {
            Json::List(_) => ('[', ']'),
            Json::Object(_) => ('{', '}'),
            _ => return text.push_str(&line),
        };
        text.push(open);
        let mut first = true;
        let mut begin = |text: &mut String| {
            text.push_str(if first { "\n" } else { ",\n" });
            text.push_str(&indent);
            first = false;
        };
        match self {
            Json::List(entries) => {
                for entry in entries {
                    begin(text);
                    entry.write(depth + 1, text);
                }
            }
            Json::Object(members) => {
                for (name, value) in members {
                    begin(text);
                    text.push_str(&format!("{}: ", quoted(name)));
                    value.write(depth + 1, text);
                }
            }
            _ => {}
        }
        text.push_str(&format!("\n{}{close}", "  ".repeat(depth)));
    }

    fn in_one_line(&self) -> String {
        match self {
            Json::Text(text) => quoted(text),
            Json::Number(number) => number.to_string(),
            Json::Flag(flag) => flag.to_string(),
            Json::List(entries) if entries.is_empty() => "[]".to_owned(),
            Json::Object(members) if members.is_empty() => "{}".to_owned(),
            Json::List(entries) => {
                let entries: Vec<String> = entries.iter().map(Json::in_one_line).collect();
                format!("[{}]", entries.join(", "))
            }
            Json::Object(members) => {
                let members: Vec<String> = members
                    .iter()
                    .map(|(name, value)| format!("{}: {}", quoted(name), value.in_one_line()))
                    .collect();
                format!("{{ {} }}", members.join(", "))
            }
        }
    }
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
