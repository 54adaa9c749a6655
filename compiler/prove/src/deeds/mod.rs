//! Calls of every write pattern with what they do to the records: legal ones, and some that must be refused.

mod acts;
mod choice;
mod found;
mod full_page;
mod fullest;
mod keepers;
mod made_over;
mod refusals;
#[cfg(test)]
mod tests;
mod together;
mod workshop;

use tablewright_model::Model;
use tablewright_model::model::{Access, Action, ActionKind, FieldChanges, Verb, Where};

use crate::data::Later;
use crate::deed::Deed;
use crate::oracle::Oracle;
pub(crate) use full_page::{Filler, FullPage, Measure, Shards};
use workshop::Workshop;

/// A batch is done with few items where some value finds few, and with no more than so many in any case.
pub(crate) const FEW_AT_ONCE: usize = 60;
pub(crate) const MOST_AT_ONCE: usize = 5_000;

/// So many legal calls of one pattern.
const LEGAL: usize = 4;

/// So often the dearest call is tried.
const DEAREST: usize = 4;

/// Calls of a write pattern, to be done one after another: each supposes what the legal ones before it did. Legal ones first, then some
/// that must be refused and change nothing. None of them takes what later records have. Empty for a read, and where the records give no chance to do it.
pub fn deeds(
    model: &Model,
    access: &Access,
    oracle: &Oracle<'_>,
    later: &Later,
    seed: u64,
) -> Vec<Deed> {
    let steps = steps(access);
    if access.verb.is_read() || steps.is_empty() {
        return Vec::new();
    }
    let mut workshop = Workshop::new(model, access, oracle.clone(), later, seed);
    if let Verb::Batch(action) = &access.verb {
        return batches(&mut workshop, access, action, &steps[0]);
    }
    let mut deeds = Vec::new();
    // Of counts of nothing there are few: others need them, too.
    let legal = match steps.iter().any(|step| workshop.takes_empty_counts(step)) {
        true => 0,
        false => LEGAL,
    };
    for number in 0..legal {
        deeds.extend(workshop.deed(&steps, None, number));
    }
    // The dearest there is: of items that are in every index they can be in. It tells what is promised only where nothing is larger than declared.
    for number in LEGAL..LEGAL + DEAREST {
        let dearest = workshop.fully(|workshop| workshop.deed(&steps, None, number));
        let is_told = dearest.as_ref().is_none_or(|deed| deed.within_facts);
        deeds.extend(dearest);
        if is_told {
            break;
        }
    }
    if let (Some(step), false) = (steps.first(), steps.len() > 1) {
        deeds.extend(workshop.in_the_place_of_what_is_over(step));
        if deeds.is_empty() {
            deeds.extend(workshop.in_a_freed_place(step));
        }
    }
    if deeds.is_empty() {
        deeds.extend(workshop.with_what_is_made_over(&steps));
    }
    let lacks_keys = workshop.lacks_keys(&steps);
    for (position, step) in steps.iter().enumerate() {
        for refusal in workshop.ways_to_refuse(&steps, step) {
            let refused = Some((position, refusal));
            let deed = workshop.deed(&steps, refused.clone(), 0);
            deeds.extend(match deed {
                None if lacks_keys => workshop.over(|workshop| workshop.deed(&steps, refused, 0)),
                deed => deed,
            });
        }
        deeds.extend(workshop.at_the_edges(&steps, position));
    }
    deeds
}

/// One action of a pattern, in one form for all verbs.
pub(crate) struct Step<'a> {
    pub(crate) name: String,
    pub(crate) kind: ActionKind,
    pub(crate) entity: tablewright_model::model::EntityId,
    pub(crate) changes: &'a FieldChanges,
    pub(crate) condition: Option<&'a Where>,
}

const NO_CHANGES: &FieldChanges = &FieldChanges {
    set: Vec::new(),
    add: Vec::new(),
};

fn steps(access: &Access) -> Vec<Step<'_>> {
    let alone = |kind, entity: &tablewright_model::model::EntityRef, changes| {
        vec![Step {
            name: entity.written.value.clone(),
            kind,
            entity: entity.id,
            changes,
            condition: access.condition.as_ref(),
        }]
    };
    let of = |action: &'_ Action| {
        action
            .name
            .as_ref()
            .unwrap_or(&action.entity.written)
            .value
            .clone()
    };
    match &access.verb {
        Verb::Create(entity) => alone(ActionKind::Create, entity, NO_CHANGES),
        Verb::Update { entity, changes } => alone(ActionKind::Update, entity, changes),
        Verb::Delete(entity) => alone(ActionKind::Delete, entity, NO_CHANGES),
        Verb::Batch(action) => vec![Step {
            name: of(action),
            kind: action.kind,
            entity: action.entity.id,
            changes: &action.changes,
            condition: action.condition.as_ref(),
        }],
        Verb::Transact(actions) => actions
            .iter()
            .filter(|action| action.kind != ActionKind::Get)
            .map(|action| Step {
                name: of(action),
                kind: action.kind,
                entity: action.entity.id,
                changes: &action.changes,
                condition: action.condition.as_ref(),
            })
            .collect(),
        Verb::Get(_) | Verb::List(_) | Verb::Count(_) | Verb::Search { .. } => Vec::new(),
    }
}

/// Several items at once, among them some that are refused; or all that one value finds.
fn batches(
    workshop: &mut Workshop<'_>,
    access: &Access,
    action: &Action,
    step: &Step<'_>,
) -> Vec<Deed> {
    let identity = workshop.identity_names(action.entity.id);
    let finds = action.kind != ActionKind::Create
        && !identity
            .iter()
            .all(|name| access.by.iter().any(|by| by.written.value == *name));
    let mut deeds = Vec::new();
    for number in 0..2 {
        if finds {
            deeds.extend(workshop.all_that_is_found(step, number));
        } else {
            deeds.extend(workshop.several(step, number));
        }
    }
    if deeds.is_empty() && workshop.lacks_keys(std::slice::from_ref(step)) {
        let about = format!("{} 1", access.name);
        deeds.extend(workshop.over(|workshop| match finds {
            true => workshop.all_that_is_found_with_one_made_over(step, &about),
            false => workshop.several(step, 0),
        }));
    }
    deeds
}
