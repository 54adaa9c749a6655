use std::borrow::Cow;
use std::fmt::Write;

use crate::ESCAPE;

/// Escapes a value so that it can stand between delimiters: reversibly, and keeping its order.
///
/// Every character up to and including `$` (controls, space, `!`, `"`, `#`, `$`) becomes `$` and two
/// upper-case hexadecimal digits. An escaped value thus only contains characters from `$` on, the delimiter
/// `#` is below all of them, and `escape(a) + "#…" < escape(b) + "#…"` exactly when `a < b`.
///
/// ```
/// use tablewright_keys::{escape, unescape};
/// assert_eq!(escape("a#b"), "a$23b");
/// assert_eq!(unescape("a$23b").as_deref(), Some("a#b"));
/// ```
pub fn escape(value: &str) -> Cow<'_, str> {
    if !value.contains(needs_escape) {
        return Cow::Borrowed(value);
    }
    let mut escaped = String::with_capacity(value.len() + 8);
    for c in value.chars() {
        if needs_escape(c) {
            let _infallible = write!(escaped, "{ESCAPE}{:02X}", u32::from(c));
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

/// The value that [`escape`] turned into `text`, or `None` when it cannot have produced it.
pub fn unescape(text: &str) -> Option<String> {
    let mut value = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == ESCAPE {
            let code = hex_digit(chars.next()?)? * 16 + hex_digit(chars.next()?)?;
            value.push(char::from_u32(code).filter(|&c| needs_escape(c))?);
        } else if needs_escape(c) {
            return None;
        } else {
            value.push(c);
        }
    }
    Some(value)
}

pub(crate) fn needs_escape(c: char) -> bool {
    c <= ESCAPE
}

fn hex_digit(c: char) -> Option<u32> {
    c.to_digit(16).filter(|_| !c.is_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_up_to_the_escape_character_is_escaped() {
        assert_eq!(escape("\0\n !\"#$%"), "$00$0A$20$21$22$23$24%");
        assert!(matches!(escape("plain-é"), Cow::Borrowed("plain-é")));
    }

    #[test]
    fn only_what_escape_writes_is_read() {
        for foreign in ["$", "$2", "$25", "$0a", "$G0", "a#b", "a b", "$+1", "$41"] {
            assert_eq!(unescape(foreign), None, "{foreign}");
        }
        assert_eq!(unescape("").as_deref(), Some(""));
        assert_eq!(unescape("$0A$24").as_deref(), Some("\n$"));
    }
}
