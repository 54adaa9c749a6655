//! The tree of a condition.

use super::Span;

/// The name of an attribute or of a member of a map, as written: `PK`, or `#pk` for an alias.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NameRef {
    /// The text as written, with the `#` of an alias.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

impl NameRef {
    /// Whether this is an alias such as `#pk`, to be looked up among the expression's names.
    pub fn is_alias(&self) -> bool {
        self.text.starts_with('#')
    }
}

/// A placeholder for a value, as written: `:pk`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ValueRef {
    /// The text as written, with its `:`.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// A document path: a top-level attribute and the way into it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Path {
    /// The top-level attribute.
    pub name: NameRef,
    /// The steps into it; empty for the attribute itself.
    pub segments: Vec<PathSegment>,
    /// Where the whole path stands.
    pub span: Span,
}

impl Path {
    /// Whether the path is a top-level attribute, without `.member` or `[n]`.
    pub fn is_top_level(&self) -> bool {
        self.segments.is_empty()
    }

    /// Every name of the path: the attribute, then each member.
    pub fn names(&self) -> impl Iterator<Item = &NameRef> {
        let members = self.segments.iter().filter_map(|segment| match segment {
            PathSegment::Member(name) => Some(name),
            PathSegment::Index { .. } => None,
        });
        std::iter::once(&self.name).chain(members)
    }

    /// Whether both paths are written alike, wherever they stand.
    pub fn reads_like(&self, other: &Path) -> bool {
        self.to_string() == other.to_string()
    }
}

/// One step into a document.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PathSegment {
    /// `.member` of a map.
    Member(NameRef),
    /// `[n]` of a list.
    Index {
        /// The position, counted from zero.
        index: u32,
        /// Where the step stands, brackets included.
        span: Span,
    },
}

/// What a test compares.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Operand {
    /// An attribute or a part of one.
    Path(Path),
    /// A value given with the request.
    Value(ValueRef),
    /// `size(path)`.
    Size {
        /// What is measured.
        path: Path,
        /// Where the call stands.
        span: Span,
    },
}

impl Operand {
    /// Where the operand stands.
    pub fn span(&self) -> Span {
        match self {
            Operand::Path(path) => path.span.clone(),
            Operand::Value(value) => value.span.clone(),
            Operand::Size { span, .. } => span.clone(),
        }
    }
}

/// A comparison between two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Comparator {
    /// `=`
    Equal,
    /// `<>`
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

impl Comparator {
    /// The operator as DynamoDB writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Comparator::Equal => "=",
            Comparator::NotEqual => "<>",
            Comparator::Less => "<",
            Comparator::LessOrEqual => "<=",
            Comparator::Greater => ">",
            Comparator::GreaterOrEqual => ">=",
        }
    }

    /// The operator that says the same with its sides exchanged: `a < b` is `b > a`.
    pub fn flipped(self) -> Comparator {
        match self {
            Comparator::Less => Comparator::Greater,
            Comparator::LessOrEqual => Comparator::GreaterOrEqual,
            Comparator::Greater => Comparator::Less,
            Comparator::GreaterOrEqual => Comparator::LessOrEqual,
            same => same,
        }
    }
}

/// A condition or filter expression.
///
/// Parentheses leave no node behind: they show in the shape of the tree, and printing it writes
/// those the shape needs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Condition {
    /// `left comparator right`
    Comparison {
        /// The left side.
        left: Operand,
        /// How the sides are compared.
        comparator: Comparator,
        /// The right side.
        right: Operand,
        /// Where the test stands.
        span: Span,
    },
    /// `operand BETWEEN low AND high`, both bounds included
    Between {
        /// What is tested.
        operand: Operand,
        /// The lower bound.
        low: Operand,
        /// The upper bound.
        high: Operand,
        /// Where the test stands.
        span: Span,
    },
    /// `operand IN (list)`
    In {
        /// What is tested.
        operand: Operand,
        /// One to a hundred candidates.
        list: Vec<Operand>,
        /// Where the test stands.
        span: Span,
    },
    /// `attribute_exists(path)`
    AttributeExists {
        /// What must be there.
        path: Path,
        /// Where the call stands.
        span: Span,
    },
    /// `attribute_not_exists(path)`
    AttributeNotExists {
        /// What must be missing.
        path: Path,
        /// Where the call stands.
        span: Span,
    },
    /// `attribute_type(path, :type)`
    AttributeType {
        /// What is tested.
        path: Path,
        /// The value that names the type, such as `S` or `NULL`.
        type_name: ValueRef,
        /// Where the call stands.
        span: Span,
    },
    /// `begins_with(operand, prefix)`
    BeginsWith {
        /// The longer text. Documented as a path; the service takes a value as well.
        operand: Operand,
        /// What it must begin with.
        prefix: Operand,
        /// Where the call stands.
        span: Span,
    },
    /// `contains(operand, part)`
    Contains {
        /// The text, set or list. Documented as a path; the service takes a value as well.
        operand: Operand,
        /// What it must contain.
        part: Operand,
        /// Where the call stands.
        span: Span,
    },
    /// `a AND b AND …`: two terms or more
    And {
        /// The terms in their order.
        terms: Vec<Condition>,
        /// From the first term to the last.
        span: Span,
    },
    /// `a OR b OR …`: two terms or more
    Or {
        /// The terms in their order.
        terms: Vec<Condition>,
        /// From the first term to the last.
        span: Span,
    },
    /// `NOT condition`
    Not {
        /// What must not hold.
        condition: Box<Condition>,
        /// From the `NOT` to the end of the condition.
        span: Span,
    },
}

impl Condition {
    /// Where the condition stands, without parentheses around it.
    pub fn span(&self) -> Span {
        match self {
            Condition::Comparison { span, .. }
            | Condition::Between { span, .. }
            | Condition::In { span, .. }
            | Condition::AttributeExists { span, .. }
            | Condition::AttributeNotExists { span, .. }
            | Condition::AttributeType { span, .. }
            | Condition::BeginsWith { span, .. }
            | Condition::Contains { span, .. }
            | Condition::And { span, .. }
            | Condition::Or { span, .. }
            | Condition::Not { span, .. } => span.clone(),
        }
    }
}
