//! DynamoDB's expression language: conditions, key conditions and updates, read into trees that
//! remember where every piece stood in the text.
//!
//! The grammar is the one DynamoDB documents under "Condition and filter expressions, operators,
//! and functions", "Key condition expressions" and "Update expressions". Words of the language
//! (`AND`, `between`, …) are read in any case, function names only in lower case. The limits of the
//! service (4096 bytes, 300 operators and functions, 100 operands of `IN`, no redundant
//! parentheses) are held here. What needs more than the text is not: reserved words are listed by
//! [`unaliased_reserved_words`], and whether two paths of an update overlap depends on the aliases.
//!
//! Aliases are kept as written: `#pk` stays `#pk`. Looking them up is left to whoever knows the
//! names.

mod ast;
mod call;
mod cursor;
mod display;
mod error;
mod key_condition;
mod message;
mod parse;
mod parse_update;
mod reserved;
mod suggest;
mod token;
mod update;
mod walk;

#[cfg(test)]
mod tests;

pub use ast::{Comparator, Condition, NameRef, Operand, Path, PathSegment, ValueRef};
pub use error::{ExpressionError, ExpressionErrorKind};
pub use key_condition::{KeyCondition, KeyTerm, KeyTest, parse_key_condition};
pub use parse::parse_condition;
pub use parse_update::parse_update;
pub use reserved::is_reserved;
pub use update::{
    ArithmeticOperator, Change, ClauseKind, SetOperand, SetValue, UpdateAction, UpdateClause,
    UpdateExpression,
};
pub use walk::{MentionsNames, unaliased_reserved_words};

/// A range of byte offsets in the text of an expression.
pub type Span = std::ops::Range<usize>;

/// The longest expression DynamoDB takes, in bytes.
pub const MAX_EXPRESSION_BYTES: usize = 4096;
/// The most operators and functions DynamoDB takes in one expression.
pub const MAX_OPERATORS: usize = 300;
/// The most operands DynamoDB takes in one `IN (…)`.
pub const MAX_IN_OPERANDS: usize = 100;
/// How deep parentheses, `NOT` and function calls may nest before the text is refused. This limit
/// is ours: it keeps a hostile text from exhausting the stack.
pub const MAX_DEPTH: usize = 64;
