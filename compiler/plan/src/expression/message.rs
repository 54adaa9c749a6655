//! What is wrong with an expression in words, each time with what to write instead.

use std::fmt::{Display, Formatter, Result};

use super::error::ExpressionErrorKind;
use super::{MAX_DEPTH, MAX_EXPRESSION_BYTES, MAX_IN_OPERANDS, MAX_OPERATORS};

impl Display for ExpressionErrorKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        use ExpressionErrorKind as Kind;
        match self {
            Kind::Empty => write!(f, "the expression is empty: write one, or leave it out"),
            Kind::TooLong { bytes } => write!(
                f,
                "the expression is {bytes} bytes long and DynamoDB takes {MAX_EXPRESSION_BYTES}: \
                 shorten its names with aliases such as `#a`"
            ),
            Kind::TooManyOperators => write!(
                f,
                "the expression has more than the {MAX_OPERATORS} operators and functions \
                 DynamoDB takes: split it"
            ),
            Kind::TooManyInOperands { count } => write!(
                f,
                "`IN` lists {count} operands and DynamoDB takes {MAX_IN_OPERANDS}: \
                 split it into two joined by `OR`"
            ),
            Kind::TooDeep => write!(
                f,
                "the expression nests deeper than {MAX_DEPTH} levels: flatten it"
            ),
            Kind::LiteralValue { text } => write!(
                f,
                "`{text}` cannot stand in an expression: \
                 values are written as :name and given in `values`"
            ),
            Kind::WriteInstead { found, write } => {
                write!(f, "DynamoDB has no operator `{found}`: write {write}")
            }
            Kind::UnexpectedCharacter { character } => write!(
                f,
                "`{}` means nothing in an expression: remove it, \
                 or write a name that contains it as an alias such as `#name`",
                character.escape_debug()
            ),
            Kind::NameNeedsAlias { name } => write!(
                f,
                "`{name}` is no plain name (an ASCII letter, then letters, digits and `_`): \
                 write an alias such as `#name` and give `{name}` in `names`"
            ),
            Kind::EmptyPlaceholder { sigil } => write!(
                f,
                "`{sigil}` lacks its name: write one behind it, such as `{sigil}name`"
            ),
            Kind::PlaceholderName { text } => write!(
                f,
                "`{text}` is no placeholder: write only ASCII letters, digits and `_` in its name"
            ),
            Kind::IndexNotWhole { text } => write!(
                f,
                "`{text}` is no list index: write a whole number, such as `[0]`"
            ),
            Kind::Expected {
                expected,
                found: Some(found),
            } => write!(f, "`{found}` cannot stand here: write {expected}"),
            Kind::Expected { expected, .. } => {
                write!(f, "the expression ends too early: write {expected}")
            }
            Kind::UnclosedParenthesis => {
                write!(f, "this `(` is never closed: write the missing `)`")
            }
            Kind::UnopenedParenthesis => write!(
                f,
                "this `)` closes nothing: remove it, or write the missing `(`"
            ),
            Kind::RedundantParentheses => write!(
                f,
                "DynamoDB refuses two pairs of parentheses around the same thing: keep one"
            ),
            Kind::UnknownFunction {
                name,
                meant: Some(meant),
                ..
            } => write!(
                f,
                "there is no function `{name}` here: did you mean `{meant}`?"
            ),
            Kind::UnknownFunction { name, known, .. } => write!(
                f,
                "there is no function `{name}` here: write one of `{}`",
                known.join("`, `")
            ),
            Kind::ArgumentCount {
                function,
                usage,
                given,
            } => write!(
                f,
                "`{function}` is given {given} argument{}: write `{usage}`",
                if *given == 1 { "" } else { "s" }
            ),
            Kind::Argument {
                function,
                takes,
                given,
            } => {
                write!(f, "`{function}` is given `{given}`: write {takes} there")
            }
            Kind::FunctionIsNoOperand { function } => write!(
                f,
                "`{function}(…)` is a condition by itself and cannot be compared: \
                 write it alone, or `NOT {function}(…)`"
            ),
            Kind::OperandIsNoCondition { operand } => write!(
                f,
                "`{operand}` alone is no condition: compare it, as in `{operand} = :value`"
            ),
            Kind::ComparedWithItself { operand } => write!(
                f,
                "DynamoDB refuses to compare `{operand}` with itself: write another operand"
            ),
            Kind::NotInTheMiddle => write!(
                f,
                "`NOT` stands before a whole test: write `NOT a IN (…)`, `NOT a BETWEEN …`"
            ),
            Kind::NoKeyTest { operator } => write!(
                f,
                "a key condition has no `{operator}`: write `partition = :value`, and perhaps \
                 `AND` one test of the sort key with =, <, <=, >, >=, BETWEEN or begins_with"
            ),
            Kind::NestedKey { path } => write!(
                f,
                "`{path}` is a part of an attribute and no key is: write a top-level attribute"
            ),
            Kind::KeyWithoutValue { other } => write!(
                f,
                "a key is compared with a value, not with `{other}`: write a :name"
            ),
            Kind::NoKey => write!(
                f,
                "this test names no key: write the key first, as in `sort > :value`"
            ),
            Kind::KeyTestedTwice { key } => write!(
                f,
                "`{key}` is tested twice and DynamoDB takes one test of each key: \
                 write a range as `{key} BETWEEN :low AND :high`"
            ),
            Kind::TooManyKeyTests => write!(
                f,
                "a key condition has one test of the partition key and at most one of the sort \
                 key: move the others to a filter"
            ),
            Kind::NoPartition => write!(
                f,
                "a key condition names one partition: write `partition = :value`"
            ),
            Kind::NoClause { found } => write!(
                f,
                "`{found}` begins no clause of an update: write SET, REMOVE, ADD or DELETE"
            ),
            Kind::ClauseTwice { clause } => write!(
                f,
                "`{clause}` stands twice and DynamoDB takes each clause once: \
                 join them with a comma"
            ),
        }
    }
}
