//! Every item a write touches, one after the other: what it names, guards, counts and claims.

use tablewright_model::model::{ActionKind, EntityId, FieldChanges, Model, Where};

use super::reads_first::{counted_fields, reads_first};
use super::{IndexEntries, ItemRole, ItemWrite, WritePlan};
use crate::cost::{self, IndexWrite, ItemCost, Written};
use crate::read::Operation;

/// A write that is being put together.
pub(super) struct Builder<'m> {
    model: &'m Model,
    /// The write has several actions, and each stands or falls with the others.
    pub(super) relied_on: bool,
    pub(super) items: Vec<ItemWrite>,
    costs: Vec<ItemCost>,
}

impl<'m> Builder<'m> {
    pub(super) fn new(model: &'m Model) -> Self {
        Builder {
            model,
            relied_on: false,
            items: Vec::new(),
            costs: Vec::new(),
        }
    }

    /// The item itself, its guards and its counters.
    pub(super) fn named(
        &mut self,
        kind: ActionKind,
        id: EntityId,
        changes: &FieldChanges,
        condition: Option<&Where>,
    ) {
        let entity = self.model.entity(id);
        let mut conditions = Vec::new();
        let is_read = reads_first(self.model, kind, id, changes);
        match kind {
            // An item TTL has not removed yet is no longer there for anyone.
            ActionKind::Create => conditions.push(match &entity.ttl {
                Some((ttl, _)) => format!("it is not there, or its {ttl} has passed"),
                None => "it is not there".to_owned(),
            }),
            ActionKind::Update | ActionKind::Delete if is_read => {
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
        let written = Written {
            entity,
            kind,
            changes,
            condition: condition.map(|condition| &condition.condition),
        };
        let indexes = cost::index_writes(self.model, written);
        self.costs
            .push(cost::of_write(self.model, entity, &indexes));
        self.push(kind, id, ItemRole::Named, conditions, &indexes);
        if let Some(item) = self.items.last_mut() {
            item.is_read = is_read;
        }
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
                ActionKind::Update => {
                    let mut touched = changes.set.iter().chain(&changes.add);
                    touched.any(|known| guard.has(known.id))
                }
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
            for nth in 1..=items {
                // Only what is counted anew is a first count: not what is deleted, and not what is taken off where it was.
                let may_begin = keeper.begins_with_its_first_count()
                    && match kind {
                        ActionKind::Create => true,
                        ActionKind::Update => nth == items,
                        ActionKind::Delete | ActionKind::Check | ActionKind::Get => false,
                    };
                self.counter(keeper_id, may_begin);
            }
        }
    }

    /// The counts of an item, which begins with the first of them or must be there.
    fn counter(&mut self, keeper_id: EntityId, may_begin: bool) {
        let keeper = self.model.entity(keeper_id);
        let conditions = match may_begin {
            true => Vec::new(),
            false => vec!["it is there".to_owned()],
        };
        let later = cost::index_writes_of_counts(self.model, keeper, false);
        let first = may_begin.then(|| cost::index_writes_of_counts(self.model, keeper, true));
        // A first count writes what a later one does, and more.
        let dearest = first.as_ref().unwrap_or(&later);
        self.costs.push(cost::of_write(self.model, keeper, dearest));
        let role = ItemRole::Counter;
        self.push(ActionKind::Update, keeper_id, role, conditions, &later);
        if let Some(item) = self.items.last_mut() {
            item.begins = first.as_deref().map(entries);
        }
    }

    pub(super) fn claim(&mut self, id: EntityId) {
        let entity = self.model.entity(id);
        let condition = match &entity.ttl {
            Some((ttl, _)) => format!("it is not there, or its {ttl} has passed"),
            None => "it is not there".to_owned(),
        };
        let claimed = Written {
            entity,
            kind: ActionKind::Create,
            changes: &FieldChanges::default(),
            condition: None,
        };
        let indexes = cost::index_writes(self.model, claimed);
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
            is_read: false,
            kind,
            entity,
            name: None,
            counts: role == ItemRole::Counter,
            role,
            conditions,
            indexes: entries(indexes),
            begins: None,
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
                (true, Some(named), _) => {
                    let indexes = item.indexes.clone();
                    let keeper = &mut self.items[named];
                    keeper.counts = true;
                    // What only looked now writes. It was there to look at, so it does not begin.
                    if keeper.kind == ActionKind::Check {
                        keeper.kind = ActionKind::Update;
                        keeper.indexes = indexes;
                        let entity = self.model.entity(entity);
                        let later = cost::index_writes_of_counts(self.model, entity, false);
                        self.costs[named] = cost::of_write(self.model, entity, &later);
                    }
                }
                (true, None, Some(earlier)) if !moves => {
                    // One of them suffices for the item to begin.
                    if item.begins.is_some() {
                        self.items.swap(earlier, position);
                        self.costs.swap(earlier, position);
                    }
                }
                _ => {
                    position += 1;
                    continue;
                }
            }
            self.items.remove(position);
            self.costs.remove(position);
        }
    }

    pub(super) fn finish(mut self, reads_first: bool) -> WritePlan {
        // Of one action, two keepers are two items; of several, the caller's values decide, and one keeper is the rule.
        let actions = self
            .items
            .iter()
            .filter(|item| item.role == ItemRole::Named)
            .count();
        self.fold_counts(actions == 1);
        let first = self.items.first().map(|item| item.kind);
        // What is alone is sent as itself, but for a condition: no single request only looks.
        let transaction = self.items.len() > 1 || first == Some(ActionKind::Check);
        let operation = match (transaction, first) {
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
            finds: None,
        }
    }
}

fn entries(indexes: &[IndexWrite]) -> Vec<IndexEntries> {
    let entries = indexes.iter().map(|index| IndexEntries {
        index: index.index.clone(),
        most: index.most,
        dearest: index.dearest,
    });
    entries.collect()
}
