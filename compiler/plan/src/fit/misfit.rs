//! Why a key does not answer a pattern.

use tablewright_model::model::{FieldId, IndexId, Key, KeyTemplate};

/// Why a key does not answer a pattern.
#[derive(Debug, Clone)]
pub struct Misfit {
    /// The index; none for the table.
    pub index: Option<IndexId>,
    /// Why.
    pub reason: MisfitReason,
}

/// The reasons a key can have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MisfitReason {
    /// Its partition has a field the caller does not know.
    PartitionUnknown(FieldId),
    /// The caller knows or bounds a field that stands behind one it does not know.
    OutOfOrder {
        /// The field the caller knows or bounds.
        known: FieldId,
        /// The field before it.
        before: FieldId,
    },
    /// The caller knows a field the key does not have.
    NotInKey(FieldId),
    /// The bounded field is no part of the sort key that could come next.
    RangeNotNext(FieldId),
    /// The key does not sort by the bounded field.
    DoesNotSort(FieldId),
    /// The prefix would not be closed: other values begin with the same text.
    OpenPrefix(FieldId),
    /// The index leaves out items the pattern asks for.
    LeavesOut,
    /// It finds several items where one is asked for.
    FindsSeveral,
    /// The caller does not give this part of the primary key.
    KeyUnknown(FieldId),
}

/// Why a field the caller knows was not used.
pub(super) fn unused(field: FieldId, key: &Key, stopped: Option<usize>) -> MisfitReason {
    match (&key.sort, stopped) {
        (Some(sort), Some(position)) if sort.has(field) => {
            let before = sort.parts[position].unwrap_or(field);
            MisfitReason::OutOfOrder {
                known: field,
                before,
            }
        }
        _ => MisfitReason::NotInKey(field),
    }
}

/// Why a bounded field is not the next part: it stands behind one that is not known, or not there at all.
pub(super) fn range_not_next(
    range: FieldId,
    sort: &KeyTemplate,
    stopped: Option<usize>,
) -> MisfitReason {
    let rest = stopped.and_then(|position| sort.parts.get(position..));
    match rest {
        Some([Some(before), behind @ ..]) if behind.contains(&Some(range)) => {
            MisfitReason::OutOfOrder {
                known: range,
                before: *before,
            }
        }
        _ => MisfitReason::RangeNotNext(range),
    }
}
