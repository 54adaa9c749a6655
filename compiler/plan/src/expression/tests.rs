//! The language as a whole: what is read, what is refused, and that nothing panics.

mod bad;
mod good;
mod questions;
mod shape;
mod soup;

use super::{Condition, Operand};

/// The tree with every pair of parentheses written out, to compare shapes whatever their spans.
fn shape(condition: &Condition) -> String {
    let list = |terms: &[Condition]| terms.iter().map(shape).collect::<Vec<_>>().join(" ");
    match condition {
        Condition::And { terms, .. } => format!("(and {})", list(terms)),
        Condition::Or { terms, .. } => format!("(or {})", list(terms)),
        Condition::Not { condition, .. } => format!("(not {})", shape(condition)),
        Condition::In { operand, list, .. } => {
            let list: Vec<_> = list.iter().map(Operand::to_string).collect();
            format!("(in {operand} {})", list.join(" "))
        }
        Condition::Between {
            operand, low, high, ..
        } => format!("(between {operand} {low} {high})"),
        test => format!("({test})"),
    }
}
