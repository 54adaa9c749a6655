//! Text as a careful person lays it out.

/// How wide a line may be.
const WIDTH: usize = 120;

/// A declaration's documentation, on one line where it fits.
pub(super) fn comment(indent: &str, text: &str) -> String {
    // What would end the comment does not.
    let text = text.replace("*/", "*\\/");
    let one = format!("{indent}/** {} */\n", text.trim());
    if one.chars().count() <= WIDTH && !text.trim().contains('\n') {
        return one;
    }
    let mut lines = format!("{indent}/**\n");
    for paragraph in text.trim().lines() {
        for line in wrapped(paragraph, WIDTH - indent.len() - 3) {
            lines.push_str(format!("{indent} * {line}").trim_end());
            lines.push('\n');
        }
    }
    lines.push_str(&format!("{indent} */\n"));
    lines
}

/// Lines that begin with `//`.
pub(super) fn line_comment(text: &str) -> String {
    let mut lines = String::new();
    for paragraph in text.split('\n') {
        for line in wrapped(paragraph, WIDTH - 3) {
            lines.push_str(format!("// {line}").trim_end());
            lines.push('\n');
        }
    }
    lines
}

/// A line between the parts of a file.
pub(super) fn heading(title: &str) -> String {
    let rule = "─".repeat(76_usize.saturating_sub(title.chars().count()));
    format!("// ── {title} {rule}\n")
}

fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let fits = lines.last().is_none_or(|line| {
            line.is_empty() || line.chars().count() + 1 + word.chars().count() <= width
        });
        if !fits {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

/// A text as a literal.
pub(super) fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Text that stands in a template literal.
pub(super) fn in_template(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '`' | '\\' | '$' => escaped.extend(['\\', c]),
            '\n' => escaped.push_str("\\n"),
            '\r' => escaped.push_str("\\r"),
            c => escaped.push(c),
        }
    }
    escaped
}

/// One of several types.
pub(super) fn union(alternatives: &[String]) -> String {
    let one = alternatives.join(" | ");
    if one.len() <= 90 {
        return one;
    }
    alternatives
        .iter()
        .map(|alternative| format!("\n  | {alternative}"))
        .collect()
}

/// A property of an interface.
#[derive(Debug, Clone)]
pub(super) struct Property {
    pub(super) about: String,
    pub(super) name: String,
    /// It may be absent.
    pub(super) optional: bool,
    pub(super) kind: String,
}

impl Property {
    fn to_text(&self) -> String {
        let about = comment("  ", &self.about);
        let mark = if self.optional { "?" } else { "" };
        format!("{about}  {}{mark}: {};\n", name(&self.name), self.kind)
    }
}

/// A property's name, quoted where it must be.
pub(super) fn name(name: &str) -> String {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if begins && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        name.to_owned()
    } else {
        literal(name)
    }
}

/// An interface, and what it extends.
pub(super) fn interface(
    about: &str,
    name: &str,
    extends: &[String],
    properties: &[Property],
) -> String {
    let mut text = comment("", about);
    if properties.is_empty() {
        // An interface without members would take anything.
        let kind = match extends {
            [] => "{ [name: string]: never }".to_owned(),
            extends => extends.join(" & "),
        };
        text.push_str(&format!("export type {name} = {kind};\n"));
        return text;
    }
    let mut begins = format!("export interface {name}");
    if !extends.is_empty() {
        let one = format!("{begins} extends {}", extends.join(", "));
        begins = match one.len() + 2 <= WIDTH {
            true => one,
            false => format!("{begins}\n  extends {}", extends.join(",\n    ")),
        };
    }
    text.push_str(&format!("{begins} {{\n"));
    for property in properties {
        text.push_str(&property.to_text());
    }
    text.push_str("}\n");
    text
}

/// A link to a type, with its article.
pub(super) fn a(name: &str) -> String {
    let article = match name.starts_with(['A', 'E', 'I', 'O']) {
        true => "An",
        false => "A",
    };
    format!("{article} {{@link {name}}}")
}

/// A type by another name.
pub(super) fn alias(about: &str, name: &str, kind: &str) -> String {
    let space = if kind.starts_with('\n') { "" } else { " " };
    format!("{}export type {name} ={space}{kind};\n", comment("", about))
}

/// The names of properties, as a union of literals.
pub(super) fn names_of<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let literals: Vec<String> = names.into_iter().map(literal).collect();
    literals.join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_a_comment_early() {
        assert_eq!(comment("", "a */ b"), "/** a *\\/ b */\n");
        let long = "word ".repeat(60);
        let lines = comment("  ", &long);
        assert!(lines.starts_with("  /**\n   * word "));
        assert!(lines.ends_with("word\n   */\n"));
        assert!(lines.lines().all(|line| line.chars().count() <= WIDTH));
    }

    #[test]
    fn names_are_quoted_where_they_must_be() {
        assert_eq!(name("GSI1PK"), "GSI1PK");
        assert_eq!(name("_leaderboard"), "_leaderboard");
        assert_eq!(name("GSI1-PK"), "\"GSI1-PK\"");
        assert_eq!(name("a\"b"), r#""a\"b""#);
    }

    #[test]
    fn what_a_template_would_read_otherwise_is_escaped() {
        assert_eq!(in_template("a`b\\${c}"), "a\\`b\\\\\\${c}");
    }
}
