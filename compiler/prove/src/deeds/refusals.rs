//! What can stand in the way of an action.

use tablewright_model::model::{ActionKind, Known};

use super::Step;
use super::workshop::Workshop;
use crate::deed::Refusal;

impl Workshop<'_> {
    /// What can stand in the way of one of the steps of a pattern.
    pub(super) fn ways_to_refuse(&self, steps: &[Step<'_>], step: &Step<'_>) -> Vec<Refusal> {
        let entity = self.model.entity(step.entity);
        let mut ways = Vec::new();
        let unique = entity.unique.iter().filter(|unique| {
            let guard = unique.guard.as_ref();
            let changes = |field: &Known| guard.is_some_and(|guard| guard.has(field.id));
            guard.is_some()
                && (step.kind == ActionKind::Create || step.changes.set.iter().any(changes))
        });
        let taken = unique.map(|unique| Refusal::Taken(unique.name.value.clone()));
        match step.kind {
            ActionKind::Create => ways.push(Refusal::Exists),
            _ => ways.push(Refusal::NotFound),
        }
        if matches!(step.kind, ActionKind::Create | ActionKind::Update) {
            ways.extend(taken);
        }
        if step.condition.is_some() && step.kind != ActionKind::Create {
            ways.push(Refusal::Condition);
        }
        ways.extend(self.missing_keepers(steps, step));
        ways
    }
}
