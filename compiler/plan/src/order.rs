//! The order a key gives, held against the order a pattern asks for.

use tablewright_keys::{TypedPiece, algebra, keeps_declared_order};
use tablewright_model::field_type::FieldType;
use tablewright_model::model::{Access, Entity, FieldId, IndexId, Key, KeyTemplate, Table};

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
        if !sort_is_number(table, index) && !sorts_upto(entity, sort, position + 1) {
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

/// Whether keys that differ in one of the first pieces sort as the values of these compare: in lower case, where that is how a field is compared.
fn sorts_upto(entity: &Entity, sort: &KeyTemplate, pieces: usize) -> bool {
    let mut typed = sort.typed.clone();
    for (piece, field) in typed.pieces.iter_mut().zip(&sort.parts) {
        if let (TypedPiece::Field { encodings, .. }, Some(field)) = (piece, field)
            && is_compared_in_lower_case(entity, *field)
        {
            encodings.lower = false;
        }
    }
    algebra::order_upto(&typed, pieces).is_ok()
}

/// Whether upper and lower case tell no values of a field apart: every key of the entity that has it has it so.
fn is_compared_in_lower_case(entity: &Entity, field: FieldId) -> bool {
    let indexes = entity.index_keys.iter().map(|key| &key.key);
    let guards = entity
        .unique
        .iter()
        .filter_map(|unique| unique.guard.as_ref());
    let keys = std::iter::once(&entity.key).chain(indexes).chain(guards);
    let parts = keys
        .flat_map(Key::templates)
        .flat_map(|template| template.field_parts());
    let mut parts = parts
        .filter(|(_, part, written)| *part == field && written.encodings.shard.is_none())
        .peekable();
    parts.peek().is_some() && parts.all(|(_, _, written)| written.encodings.lower)
}
