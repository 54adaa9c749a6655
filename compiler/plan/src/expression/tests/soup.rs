//! Random texts: none of them panics, and every error points into its text.

use super::shape;
use crate::expression::{
    ExpressionError, parse_condition, parse_key_condition, parse_update, unaliased_reserved_words,
};

const PIECES: &[&str] = &[
    "a",
    "PK",
    "#b",
    ":v",
    "c.d",
    "e[0]",
    "(",
    ")",
    "((",
    "))",
    "[",
    "]",
    ",",
    ".",
    "=",
    "<>",
    "<",
    "<=",
    ">",
    ">=",
    "==",
    "!=",
    "&&",
    "||",
    "!",
    "+",
    "-",
    "AND",
    "or",
    "NOT",
    "BETWEEN",
    "IN",
    "size(",
    "contains(",
    "begins_with(",
    "attribute_exists(",
    "attribute_type(",
    "foo(",
    "SET",
    "REMOVE",
    "ADD",
    "DELETE",
    "if_not_exists(",
    "list_append(",
    "LIKE",
    "IS",
    "NULL",
    "5",
    "1.5",
    "'x'",
    "\"",
    "é",
    "\u{0}",
    "💥",
    "_",
    "#",
    ":",
    "2a",
    "status",
    "?",
    "\u{a0}",
    "\n",
];

/// Xorshift, 64 bits.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).expect("below a usize")
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

fn try_everything(text: &str) {
    let check = |error: &ExpressionError| {
        assert!(
            text.get(error.span.clone()).is_some(),
            "{text:?}: {error:?}"
        );
        assert!(!error.to_string().is_empty());
    };
    match parse_condition(text) {
        Ok(condition) => {
            let written = condition.to_string();
            let again = parse_condition(&written).expect(&written);
            assert_eq!(shape(&condition), shape(&again), "{text:?}");
            let names = unaliased_reserved_words(&condition);
            assert!(
                names
                    .iter()
                    .all(|name| text[name.span.clone()] == name.text)
            );
            assert!(text.get(condition.span()).is_some());
        }
        Err(error) => check(&error),
    }
    match parse_key_condition(text) {
        Ok(key) => assert!(parse_key_condition(&key.to_string()).is_ok(), "{text:?}"),
        Err(error) => check(&error),
    }
    match parse_update(text) {
        Ok(update) => {
            let written = update.to_string();
            let again = parse_update(&written).expect(&written);
            assert_eq!(written, again.to_string(), "{text:?}");
        }
        Err(error) => check(&error),
    }
}

#[test]
fn token_soups_never_panic() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for _ in 0..60_000 {
        let mut text = String::from(random.pick(&["", "", "SET a = ", "a = :v AND ", "PK"]));
        for _ in 0..random.below(14) {
            text.push_str(random.pick(PIECES));
            text.push_str(random.pick(&["", " ", " "]));
        }
        try_everything(&text);
    }
}

#[test]
fn random_bytes_never_panic() {
    let mut random = Random(0xD1B5_4A32_D192_ED03);
    for _ in 0..30_000 {
        let length = random.below(40);
        let range = if random.below(2) == 0 { 256 } else { 128 };
        let bytes: Vec<u8> = (0..length).map(|_| random.below(range) as u8).collect();
        try_everything(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn random_conditions_survive_being_written_back() {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    for _ in 0..5_000 {
        let text = random_condition(&mut random, 4);
        let condition = parse_condition(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let written = condition.to_string();
        let again = parse_condition(&written).expect(&written);
        assert_eq!(shape(&condition), shape(&again), "{text}");
        assert_eq!(written, again.to_string());
    }
}

fn random_condition(random: &mut Random, depth: usize) -> String {
    let choice = if depth == 0 { 0 } else { random.below(5) };
    let mut inner = |group: bool| {
        let condition = random_condition(random, depth - 1);
        match group && !condition.starts_with('(') {
            true => format!("({condition})"),
            false => condition,
        }
    };
    match choice {
        1 => format!("{} AND {}", inner(true), inner(false)),
        2 => format!("{} OR {}", inner(false), inner(true)),
        3 => format!("NOT {}", inner(true)),
        4 => format!("{} AND {} OR {}", inner(false), inner(true), inner(false)),
        _ => random
            .pick(&[
                "a = :a",
                "b BETWEEN :l AND size(c)",
                "d IN (:x, e.f[2])",
                "attribute_exists(#g)",
                "contains(h, :i)",
                "(j) <> :k",
            ])
            .to_owned(),
    }
}
