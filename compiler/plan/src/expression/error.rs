//! What can be wrong with an expression.

use std::fmt::{Display, Formatter, Result};

use super::Span;

/// Why a text is no expression, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpressionError {
    /// The piece of the text that is wrong; empty where something is missing.
    pub span: Span,
    /// What is wrong with it.
    pub kind: ExpressionErrorKind,
}

impl ExpressionError {
    pub(super) fn new(span: Span, kind: ExpressionErrorKind) -> ExpressionError {
        ExpressionError { span, kind }
    }
}

impl std::error::Error for ExpressionError {}

impl Display for ExpressionError {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "{}", self.kind)
    }
}

/// What is wrong with an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpressionErrorKind {
    /// There is no expression in the text.
    Empty,
    /// The text is longer than [`MAX_EXPRESSION_BYTES`](super::MAX_EXPRESSION_BYTES).
    TooLong {
        /// Its length in bytes.
        bytes: usize,
    },
    /// The text has more than [`MAX_OPERATORS`](super::MAX_OPERATORS) operators and functions.
    TooManyOperators,
    /// An `IN` lists more than [`MAX_IN_OPERANDS`](super::MAX_IN_OPERANDS) operands.
    TooManyInOperands {
        /// How many it lists.
        count: usize,
    },
    /// The text nests deeper than [`MAX_DEPTH`](super::MAX_DEPTH).
    TooDeep,
    /// A value is written out instead of being given with the request.
    LiteralValue {
        /// The value as written.
        text: String,
    },
    /// An operator of another language.
    WriteInstead {
        /// The operator as written.
        found: String,
        /// What to write, in backquotes.
        write: &'static str,
    },
    /// A character the language does not know.
    UnexpectedCharacter {
        /// The character.
        character: char,
    },
    /// A name that can only be written through an alias.
    NameNeedsAlias {
        /// The name as written.
        name: String,
    },
    /// A `#` or `:` without a name.
    EmptyPlaceholder {
        /// `#` or `:`.
        sigil: String,
    },
    /// A placeholder with characters other than letters, digits and `_`.
    PlaceholderName {
        /// The placeholder as written.
        text: String,
    },
    /// A list index that is no whole number.
    IndexNotWhole {
        /// The index as written.
        text: String,
    },
    /// Something else should stand here.
    Expected {
        /// What should stand here.
        expected: &'static str,
        /// What stands here; nothing at the end of the text.
        found: Option<String>,
    },
    /// A `(` without its `)`.
    UnclosedParenthesis,
    /// A `)` without its `(`.
    UnopenedParenthesis,
    /// Two pairs of parentheses around the same thing, which DynamoDB refuses.
    RedundantParentheses,
    /// A function DynamoDB does not have in this kind of expression.
    UnknownFunction {
        /// The name as written.
        name: String,
        /// The function that is probably meant.
        meant: Option<&'static str>,
        /// The functions of this kind of expression.
        known: &'static [&'static str],
    },
    /// A function with too few or too many arguments.
    ArgumentCount {
        /// The function.
        function: &'static str,
        /// How it is written.
        usage: &'static str,
        /// How many are written.
        given: usize,
    },
    /// An argument of the wrong sort.
    Argument {
        /// The function.
        function: &'static str,
        /// What it takes there.
        takes: &'static str,
        /// What is written.
        given: String,
    },
    /// A function that is a whole condition, used as one side of a test.
    FunctionIsNoOperand {
        /// The function.
        function: &'static str,
    },
    /// An operand where a whole condition should stand.
    OperandIsNoCondition {
        /// The operand as written.
        operand: String,
    },
    /// A test of something against itself, which DynamoDB refuses.
    ComparedWithItself {
        /// What stands on both sides.
        operand: String,
    },
    /// `a NOT IN …`, `a NOT BETWEEN …`.
    NotInTheMiddle,
    /// An operator or function that tests no key.
    NoKeyTest {
        /// The operator or function.
        operator: &'static str,
    },
    /// A key condition on a part of an attribute.
    NestedKey {
        /// The path as written.
        path: String,
    },
    /// A key compared with something other than a value.
    KeyWithoutValue {
        /// What it is compared with.
        other: String,
    },
    /// A test in a key condition that names no key.
    NoKey,
    /// Two tests of the same key.
    KeyTestedTwice {
        /// The key as written.
        key: String,
    },
    /// A key condition with more than two tests.
    TooManyKeyTests,
    /// A key condition without `partition = :value`.
    NoPartition,
    /// A text that does not begin with one of the clauses of an update.
    NoClause {
        /// What stands there.
        found: String,
    },
    /// The same clause twice in an update.
    ClauseTwice {
        /// The clause.
        clause: &'static str,
    },
}
