//! Words of the model in Mermaid's grammar.

/// Text within quotes: what Mermaid, Markdown or HTML would take for something else is written as an entity.
pub(super) fn quoted(words: &str) -> String {
    let mut text = String::from("\"");
    for letter in words.chars() {
        match letter {
            '#' | '"' | '<' | '>' | '&' | '`' | '\\' | '%' | '|' | ';' => {
                text.push_str(&format!("#{};", u32::from(letter)));
            }
            letter if letter.is_control() => text.push(' '),
            letter => text.push(letter),
        }
    }
    text.push('"');
    text
}

/// The name or type of an attribute. A word that marks keys elsewhere gets an underscore, as Mermaid reads them in any case.
pub(super) fn word(name: &str) -> String {
    let plain: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '_' {
                c
            } else {
                '_'
            }
        })
        .collect();
    let marks = ["pk", "fk", "uk"].contains(&plain.to_ascii_lowercase().as_str());
    match marks || !plain.starts_with(|first: char| first.is_ascii_alphabetic()) {
        true => format!("_{plain}"),
        false => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delimiter_is_no_entity() {
        assert_eq!(quoted("USER#{id}"), "\"USER#35;{id}\"");
        assert_eq!(quoted("a\"<b>\n"), "\"a#34;#60;b#62; \"");
    }

    #[test]
    fn names_that_mark_keys_are_told_apart() {
        assert_eq!(word("pk"), "_pk");
        assert_eq!(word("pkg"), "pkg");
        assert_eq!(word("24h"), "_24h");
    }
}
