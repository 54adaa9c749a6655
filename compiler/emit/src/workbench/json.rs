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
        let room = WIDTH.saturating_sub(depth * 2);
        let (open, close) = match self {
            Json::List(_) if self.is_wider_than(room) => ('[', ']'),
            Json::Object(_) if self.is_wider_than(room) => ('{', '}'),
            _ => return text.push_str(&self.in_one_line()),
        };
        let indent = "  ".repeat(depth + 1);
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

    /// Whether it does not fit on a line. Of a large value little is looked at: every entry takes a place.
    fn is_wider_than(&self, room: usize) -> bool {
        self.room_beside(room).is_none()
    }

    /// What is left of a line behind it; none when it does not fit.
    fn room_beside(&self, room: usize) -> Option<usize> {
        match self {
            Json::List(entries) if !entries.is_empty() => {
                let parts = entries.iter().map(|entry| (None, entry));
                room_behind(room.checked_sub("[]".len())?, parts)
            }
            Json::Object(members) if !members.is_empty() => {
                let parts = members.iter().map(|(name, value)| (Some(name), value));
                room_behind(room.checked_sub("{  }".len())?, parts)
            }
            // A character has at most four bytes.
            Json::Text(text) if text.len() / 4 > room => None,
            small => room.checked_sub(small.in_one_line().chars().count()),
        }
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

/// What is left of a line behind entries with what parts them.
fn room_behind<'j>(
    mut room: usize,
    parts: impl Iterator<Item = (Option<&'j String>, &'j Json)>,
) -> Option<usize> {
    for (at, (name, value)) in parts.enumerate() {
        if at > 0 {
            room = room.checked_sub(", ".len())?;
        }
        if let Some(name) = name {
            room = room.checked_sub(quoted(name).chars().count() + ": ".len())?;
        }
        room = value.room_beside(room)?;
    }
    Some(room)
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
