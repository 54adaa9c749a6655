//! Texts: ordinary ones cut from a stock of words, and awkward ones.

use std::sync::LazyLock;

use super::chance::Chance;

const WORDS: [&str; 48] = [
    "plan", "water", "report", "review", "garden", "letter", "invoice", "window", "draft",
    "meeting", "paint", "ticket", "call", "order", "repair", "sign", "travel", "lesson", "budget",
    "photo", "kitchen", "answer", "bridge", "copper", "delta", "engine", "forest", "glass",
    "harbour", "island", "jacket", "kettle", "ladder", "mirror", "needle", "orange", "pencil",
    "quartz", "river", "saddle", "timber", "urgent", "valley", "winter", "yellow", "zebra",
    "north", "south",
];

/// Values that break keys, orders, prefixes and comparisons which were not made with care.
const AWKWARD: [&str; 40] = [
    "a",
    "a#b",
    "a#",
    "#",
    "##",
    "$",
    "$23",
    "a$b",
    "b",
    "A",
    "ab",
    "a b",
    " a",
    "a ",
    "1",
    "10",
    "1#0",
    "01",
    "100",
    "!",
    "\"quoted\"",
    "it's",
    "100%",
    "a/b",
    "back\\slash",
    "{brace}",
    "tab\there",
    "line\nbreak",
    "e\u{301}",
    "\u{e9}",
    "stra\u{df}e",
    "STRASSE",
    "\u{130}stanbul",
    "\u{3a9}\u{3c9}",
    "日本語",
    "\u{1f600}",
    "\u{10ffff}",
    "\u{7f}",
    "~",
    "null",
];

/// Where Unicode has its ideographs: those of most texts, and the first of the rarer ones.
const IDEOGRAPHS: [(usize, usize); 2] = [(0x4e00, 0xa000), (0x2_0000, 0x2_a6d7)];

/// A long run of words, to cut texts from: one copy instead of a choice for each letter.
static STOCK: LazyLock<String> = LazyLock::new(|| {
    let mut chance = Chance::new(48);
    let mut stock = String::with_capacity(1 << 16);
    while stock.len() < 1 << 16 {
        stock.push_str(word(&mut chance));
        stock.push(' ');
    }
    stock
});

/// One of the words ordinary texts are made of.
pub(crate) fn word(chance: &mut Chance) -> &'static str {
    WORDS[chance.below(WORDS.len())]
}

/// One of the awkward texts.
pub(crate) fn odd(chance: &mut Chance) -> &'static str {
    AWKWARD[chance.below(AWKWARD.len())]
}

/// An ordinary text of so many characters, all ASCII, without a space at its end.
pub(crate) fn ordinary(chars: usize, chance: &mut Chance) -> String {
    let mut text = String::with_capacity(chars);
    while text.len() < chars {
        let wanted = (chars - text.len()).min(STOCK.len() / 2);
        let begin = chance.below(STOCK.len() - wanted);
        text.push_str(&STOCK[begin..begin + wanted]);
    }
    if text.ends_with(' ') {
        text.pop();
        text.push('.');
    }
    text
}

/// A text of so many characters that hardly any other is like: of letters and digits, of which there are a hundred times as many as of words
/// cut short.
pub(crate) fn lettered(chars: usize, chance: &mut Chance) -> String {
    const LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    let letters = (0..chars).map(|_| char::from(*chance.pick(LETTERS)));
    letters.collect()
}

/// The same of ideographs: even of one character there are tens of thousands, and none has another case.
pub(crate) fn signed(chars: usize, chance: &mut Chance) -> String {
    let signs = (0..chars).filter_map(|_| {
        let sign = chance.below(IDEOGRAPHS.iter().map(|(begin, end)| end - begin).sum());
        let (first, second) = (IDEOGRAPHS[0], IDEOGRAPHS[1]);
        let code = match first.0 + sign {
            code if code < first.1 => code,
            code => code - first.1 + second.0,
        };
        char::from_u32(code as u32)
    });
    signs.collect()
}

/// An awkward text within these bounds.
pub(crate) fn awkward(min: usize, max: usize, chance: &mut Chance) -> String {
    let longest = max.min(1000);
    let text = match chance.below(10) {
        // As long as it may be, of characters of one, two and four bytes.
        0 if longest > 0 => chance
            .pick(&["z", "\u{e9}", "\u{1f600}", "#"])
            .repeat(longest),
        1 => String::new(),
        2 => format!("{}#{}", word(chance), word(chance)),
        _ => odd(chance).to_owned(),
    };
    fitted(&text, min, max)
}

/// The text cut or drawn out to so many characters.
pub(crate) fn fitted(text: &str, min: usize, max: usize) -> String {
    let mut fitted: String = text.chars().take(max).collect();
    let missing = min.saturating_sub(fitted.chars().count());
    fitted.extend(std::iter::repeat_n('x', missing));
    fitted
}

/// A text beside another: longer by a character, cut, in another case, or with a delimiter.
pub(crate) fn neighbour(text: &str, delimiters: &[&str], chance: &mut Chance) -> String {
    let flip = |c: char| {
        if c.is_ascii_lowercase() {
            c.to_ascii_uppercase()
        } else {
            c.to_ascii_lowercase()
        }
    };
    match chance.below(5) {
        0 => format!("{text}0"),
        1 => format!("{text}{}{}", chance.pick(delimiters), word(chance)),
        2 => text.chars().map(flip).collect(),
        3 => format!("{}{text}", chance.pick(delimiters)),
        _ => {
            let keep = text.chars().count().saturating_sub(1).max(1);
            text.chars().take(keep).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::fold::fold;

    #[test]
    fn texts_keep_their_bounds() {
        let mut chance = Chance::new(5);
        for (min, max) in [(0, 0), (0, 3), (1, 1), (64, 64), (10, 2000)] {
            for _ in 0..200 {
                let count = awkward(min, max, &mut chance).chars().count();
                assert!((min..=max).contains(&count), "{count} of {min}..{max}");
            }
        }
        for chars in [0, 1, 2, 500, 200_000] {
            assert_eq!(ordinary(chars, &mut chance).len(), chars);
            assert_eq!(lettered(chars, &mut chance).chars().count(), chars);
            assert_eq!(signed(chars, &mut chance).chars().count(), chars);
        }
    }

    /// What is made where words run out does not: of two characters there are all that letters and digits make, of one as many as anybody asks for.
    #[test]
    fn of_letters_and_of_signs_there_are_many() {
        let mut chance = Chance::new(6);
        let mut many = |make: fn(usize, &mut Chance) -> String, chars| {
            let texts = (0..40_000).map(|_| fold(&make(chars, &mut chance)));
            texts.collect::<HashSet<String>>().len()
        };
        assert_eq!(many(lettered, 1), 36);
        assert_eq!(many(lettered, 2), 36 * 36);
        assert!(many(lettered, 3) > 5 * many(ordinary, 3));
        assert!(many(signed, 1) > 25_000);
    }
}
