//! How well a key answers a pattern.

mod misfit;
mod sort;

use tablewright_descriptor::key_text::{KeyPiece, KeyText, Origin, SortTest};
use tablewright_keys::TypedPiece;
use tablewright_model::condition::{Allowed, Condition};
use tablewright_model::model::{
    Access, Entity, FieldId, IndexId, IndexKind, Key, KeyTemplate, Table, Where,
};

use self::misfit::unused;
pub use self::misfit::{Misfit, MisfitReason};
pub(crate) use self::sort::sort_is_number;
use self::sort::{refuse_open_prefix, sort_test};
use crate::bound::{KnownValues, sets_of, sets_of_all};
use crate::implied::implied;
use crate::order::{OrderGiven, order_given};

/// A key of an entity: of the table, or of one of its indexes.
#[derive(Clone, Copy)]
pub(crate) struct CandidateKey<'m> {
    pub(crate) index: Option<IndexId>,
    pub(crate) key: &'m Key,
    pub(crate) when: Option<&'m Where>,
}

/// The table's key of an entity and all its index keys.
pub(crate) fn candidates(entity: &Entity) -> impl Iterator<Item = CandidateKey<'_>> {
    let table = CandidateKey {
        index: None,
        key: &entity.key,
        when: None,
    };
    let indexes = entity.index_keys.iter().map(|key| CandidateKey {
        index: Some(key.index),
        key: &key.key,
        when: key.when.as_ref(),
    });
    std::iter::once(table).chain(indexes)
}

/// A key that answers the pattern.
#[derive(Debug, Clone)]
pub(crate) struct Fit {
    pub(crate) index: Option<IndexId>,
    /// It is a global index, which cannot be read strongly.
    is_global: bool,
    /// It holds only what its `when` lets in.
    is_sparse: bool,
    pub(crate) partition: KeyText,
    pub(crate) sort: SortTest,
    /// The parts of `where` that only a filter can answer.
    pub(crate) residual: Vec<Condition>,
    pub(crate) order: OrderGiven,
    /// Optional fields in the key that the pattern does not ask for: items without them are left out.
    pub(crate) leaves_out: Vec<FieldId>,
    bound_parts: usize,
    order_shortfall: usize,
}

impl Fit {
    /// Better fits compare less.
    pub(crate) fn rank(&self, strong: bool) -> impl Ord + use<> {
        (
            strong && self.is_global,
            self.order_shortfall,
            !self.leaves_out.is_empty(),
            self.residual.len(),
            // Of two that leave as much to a filter, the sparse one reads less.
            !self.is_sparse,
            self.partition.shards(),
            usize::MAX - self.bound_parts,
            self.index.map(|index| index.0 + 1),
        )
    }
}

/// Fits a pattern on a key.
pub(crate) fn fit(
    access: &Access,
    entity: &Entity,
    table: &Table,
    candidate: CandidateKey<'_>,
    known: &KnownValues,
) -> Result<Fit, MisfitReason> {
    let key = candidate.key;
    let partition = fill_whole(&key.partition, known)?;
    let mut used: Vec<FieldId> = selecting_parts(&key.partition).collect();

    let mut filled = Vec::new();
    let mut stopped = None;
    if let Some(sort) = &key.sort {
        for position in 0..sort.typed.pieces.len() {
            match known.piece(sort, position) {
                Some(piece) if !is_scattered(&piece) => {
                    used.extend(sort.parts[position].filter(|_| selects(&piece)));
                    filled.push(piece);
                }
                _ => {
                    stopped = Some(position);
                    break;
                }
            }
        }
    }
    for by in &access.by {
        let Some(field) = entity.field_named(by.written.as_str()) else {
            continue;
        };
        if !used.contains(&field) {
            return Err(unused(field, key, stopped));
        }
    }
    if let (Some(position), Some(sort)) = (stopped, &key.sort) {
        refuse_open_prefix(sort, &filled, position)?;
    }
    let sort = sort_test(access, table, candidate, &filled, stopped)?;
    if matches!(
        sort,
        SortTest::Between(..)
            | SortTest::AtLeast(_)
            | SortTest::Above(_)
            | SortTest::AtMost(_)
            | SortTest::Below(_)
    ) {
        used.extend(access.range.as_ref().map(|range| range.id));
    }

    let when = candidate
        .when
        .map_or(&[][..], |when| when.condition.conjuncts());
    let asked = access
        .condition
        .as_ref()
        .map_or(&[][..], |asked| asked.condition.conjuncts());
    let is_asked = |part: &Condition| {
        sets_of(part, entity).is_some_and(|sets| known.sets.implies(&sets))
            || implied(entity, asked, part)
    };
    if !when.iter().all(is_asked) {
        return Err(MisfitReason::LeavesOut);
    }
    // What is asked to have no value is in no key that holds it.
    let absent = |field: FieldId| {
        let name = entity.field(field).name.as_str();
        known.sets.0.get(name) == Some(&Allowed::Absent)
    };
    if key.field_ids().into_iter().any(absent) {
        return Err(MisfitReason::LeavesOut);
    }
    let residual = residual(asked, entity, key, &used, when, known);
    let leaves_out = key
        .field_ids()
        .into_iter()
        .filter(|field| {
            let name = entity.field(*field).name.as_str();
            entity.field(*field).is_optional() && !known.sets.0.contains_key(name)
        })
        .collect();
    let order = order_given(access, entity, key, table, candidate.index, stopped, known);
    let global = |index: IndexId| table.index(index).kind == IndexKind::Global;
    Ok(Fit {
        index: candidate.index,
        is_global: candidate.index.is_some_and(global),
        is_sparse: candidate.when.is_some(),
        order_shortfall: order.shortfall(access),
        order,
        bound_parts: used.len(),
        partition: KeyText::exact(partition),
        sort,
        residual,
        leaves_out,
    })
}

/// All pieces of a partition template, each known or scattered.
pub(crate) fn fill_whole(
    template: &KeyTemplate,
    known: &KnownValues,
) -> Result<Vec<KeyPiece>, MisfitReason> {
    (0..template.typed.pieces.len())
        .map(|position| {
            known.piece(template, position).ok_or_else(|| {
                let field = template.parts[position].unwrap_or(FieldId(0));
                MisfitReason::PartitionUnknown(field)
            })
        })
        .collect()
}

/// Whether a piece tells its value from every other: the number of a shard stands for many values.
fn selects(piece: &KeyPiece) -> bool {
    match piece {
        KeyPiece::Value {
            typed: TypedPiece::Field { encodings, .. },
            ..
        } => encodings.shard.is_none(),
        _ => true,
    }
}

/// The fields of a template whose value it selects by.
fn selecting_parts(template: &KeyTemplate) -> impl Iterator<Item = FieldId> {
    template
        .field_parts()
        .filter(|(_, _, part)| part.encodings.shard.is_none())
        .map(|(_, field, _)| field)
}

fn is_scattered(piece: &KeyPiece) -> bool {
    matches!(
        piece,
        KeyPiece::Value {
            origin: Origin::EveryShard(_),
            ..
        }
    )
}

/// The parts of `where` that neither the key nor the index's `when` answers.
fn residual(
    asked: &[Condition],
    entity: &Entity,
    key: &Key,
    used: &[FieldId],
    when: &[Condition],
    known: &KnownValues,
) -> Vec<Condition> {
    let sets = sets_of_all(when, entity);
    let answered = |part: &Condition| {
        if sets_of(part, entity).is_some_and(|wanted| sets.implies(&wanted))
            || implied(entity, when, part)
        {
            return true;
        }
        let field_of = |name: &str| entity.field_named(name);
        match part {
            // A key that holds the field holds only items that have it.
            Condition::Exists {
                field,
                present: true,
            } => field_of(&field.name).is_some_and(|field| key.has(field)),
            Condition::Compare { field, .. } | Condition::In { field, .. } => field_of(&field.name)
                .is_some_and(|id| used.contains(&id) && known.says(id, part, entity)),
            _ => false,
        }
    };
    asked
        .iter()
        .filter(|part| !answered(part))
        .cloned()
        .collect()
}
