//! Planning writes: every item a write touches, with its condition.

mod builder;
mod reads_first;
mod sums;

use tablewright_model::model::{
    Access, Action, ActionKind, Consistency, EntityId, FieldChanges, FieldId, Model, Verb,
};

use self::builder::Builder;
use self::reads_first::reads_first;
pub use self::sums::{deciding, needs_the_sum};
use crate::Answer;
use crate::bound::KnownValues;
use crate::cost::{self, Cost};
use crate::fit::{Misfit, MisfitReason};
use crate::lower::found_by;
use crate::read::{self, Operation, ReadPlan, nothing};

/// How a write is done.
#[derive(Debug, Clone)]
pub struct WritePlan {
    /// The operation; of a batch, the one done for each item.
    pub operation: Operation,
    /// Every item it touches.
    pub items: Vec<ItemWrite>,
    /// It reads the item first and applies a change to it, on condition of the version read.
    pub reads_first: bool,
    /// It is done for many items, each for itself.
    pub each: bool,
    /// The question it asks first, page by page: which items there are, because the caller knows only part of the key.
    pub finds: Option<Box<ReadPlan>>,
    /// What it costs; of a batch, for each item.
    pub cost: Cost,
}

impl WritePlan {
    /// What reading the items first costs that it changes or deletes, of a batch for each item; none where it reads nothing. Eventually, since a
    /// condition on what was read holds either way.
    pub fn first_read(&self, model: &Model) -> Option<Cost> {
        let read = self.items.iter().filter(|item| item.is_read);
        let costs = read.map(|item| {
            let entity = model.entity(item.entity);
            cost::of_item(model, entity, Consistency::Eventual)
        });
        costs.reduce(Cost::plus)
    }
}

/// One item of a write.
#[derive(Debug, Clone)]
pub struct ItemWrite {
    /// What is done.
    pub kind: ActionKind,
    /// To an item of this entity.
    pub entity: EntityId,
    /// What the transaction calls it, where it has several of one entity.
    pub name: Option<String>,
    /// Why it belongs to the write.
    pub role: ItemRole,
    /// It is read before it is written, which then holds only for what was read.
    pub is_read: bool,
    /// It changes the numbers the item keeps of what else is written.
    pub counts: bool,
    /// On which conditions, in words of the model.
    pub conditions: Vec<String>,
    /// How many entries of which index it writes.
    pub indexes: Vec<IndexEntries>,
    /// How many it writes where the item begins with this count, which the cost is then of.
    pub begins: Option<Vec<IndexEntries>>,
}

impl ItemWrite {
    /// What it writes of each index as often as it is done. A first count is rare where the model says how many items count, and that these are
    /// fewer than what they count.
    pub fn entries_each_time(&self, model: &Model) -> &[IndexEntries] {
        let keeper = model.entity(self.entity);
        let is_fewer = |items: u64| {
            let mut counted = keeper.counters.iter().map(|counter| counter.counts.1);
            counted.all(|id| model.entity(id).facts.items.is_none_or(|all| items < all))
        };
        match keeper.facts.items.is_some_and(is_fewer) {
            true => &self.indexes,
            false => self.entries_at_most(),
        }
    }

    /// What it writes of each index at most, once or all day: a first count writes what a later one does, and more.
    pub fn entries_at_most(&self) -> &[IndexEntries] {
        self.begins.as_deref().unwrap_or(&self.indexes)
    }
}

/// How many entries of an index a write takes: one when it is put, deleted or copied anew, two when its key changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexEntries {
    /// The index.
    pub index: String,
    /// In the call that writes most to this index.
    pub most: u64,
    /// In the call that costs most, which the cost is of. Fewer than in another, where items of one index are not in the other.
    pub dearest: u64,
}

/// Why an item belongs to a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemRole {
    /// It is what the pattern names.
    Named,
    /// It guards a unique value.
    Guard(String),
    /// It counts what is written.
    Counter,
    /// It claims the idempotency key.
    Claim,
}

pub(crate) fn plan(model: &Model, access: &Access) -> Answer {
    match &access.verb {
        Verb::Create(entity) => single(
            model,
            access,
            ActionKind::Create,
            entity.id,
            &FieldChanges::default(),
        ),
        Verb::Update { entity, changes } => {
            single(model, access, ActionKind::Update, entity.id, changes)
        }
        Verb::Delete(entity) => single(
            model,
            access,
            ActionKind::Delete,
            entity.id,
            &FieldChanges::default(),
        ),
        Verb::Transact(actions) => Answer::Write(transaction(model, access, actions)),
        Verb::Batch(action) => batch(model, access, action),
        Verb::Get(_) | Verb::List(_) | Verb::Count(_) | Verb::Search { .. } => {
            read::plan(model, access)
        }
    }
}

fn single(
    model: &Model,
    access: &Access,
    kind: ActionKind,
    id: EntityId,
    changes: &FieldChanges,
) -> Answer {
    if kind != ActionKind::Create
        && let Some(field) = unknown_key_part(model, access, id)
    {
        let misfit = Misfit {
            index: None,
            reason: MisfitReason::KeyUnknown(field),
        };
        return nothing(model, access, id, vec![misfit]);
    }
    let mut builder = Builder::new(model);
    builder.named(kind, id, changes, access.condition.as_ref());
    if let Some(claim) = &access.idempotent {
        builder.claim(claim.id);
    }
    Answer::Write(builder.finish(reads_first(model, kind, id, changes)))
}

/// The first part of the primary key the caller's values do not give.
fn unknown_key_part(model: &Model, access: &Access, id: EntityId) -> Option<FieldId> {
    let entity = model.entity(id);
    let known = KnownValues::of(access, entity);
    entity
        .identity()
        .into_iter()
        .find(|field| known.get(*field).is_none())
}

fn transaction(model: &Model, access: &Access, actions: &[Action]) -> WritePlan {
    let mut builder = Builder::new(model);
    builder.relied_on = actions.len() > 1;
    for action in actions {
        let first = builder.items.len();
        builder.named(
            action.kind,
            action.entity.id,
            &action.changes,
            action.condition.as_ref(),
        );
        builder.items[first].name = action.name.as_ref().map(|name| name.value.clone());
    }
    if let Some(claim) = &access.idempotent {
        builder.claim(claim.id);
    }
    let reads_first = actions
        .iter()
        .any(|action| reads_first(model, action.kind, action.entity.id, &action.changes));
    builder.finish(reads_first)
}

/// What is to be written is all there is, also what was written a moment ago: it is read strongly, unless an index finds it, which cannot.
fn finding(model: &Model, mut listing: Access) -> Answer {
    let answer = read::plan(model, &listing);
    if !matches!(&answer, Answer::Read(plan) if plan.place.index.is_none()) {
        return answer;
    }
    listing.consistency.value = Consistency::Strong;
    read::plan(model, &listing)
}

fn batch(model: &Model, access: &Access, action: &Action) -> Answer {
    let id = action.entity.id;
    let knows = action.kind == ActionKind::Create || unknown_key_part(model, access, id).is_none();
    let listing = found_by(access).filter(|_| !knows);
    let finds = match listing.map(|listing| finding(model, listing)) {
        // The items must at least be findable by what the caller knows.
        Some(Answer::Nothing(no_answer)) => return Answer::Nothing(no_answer),
        Some(Answer::Read(plan)) => Some(Box::new(plan)),
        _ => None,
    };
    let mut builder = Builder::new(model);
    builder.named(action.kind, id, &action.changes, action.condition.as_ref());
    let reads_first = reads_first(model, action.kind, id, &action.changes);
    let mut plan = builder.finish(reads_first);
    plan.each = true;
    plan.finds = finds;
    Answer::Write(plan)
}
