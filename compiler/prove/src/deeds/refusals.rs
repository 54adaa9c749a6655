//! What can stand in the way of an action.

use tablewright_model::model::{ActionKind, Known};

use super::workshop::{At, Workshop};
use super::{DEAREST, LEGAL, Step};
use crate::deed::{Deed, Refusal};
use crate::demand::edges::edges;

/// So many edges of one condition are tried.
const EDGES: usize = 12;

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

    /// Calls with items at every edge of the condition of a step: done where they meet it, and refused where they do not.
    pub(super) fn at_the_edges(&mut self, steps: &[Step<'_>], position: usize) -> Vec<Deed> {
        let step = &steps[position];
        let is_there = step.kind != ActionKind::Create && !self.takes_empty_counts(step);
        let Some(written) = step.condition.filter(|_| is_there) else {
            return Vec::new();
        };
        let all = edges(self.model, step.entity, &written.condition);
        let mut deeds = Vec::new();
        for (number, edge) in all.iter().enumerate().take(EDGES) {
            self.at = Some(At {
                entity: step.entity,
                edge: edge.clone(),
                all: all.clone(),
            });
            let done = self.deed(steps, None, LEGAL + DEAREST + number);
            deeds.extend(done.or_else(|| {
                let refused = Some((position, Refusal::Condition));
                self.deed(steps, refused, number)
            }));
        }
        self.at = None;
        deeds
    }
}
