//! What a conjunction allows each field to be, so that one condition can be compared with another.

use std::collections::BTreeMap;

use super::{Condition, Operator, Value, ValueKind};

/// What one field may be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Allowed {
    /// Any value, but a value.
    Present,
    /// No value.
    Absent,
    /// One of these.
    OneOf(Vec<String>),
}

/// A condition read as "each of these fields is in its set".
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValueSets(pub BTreeMap<String, Allowed>);

impl ValueSets {
    /// The sets of a conjunction; none when it says more than sets can.
    pub fn of(condition: &Condition) -> Option<ValueSets> {
        let mut sets = ValueSets::default();
        for part in condition.conjuncts() {
            let (field, allowed) = set_of(part)?;
            sets.narrow(field, allowed);
        }
        Some(sets)
    }

    /// Adds one more demand on a field.
    pub fn narrow(&mut self, field: &str, allowed: Allowed) {
        let narrowed = match (self.0.remove(field), allowed) {
            (None, allowed) => allowed,
            (Some(Allowed::Absent), Allowed::Absent) => Allowed::Absent,
            // A value and no value: nothing is left.
            (Some(Allowed::Absent), _) | (Some(_), Allowed::Absent) => Allowed::OneOf(Vec::new()),
            (Some(Allowed::Present), allowed) => allowed,
            (Some(set), Allowed::Present) => set,
            (Some(Allowed::OneOf(a)), Allowed::OneOf(b)) => {
                Allowed::OneOf(a.into_iter().filter(|value| b.contains(value)).collect())
            }
        };
        self.0.insert(field.to_owned(), narrowed);
    }

    /// Whether everything these sets allow, `other` allows too.
    pub fn implies(&self, other: &ValueSets) -> bool {
        other
            .0
            .iter()
            .all(|(field, wanted)| match (self.0.get(field), wanted) {
                (None, _) | (Some(Allowed::Present), Allowed::OneOf(_)) => false,
                (Some(mine), Allowed::Absent) => *mine == Allowed::Absent,
                (Some(Allowed::Absent), _) => false,
                (Some(_), Allowed::Present) => true,
                (Some(Allowed::OneOf(mine)), Allowed::OneOf(theirs)) => {
                    mine.iter().all(|value| theirs.contains(value))
                }
            })
    }
}

/// One comparison as a set: `status = open`, `status in (open, done)`, `due exists`.
fn set_of(condition: &Condition) -> Option<(&str, Allowed)> {
    match condition {
        Condition::Compare {
            field,
            operator: Operator::Equal,
            value,
        } => Some((&field.name, Allowed::OneOf(vec![constant(value)?]))),
        Condition::In { field, values } => {
            let values: Option<Vec<String>> = values.iter().map(constant).collect();
            Some((&field.name, Allowed::OneOf(values?)))
        }
        Condition::Exists {
            field,
            present: true,
        } => Some((&field.name, Allowed::Present)),
        Condition::Exists {
            field,
            present: false,
        } => Some((&field.name, Allowed::Absent)),
        // One field that is this or that.
        Condition::Or(all) => {
            let mut words = Vec::new();
            let mut of = None;
            for one in all {
                let (field, Allowed::OneOf(more)) = set_of(one)? else {
                    return None;
                };
                if *of.get_or_insert(field) != field {
                    return None;
                }
                words.extend(more);
            }
            Some((of?, Allowed::OneOf(words)))
        }
        _ => None,
    }
}

/// A value known without the caller and without the item.
fn constant(value: &Value) -> Option<String> {
    match &value.kind {
        ValueKind::Word(text) | ValueKind::Quoted(text) | ValueKind::Number(text) => {
            Some(text.clone())
        }
        ValueKind::Parameter(_) | ValueKind::Field(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn sets(text: &str) -> ValueSets {
        ValueSets::of(&parse(text).unwrap()).unwrap()
    }

    #[test]
    fn a_narrower_condition_implies_a_wider_one() {
        assert!(sets("status = open").implies(&sets("status in (open, done)")));
        assert!(!sets("status in (open, done)").implies(&sets("status = open")));
        assert!(sets("status = open and due exists").implies(&sets("due exists")));
        assert!(!sets("due exists").implies(&sets("status = open")));
        assert!(sets("status = open").implies(&ValueSets::default()));
        assert!(sets("status = open").implies(&sets("status = open or status = done")));
        assert!(sets("due not exists").implies(&sets("due not exists")));
        assert!(!sets("due exists").implies(&sets("due not exists")));
        assert!(!sets("due = 1").implies(&sets("due not exists")));
    }

    #[test]
    fn what_is_no_set_is_not_guessed() {
        assert!(ValueSets::of(&parse("seats < 10").unwrap()).is_none());
        assert!(ValueSets::of(&parse("a = 1 or b = 2").unwrap()).is_none());
        assert!(ValueSets::of(&parse("a = :given").unwrap()).is_none());
    }
}
