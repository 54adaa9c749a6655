//! Bounds of key ranges, for `BETWEEN` and exclusive start keys.

/// The smallest convenient text above every key that starts with `prefix`.
///
/// DynamoDB compares strings by their UTF-8 bytes, which is the order of code points, so the last
/// character's successor closes the range. A last character without successor is dropped and the one before
/// it is raised. `None` when there is nothing above: the prefix is empty or made of `char::MAX` only.
///
/// ```
/// use tablewright_keys::bounds::after_prefix;
/// assert_eq!(after_prefix("USER#1#").as_deref(), Some("USER#1$"));
/// assert_eq!(after_prefix(""), None);
/// ```
pub fn after_prefix(prefix: &str) -> Option<String> {
    let mut above = prefix.to_owned();
    while let Some(last) = above.pop() {
        if let Some(next) = next_char(last) {
            above.push(next);
            return Some(above);
        }
    }
    None
}

/// The character after `c`, stepping over the surrogates, which no string contains.
pub(crate) fn next_char(c: char) -> Option<char> {
    match c {
        '\u{D7FF}' => Some('\u{E000}'),
        _ => char::from_u32(u32::from(c) + 1),
    }
}

/// The character before `c`, stepping over the surrogates.
pub(crate) fn previous_char(c: char) -> Option<char> {
    match c {
        '\u{E000}' => Some('\u{D7FF}'),
        _ => char::from_u32(u32::from(c).checked_sub(1)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_above_every_key_with_the_prefix_and_below_the_next() {
        let bound = after_prefix("USER#").unwrap();
        assert_eq!(bound, "USER$");
        assert!(*"USER#\u{10FFFF}\u{10FFFF}" < *bound);
        assert!(*bound <= *"USER$");
    }

    #[test]
    fn surrogates_are_stepped_over() {
        assert_eq!(after_prefix("a\u{D7FF}").as_deref(), Some("a\u{E000}"));
        assert_eq!(previous_char('\u{E000}'), Some('\u{D7FF}'));
        assert_eq!(previous_char('\0'), None);
    }

    #[test]
    fn a_last_character_without_successor_is_dropped() {
        assert_eq!(after_prefix("a\u{10FFFF}").as_deref(), Some("b"));
        assert_eq!(after_prefix("\u{10FFFF}\u{10FFFF}"), None);
    }
}
