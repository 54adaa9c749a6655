//! The order a key gives, held against the order a pattern asks for.

use tablewright_keys::{TypedPiece, algebra, keeps_declared_order};
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Access, Entity, FieldId, IndexId, Key, Table};

use crate::bound::KnownValues;
use crate::fit::sort_is_number;

/// Whether the key gives the order, and which way it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OrderGiven {
    /// Read forwards or backwards.
    Yes {
        /// From the end of the sort key.
        backwards: bool,
    },
    /// The key does not sort by this field, or not next.
    No(FieldId),
    /// It holds the field and sorts it by spelling, not by its declared order.
    BySpelling(FieldId),
}

impl OrderGiven {
    /// Whether it is the order asked for.
    pub fn is_given(&self) -> bool {
        matches!(self, OrderGiven::Yes { .. })
    }

    /// How far it is from the order asked for: by how many fields, and a key that holds the first of them needs only another encoding.
    pub(crate) fn shortfall(&self, access: &Access) -> usize {
        let from = |field: FieldId| {
            let terms = access.order.iter().flat_map(|order| &order.by);
            2 * terms.skip_while(|term| term.id != field).count()
        };
        match self {
            OrderGiven::Yes { .. } => 0,
            OrderGiven::BySpelling(field) => from(*field).saturating_sub(1).max(1),
            OrderGiven::No(field) => from(*field).max(1),
        }
    }
}

/// What order the key gives for the pattern; `stopped` is the first piece of the sort key that is not filled.
pub(crate) fn order_given(
    access: &Access,
    entity: &Entity,
    key: &Key,
    table: &Table,
    index: Option<IndexId>,
    stopped: Option<usize>,
    known: &KnownValues,
) -> OrderGiven {
    let Some(order) = &access.order else {
        return OrderGiven::Yes { backwards: false };
    };
    if order.by.is_empty() {
        return OrderGiven::Yes {
            backwards: order.descending,
        };
    }
    // What has one value in all items has no order to ask for.
    let mut asked = order
        .by
        .iter()
        .filter(|term| known.get(term.id).is_none())
        .peekable();
    let Some(sort) = &key.sort else {
        return asked
            .peek()
            .map_or(OrderGiven::Yes { backwards: false }, |term| {
                OrderGiven::No(term.id)
            });
    };
    let mut backwards = None;
    let mut position = stopped.unwrap_or(sort.typed.pieces.len());
    for term in asked {
        while matches!(
            sort.typed.pieces.get(position),
            Some(TypedPiece::Literal(_))
        ) {
            position += 1;
        }
        let Some(TypedPiece::Field {
            shape, encodings, ..
        }) = sort.typed.pieces.get(position)
        else {
            return OrderGiven::No(term.id);
        };
        if sort.parts[position] != Some(term.id) {
            return OrderGiven::No(term.id);
        }
        let is_ordered = matches!(entity.field(term.id).kind(), FieldType::Ordered(_));
        if is_ordered && !keeps_declared_order(shape, encodings) {
            return OrderGiven::BySpelling(term.id);
        }
        if !sort_is_number(table, index) && algebra::order_upto(&sort.typed, position + 1).is_err()
        {
            return OrderGiven::No(term.id);
        }
        let reversed = term.descending != encodings.desc;
        if backwards.is_some_and(|backwards| backwards != reversed) {
            return OrderGiven::No(term.id);
        }
        backwards = Some(reversed);
        position += 1;
    }
    OrderGiven::Yes {
        backwards: backwards.unwrap_or(false),
    }
}
