//! Planning writes: every item a write touches, with its condition.

use tablewright_model::model::{
    Access, Action, ActionKind, Entity, EntityId, FieldChanges, FieldId, IndexKey, Model, Verb,
    Where,
};

use crate::Answer;
use crate::bound::KnownValues;
use crate::cost::{self, Cost, IndexWrite, ItemCost};
use crate::fit::{Misfit, MisfitReason};
use crate::read::{self, Operation, nothing};

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
    /// It first asks which items there are, because the caller knows only part of the key.
    pub finds_items: bool,
    /// What it costs; of a batch, for each item.
    pub cost: Cost,
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
    /// It changes the numbers the item keeps of what else is written.
    pub counts: bool,
    /// On which conditions, in words of the model.
    pub conditions: Vec<String>,
    /// How many entries of which index it writes.
    pub indexes: Vec<(String, u64)>,
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
    Answer::Write(builder.finish(reads_first(model, kind, id, changes), false))
}

/// Whether the item must be read first. The run time decides by the same rule.
fn reads_first(model: &Model, kind: ActionKind, id: EntityId, changes: &FieldChanges) -> bool {
    let entity = model.entity(id);
    match kind {
        ActionKind::Update => {
            // An addition holds whatever another writer left, so it needs no version.
            entity.versioned.is_some() && !only_adds(changes)
                || needs_old_values(model, id, changes)
        }
        ActionKind::Delete => entity.versioned.is_some() || belongs_to_others(model, id),
        ActionKind::Create | ActionKind::Check | ActionKind::Get => false,
    }
}

/// Whether guards or counters go with an item: to delete it, its values must be known.
fn belongs_to_others(model: &Model, id: EntityId) -> bool {
    let entity = model.entity(id);
    let counts = |keeper: &EntityId| {
        let mut counters = model.entity(*keeper).counters.iter();
        counters.any(|counter| counter.counts.1 == id && counter.kept_by.is_none())
    };
    entity.unique.iter().any(|unique| unique.guard.is_some())
        || entity.counted_by.iter().any(counts)
}

/// Whether an update needs values it does not set: of a guard that moves, of the numbers it was counted in, or of an
/// index key of which it sets only a part.
fn needs_old_values(model: &Model, id: EntityId, changes: &FieldChanges) -> bool {
    let entity = model.entity(id);
    let touches = |field: FieldId| {
        let mut touched = changes.set.iter().chain(&changes.add);
        touched.any(|known| known.id == field)
    };
    let guard_moves = entity
        .unique
        .iter()
        .filter_map(|unique| unique.guard.as_ref())
        .any(|guard| guard.field_ids().into_iter().any(touches));
    let counted_otherwise = entity
        .counted_by
        .iter()
        .any(|keeper| !counted_fields(model, *keeper, id, changes).is_empty());
    let mut keys = entity.index_keys.iter();
    guard_moves
        || counted_otherwise
        || keys.any(|key| knows_only_a_part(model, entity, key, changes))
}

/// Whether the item's place in an index changes, and what the update sets does not say where to.
fn knows_only_a_part(
    model: &Model,
    entity: &Entity,
    key: &IndexKey,
    changes: &FieldChanges,
) -> bool {
    let sets = |field: FieldId| changes.set.iter().any(|known| known.id == field);
    let adds = |field: FieldId| changes.add.iter().any(|known| known.id == field);
    let when = key.when.iter().flat_map(|when| when.condition.fields());
    let when: Vec<FieldId> = when
        .filter_map(|field| entity.field_named(&field.name))
        .collect();
    // The sum is known to the table alone. A natural key is the sum itself; any other must be made from it.
    let index = model.table(entity.table).index(key.index);
    let attributes = std::iter::once(&index.partition_key).chain(&index.sort_key);
    let made_of_a_sum = key
        .key
        .templates()
        .zip(attributes)
        .any(|(template, attribute)| {
            let bare = template.bare_field();
            let natural = bare.is_some_and(|id| entity.field(id).name.value == attribute.name);
            !natural && template.parts.iter().flatten().any(|field| adds(*field))
        });
    if made_of_a_sum || when.iter().any(|field| adds(*field)) {
        return true;
    }
    let mut fields = key.key.field_ids();
    fields.extend(when);
    let identity = entity.identity();
    let known = |field: &FieldId| sets(*field) || identity.contains(field);
    fields.iter().any(|field| sets(*field)) && !fields.iter().all(known)
}

/// The fields an update sets by which a keeper counts: who keeps the number, or which of its numbers it is.
fn counted_fields(
    model: &Model,
    keeper: EntityId,
    counted: EntityId,
    changes: &FieldChanges,
) -> Vec<String> {
    let keeper = model.entity(keeper);
    let counters = || {
        keeper
            .counters
            .iter()
            .filter(|counter| counter.counts.1 == counted && counter.kept_by.is_none())
    };
    let keepers = keeper
        .identity()
        .into_iter()
        .map(|field| keeper.field(field).name.value.clone());
    let numbers =
        counters().filter_map(|counter| counter.per.as_ref().map(|(per, _)| per.value.clone()));
    let mut fields: Vec<String> = keepers
        .filter(|_| counters().next().is_some())
        .chain(numbers)
        .collect();
    let touched = || changes.set.iter().chain(&changes.add);
    fields.retain(|name| touched().any(|known| known.written.value == *name));
    fields
}

fn only_adds(changes: &FieldChanges) -> bool {
    changes.set.is_empty() && !changes.add.is_empty()
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
    builder.finish(reads_first, true)
}

fn batch(model: &Model, access: &Access, action: &Action) -> Answer {
    let id = action.entity.id;
    let knows = action.kind == ActionKind::Create || unknown_key_part(model, access, id).is_none();
    if !knows {
        // The items must at least be findable by what the caller knows.
        let listing = Access {
            verb: Verb::List(vec![action.entity.clone()]),
            ..access.clone()
        };
        if let Answer::Nothing(no_answer) = read::plan(model, &listing) {
            return Answer::Nothing(no_answer);
        }
    }
    let mut builder = Builder::new(model);
    builder.named(action.kind, id, &action.changes, action.condition.as_ref());
    let reads_first = reads_first(model, action.kind, id, &action.changes);
    let mut plan = builder.finish(reads_first, false);
    plan.each = true;
    plan.finds_items = !knows;
    // What was found was read.
    plan.reads_first &= knows;
    Answer::Write(plan)
}

struct Builder<'m> {
    model: &'m Model,
    /// The write has several actions, and each stands or falls with the others.
    relied_on: bool,
    items: Vec<ItemWrite>,
    costs: Vec<ItemCost>,
}

impl<'m> Builder<'m> {
    fn new(model: &'m Model) -> Self {
        Builder {
            model,
            relied_on: false,
            items: Vec::new(),
            costs: Vec::new(),
        }
    }

    /// The item itself, its guards and its counters.
    fn named(
        &mut self,
        kind: ActionKind,
        id: EntityId,
        changes: &FieldChanges,
        condition: Option<&Where>,
    ) {
        let entity = self.model.entity(id);
        let mut conditions = Vec::new();
        match kind {
            // An item TTL has not removed yet is no longer there for anyone.
            ActionKind::Create => conditions.push(match &entity.ttl {
                Some((ttl, _)) => format!("it is not there, or its {ttl} has passed"),
                None => "it is not there".to_owned(),
            }),
            ActionKind::Update | ActionKind::Delete
                if reads_first(self.model, kind, id, changes) =>
            {
                conditions.push(match entity.versioned {
                    Some(_) => "last_write is what was read".to_owned(),
                    None => "what was read has not changed".to_owned(),
                });
            }
            ActionKind::Update | ActionKind::Check => conditions.push("it is there".to_owned()),
            // In a transaction the others rely on it.
            ActionKind::Delete if self.relied_on => conditions.push("it is there".to_owned()),
            ActionKind::Delete | ActionKind::Get => {}
        }
        conditions.extend(condition.map(|condition| condition.condition.to_string()));
        let mut indexes = cost::index_writes(self.model, entity, kind, changes);
        if let (ActionKind::Delete, Some(condition)) = (kind, condition) {
            indexes.retain(|write| cost::can_hold(entity, write.id, &condition.condition));
        }
        self.costs.push(match kind {
            ActionKind::Check => cost::of_write(self.model, entity, &[]),
            _ => cost::of_write(self.model, entity, &indexes),
        });
        self.push(kind, id, ItemRole::Named, conditions, &indexes);
        self.guards(kind, id, changes);
        self.counters(kind, id, changes);
    }

    fn guards(&mut self, kind: ActionKind, id: EntityId, changes: &FieldChanges) {
        for unique in &self.model.entity(id).unique {
            let Some(guard) = &unique.guard else {
                continue;
            };
            let touched = match kind {
                ActionKind::Create | ActionKind::Delete => true,
                ActionKind::Update => changes.set.iter().any(|known| guard.has(known.id)),
                ActionKind::Check | ActionKind::Get => false,
            };
            if !touched {
                continue;
            }
            let role = ItemRole::Guard(unique.name.value.clone());
            if kind != ActionKind::Create {
                let mine = vec!["it guards this item".to_owned()];
                self.push(ActionKind::Delete, id, role.clone(), mine, &[]);
                self.costs.push(cost::of_guard());
            }
            if kind != ActionKind::Delete {
                self.push(
                    ActionKind::Create,
                    id,
                    role,
                    vec!["it is not there".to_owned()],
                    &[],
                );
                self.costs.push(cost::of_guard());
            }
        }
    }

    fn counters(&mut self, kind: ActionKind, id: EntityId, changes: &FieldChanges) {
        for keeper_id in self.model.entity(id).counted_by.iter().copied() {
            let keeper = self.model.entity(keeper_id);
            let counters = keeper.counters.iter();
            let counts = counters
                .filter(|counter| counter.kept_by.is_none())
                .any(|counter| counter.counts.1 == id);
            let changed = counted_fields(self.model, keeper_id, id, changes);
            let is_keeper = |name: &String| {
                let identity = keeper.identity().into_iter();
                identity
                    .map(|field| &keeper.field(field).name.value)
                    .any(|field| field == name)
            };
            // An item that goes from one keeper to another is taken off here and added there.
            let items = match kind {
                ActionKind::Create | ActionKind::Delete => usize::from(counts),
                ActionKind::Update if changed.iter().any(is_keeper) => 2,
                ActionKind::Update => usize::from(!changed.is_empty()),
                ActionKind::Check | ActionKind::Get => 0,
            };
            for _ in 0..items {
                // An item that is nothing but counts begins with the first of them; any other must be there.
                let only_counts = keeper.fields.len() == keeper.identity().len();
                let conditions = if only_counts {
                    Vec::new()
                } else {
                    vec!["it is there".to_owned()]
                };
                let indexes = cost::index_writes(
                    self.model,
                    keeper,
                    ActionKind::Update,
                    &FieldChanges::default(),
                );
                self.costs
                    .push(cost::of_write(self.model, keeper, &indexes));
                self.push(
                    ActionKind::Update,
                    keeper_id,
                    ItemRole::Counter,
                    conditions,
                    &indexes,
                );
            }
        }
    }

    fn claim(&mut self, id: EntityId) {
        let entity = self.model.entity(id);
        let condition = match &entity.ttl {
            Some((ttl, _)) => format!("it is not there, or its {ttl} has passed"),
            None => "it is not there".to_owned(),
        };
        let indexes = cost::index_writes(
            self.model,
            entity,
            ActionKind::Create,
            &FieldChanges::default(),
        );
        self.costs
            .push(cost::of_write(self.model, entity, &indexes));
        self.push(
            ActionKind::Create,
            id,
            ItemRole::Claim,
            vec![condition],
            &indexes,
        );
    }

    fn push(
        &mut self,
        kind: ActionKind,
        entity: EntityId,
        role: ItemRole,
        conditions: Vec<String>,
        indexes: &[IndexWrite],
    ) {
        self.items.push(ItemWrite {
            kind,
            entity,
            name: None,
            counts: role == ItemRole::Counter,
            role,
            conditions,
            indexes: indexes
                .iter()
                .map(|index| (index.index.clone(), index.writes))
                .collect(),
        });
    }

    /// A transaction takes an item once: counts go into the action on their keeper, and the counts of several items
    /// into one update.
    fn fold_counts(&mut self, moves: bool) {
        let mut position = 0;
        while position < self.items.len() {
            let item = &self.items[position];
            let entity = item.entity;
            let is_count = item.role == ItemRole::Counter;
            let named = self
                .items
                .iter()
                .position(|other| other.entity == entity && other.role == ItemRole::Named);
            let earlier = self.items[..position]
                .iter()
                .position(|other| other.entity == entity && other.role == ItemRole::Counter);
            match (is_count, named, earlier) {
                (true, Some(keeper), _) => {
                    let keeper = &mut self.items[keeper];
                    keeper.counts = true;
                    if keeper.kind == ActionKind::Check {
                        keeper.kind = ActionKind::Update;
                    }
                }
                (true, None, Some(_)) if !moves => {}
                _ => {
                    position += 1;
                    continue;
                }
            }
            self.items.remove(position);
            self.costs.remove(position);
        }
    }

    fn finish(mut self, reads_first: bool, transaction: bool) -> WritePlan {
        // Of one action, two keepers are two items; of several, the caller's values decide, and one keeper is the rule.
        let actions = self
            .items
            .iter()
            .filter(|item| item.role == ItemRole::Named)
            .count();
        self.fold_counts(actions == 1);
        let transaction = transaction || self.items.len() > 1;
        let operation = match (transaction, self.items.first().map(|item| item.kind)) {
            (true, _) => Operation::TransactWriteItems,
            (false, Some(ActionKind::Create)) => Operation::PutItem,
            (false, Some(ActionKind::Delete)) => Operation::DeleteItem,
            (false, _) => Operation::UpdateItem,
        };
        WritePlan {
            operation,
            cost: cost::sum(&self.costs, transaction),
            items: self.items,
            reads_first,
            each: false,
            finds_items: false,
        }
    }
}
