use std::fmt;

use super::automaton::{Automaton, State};
use super::exploration::{Exploration, Pair};
use crate::{TypedPiece, TypedTemplate};

/// A key that can be read in two ways: two different entities may write it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ambiguity {
    /// A shortest such key.
    pub key: String,
    /// One reading: the text of each piece of the template.
    pub first: Vec<String>,
    /// Another reading.
    pub second: Vec<String>,
    /// What the pieces are called: a field's name, nothing for a literal.
    pub names: Vec<Option<String>>,
}

/// A key of the template that has two different readings; `None` when every key has one only.
///
/// Readings are compared as texts of the pieces. Encodings that lose something (`shard`, `lower`) may still
/// give one text to two values.
///
/// ```
/// use tablewright_keys::{CharSet, Shape, Template, algebra};
/// let ab = Shape::Text { chars: CharSet::from_chars("ab#"), min: 1, max: Some(9) };
/// let typed = |text: &str| {
///     Template::parse(text).expect("well formed").typed(|_| Some(ab.clone())).expect("all typed")
/// };
/// assert_eq!(algebra::ambiguity(&typed("{x}#{y}")), None);
/// let found = algebra::ambiguity(&typed("{x:raw}#{y:raw}")).expect("the delimiter may be in a value");
/// assert_eq!(found.key, "a##a");
/// ```
pub fn ambiguity(template: &TypedTemplate) -> Option<Ambiguity> {
    let automaton = Automaton::of(template)?;
    let start = State::start_of(0);
    let mut exploration = Exploration::new(&automaton, &automaton);
    exploration.start(Pair {
        left: start,
        right: start,
        apart: false,
    });
    while let Some((index, pair)) = exploration.next() {
        if pair.apart && automaton.accepts(pair.left) && automaton.accepts(pair.right) {
            let (_, steps) = exploration.path(index);
            return Some(readings(template, &steps));
        }
        // Each piece is deterministic, so two readings first differ where one piece reads a character in
        // the one and another piece in the other.
        exploration.step_together(index, |left, right| left.part != right.part);
    }
    None
}

fn readings(template: &TypedTemplate, steps: &[(char, Pair)]) -> Ambiguity {
    let mut first = vec![String::new(); template.pieces.len()];
    let mut second = first.clone();
    for (c, pair) in steps {
        first[pair.left.part].push(*c);
        second[pair.right.part].push(*c);
    }
    let name = |piece: &TypedPiece| match piece {
        TypedPiece::Field { name, .. } => Some(name.clone()),
        TypedPiece::Literal(_) => None,
    };
    let names = template.pieces.iter().map(name).collect();
    Ambiguity {
        key: steps.iter().map(|(c, _)| *c).collect(),
        first,
        second,
        names,
    }
}

impl fmt::Display for Ambiguity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reading = |texts: &[String]| {
            let named = self.names.iter().zip(texts);
            let fields =
                named.filter_map(|(name, text)| Some(format!("{} = `{text}`", name.as_ref()?)));
            fields.collect::<Vec<_>>().join(", ")
        };
        let (first, second) = (reading(&self.first), reading(&self.second));
        write!(f, "the key `{}` is both {first} and {second}", self.key)
    }
}
