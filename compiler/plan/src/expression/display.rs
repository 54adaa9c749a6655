//! Conditions written back as text, with the spacing DynamoDB's guide uses.

use std::fmt::{Display, Formatter, Result};

use super::ast::{Comparator, Condition, NameRef, Operand, Path, PathSegment, ValueRef};

impl Display for NameRef {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(&self.text)
    }
}

impl Display for ValueRef {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(&self.text)
    }
}

impl Display for Path {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}", self.name)?;
        for segment in &self.segments {
            match segment {
                PathSegment::Member(name) => write!(f, ".{name}")?,
                PathSegment::Index { index, .. } => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Operand::Path(path) => write!(f, "{path}"),
            Operand::Value(value) => write!(f, "{value}"),
            Operand::Size { path, .. } => write!(f, "size({path})"),
        }
    }
}

impl Display for Comparator {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(self.as_str())
    }
}

impl Display for Condition {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Condition::Comparison {
                left,
                comparator,
                right,
                ..
            } => write!(f, "{left} {comparator} {right}"),
            Condition::Between {
                operand, low, high, ..
            } => write!(f, "{operand} BETWEEN {low} AND {high}"),
            Condition::In { operand, list, .. } => {
                write!(f, "{operand} IN (")?;
                write_separated(f, list, ", ")?;
                f.write_str(")")
            }
            Condition::AttributeExists { path, .. } => write!(f, "attribute_exists({path})"),
            Condition::AttributeNotExists { path, .. } => {
                write!(f, "attribute_not_exists({path})")
            }
            Condition::AttributeType {
                path, type_name, ..
            } => write!(f, "attribute_type({path}, {type_name})"),
            Condition::BeginsWith {
                operand, prefix, ..
            } => write!(f, "begins_with({operand}, {prefix})"),
            Condition::Contains { operand, part, .. } => write!(f, "contains({operand}, {part})"),
            Condition::And { terms, .. } => write_terms(f, self, terms, " AND "),
            Condition::Or { terms, .. } => write_terms(f, self, terms, " OR "),
            Condition::Not { condition, .. } => {
                f.write_str("NOT ")?;
                write_within(f, self, condition)
            }
        }
    }
}

/// Writes the items with the separator between them.
pub(super) fn write_separated<T: Display>(
    f: &mut Formatter<'_>,
    items: &[T],
    separator: &str,
) -> Result {
    for (position, item) in items.iter().enumerate() {
        if position > 0 {
            f.write_str(separator)?;
        }
        write!(f, "{item}")?;
    }
    Ok(())
}

fn write_terms(
    f: &mut Formatter<'_>,
    outer: &Condition,
    terms: &[Condition],
    separator: &str,
) -> Result {
    for (position, term) in terms.iter().enumerate() {
        if position > 0 {
            f.write_str(separator)?;
        }
        write_within(f, outer, term)?;
    }
    Ok(())
}

/// Parentheses stand around whatever binds no tighter than its surroundings, except that `NOT`
/// needs none around another `NOT`.
fn write_within(f: &mut Formatter<'_>, outer: &Condition, inner: &Condition) -> Result {
    let both_not = matches!(outer, Condition::Not { .. }) && matches!(inner, Condition::Not { .. });
    if both_not || binding(inner) > binding(outer) {
        write!(f, "{inner}")
    } else {
        write!(f, "({inner})")
    }
}

fn binding(condition: &Condition) -> u8 {
    match condition {
        Condition::Or { .. } => 0,
        Condition::And { .. } => 1,
        Condition::Not { .. } => 2,
        _ => 3,
    }
}
