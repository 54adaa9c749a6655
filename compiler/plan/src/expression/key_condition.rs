//! The narrower language of `KeyConditionExpression`.
//!
//! A key condition is read as a condition first, so that it gets the same messages for the same
//! slips, and then refused for what a key cannot be asked.

use std::fmt::{Display, Formatter};

use super::Span;
use super::ast::{Comparator, Condition, NameRef, Operand, Path, ValueRef};
use super::display::write_separated;
use super::error::{ExpressionError, ExpressionErrorKind};
use super::parse::parse_condition;
use super::walk::MentionsNames;

/// A condition on the keys of a table or an index. Which of its terms is about the partition, and
/// that this one is an equality, only the names of the keys can tell.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyCondition {
    /// One term or two, in the order of the text, about different attributes; at least one of them
    /// an equality.
    pub terms: Vec<KeyTerm>,
}

/// A test of one key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyTerm {
    /// The key.
    pub attribute: NameRef,
    /// What is asked of it.
    pub test: KeyTest,
    /// Where the test stands.
    pub span: Span,
}

/// What can be asked of a key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum KeyTest {
    /// `key = :value`
    Equals(ValueRef),
    /// `key < :value`
    Less(ValueRef),
    /// `key <= :value`
    LessOrEqual(ValueRef),
    /// `key > :value`
    Greater(ValueRef),
    /// `key >= :value`
    GreaterOrEqual(ValueRef),
    /// `key BETWEEN :low AND :high`
    Between(ValueRef, ValueRef),
    /// `begins_with(key, :prefix)`
    BeginsWith(ValueRef),
}

impl KeyTest {
    /// The values of the test, in the order of the text.
    pub fn values(&self) -> impl Iterator<Item = &ValueRef> {
        let (first, second) = match self {
            KeyTest::Equals(value)
            | KeyTest::Less(value)
            | KeyTest::LessOrEqual(value)
            | KeyTest::Greater(value)
            | KeyTest::GreaterOrEqual(value)
            | KeyTest::BeginsWith(value) => (value, None),
            KeyTest::Between(low, high) => (low, Some(high)),
        };
        std::iter::once(first).chain(second)
    }
}

impl KeyCondition {
    /// The test of the key written as here (`PK`, `#pk`).
    pub fn term(&self, name: &str) -> Option<&KeyTerm> {
        self.terms.iter().find(|term| term.attribute.text == name)
    }

    /// Every `:value` in the order of the text.
    pub fn values(&self) -> impl Iterator<Item = &ValueRef> {
        self.terms.iter().flat_map(|term| term.test.values())
    }
}

impl MentionsNames for KeyCondition {
    fn names(&self) -> Vec<&NameRef> {
        self.terms.iter().map(|term| &term.attribute).collect()
    }
}

/// Reads a key condition: `partition = :value`, perhaps with `AND` and a test of the sort key, in
/// either order. `:value = partition` is read as well.
///
/// # Errors
///
/// What [`parse_condition`] refuses, and whatever cannot be asked of keys.
pub fn parse_key_condition(text: &str) -> Result<KeyCondition, ExpressionError> {
    let condition = parse_condition(text)?;
    let whole = condition.span();
    let mut terms: Vec<KeyTerm> = Vec::new();
    let mut waiting = vec![condition];
    while let Some(next) = waiting.pop() {
        if let Condition::And { terms: inner, .. } = next {
            waiting.extend(inner.into_iter().rev());
            continue;
        }
        let term = key_term(next)?;
        if terms
            .iter()
            .any(|earlier| earlier.attribute.text == term.attribute.text)
        {
            let key = term.attribute.text;
            let kind = ExpressionErrorKind::KeyTestedTwice { key };
            return Err(ExpressionError::new(term.span, kind));
        }
        if terms.len() == 2 {
            let kind = ExpressionErrorKind::TooManyKeyTests;
            return Err(ExpressionError::new(term.span, kind));
        }
        terms.push(term);
    }
    if !terms
        .iter()
        .any(|term| matches!(term.test, KeyTest::Equals(_)))
    {
        let kind = ExpressionErrorKind::NoPartition;
        return Err(ExpressionError::new(whole, kind));
    }
    Ok(KeyCondition { terms })
}

fn key_term(condition: Condition) -> Result<KeyTerm, ExpressionError> {
    let span = condition.span();
    let operator = match condition {
        Condition::Comparison {
            left,
            comparator,
            right,
            ..
        } => return comparison(left, comparator, right, span),
        Condition::Between {
            operand, low, high, ..
        } => {
            let test = KeyTest::Between(value(low)?, value(high)?);
            return term(operand, test, span);
        }
        Condition::BeginsWith {
            operand, prefix, ..
        } => {
            let test = KeyTest::BeginsWith(value(prefix)?);
            return term(operand, test, span);
        }
        Condition::In { .. } => "IN",
        Condition::AttributeExists { .. } => "attribute_exists",
        Condition::AttributeNotExists { .. } => "attribute_not_exists",
        Condition::AttributeType { .. } => "attribute_type",
        Condition::Contains { .. } => "contains",
        Condition::And { .. } => "AND",
        Condition::Or { .. } => "OR",
        Condition::Not { .. } => "NOT",
    };
    Err(no_key_test(operator, span))
}

fn comparison(
    left: Operand,
    comparator: Comparator,
    right: Operand,
    span: Span,
) -> Result<KeyTerm, ExpressionError> {
    let (key, comparator, other) = match (left, right) {
        (Operand::Value(value), key @ Operand::Path(_)) => {
            (key, comparator.flipped(), Operand::Value(value))
        }
        (left, right) => (left, comparator, right),
    };
    let test = match comparator {
        Comparator::Equal => KeyTest::Equals,
        Comparator::Less => KeyTest::Less,
        Comparator::LessOrEqual => KeyTest::LessOrEqual,
        Comparator::Greater => KeyTest::Greater,
        Comparator::GreaterOrEqual => KeyTest::GreaterOrEqual,
        Comparator::NotEqual => return Err(no_key_test("<>", span)),
    };
    let test = test(value(other)?);
    term(key, test, span)
}

fn term(key: Operand, test: KeyTest, span: Span) -> Result<KeyTerm, ExpressionError> {
    let attribute = top_level(key)?;
    Ok(KeyTerm {
        attribute,
        test,
        span,
    })
}

fn top_level(key: Operand) -> Result<NameRef, ExpressionError> {
    match key {
        Operand::Path(path) if path.is_top_level() => Ok(path.name),
        Operand::Path(path) => Err(nested(&path)),
        Operand::Value(value) => {
            let kind = ExpressionErrorKind::NoKey;
            Err(ExpressionError::new(value.span, kind))
        }
        Operand::Size { span, .. } => Err(no_key_test("size", span)),
    }
}

fn value(operand: Operand) -> Result<ValueRef, ExpressionError> {
    match operand {
        Operand::Value(value) => Ok(value),
        Operand::Size { span, .. } => Err(no_key_test("size", span)),
        Operand::Path(path) => {
            let other = path.to_string();
            let kind = ExpressionErrorKind::KeyWithoutValue { other };
            Err(ExpressionError::new(path.span, kind))
        }
    }
}

fn nested(path: &Path) -> ExpressionError {
    let kind = ExpressionErrorKind::NestedKey {
        path: path.to_string(),
    };
    ExpressionError::new(path.span.clone(), kind)
}

fn no_key_test(operator: &'static str, span: Span) -> ExpressionError {
    ExpressionError::new(span, ExpressionErrorKind::NoKeyTest { operator })
}

impl Display for KeyTerm {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let key = &self.attribute;
        match &self.test {
            KeyTest::Equals(value) => write!(f, "{key} = {value}"),
            KeyTest::Less(value) => write!(f, "{key} < {value}"),
            KeyTest::LessOrEqual(value) => write!(f, "{key} <= {value}"),
            KeyTest::Greater(value) => write!(f, "{key} > {value}"),
            KeyTest::GreaterOrEqual(value) => write!(f, "{key} >= {value}"),
            KeyTest::Between(low, high) => write!(f, "{key} BETWEEN {low} AND {high}"),
            KeyTest::BeginsWith(prefix) => write!(f, "begins_with({key}, {prefix})"),
        }
    }
}

impl Display for KeyCondition {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        write_separated(f, &self.terms, " AND ")
    }
}
