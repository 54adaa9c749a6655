//! Needs as statements: what is done alike is said once.

use std::collections::{BTreeMap, BTreeSet};

use tablewright_model::Model;

use super::leading::ANY;
use super::{Action, Reason, Spot};

/// What is allowed, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// The actions, by name.
    pub actions: Vec<Action>,
    /// The tables and indexes, in the order of the model.
    pub resources: Vec<Resource>,
    /// The partition keys, as a policy compares them, with [`TENANT`](super::TENANT) for the tenant; empty for all.
    pub leading_keys: Vec<String>,
    /// The patterns that need it.
    pub patterns: Vec<String>,
}

/// A table, or an index of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// The table's name.
    pub table: String,
    /// The index's name; none for the table itself.
    pub index: Option<String>,
}

/// A statement, and of each of its patterns the keys it is done to.
pub(super) struct Needed {
    pub(super) statement: Statement,
    pub(super) keys_of: KeysOf,
}

pub(super) type KeysOf = BTreeMap<String, BTreeSet<String>>;

/// What is done to some keys at one spot, and by which patterns.
#[derive(Default)]
struct Done {
    actions: BTreeSet<Action>,
    keys_of: KeysOf,
}

/// The fewest statements that allow exactly what is needed. Actions at one spot that are done to the same keys are one statement, and so
/// are spots at which the same is done. All keys of one action at one spot stand in one statement: a transaction with several is allowed
/// by it as a whole.
pub(super) fn gather(model: &Model, needs: BTreeMap<(Spot, Action), Reason>) -> Vec<Needed> {
    let mut at_spot: BTreeMap<(Spot, Vec<String>), Done> = BTreeMap::new();
    for ((spot, action), reason) in needs {
        let keys = keys(model, &reason.leading);
        let done = at_spot.entry((spot, keys)).or_default();
        done.actions.insert(action);
        merge(&mut done.keys_of, reason.leading);
    }
    let mut all: Vec<Needed> = Vec::new();
    for ((spot, leading_keys), Done { actions, keys_of }) in at_spot {
        let actions: Vec<Action> = actions.into_iter().collect();
        let resource = resource(model, spot);
        let same = all.iter_mut().find(|needed| {
            let known = &needed.statement;
            known.actions == actions && known.leading_keys == leading_keys
        });
        match same {
            Some(needed) => {
                needed.statement.resources.push(resource);
                merge(&mut needed.keys_of, keys_of);
            }
            None => all.push(Needed {
                statement: Statement {
                    actions,
                    resources: vec![resource],
                    leading_keys,
                    patterns: Vec::new(),
                },
                keys_of,
            }),
        }
    }
    for needed in &mut all {
        needed.statement.patterns = needed.keys_of.keys().cloned().collect();
    }
    all
}

fn merge(into: &mut KeysOf, more: KeysOf) {
    for (pattern, keys) in more {
        into.entry(pattern).or_default().extend(keys);
    }
}

/// The keys to hold a caller to: none where tenancy is not declared, or where any key is needed.
fn keys(model: &Model, leading: &KeysOf) -> Vec<String> {
    let all: BTreeSet<&String> = leading.values().flatten().collect();
    if model.tenant.is_none() || all.iter().any(|key| *key == ANY) {
        return Vec::new();
    }
    all.into_iter().cloned().collect()
}

fn resource(model: &Model, (table, index): Spot) -> Resource {
    let table = model.table(table);
    Resource {
        table: table.name.value.clone(),
        index: index.map(|index| table.indexes[index].name.value.clone()),
    }
}
