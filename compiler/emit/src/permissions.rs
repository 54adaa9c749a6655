//! What a service may do: the operations its patterns send, where they send them, and nothing else.
//!
//! An operation is in the list when the run time can send it for the pattern on Amazon DynamoDB, in whatever course the pattern takes:
//! also the look at an item that a condition refused, the guard of a unique value, and the record of a repeated request. A transaction
//! has no permission of its own; its actions need theirs.

mod leading;
mod reads;
mod room;
mod statement;
mod writes;

use std::collections::{BTreeMap, BTreeSet};

use tablewright_model::Model;
use tablewright_model::model::{EntityId, Key, TableId};
use tablewright_plan::Place;

pub use leading::TENANT;
pub use statement::{Resource, Statement};

/// What DynamoDB calls an operation that can be allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// Many items by their keys.
    BatchGetItem,
    /// Puts and deletes without conditions.
    BatchWriteItem,
    /// A condition on an item, in a transaction.
    ConditionCheckItem,
    /// The end of an item.
    DeleteItem,
    /// One item by its key.
    GetItem,
    /// A whole item.
    PutItem,
    /// Items of one partition.
    Query,
    /// Everything there is.
    Scan,
    /// Some attributes of an item.
    UpdateItem,
}

impl Action {
    /// The name in a policy, without the service before it.
    pub fn as_str(self) -> &'static str {
        match self {
            Action::BatchGetItem => "BatchGetItem",
            Action::BatchWriteItem => "BatchWriteItem",
            Action::ConditionCheckItem => "ConditionCheckItem",
            Action::DeleteItem => "DeleteItem",
            Action::GetItem => "GetItem",
            Action::PutItem => "PutItem",
            Action::Query => "Query",
            Action::Scan => "Scan",
            Action::UpdateItem => "UpdateItem",
        }
    }
}

/// What the patterns of a service need, as few statements as say exactly that.
pub fn statements(model: &Model, service: &str) -> Vec<Statement> {
    let mut needs = Needs {
        model,
        pattern: "",
        all: BTreeMap::new(),
    };
    for access in &model.accesses {
        if model.services_of(access).contains(&service) {
            needs.pattern = access.name.as_str();
            match tablewright_plan::plan_one(model, access).answer {
                tablewright_plan::Answer::Read(plan) => needs.read(&plan),
                tablewright_plan::Answer::Write(plan) => needs.write(access, &plan),
                tablewright_plan::Answer::ByHand(plan) => needs.by_hand(access, &plan),
                // Nothing is asked where nothing answers.
                tablewright_plan::Answer::Nothing(_) => {}
            }
        }
    }
    let needed = statement::gather(model, needs.all);
    needed.into_iter().flat_map(room::parted).collect()
}

/// Where something is done: a table, or an index of it, in the order of the model.
type Spot = (TableId, Option<usize>);

/// Of what is done at a spot: the patterns that do it, each with the keys it is done to.
#[derive(Debug, Default)]
struct Reason {
    leading: BTreeMap<String, BTreeSet<String>>,
}

struct Needs<'m> {
    model: &'m Model,
    pattern: &'m str,
    all: BTreeMap<(Spot, Action), Reason>,
}

impl Needs<'_> {
    fn add(&mut self, action: Action, place: Place, leading: String) {
        let spot = (place.table, place.index.map(|index| index.0));
        let reason = self.all.entry((spot, action)).or_default();
        let keys = reason.leading.entry(self.pattern.to_owned()).or_default();
        keys.insert(leading);
    }

    /// On an item of an entity, under its own key or that of a guard.
    fn on_item(&mut self, action: Action, entity: EntityId, key: &Key) {
        let place = Place {
            table: self.model.entity(entity).table,
            index: None,
        };
        let leading = leading::pattern(self.model, entity, place, &key.partition);
        self.add(action, place, leading);
    }

    /// On an item of an entity, by its primary key.
    fn on(&mut self, action: Action, entity: EntityId) {
        let model = self.model;
        self.on_item(action, entity, &model.entity(entity).key);
    }
}
