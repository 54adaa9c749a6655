//! Lists of several entities from one item collection.

use tablewright_model::model::{Access, Entity, EntityRef, IndexId, Key, Model, Order};

use crate::Answer;
use crate::bound::KnownValues;
use crate::cost::holds_every_item;
use crate::fit::{Misfit, MisfitReason, fill_whole};
use crate::order::OrderGiven;
use crate::read::{base, nothing};
use tablewright_descriptor::key_text::{KeyPiece, KeyText, SortTest, Tail, is_prefix_free};
use tablewright_keys::TypedPiece;

/// All entities must have, in the table or in one index, the same partition, and the caller must know it.
pub(crate) fn plan(model: &Model, access: &Access, entities: &[EntityRef]) -> Answer {
    let first = entities[0].id;
    let table = model.entity(first).table;
    let mut misfits = Vec::new();
    let places = std::iter::once(None)
        .chain((0..model.table(table).indexes.len()).map(|index| Some(IndexId(index))));
    for index in places {
        match shared_partition(model, access, entities, index) {
            Ok((partition, sort)) => {
                let mut plan = base(model, access, first, index, partition, sort);
                plan.entities = entities.iter().map(|entity| entity.id).collect();
                plan.requests = plan.partition.shards();
                plan.order = order(access.order.as_ref());
                plan.filter = access
                    .condition
                    .as_ref()
                    .map(|condition| condition.condition.clone())
                    .into_iter()
                    .collect();
                plan.price_query(model, access);
                return Answer::Read(plan);
            }
            Err(reason) => misfits.push(Misfit { index, reason }),
        }
    }
    nothing(model, access, first, misfits)
}

/// Entities of several kinds sort by their keys; only the direction can be asked.
pub(crate) fn order(order: Option<&Order>) -> OrderGiven {
    match order {
        None => OrderGiven::Yes { backwards: false },
        Some(order) => match order.by.first() {
            None => OrderGiven::Yes {
                backwards: order.descending,
            },
            Some(term) => OrderGiven::No(term.id),
        },
    }
}

fn shared_partition(
    model: &Model,
    access: &Access,
    entities: &[EntityRef],
    index: Option<IndexId>,
) -> Result<(KeyText, SortTest), MisfitReason> {
    let mut shared: Option<(KeyText, Vec<KeyPiece>)> = None;
    for entity_ref in entities {
        let entity = model.entity(entity_ref.id);
        let same_table = entity.table == model.entity(entities[0].id).table;
        let key: Option<&Key> = match index {
            None => Some(&entity.key),
            Some(index) => entity
                .keys_in(index)
                .next()
                .filter(|key| holds_every_item(entity, key))
                .map(|key| &key.key),
        };
        let key = key.filter(|_| same_table).ok_or(MisfitReason::LeavesOut)?;
        let known = KnownValues::of(access, entity);
        let filled = fill_whole(&key.partition, &known);
        let partition = KeyText::exact(
            filled.map_err(|reason| in_first(reason, entity, model.entity(entities[0].id)))?,
        );
        let mut filled = Vec::new();
        if let Some(sort) = &key.sort {
            filled.extend(
                (0..sort.typed.pieces.len()).map_while(|position| known.piece(sort, position)),
            );
        }
        shared = Some(match shared {
            None => (partition, filled),
            Some((other, common)) => {
                if plain(&other.pieces) != plain(&partition.pieces) {
                    return Err(MisfitReason::LeavesOut);
                }
                (other, common_beginning(common, &filled))
            }
        });
    }
    let (partition, common) = shared.ok_or(MisfitReason::LeavesOut)?;
    let used = |name: &str| {
        partition
            .pieces
            .iter()
            .chain(&common)
            .any(|piece| matches!(piece, KeyPiece::Value { origin: crate::Origin::Given(given), .. } if given == name))
    };
    if let Some(unused) = access.by.iter().find(|by| !used(by.written.as_str())) {
        return Err(MisfitReason::NotInKey(unused.id));
    }
    let sort = match open_end(&common) {
        _ if common.is_empty() => SortTest::All,
        None => SortTest::BeginsWith(KeyText::exact(common)),
        Some((name, is_raw)) => {
            if is_raw || !goes_on_with_a_delimiter(model, entities, index, common.len()) {
                let field = model.entity(entities[0].id).field_named(name);
                return Err(field.map_or(MisfitReason::LeavesOut, MisfitReason::OpenPrefix));
            }
            // The text itself, and whatever follows a delimiter behind it: nothing else lies between the two.
            let high = KeyText {
                pieces: common.clone(),
                tail: Tail::Above(ABOVE_DELIMITER),
            };
            SortTest::Between(KeyText::exact(common), high)
        }
    };
    Ok((partition, sort))
}

/// The delimiter of templates, and the character above it. Whatever a value has up to the second is escaped.
const DELIMITER: char = '#';
const ABOVE_DELIMITER: char = '$';

/// The field a text ends with where longer values may begin with its value, and whether it is stored as it is.
fn open_end(pieces: &[KeyPiece]) -> Option<(&str, bool)> {
    match pieces.last()? {
        KeyPiece::Value {
            typed:
                TypedPiece::Field {
                    name,
                    shape,
                    encodings,
                    ..
                },
            origin: crate::Origin::Given(_),
        } if !is_prefix_free(shape, encodings) => Some((name, encodings.raw)),
        _ => None,
    }
}

/// Whether every sort key ends behind so many pieces, or has a delimiter there.
fn goes_on_with_a_delimiter(
    model: &Model,
    entities: &[EntityRef],
    index: Option<IndexId>,
    pieces: usize,
) -> bool {
    entities.iter().all(|entity_ref| {
        let entity = model.entity(entity_ref.id);
        let key = match index {
            None => Some(&entity.key),
            Some(index) => entity.keys_in(index).next().map(|key| &key.key),
        };
        let sort = key.and_then(|key| key.sort.as_ref());
        match sort.and_then(|sort| sort.typed.pieces.get(pieces)) {
            None => true,
            Some(TypedPiece::Literal(text)) => text.starts_with(DELIMITER),
            Some(TypedPiece::Field { .. }) => false,
        }
    })
}

/// A reason speaks of fields of the first entity; where another one has a key that it has no field for, they share no partition.
fn in_first(reason: MisfitReason, entity: &Entity, first: &Entity) -> MisfitReason {
    match reason {
        MisfitReason::PartitionUnknown(field) => first
            .field_named(entity.field(field).name.as_str())
            .map_or(MisfitReason::LeavesOut, MisfitReason::PartitionUnknown),
        reason => reason,
    }
}

/// Pieces as comparable text: field ids differ between entities, names and types do not.
fn plain(pieces: &[KeyPiece]) -> Vec<String> {
    pieces
        .iter()
        .map(|piece| match piece {
            KeyPiece::Literal(text) => text.clone(),
            KeyPiece::Value { typed, origin, .. } => format!("{typed:?}{origin:?}"),
        })
        .collect()
}

/// The pieces two sort keys begin with, the last literal cut to what both have.
fn common_beginning(a: Vec<KeyPiece>, b: &[KeyPiece]) -> Vec<KeyPiece> {
    let mut common = Vec::new();
    for (mine, theirs) in a.into_iter().zip(b) {
        match (&mine, theirs) {
            (KeyPiece::Literal(mine), KeyPiece::Literal(theirs)) if mine != theirs => {
                let shared: String = mine
                    .chars()
                    .zip(theirs.chars())
                    .take_while(|(a, b)| a == b)
                    .map(|(a, _)| a)
                    .collect();
                // A shared letter is no shared meaning: only up to the last delimiter.
                let closed = shared.rfind('#').map_or("", |end| &shared[..=end]);
                if !closed.is_empty() {
                    common.push(KeyPiece::Literal(closed.to_owned()));
                }
                break;
            }
            _ if plain(std::slice::from_ref(&mine)) == plain(std::slice::from_ref(theirs)) => {
                common.push(mine)
            }
            _ => break,
        }
    }
    common
}
