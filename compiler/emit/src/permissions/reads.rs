//! What reads need, and requests written by hand.

use tablewright_model::model::{Access, ActionKind, EntityId, Request};
use tablewright_plan::hand::HandPlan;
use tablewright_plan::{Operation, Place, ReadPlan, Via};

use super::leading::{self, ANY};
use super::{Action, Needs};

impl Needs<'_> {
    pub(super) fn read(&mut self, plan: &ReadPlan) {
        let model = self.model;
        match &plan.via {
            // The guard says where the item is.
            Via::Guard(name) => {
                for entity in &plan.entities {
                    let unique = model.entity(*entity).unique.iter();
                    let mut named = unique.filter(|unique| unique.name.value == *name);
                    if let Some(guard) = named.find_map(|unique| unique.guard.as_ref()) {
                        self.on_item(Action::GetItem, *entity, guard);
                    }
                    self.on(Action::GetItem, *entity);
                }
            }
            Via::Counter { entity, .. } => self.on(Action::GetItem, *entity),
            Via::Key => {
                let action = match plan.operation {
                    Operation::GetItem => Action::GetItem,
                    Operation::BatchGetItem => Action::BatchGetItem,
                    _ => Action::Query,
                };
                for entity in &plan.entities {
                    if let Some(key) = plan.key_of(model, *entity) {
                        let leading = leading::pattern(model, *entity, plan.place, &key.partition);
                        self.add(action, plan.place, leading);
                    }
                }
            }
        }
    }

    /// A request written by hand is sent by other code: it needs what it says.
    pub(super) fn by_hand(&mut self, access: &Access, plan: &HandPlan) {
        let action = match plan.request {
            Request::GetItem => Action::GetItem,
            Request::Query => Action::Query,
            // It reads all partitions.
            Request::Scan => return self.add(Action::Scan, plan.place, ANY.to_owned()),
            Request::PutItem => Action::PutItem,
            Request::UpdateItem => Action::UpdateItem,
            Request::DeleteItem => Action::DeleteItem,
            Request::BatchGetItem => Action::BatchGetItem,
            Request::BatchWriteItem => Action::BatchWriteItem,
            Request::TransactWriteItems => {
                for (kind, entity) in super::writes::actions(access) {
                    self.on(action_of(kind), entity);
                }
                return;
            }
        };
        for entity in &plan.entities {
            self.where_it_asks(action, *entity, plan);
        }
    }

    fn where_it_asks(&mut self, action: Action, entity: EntityId, plan: &HandPlan) {
        let key = plan.key_of(self.model, entity);
        let place = Place {
            // Entities of a transaction may be in several tables; those of a query are in one.
            table: self.model.entity(entity).table,
            index: plan.place.index,
        };
        let leading = key.map_or_else(
            || ANY.to_owned(),
            |key| leading::pattern(self.model, entity, place, &key.partition),
        );
        self.add(action, place, leading);
    }
}

/// The operation of an action in a transaction, or by itself.
pub(super) fn action_of(kind: ActionKind) -> Action {
    match kind {
        ActionKind::Create => Action::PutItem,
        ActionKind::Update => Action::UpdateItem,
        ActionKind::Delete => Action::DeleteItem,
        ActionKind::Check => Action::ConditionCheckItem,
        ActionKind::Get => Action::GetItem,
    }
}
