use super::automaton::{Automaton, State};
use super::exploration::{Exploration, Pair};
use crate::TypedTemplate;

/// A shortest key that both templates can produce; `None` when no key of one is ever a key of the other.
///
/// Fields are independent, also those that both templates name.
///
/// ```
/// use tablewright_keys::{Shape, Template, algebra};
/// let typed = |text: &str| {
///     let template = Template::parse(text).expect("well formed");
///     template.typed(|_| Some(Shape::Integer { min: 0, max: 99 })).expect("all typed")
/// };
/// assert_eq!(algebra::can_be_equal(&typed("USER#{n}"), &typed("TEAM#{n}")), None);
/// assert_eq!(algebra::can_be_equal(&typed("N#{n}"), &typed("N#1{n}")).as_deref(), Some("N#10"));
/// ```
pub fn can_be_equal(a: &TypedTemplate, b: &TypedTemplate) -> Option<String> {
    Some(meeting(a, b)?.key)
}

/// A key that two templates can have, and what each makes it of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meeting {
    /// A shortest such key.
    pub key: String,
    /// The text of each piece of the first template.
    pub first: Vec<String>,
    /// The text of each piece of the second.
    pub second: Vec<String>,
}

/// The same as [`can_be_equal`], with the parts of the key on both sides: what two items must be like to meet there.
///
/// ```
/// use tablewright_keys::{Shape, Template, algebra};
/// let typed = |text: &str| {
///     let template = Template::parse(text).expect("well formed");
///     template.typed(|_| Some(Shape::Integer { min: 0, max: 99 })).expect("all typed")
/// };
/// let found = algebra::meeting(&typed("N#{n}"), &typed("N#1{n}")).expect("10 is both");
/// assert_eq!((found.first, found.second), (vec!["N#".into(), "10".into()], vec!["N#1".into(), "0".into()]));
/// ```
pub fn meeting(a: &TypedTemplate, b: &TypedTemplate) -> Option<Meeting> {
    if differ_at_once(a, b) {
        return None;
    }
    let (left, right) = (Automaton::of(a)?, Automaton::of(b)?);
    let steps = meet(&left, &right, |pair| {
        left.accepts(pair.left) && right.accepts(pair.right)
    })?;
    let mut first = vec![String::new(); a.pieces.len()];
    let mut second = vec![String::new(); b.pieces.len()];
    for (c, pair) in &steps {
        first[pair.left.part].push(*c);
        second[pair.right.part].push(*c);
    }
    Some(Meeting {
        key: steps.iter().map(|(c, _)| *c).collect(),
        first,
        second,
    })
}

/// Whether some key of `template` starts with some text of `prefix`.
///
/// What a `begins_with` on `prefix` can find: it tells which entities a query may read.
pub fn prefix_can_match(prefix: &TypedTemplate, template: &TypedTemplate) -> bool {
    if differ_at_once(prefix, template) {
        return false;
    }
    let (Some(left), Some(right)) = (Automaton::of(prefix), Automaton::of(template)) else {
        return false;
    };
    // Every state of an automaton leads to the end of some key, so the right side can always go on.
    meet(&left, &right, |pair| left.accepts(pair.left)).is_some()
}

/// A shortest key of the template, as an example; `None` when it has no key.
pub fn shortest_key(template: &TypedTemplate) -> Option<String> {
    Some(Automaton::of(template)?.shortest_end(State::start_of(0)))
}

/// The characters of a shortest way to what is looked for, each with where it leads.
fn meet(
    left: &Automaton,
    right: &Automaton,
    is_found: impl Fn(Pair) -> bool,
) -> Option<Vec<(char, Pair)>> {
    let start = State::start_of(0);
    let mut exploration = Exploration::new(left, right);
    exploration.start(Pair {
        left: start,
        right: start,
        apart: false,
    });
    while let Some((index, pair)) = exploration.next() {
        if is_found(pair) {
            return Some(exploration.path(index).1);
        }
        exploration.step_together(index, |_, _| false);
    }
    None
}

/// The cheap way out: most pairs of templates differ in their leading literals.
fn differ_at_once(a: &TypedTemplate, b: &TypedTemplate) -> bool {
    a.leading_chars()
        .zip(b.leading_chars())
        .any(|(a, b)| a != b)
}
