//! The grammar of conditions, one function for each level of precedence: `OR` binds loosest, then
//! `AND`, then `NOT`, then the tests.

use super::ast::{Comparator, Condition, Operand};
use super::call::{Call, Function};
use super::cursor::Cursor;
use super::error::{ExpressionError, ExpressionErrorKind};
use super::token::TokenKind;
use super::{MAX_IN_OPERANDS, Span};

const OPERAND: &str = "an attribute or a :value";
const AFTER_TEST: &str = "`AND`, `OR` or the end";

/// Reads a condition or filter expression.
///
/// # Errors
///
/// The first thing from the left that DynamoDB would not read, or a limit that is passed.
pub fn parse_condition(text: &str) -> Result<Condition, ExpressionError> {
    let mut cursor = Cursor::new(text)?;
    let condition = alternatives(&mut cursor)?;
    match cursor.kind() {
        TokenKind::End => Ok(condition),
        TokenKind::RightParenthesis => Err(cursor.error(ExpressionErrorKind::UnopenedParenthesis)),
        _ => Err(cursor.unexpected(AFTER_TEST)),
    }
}

fn alternatives(cursor: &mut Cursor<'_>) -> Result<Condition, ExpressionError> {
    joined(cursor, "OR", conjunction, |terms, span| Condition::Or {
        terms,
        span,
    })
}

fn conjunction(cursor: &mut Cursor<'_>) -> Result<Condition, ExpressionError> {
    joined(cursor, "AND", negation, |terms, span| Condition::And {
        terms,
        span,
    })
}

/// One term, or several with a keyword between them.
fn joined(
    cursor: &mut Cursor<'_>,
    keyword: &str,
    term: fn(&mut Cursor<'_>) -> Result<Condition, ExpressionError>,
    join: fn(Vec<Condition>, Span) -> Condition,
) -> Result<Condition, ExpressionError> {
    let start = cursor.span().start;
    let first = term(cursor)?;
    if !cursor.at_keyword(keyword) {
        return Ok(first);
    }
    let mut terms = vec![first];
    while let Some(operator) = cursor.take_keyword(keyword) {
        cursor.count_operator(&operator)?;
        terms.push(term(cursor)?);
    }
    Ok(join(terms, cursor.span_from(start)))
}

fn negation(cursor: &mut Cursor<'_>) -> Result<Condition, ExpressionError> {
    let Some(not) = cursor.take_keyword("NOT") else {
        return test_or_group(cursor);
    };
    cursor.count_operator(&not)?;
    let condition = Box::new(cursor.deeper(negation)?);
    let span = cursor.span_from(not.start);
    Ok(Condition::Not { condition, span })
}

fn test_or_group(cursor: &mut Cursor<'_>) -> Result<Condition, ExpressionError> {
    if *cursor.kind() == TokenKind::LeftParenthesis && !at_operand_in_parentheses(cursor) {
        return cursor.parenthesised(group);
    }
    let start = cursor.span().start;
    if !cursor.at_call() || at_keyword_of_conditions(cursor) {
        let operand = operand(cursor)?;
        return test(cursor, operand, start);
    }
    let call = Call::read(cursor, operands)?;
    if call.function == Function::Size {
        let operand = call.into_operand()?;
        return test(cursor, operand, start);
    }
    let compared = comparator(cursor.kind()).is_some()
        || cursor.at_keyword("IN")
        || cursor.at_keyword("BETWEEN");
    if compared {
        return Err(call.no_operand());
    }
    call.into_condition()
}

fn group(cursor: &mut Cursor<'_>) -> Result<Condition, ExpressionError> {
    let condition = alternatives(cursor)?;
    match cursor.kind() {
        TokenKind::RightParenthesis | TokenKind::End => Ok(condition),
        _ => Err(cursor.unexpected("`AND`, `OR` or `)`")),
    }
}

/// `(a) = :b`: the parentheses stand around an operand if a test follows them.
fn at_operand_in_parentheses(cursor: &Cursor<'_>) -> bool {
    let Some(behind) = cursor.closing(0).map(|distance| cursor.token(distance + 1)) else {
        return false;
    };
    let word = cursor.slice(behind.span.clone());
    comparator(&behind.kind).is_some()
        || word.eq_ignore_ascii_case("IN")
        || word.eq_ignore_ascii_case("BETWEEN")
}

/// What is tested has been read; the test itself follows.
fn test(
    cursor: &mut Cursor<'_>,
    left: Operand,
    start: usize,
) -> Result<Condition, ExpressionError> {
    if let Some(comparator) = comparator(cursor.kind()) {
        let operator = cursor.take();
        cursor.count_operator(&operator)?;
        let right = operand(cursor)?;
        let span = cursor.span_from(start);
        refuse_same(&left, &right, &span)?;
        return Ok(Condition::Comparison {
            left,
            comparator,
            right,
            span,
        });
    }
    if let Some(operator) = cursor.take_keyword("BETWEEN") {
        cursor.count_operator(&operator)?;
        return between(cursor, left, start);
    }
    if let Some(operator) = cursor.take_keyword("IN") {
        cursor.count_operator(&operator)?;
        return membership(cursor, left, start);
    }
    Err(no_test(cursor, &left))
}

fn between(
    cursor: &mut Cursor<'_>,
    operand: Operand,
    start: usize,
) -> Result<Condition, ExpressionError> {
    let low = self::operand(cursor)?;
    if cursor.take_keyword("AND").is_none() {
        return Err(cursor.unexpected("the `AND` of `BETWEEN :low AND :high`"));
    }
    let high = self::operand(cursor)?;
    let span = cursor.span_from(start);
    Ok(Condition::Between {
        operand,
        low,
        high,
        span,
    })
}

fn membership(
    cursor: &mut Cursor<'_>,
    operand: Operand,
    start: usize,
) -> Result<Condition, ExpressionError> {
    let Some(open) = cursor.take_if(&TokenKind::LeftParenthesis) else {
        return Err(cursor.unexpected("`(` and the operands of `IN`"));
    };
    let list = operands(cursor, &open)?;
    let span = cursor.span_from(start);
    let count = list.len();
    if count > MAX_IN_OPERANDS {
        let kind = ExpressionErrorKind::TooManyInOperands { count };
        return Err(ExpressionError::new(span, kind));
    }
    Ok(Condition::In {
        operand,
        list,
        span,
    })
}

/// Operands with commas between them, up to and with the `)` that closes `open`.
fn operands(cursor: &mut Cursor<'_>, open: &Span) -> Result<Vec<Operand>, ExpressionError> {
    let mut list = vec![operand(cursor)?];
    while cursor.take_if(&TokenKind::Comma).is_some() {
        list.push(operand(cursor)?);
    }
    cursor.close(open, "`,` or `)`")?;
    Ok(list)
}

/// The error for an operand that no test follows.
fn no_test(cursor: &Cursor<'_>, left: &Operand) -> ExpressionError {
    let ends = matches!(cursor.kind(), TokenKind::End | TokenKind::RightParenthesis);
    if ends || cursor.at_keyword("AND") || cursor.at_keyword("OR") {
        let operand = left.to_string();
        let kind = ExpressionErrorKind::OperandIsNoCondition { operand };
        return ExpressionError::new(left.span(), kind);
    }
    if cursor.at_keyword("NOT") {
        return cursor.error(ExpressionErrorKind::NotInTheMiddle);
    }
    if let Some(write) = foreign_word(cursor) {
        let found = cursor.word().to_owned();
        return cursor.error(ExpressionErrorKind::WriteInstead { found, write });
    }
    cursor.unexpected("a test such as `=`, `<`, `BETWEEN` or `IN`")
}

/// What to write for an operator that is a word in other languages.
fn foreign_word(cursor: &Cursor<'_>) -> Option<&'static str> {
    if *cursor.kind() != TokenKind::Word {
        return None;
    }
    Some(match cursor.word().to_ascii_lowercase().as_str() {
        "like" | "ilike" => "`begins_with(path, :prefix)` or `contains(path, :part)`",
        "begins_with" | "starts_with" => "`begins_with(path, :prefix)`",
        "contains" | "includes" => "`contains(path, :part)`",
        "is" => "`attribute_exists(path)` or `attribute_not_exists(path)`",
        "eq" | "equals" => "`=`",
        "ne" => "`<>`",
        "lt" => "`<`",
        "le" => "`<=`",
        "gt" => "`>`",
        "ge" => "`>=`",
        _ => return None,
    })
}

/// Reads one side of a test.
fn operand(cursor: &mut Cursor<'_>) -> Result<Operand, ExpressionError> {
    match cursor.kind() {
        TokenKind::Value => Ok(Operand::Value(cursor.value()?)),
        TokenKind::LeftParenthesis => cursor.parenthesised(operand),
        _ if at_keyword_of_conditions(cursor) => Err(cursor.unexpected(OPERAND)),
        _ if cursor.at_call() => Call::read(cursor, operands)?.into_operand(),
        _ => match cursor.literal() {
            Some(error) => Err(error),
            None => Ok(Operand::Path(cursor.path(OPERAND)?)),
        },
    }
}

/// Keywords are no names: `AND = :a` is a slip, not a test of an attribute `AND`.
fn at_keyword_of_conditions(cursor: &Cursor<'_>) -> bool {
    ["AND", "OR", "NOT", "BETWEEN", "IN"]
        .iter()
        .any(|keyword| cursor.at_keyword(keyword))
}

fn comparator(kind: &TokenKind) -> Option<Comparator> {
    Some(match kind {
        TokenKind::Equal => Comparator::Equal,
        TokenKind::NotEqual => Comparator::NotEqual,
        TokenKind::Less => Comparator::Less,
        TokenKind::LessOrEqual => Comparator::LessOrEqual,
        TokenKind::Greater => Comparator::Greater,
        TokenKind::GreaterOrEqual => Comparator::GreaterOrEqual,
        _ => return None,
    })
}

/// DynamoDB refuses to compare a path with itself.
pub(super) fn refuse_same(
    left: &Operand,
    right: &Operand,
    span: &Span,
) -> Result<(), ExpressionError> {
    match (left, right) {
        (Operand::Path(left), Operand::Path(right)) if left.reads_like(right) => {
            let operand = left.to_string();
            let kind = ExpressionErrorKind::ComparedWithItself { operand };
            Err(ExpressionError::new(span.clone(), kind))
        }
        _ => Ok(()),
    }
}
