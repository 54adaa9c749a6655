//! Where blank lines stand.

use super::tree::Statement;

/// The statements with canonical blank lines: one before each table and its comment, none before a table's first key
/// or at either end, and nowhere two.
pub(super) fn canonical(statements: Vec<Statement<'_>>) -> Vec<Statement<'_>> {
    let mut out: Vec<Statement<'_>> = Vec::with_capacity(statements.len());
    for statement in statements {
        match (&statement, out.last()) {
            (Statement::Blank, None | Some(Statement::Blank)) => continue,
            (Statement::Pair { .. }, Some(Statement::Blank)) => {
                if matches!(out.iter().nth_back(1), Some(Statement::Header { .. })) {
                    out.pop();
                }
            }
            (Statement::Header { .. }, _) => separate(&mut out),
            _ => {}
        }
        out.push(statement);
    }
    if matches!(out.last(), Some(Statement::Blank)) {
        out.pop();
    }
    out
}

/// Puts a blank line before the comment that belongs to the table that follows.
fn separate(out: &mut Vec<Statement<'_>>) {
    let comments = out
        .iter()
        .rev()
        .take_while(|statement| matches!(statement, Statement::Comment(_)))
        .count();
    let at = out.len() - comments;
    match at.checked_sub(1).and_then(|before| out.get(before)) {
        None | Some(Statement::Blank) => {}
        Some(_) => out.insert(at, Statement::Blank),
    }
}
