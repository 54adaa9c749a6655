//! From statements to lines: equals signs in one column, spaces in collections, tall collections indented.

use super::lines::Lines;
use super::tree::{Key, Piece, Remark, Statement, Value};

/// Writes the statements.
pub(super) fn write(statements: &[Statement<'_>]) -> String {
    let mut lines = Lines::default();
    for run in statements.chunk_by(share_a_column) {
        let widest = run.iter().map(key_width).max().unwrap_or_default();
        for statement in run {
            write_statement(statement, widest, &mut lines);
        }
    }
    lines.finish()
}

/// Whether the equals signs of two consecutive lines belong in one column.
fn share_a_column(a: &Statement<'_>, b: &Statement<'_>) -> bool {
    match (a, b) {
        (Statement::Pair { key: a, value, .. }, Statement::Pair { key: b, .. }) => {
            a.dotted == b.dotted && !value.is_tall()
        }
        _ => false,
    }
}

fn key_width(statement: &Statement<'_>) -> usize {
    match statement {
        Statement::Pair { key, .. } => key.text.chars().count(),
        _ => 0,
    }
}

fn write_statement<'t>(statement: &Statement<'t>, width: usize, lines: &mut Lines<'t>) {
    match statement {
        Statement::Blank => lines.end_alone(None),
        Statement::Comment(text) => {
            lines.push(text);
            lines.end(None);
        }
        Statement::Header { name, remark } => {
            lines.push(name);
            lines.end_alone(*remark);
        }
        Statement::Pair { key, value, remark } => {
            write_pair(key, width, value, 0, lines);
            lines.end(*remark);
        }
    }
}

fn write_pair<'t>(key: &Key, width: usize, value: &Value<'t>, depth: usize, lines: &mut Lines<'t>) {
    lines.push(&format!("{:width$} = ", key.text));
    write_value(value, depth, lines);
}

fn write_value<'t>(value: &Value<'t>, depth: usize, lines: &mut Lines<'t>) {
    match value {
        Value::Scalar(text) => lines.push(text),
        Value::Array(pieces) => write_collection(pieces, ["[", "]"], "", depth, lines),
        Value::Table(pieces) => write_collection(pieces, ["{", "}"], " ", depth, lines),
    }
}

/// `inside` is the space between brackets and content when all stands on one line.
fn write_collection<'t>(
    pieces: &[Piece<'t>],
    [open, close]: [&str; 2],
    inside: &str,
    depth: usize,
    lines: &mut Lines<'t>,
) {
    lines.push(open);
    if pieces.is_empty() {
        lines.push(close);
        return;
    }
    if pieces.iter().any(|piece| matches!(piece, Piece::Break)) {
        write_rows(pieces, depth, lines);
        lines.indent(depth);
    } else {
        lines.push(inside);
        write_items(pieces, depth, lines);
        lines.push(inside);
    }
    lines.push(close);
}

fn write_items<'t>(pieces: &[Piece<'t>], depth: usize, lines: &mut Lines<'t>) {
    let mut first = true;
    for piece in pieces {
        let Piece::Item { key, value } = piece else {
            continue;
        };
        if !std::mem::take(&mut first) {
            lines.push(", ");
        }
        match key {
            Some(key) => write_pair(key, 0, value, depth, lines),
            None => write_value(value, depth, lines),
        }
    }
}

/// A collection over several lines: what shared a line shares it again, and every item is followed by a comma.
fn write_rows<'t>(pieces: &[Piece<'t>], depth: usize, lines: &mut Lines<'t>) {
    let mut rows = pieces
        .split(|piece| matches!(piece, Piece::Break))
        .peekable();
    // A comment right behind the opening bracket stays there.
    let opening = rows.next_if(|row| matches!(row, [] | [Piece::Remark(_)]));
    lines.end(opening.and_then(remark_of));
    let mut blank = None;
    for row in rows {
        if row.is_empty() {
            // Kept only between rows.
            blank = blank.map(|_| true);
            continue;
        }
        if blank == Some(true) {
            lines.end_alone(None);
        }
        blank = Some(false);
        lines.indent(depth + 1);
        match row {
            [Piece::Remark(remark)] => {
                lines.push(remark.text);
                lines.end(None);
            }
            _ => {
                write_items(row, depth + 1, lines);
                lines.push(",");
                lines.end(remark_of(row));
            }
        }
    }
}

fn remark_of<'t>(row: &[Piece<'t>]) -> Option<Remark<'t>> {
    row.iter().find_map(|piece| match piece {
        Piece::Remark(remark) => Some(*remark),
        _ => None,
    })
}
