//! Numbers, lists and sentences.

use tablewright_model::model::UnitKind;
use tablewright_plan::print::{thousands as number, units as shown};

/// `1 pattern`, `12,000 patterns`, `no patterns`.
pub(crate) fn count(how_many: usize, one: &str) -> String {
    count_of(how_many, one, &format!("{one}s"))
}

/// The same of a word with a plural of its own: `1 entity`, `3 entities`.
pub(crate) fn count_of(how_many: usize, one: &str, many: &str) -> String {
    match how_many {
        0 => format!("no {many}"),
        1 => format!("1 {one}"),
        more => format!("{} {many}", number(more as u64)),
    }
}

/// `600 B`, `2 KB`.
pub(crate) fn bytes(size: u64) -> String {
    match size.is_multiple_of(1024) && size > 0 {
        true => format!("{} KB", number(size / 1024)),
        false => format!("{} B", number(size)),
    }
}

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn and<S: AsRef<str>>(words: &[S]) -> String {
    joined(words, "and")
}

/// `a`, `a or b`, `a, b or c`.
pub(crate) fn or<S: AsRef<str>>(words: &[S]) -> String {
    joined(words, "or")
}

fn joined<S: AsRef<str>>(words: &[S], last_by: &str) -> String {
    match words {
        [] => String::new(),
        [one] => one.as_ref().to_owned(),
        [most @ .., last] => {
            let most: Vec<&str> = most.iter().map(AsRef::as_ref).collect();
            format!("{} {last_by} {}", most.join(", "), last.as_ref())
        }
    }
}

/// The same, cut short where there are very many: `a, b, c and 40 more`.
pub(crate) fn listed<S: AsRef<str>>(words: &[S]) -> String {
    const SHOWN: usize = 12;
    if words.len() <= SHOWN + 1 {
        return and(words);
    }
    let mut shown: Vec<String> = words[..SHOWN]
        .iter()
        .map(|word| word.as_ref().to_owned())
        .collect();
    shown.push(format!("{} more", number((words.len() - SHOWN) as u64)));
    and(&shown)
}

/// With a capital letter at the beginning.
pub(crate) fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// A sentence: a capital letter first, and a full stop at the end unless there is an end.
pub(crate) fn sentence(words: &str) -> String {
    let words = capitalised(words.trim_end());
    match words.ends_with(['.', '?', '!', '…', ':']) || words.is_empty() {
        true => words,
        false => words + ".",
    }
}

/// `1.5 RCU`.
pub(crate) fn units(units: f64, kind: UnitKind) -> String {
    let name = match kind {
        UnitKind::Read => "RCU",
        UnitKind::Write => "WCU",
    };
    format!("{} {name}", shown(units))
}

/// A share as `95 %`, `7 %`, `0.5 %`: as exact as people state one.
pub(crate) fn percent(share: f64) -> String {
    format!("{} %", (share * 1000.0).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_agree_with_their_number() {
        assert_eq!(count(0, "pattern"), "no patterns");
        assert_eq!(count(1, "pattern"), "1 pattern");
        assert_eq!(count(1234567, "item"), "1,234,567 items");
        assert_eq!(count_of(2, "entity", "entities"), "2 entities");
        assert_eq!(bytes(2048), "2 KB");
        assert_eq!(bytes(1500), "1,500 B");
    }

    #[test]
    fn lists_end_with_an_and() {
        assert_eq!(and(&["a"]), "a");
        assert_eq!(and(&["a", "b", "c"]), "a, b and c");
        assert_eq!(or(&["a", "b", "c"]), "a, b or c");
        let many: Vec<String> = (0..50).map(|n| n.to_string()).collect();
        assert!(listed(&many).ends_with("11 and 38 more"));
    }

    #[test]
    fn a_share_has_no_tail_of_digits() {
        // 0.07 × 100 is 7.000000000000001
        assert_eq!(percent(0.07), "7 %");
        assert_eq!(percent(0.95), "95 %");
        assert_eq!(percent(0.005), "0.5 %");
    }

    #[test]
    fn sentences_end() {
        assert_eq!(sentence("who is it?"), "Who is it?");
        assert_eq!(sentence("it is"), "It is.");
        assert_eq!(sentence(""), "");
        assert_eq!(units(1.5, UnitKind::Read), "1.5 RCU");
        assert_eq!(units(0.1 + 0.2, UnitKind::Write), "0.3 WCU");
    }
}
