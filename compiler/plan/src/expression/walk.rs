//! Questions about a condition: which attributes and values it names, and what it demands.

use super::ast::{Comparator, Condition, NameRef, Operand, Path, ValueRef};
use super::reserved::is_reserved;

/// An expression that names attributes.
pub trait MentionsNames {
    /// Every name in the order of the text: attributes and the members of paths, aliases included.
    fn names(&self) -> Vec<&NameRef>;
}

impl MentionsNames for Condition {
    fn names(&self) -> Vec<&NameRef> {
        self.paths().flat_map(Path::names).collect()
    }
}

/// The names DynamoDB would refuse because they are reserved words written without an alias.
pub fn unaliased_reserved_words(expression: &impl MentionsNames) -> Vec<NameRef> {
    let names = expression.names().into_iter();
    names
        .filter(|name| is_reserved(&name.text))
        .cloned()
        .collect()
}

impl Condition {
    /// Every attribute path in the order of the text, repetitions included.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let mut paths = Vec::new();
        self.visit(&mut |leaf| paths.extend(leaf.path()));
        paths.into_iter()
    }

    /// Every `:value` in the order of the text, repetitions included.
    pub fn values(&self) -> impl Iterator<Item = &ValueRef> {
        let mut values = Vec::new();
        self.visit(&mut |leaf| values.extend(leaf.value()));
        values.into_iter()
    }

    /// Whether a path begins with this attribute, written as here (`PK`, `#pk`).
    pub fn mentions(&self, name: &str) -> bool {
        self.paths().any(|path| path.name.text == name)
    }

    /// The equalities between a path and a value without which the condition cannot hold: those
    /// that stand alone or under `AND`, not those under `OR` and `NOT`.
    pub fn required_equalities(&self) -> Vec<(&Path, &ValueRef)> {
        match self {
            Condition::And { terms, .. } => terms
                .iter()
                .flat_map(Condition::required_equalities)
                .collect(),
            Condition::Comparison {
                left,
                comparator: Comparator::Equal,
                right,
                ..
            } => match (left, right) {
                (Operand::Path(path), Operand::Value(value))
                | (Operand::Value(value), Operand::Path(path)) => vec![(path, value)],
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn visit<'a>(&'a self, see: &mut impl FnMut(Leaf<'a>)) {
        match self {
            Condition::Comparison { left, right, .. } => {
                see(left.into());
                see(right.into());
            }
            Condition::Between {
                operand, low, high, ..
            } => {
                see(operand.into());
                see(low.into());
                see(high.into());
            }
            Condition::In { operand, list, .. } => {
                see(operand.into());
                list.iter().for_each(|operand| see(operand.into()));
            }
            Condition::AttributeExists { path, .. }
            | Condition::AttributeNotExists { path, .. } => {
                see(Leaf::Path(path));
            }
            Condition::AttributeType {
                path, type_name, ..
            } => {
                see(Leaf::Path(path));
                see(Leaf::Value(type_name));
            }
            Condition::BeginsWith {
                operand,
                prefix: second,
                ..
            }
            | Condition::Contains {
                operand,
                part: second,
                ..
            } => {
                see(operand.into());
                see(second.into());
            }
            Condition::And { terms, .. } | Condition::Or { terms, .. } => {
                terms.iter().for_each(|term| term.visit(see));
            }
            Condition::Not { condition, .. } => condition.visit(see),
        }
    }
}

/// What a condition is made of in the end.
#[derive(Clone, Copy)]
enum Leaf<'a> {
    Path(&'a Path),
    Value(&'a ValueRef),
}

impl<'a> Leaf<'a> {
    fn path(self) -> Option<&'a Path> {
        match self {
            Leaf::Path(path) => Some(path),
            Leaf::Value(_) => None,
        }
    }

    fn value(self) -> Option<&'a ValueRef> {
        match self {
            Leaf::Path(_) => None,
            Leaf::Value(value) => Some(value),
        }
    }
}

impl<'a> From<&'a Operand> for Leaf<'a> {
    fn from(operand: &'a Operand) -> Leaf<'a> {
        match operand {
            Operand::Path(path) | Operand::Size { path, .. } => Leaf::Path(path),
            Operand::Value(value) => Leaf::Value(value),
        }
    }
}
