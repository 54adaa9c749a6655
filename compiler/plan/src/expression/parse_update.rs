//! The grammar of update expressions.

use super::ast::Path;
use super::call::{argument_count, unknown_function};
use super::cursor::Cursor;
use super::error::{ExpressionError, ExpressionErrorKind};
use super::token::TokenKind;
use super::update::{
    ArithmeticOperator, Change, ClauseKind, SetOperand, SetValue, UpdateAction, UpdateClause,
    UpdateExpression,
};

const FUNCTIONS: &[&str] = &["if_not_exists", "list_append"];
const ATTRIBUTE: &str = "an attribute";
const OPERAND: &str = "an attribute, a :value or a function";

/// Reads an update expression.
///
/// A sum may have more than two operands, as in `SET a = :b + :c + :d`: DynamoDB's list of limits
/// has such an example, though its grammar does not.
///
/// # Errors
///
/// The first thing from the left that DynamoDB would not read, or a limit that is passed.
pub fn parse_update(text: &str) -> Result<UpdateExpression, ExpressionError> {
    let mut cursor = Cursor::new(text)?;
    let mut clauses: Vec<UpdateClause> = Vec::new();
    while *cursor.kind() != TokenKind::End {
        let Some(kind) = clause_kind(&cursor) else {
            return Err(no_clause(&cursor, clauses.is_empty()));
        };
        if clauses.iter().any(|earlier| earlier.kind == kind) {
            let clause = kind.as_str();
            return Err(cursor.error(ExpressionErrorKind::ClauseTwice { clause }));
        }
        clauses.push(clause(&mut cursor, kind)?);
    }
    Ok(UpdateExpression { clauses })
}

fn clause_kind(cursor: &Cursor<'_>) -> Option<ClauseKind> {
    ClauseKind::ALL
        .into_iter()
        .find(|kind| cursor.at_keyword(kind.as_str()))
}

fn no_clause(cursor: &Cursor<'_>, at_the_beginning: bool) -> ExpressionError {
    if *cursor.kind() == TokenKind::RightParenthesis {
        return cursor.error(ExpressionErrorKind::UnopenedParenthesis);
    }
    if at_the_beginning {
        let found = cursor.word().to_owned();
        return cursor.misplaced(ExpressionErrorKind::NoClause { found });
    }
    cursor.unexpected("`,`, another clause or the end")
}

fn clause(cursor: &mut Cursor<'_>, kind: ClauseKind) -> Result<UpdateClause, ExpressionError> {
    let start = cursor.take().start;
    let mut actions = vec![action(cursor, kind)?];
    while cursor.take_if(&TokenKind::Comma).is_some() {
        actions.push(action(cursor, kind)?);
    }
    let span = cursor.span_from(start);
    Ok(UpdateClause {
        kind,
        actions,
        span,
    })
}

fn action(cursor: &mut Cursor<'_>, kind: ClauseKind) -> Result<UpdateAction, ExpressionError> {
    let path = path(cursor, ATTRIBUTE)?;
    let change = match kind {
        ClauseKind::Set => {
            if cursor.take_if(&TokenKind::Equal).is_none() {
                return Err(cursor.unexpected("`=` and a value"));
            }
            Change::SetTo(set_value(cursor)?)
        }
        ClauseKind::Remove => Change::Remove,
        ClauseKind::Add => Change::Add(cursor.value()?),
        ClauseKind::Delete => Change::Delete(cursor.value()?),
    };
    let span = cursor.span_from(path.span.start);
    Ok(UpdateAction { path, change, span })
}

/// A path, unless the next clause begins here.
fn path(cursor: &mut Cursor<'_>, expected: &'static str) -> Result<Path, ExpressionError> {
    if clause_kind(cursor).is_some() {
        return Err(cursor.unexpected(expected));
    }
    cursor.path(expected)
}

fn set_value(cursor: &mut Cursor<'_>) -> Result<SetValue, ExpressionError> {
    let mut value = if *cursor.kind() == TokenKind::LeftParenthesis {
        cursor.parenthesised(set_value)?
    } else {
        let first = operand(cursor)?;
        let rest = Vec::new();
        SetValue { first, rest }
    };
    loop {
        let operator = match cursor.kind() {
            TokenKind::Plus => ArithmeticOperator::Plus,
            TokenKind::Minus => ArithmeticOperator::Minus,
            _ => return Ok(value),
        };
        let span = cursor.take();
        cursor.count_operator(&span)?;
        value.rest.push((operator, operand(cursor)?));
    }
}

fn operand(cursor: &mut Cursor<'_>) -> Result<SetOperand, ExpressionError> {
    if let Some(error) = cursor.literal() {
        return Err(error);
    }
    match cursor.kind() {
        TokenKind::Value => Ok(SetOperand::Value(cursor.value()?)),
        TokenKind::LeftParenthesis => cursor.parenthesised(operand),
        _ if cursor.at_call() => call(cursor),
        _ => Ok(SetOperand::Path(path(cursor, OPERAND)?)),
    }
}

fn call(cursor: &mut Cursor<'_>) -> Result<SetOperand, ExpressionError> {
    let Some(function) = FUNCTIONS.iter().find(|name| **name == cursor.word()) else {
        return Err(unknown_function(cursor, FUNCTIONS));
    };
    let start = cursor.take();
    cursor.count_operator(&start)?;
    let open = cursor.take();
    let mut arguments = vec![cursor.deeper(operand)?];
    while cursor.take_if(&TokenKind::Comma).is_some() {
        arguments.push(cursor.deeper(operand)?);
    }
    cursor.close(&open, "`,` or `)`")?;
    let span = cursor.span_from(start.start);
    let usage = match *function {
        "list_append" => "list_append(list, :list)",
        _ => "if_not_exists(path, :default)",
    };
    let [first, second] = <[SetOperand; 2]>::try_from(arguments)
        .map_err(|given| argument_count(span.clone(), function, usage, given.len()))?;
    if *function == "list_append" {
        return Ok(SetOperand::ListAppend {
            front: Box::new(first),
            back: Box::new(second),
            span,
        });
    }
    match first {
        SetOperand::Path(path) => Ok(SetOperand::IfNotExists {
            path,
            default: Box::new(second),
            span,
        }),
        other => {
            let kind = ExpressionErrorKind::Argument {
                function,
                takes: ATTRIBUTE,
                given: other.to_string(),
            };
            Err(ExpressionError::new(other.span(), kind))
        }
    }
}
