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

/// What is done to some keys at one spot, and by which patterns.
#[derive(Default)]
struct Done {
    actions: BTreeSet<Action>,
    patterns: BTreeSet<String>,
}

/// The fewest statements that allow exactly what is needed. Actions at one spot that are done to the same keys are one statement, and so
/// are spots at which the same is done. All keys of one action at one spot stand in one statement: a transaction with several is allowed
/// by it as a whole.
pub(super) fn gather(model: &Model, needs: BTreeMap<(Spot, Action), Reason>) -> Vec<Statement> {
    let mut at_spot: BTreeMap<(Spot, Vec<String>), Done> = BTreeMap::new();
    for ((spot, action), reason) in needs {
        let keys = keys(model, reason.leading);
        let done = at_spot.entry((spot, keys)).or_default();
        done.actions.insert(action);
        done.patterns.extend(reason.patterns);
    }
    let mut statements: Vec<Statement> = Vec::new();
    for ((spot, leading_keys), Done { actions, patterns }) in at_spot {
        let actions: Vec<Action> = actions.into_iter().collect();
        let resource = resource(model, spot);
        let same = statements.iter_mut().find(|statement| {
            statement.actions == actions && statement.leading_keys == leading_keys
        });
        match same {
            Some(statement) => {
                statement.resources.push(resource);
                let mut all: BTreeSet<String> = statement.patterns.drain(..).collect();
                all.extend(patterns);
                statement.patterns = all.into_iter().collect();
            }
            None => statements.push(Statement {
                actions,
                resources: vec![resource],
                leading_keys,
                patterns: patterns.into_iter().collect(),
            }),
        }
    }
    statements
}

/// The keys to hold a caller to: none where tenancy is not declared, or where any key is needed.
fn keys(model: &Model, leading: BTreeSet<String>) -> Vec<String> {
    if model.tenant.is_none() || leading.contains(ANY) {
        return Vec::new();
    }
    leading.into_iter().collect()
}

fn resource(model: &Model, (table, index): Spot) -> Resource {
    let table = model.table(table);
    Resource {
        table: table.name.value.clone(),
        index: index.map(|index| table.indexes[index].name.value.clone()),
    }
}
