//! The model's words in Markdown: they are shown as they are, whatever they hold.

/// Prose of the model on one line, with nothing in it taken for markup.
pub fn text(raw: &str) -> String {
    let line = one_line(raw);
    let letters: Vec<char> = line.chars().collect();
    let mut text = String::with_capacity(line.len());
    for (at, letter) in letters.iter().copied().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at)).copied();
        let behind = letters.get(at + 1).copied();
        let in_a_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        match letter {
            '\\' | '`' | '*' | '[' | ']' | '|' | '~' => text.extend(['\\', letter]),
            // Within a word it is a letter to everybody.
            '_' if !(in_a_word(before) && in_a_word(behind)) => text.push_str("\\_"),
            '<' => text.push_str("&lt;"),
            '&' if in_a_word(behind) || behind == Some('#') => text.push_str("&amp;"),
            // These begin a heading, a list or a quotation.
            '#' | '+' | '-' | '>' | '=' if before.is_none() => text.extend(['\\', letter]),
            '.' | ')' if letters[..at].iter().all(char::is_ascii_digit) => {
                text.extend(['\\', letter]);
            }
            letter => text.push(letter),
        }
    }
    text
}

/// A name or an expression as code, on one line; also in the cell of a table.
pub fn code(raw: &str) -> String {
    let line = one_line(raw);
    if line.is_empty() {
        return String::from("(empty)");
    }
    // Backticks end code, a bar ends a cell even in code, and a backslash means nothing in code but something to a bar.
    if !line.contains(['`', '|', '\\']) {
        return format!("`{line}`");
    }
    let mut html = String::from("<code>");
    for letter in line.chars() {
        if letter.is_alphanumeric() || " #{}=:,.()".contains(letter) {
            html.push(letter);
        } else {
            html.push_str(&format!("&#{};", u32::from(letter)));
        }
    }
    html + "</code>"
}

/// Without line ends, tabs and other control characters; several spaces are one.
fn one_line(raw: &str) -> String {
    let spaced: String = raw
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_no_markup() {
        assert_eq!(
            text("a_b of <b>, _x_ & *y*\n[z](u) | w &lt;"),
            "a_b of &lt;b>, \\_x\\_ & \\*y\\*\\[z\\](u) \\| w &amp;lt;"
                .replace("\\*\\[", "\\* \\[")
        );
        assert_eq!(text("# one"), "\\# one");
        assert_eq!(text("1. one"), "1\\. one");
        assert_eq!(text("in 1. place"), "in 1. place");
        assert_eq!(text("- one - two"), "\\- one - two");
    }

    #[test]
    fn code_holds_anything() {
        assert_eq!(code("USER#{id}"), "`USER#{id}`");
        assert_eq!(code("a|b"), "<code>a&#124;b</code>");
        assert_eq!(
            code("a`b\\|<i>"),
            "<code>a&#96;b&#92;&#124;&#60;i&#62;</code>"
        );
        assert_eq!(code(" a\n b "), "`a b`");
        assert_eq!(code(""), "(empty)");
    }
}
