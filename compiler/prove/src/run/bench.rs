//! What every step of a proof works with.

use serde_json::{Map, Value};
use tablewright::descriptor::{Entity, Schema};
use tablewright::{Error, Found, Items, Meter, Store, Values};
use tablewright_model::Model;
use tablewright_model::model::EntityId;
use tablewright_plan::Plan;

use super::error::{ProveError, is_of_the_model};
use super::place::Place;
use crate::Record;

/// The model, what was planned for it, and the store it is proved in.
#[derive(Debug)]
pub(crate) struct Bench<'b> {
    pub(crate) model: &'b Model,
    pub(crate) plans: &'b [Plan],
    pub(crate) schema: &'static Schema,
    pub(crate) store: Store,
    pub(crate) meter: Meter,
    pub(crate) place: &'b Place,
}

/// What kept a call from giving what it should.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The model, in words: a finding.
    Wrong(String),
    /// The endpoint: no proof at all.
    Failed(ProveError),
}

impl Trouble {
    /// An error of the library, met while doing something.
    pub(crate) fn of(doing: impl FnOnce() -> String, why: Error) -> Self {
        if is_of_the_model(&why) {
            Trouble::Wrong(why.to_string())
        } else {
            let doing = doing();
            Trouble::Failed(ProveError::Endpoint { doing, why })
        }
    }
}

impl Bench<'_> {
    /// The same with a meter nobody else's calls are on.
    pub(crate) fn with_own_meter(&self) -> Bench<'_> {
        let (store, meter) = self.store.metered();
        Bench {
            store,
            meter,
            ..*self
        }
    }

    /// The items of an entity.
    pub(crate) fn items(&self, entity: EntityId) -> Items {
        Items::new(&self.store, &self.schema.entities[entity.0])
    }

    /// What was found, as a record.
    pub(crate) fn record(&self, found: &Found) -> Result<Record, Trouble> {
        self.record_of(&found.entity, found.to_json())
    }

    pub(crate) fn record_of(
        &self,
        entity: &Entity,
        fields: Map<String, Value>,
    ) -> Result<Record, Trouble> {
        let mut ids = self.model.entity_ids();
        let id = ids.find(|(_, known)| known.name.value == entity.name);
        let (id, _) =
            id.ok_or_else(|| Trouble::Wrong(format!("the model has no entity {}", entity.name)))?;
        Record::of(self.model, id, fields).map_err(|why| Trouble::Wrong(why.to_string()))
    }

    pub(crate) fn records(&self, found: &[Found]) -> Result<Vec<Record>, Trouble> {
        found.iter().map(|found| self.record(found)).collect()
    }
}

/// Values of a caller, as the library takes them.
pub(crate) fn values(given: &Map<String, Value>) -> Values {
    let given = given.iter();
    given.fold(Values::new(), |values, (name, value)| {
        values.with(name, value)
    })
}
