//! The small language of `where` and `when`: `status in (open, done) and due exists`.

mod parse;
mod sets;

use std::ops::Range;

use crate::field_type::FieldType;

pub use parse::{ConditionError, parse};
pub use sets::{Allowed, ValueSets};

/// A condition on the fields of one entity.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// A field compared with a value.
    Compare {
        /// The field.
        field: Named,
        /// How.
        operator: Operator,
        /// With what.
        value: Value,
    },
    /// A field is one of several values.
    In {
        /// The field.
        field: Named,
        /// The values.
        values: Vec<Value>,
    },
    /// A field has a value, or has none.
    Exists {
        /// The field.
        field: Named,
        /// False for `not exists`.
        present: bool,
    },
    /// A list, a set or a text contains a value.
    Contains {
        /// The field.
        field: Named,
        /// What it contains.
        value: Value,
    },
    /// All hold.
    And(Vec<Condition>),
    /// At least one holds.
    Or(Vec<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
}

/// A name and where it stands in the condition's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The name.
    pub name: String,
    /// Its bytes in the text.
    pub span: Range<usize>,
}

/// A comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Operator {
    /// As DynamoDB writes it.
    pub fn as_dynamo(self) -> &'static str {
        match self {
            Operator::Equal => "=",
            Operator::NotEqual => "<>",
            Operator::Less => "<",
            Operator::LessOrEqual => "<=",
            Operator::Greater => ">",
            Operator::GreaterOrEqual => ">=",
        }
    }
}

/// What a field is compared with.
#[derive(Debug, Clone, PartialEq)]
pub struct Value {
    /// The value.
    pub kind: ValueKind,
    /// Its bytes in the text.
    pub span: Range<usize>,
}

/// The forms of a value.
#[derive(Debug, Clone, PartialEq)]
pub enum ValueKind {
    /// A bare word: one of an enum's, `true` or `false`, or another field.
    Word(String),
    /// `'text'`
    Quoted(String),
    /// A number, as written.
    Number(String),
    /// `:name`, given by the caller.
    Parameter(String),
    /// Another field of the entity. The parser reads it as a word; the resolver knows better.
    Field(String),
}

impl Condition {
    /// Every field the condition speaks of as its subject.
    pub fn fields(&self) -> Vec<&Named> {
        let mut fields = Vec::new();
        self.visit(&mut |condition| fields.extend(condition.field()));
        fields
    }

    /// The names of every field that decides whether it holds: also of those that others are compared with.
    pub fn depends_on(&self) -> Vec<&str> {
        let mut names = Vec::new();
        self.visit(&mut |condition| {
            names.extend(condition.field().map(|field| field.name.as_str()));
            names.extend(condition.values().iter().filter_map(Value::field));
        });
        names
    }

    /// The names of the values the caller gives, without the colon, each once.
    pub fn parameters(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        self.visit(&mut |condition| {
            for value in condition.values() {
                if let ValueKind::Parameter(name) = &value.kind
                    && !names.contains(&name.as_str())
                {
                    names.push(name);
                }
            }
        });
        names
    }

    /// The same names, each with the field it is first compared with.
    pub fn parameters_with_fields(&self) -> Vec<(&str, &str)> {
        let mut names: Vec<(&str, &str)> = Vec::new();
        self.visit(&mut |condition| {
            let Some(field) = condition.field() else {
                return;
            };
            for value in condition.values() {
                if let ValueKind::Parameter(name) = &value.kind
                    && !names.iter().any(|(known, _)| known == name)
                {
                    names.push((name, &field.name));
                }
            }
        });
        names
    }

    /// The field this comparison itself is about.
    pub fn field(&self) -> Option<&Named> {
        match self {
            Condition::Compare { field, .. }
            | Condition::In { field, .. }
            | Condition::Contains { field, .. }
            | Condition::Exists { field, .. } => Some(field),
            Condition::And(_) | Condition::Or(_) | Condition::Not(_) => None,
        }
    }

    /// The values of this comparison itself.
    pub fn values(&self) -> &[Value] {
        match self {
            Condition::Compare { value, .. } | Condition::Contains { value, .. } => {
                std::slice::from_ref(value)
            }
            Condition::In { values, .. } => values,
            _ => &[],
        }
    }

    /// Calls `change` with every value in it.
    fn change_values(&mut self, change: &mut impl FnMut(&Named, &mut Value)) {
        match self {
            Condition::And(all) | Condition::Or(all) => {
                all.iter_mut().for_each(|one| one.change_values(change));
            }
            Condition::Not(one) => one.change_values(change),
            Condition::Compare { field, value, .. } | Condition::Contains { field, value } => {
                change(field, value)
            }
            Condition::In { field, values } => {
                values.iter_mut().for_each(|value| change(field, value))
            }
            Condition::Exists { .. } => {}
        }
    }

    /// Reads every word that is the name of another field of the same type as that field.
    pub fn name_fields<'k>(&mut self, kind: impl Fn(&str) -> Option<&'k FieldType>) {
        self.change_values(&mut |field, value| {
            let ValueKind::Word(word) = &value.kind else {
                return;
            };
            let is_field = match (kind(&field.name), kind(word)) {
                (Some(FieldType::Bool), _) => false,
                (Some(mine), Some(theirs)) => {
                    mine.words().is_none() && mine.stored_as() == theirs.stored_as()
                }
                _ => false,
            };
            if is_field {
                value.kind = ValueKind::Field(word.clone());
            }
        });
    }

    /// The parts that must all hold: the condition itself unless it is an `and`.
    pub fn conjuncts(&self) -> &[Condition] {
        match self {
            Condition::And(all) => all,
            one => std::slice::from_ref(one),
        }
    }

    /// Whether two conditions are the same words, wherever they stand and in whatever order their parts are.
    pub fn says_the_same(&self, other: &Condition) -> bool {
        self.in_order() == other.in_order()
    }

    /// Its text with the parts in an order of their own, each once.
    fn in_order(&self) -> String {
        let joined = |all: &[Condition], word: &str| {
            let mut parts: Vec<String> = all.iter().map(Condition::in_order).collect();
            parts.sort();
            parts.dedup();
            format!("({})", parts.join(word))
        };
        match self {
            Condition::And(all) => joined(all, " and "),
            Condition::Or(all) => joined(all, " or "),
            Condition::Not(one) => format!("not ({})", one.in_order()),
            comparison => comparison.to_string(),
        }
    }

    /// Calls `see` with every comparison in it.
    pub fn visit<'c>(&'c self, see: &mut impl FnMut(&'c Condition)) {
        match self {
            Condition::And(all) | Condition::Or(all) => all.iter().for_each(|one| one.visit(see)),
            Condition::Not(one) => one.visit(see),
            comparison => see(comparison),
        }
    }
}

impl Value {
    /// The other field it is.
    pub fn field(&self) -> Option<&str> {
        match &self.kind {
            ValueKind::Field(name) => Some(name),
            _ => None,
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.kind {
            ValueKind::Word(word) | ValueKind::Number(word) | ValueKind::Field(word) => {
                f.write_str(word)
            }
            ValueKind::Quoted(text) => write!(f, "'{}'", text.replace('\'', "''")),
            ValueKind::Parameter(name) => write!(f, ":{name}"),
        }
    }
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let join = |f: &mut std::fmt::Formatter<'_>, all: &[Condition], word: &str| {
            for (index, one) in all.iter().enumerate() {
                if index > 0 {
                    write!(f, " {word} ")?;
                }
                match one {
                    Condition::And(_) | Condition::Or(_) => write!(f, "({one})")?,
                    _ => write!(f, "{one}")?,
                }
            }
            Ok(())
        };
        match self {
            Condition::Compare {
                field,
                operator,
                value,
            } => {
                let operator = match operator {
                    Operator::NotEqual => "!=",
                    other => other.as_dynamo(),
                };
                write!(f, "{} {operator} {value}", field.name)
            }
            Condition::In { field, values } => {
                let values: Vec<String> = values.iter().map(Value::to_string).collect();
                write!(f, "{} in ({})", field.name, values.join(", "))
            }
            Condition::Contains { field, value } => write!(f, "{} contains {value}", field.name),
            Condition::Exists { field, present } => {
                let not = if *present { "" } else { "not " };
                write!(f, "{} {not}exists", field.name)
            }
            Condition::And(all) => join(f, all, "and"),
            Condition::Or(all) => join(f, all, "or"),
            Condition::Not(one) => write!(f, "not ({one})"),
        }
    }
}
