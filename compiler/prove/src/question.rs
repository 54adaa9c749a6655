//! One call of a read pattern.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value};

/// One call of a read pattern: values by the names the lowered read takes.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// What it is meant to show.
    pub kind: Kind,
    /// What the caller gives: the fields of `by`, the ends of a range (`due_from` and `due_to`; `due` where it has one end), and the
    /// `:names` of a condition.
    pub given: Map<String, Value>,
    /// Additional filters by field.
    pub refine: BTreeMap<String, Refinement>,
    /// What a search looks for.
    pub words: Option<String>,
    /// The keys of a batch, in order; empty for any other verb.
    pub keys: Vec<Map<String, Value>>,
    /// Everything it reads keeps to what the model declares (sizes, `returns`, `keeps`, nothing ended that is still stored): only then a
    /// budget must be kept.
    pub within_facts: bool,
    /// Nothing keeps it from that but items that are larger than declared, in either table: it is judged by its pages without these.
    pub by_page: bool,
}

/// What a question is meant to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Values of a record taken by chance.
    Typical,
    /// Values with the most records.
    Heavy,
    /// Values with awkward characters, at the ends of their type, or beside another value.
    Awkward,
    /// A range that ends on stored values, has two equal ends, or ends before it begins.
    Boundary,
    /// Values nothing has, beside values something has: `a` where there is `a#b`, `1` where there is `10`.
    NearMiss,
}

impl Kind {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Typical => "typical",
            Kind::Heavy => "heavy",
            Kind::Awkward => "awkward",
            Kind::Boundary => "boundary",
            Kind::NearMiss => "near miss",
        }
    }
}

/// What a caller asks of one field beside what the pattern asks.
#[derive(Debug, Clone, PartialEq)]
pub enum Refinement {
    /// This value; of a list or set, that it is in it.
    Is(Value),
    /// One of these.
    OneOf(Vec<Value>),
    /// This value or a greater one.
    From(Value),
    /// This value or a smaller one.
    Until(Value),
    /// From the first to the second, both included.
    Between(Value, Value),
    /// That there is one.
    Present,
    /// That there is none.
    Absent,
}

impl Refinement {
    /// The same with other values.
    pub(crate) fn map(&self, change: impl Fn(&Value) -> Value) -> Self {
        match self {
            Refinement::Is(value) => Refinement::Is(change(value)),
            Refinement::OneOf(values) => Refinement::OneOf(values.iter().map(change).collect()),
            Refinement::From(value) => Refinement::From(change(value)),
            Refinement::Until(value) => Refinement::Until(change(value)),
            Refinement::Between(low, high) => Refinement::Between(change(low), change(high)),
            Refinement::Present => Refinement::Present,
            Refinement::Absent => Refinement::Absent,
        }
    }
}

impl fmt::Display for Refinement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refinement::Is(value) => write!(f, "= {value}"),
            Refinement::OneOf(values) => {
                let values: Vec<String> = values.iter().map(Value::to_string).collect();
                write!(f, "in ({})", values.join(", "))
            }
            Refinement::From(value) => write!(f, ">= {value}"),
            Refinement::Until(value) => write!(f, "<= {value}"),
            Refinement::Between(low, high) => write!(f, "from {low} to {high}"),
            Refinement::Present => f.write_str("exists"),
            Refinement::Absent => f.write_str("not exists"),
        }
    }
}
