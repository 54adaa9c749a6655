//! What of a sort key is asked for.

use tablewright_descriptor::key_text::{KeyPiece, KeyText, SortTest, is_prefix_free};
use tablewright_keys::{TypedPiece, algebra};
use tablewright_model::model::{Access, IndexId, KeyKind, KeyTemplate, Table};

use super::misfit::range_not_next;
use super::{CandidateKey, MisfitReason};
use crate::bound::range_test;

/// Two fields without a delimiter between them: the first must not be the beginning of another value.
pub(super) fn refuse_open_prefix(
    sort: &KeyTemplate,
    filled: &[KeyPiece],
    position: usize,
) -> Result<(), MisfitReason> {
    if let (
        Some(KeyPiece::Value {
            typed: TypedPiece::Field {
                shape, encodings, ..
            },
            ..
        }),
        Some(TypedPiece::Field { .. }),
        Some(Some(field)),
    ) = (
        filled.last(),
        sort.typed.pieces.get(position),
        sort.parts.get(position.wrapping_sub(1)),
    ) && !is_prefix_free(shape, encodings)
    {
        return Err(MisfitReason::OpenPrefix(*field));
    }
    Ok(())
}

/// The test of a sort key whose first parts are filled: all of it, a beginning, a range of what comes next.
pub(super) fn sort_test(
    access: &Access,
    table: &Table,
    candidate: CandidateKey<'_>,
    filled: &[KeyPiece],
    stopped: Option<usize>,
) -> Result<SortTest, MisfitReason> {
    let Some(sort) = &candidate.key.sort else {
        return match &access.range {
            None => Ok(SortTest::All),
            Some(range) => Err(MisfitReason::RangeNotNext(range.id)),
        };
    };
    let number = sort_is_number(table, candidate.index);
    if let Some(range) = &access.range {
        let position = stopped.filter(|position| sort.parts[*position] == Some(range.id));
        let position = position.ok_or_else(|| range_not_next(range.id, sort, stopped))?;
        if !number && algebra::order_upto(&sort.typed, position + 1).is_err() {
            return Err(MisfitReason::DoesNotSort(range.id));
        }
        let test = range_test(sort, filled.to_vec(), position, range.ends, number);
        return test.ok_or(MisfitReason::RangeNotNext(range.id));
    }
    let text = KeyText::exact(filled.to_vec());
    Ok(match stopped {
        None => SortTest::Equals(text),
        Some(_) if filled.is_empty() => SortTest::All,
        Some(_) => SortTest::BeginsWith(text),
    })
}

/// Whether the sort key asked is a number attribute.
pub(crate) fn sort_is_number(table: &Table, index: Option<IndexId>) -> bool {
    let attribute = match index {
        None => table.sort_key.as_ref(),
        Some(index) => table.index(index).sort_key.as_ref(),
    };
    attribute.is_some_and(|attribute| attribute.kind == KeyKind::Number)
}
