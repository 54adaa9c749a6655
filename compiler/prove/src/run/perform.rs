//! One deed done: through the library where the planner says how, as it is written where it is written by hand.

mod batch;
mod judged;
mod transact;

use serde_json::{Map, Value};
use tablewright::descriptor::{Read, Write};
use tablewright::{Change, Changes, Error, Record as ClaimRecord, Share, Values, Written};
use tablewright_model::Model;
use tablewright_model::model::{Access, FieldId, Verb};

use self::judged::judged;
pub(crate) use self::judged::went_through;
use super::bench::{Bench, Trouble, values};
use super::hand::HandWrite;
use crate::run::{making_over, room_for};
use crate::{Act, Deed, DeedAction, Record};

/// How a pattern writes.
#[derive(Debug)]
pub(crate) enum Writer<'w> {
    /// As the planner says.
    Planned {
        write: &'static Write,
        /// What finds the items of a batch that is not given their keys.
        finds: Option<&'static Read>,
    },
    /// As a person wrote it.
    ByHand(HandWrite<'w>),
}

/// What became of one action.
#[derive(Debug)]
pub(crate) enum Done {
    /// It was done, and used so much.
    Happened(Used),
    /// Its condition did not hold.
    Refused,
}

/// Write units, and where they went.
#[derive(Debug, Clone, Default)]
pub(crate) struct Used {
    pub(crate) units: f64,
    pub(crate) shares: Vec<Share>,
    /// Whether what was written keeps to the declared facts.
    pub(crate) within_facts: bool,
}

impl Used {
    /// Whether this tells more of what a write costs: what keeps to the facts before what does not, then the dearer.
    pub(crate) fn tells_more_than(&self, other: Option<&Used>) -> bool {
        other.is_none_or(|other| match (self.within_facts, other.within_facts) {
            (true, false) => true,
            (false, true) => false,
            _ => other.units < self.units,
        })
    }
}

impl Bench<'_> {
    /// Does a deed, and gives what it used; nothing of one that was refused, as it should be.
    pub(crate) async fn perform(
        &self,
        access: &Access,
        writer: &Writer<'_>,
        deed: &Deed,
    ) -> Result<Option<Used>, Trouble> {
        for freed in &deed.freed {
            Box::pin(self.take_away(freed)).await?;
        }
        self.prepare(&deed.prepared).await?;
        for made in &deed.made_over {
            Box::pin(self.make_over(made)).await?;
        }
        self.meter.take();
        let used = match (writer, &access.verb) {
            (Writer::ByHand(hand), _) => hand.perform(self, access, deed).await,
            (Writer::Planned { write, .. }, Verb::Transact(_)) => {
                self.transact(access, write, deed).await
            }
            (
                Writer::Planned {
                    write,
                    finds: Some(read),
                },
                Verb::Batch(_),
            ) => self.found(access, write, read, deed).await,
            (Writer::Planned { write, .. }, Verb::Batch(_)) => {
                return self.each(access, write, deed, &deed.actions).await;
            }
            (Writer::Planned { write, .. }, _) => self.single(access, write, deed).await,
        };
        let within_facts = deed.within_facts;
        Ok(used?.map(|used| Used {
            within_facts: used.within_facts || within_facts,
            ..used
        }))
    }

    /// Makes items as services would, with their guards and counts.
    async fn prepare(&self, records: &[Record]) -> Result<(), Trouble> {
        let created = self.create(records, &|_, _| {}).await;
        let unstored = created.map_err(Trouble::Failed)?;
        match unstored.into_values().next() {
            None => Ok(()),
            Some((_, why)) => Err(Trouble::Wrong(format!(
                "an item it is to be done with could not be stored: {why}"
            ))),
        }
    }

    /// Makes an item that is there like a record as services would, with its guards and counts.
    async fn make_over(&self, record: &Record) -> Result<(), Trouble> {
        let items = self.items(record.entity());
        let name = making_over(&items.entity().name);
        let mut writes = self.schema.writes.iter();
        let Some(write) = writes.find(|write| write.name == name) else {
            return Ok(());
        };
        let set = values_beside_the_key(self.model, record);
        let key = values(&record.key(self.model));
        let changed = items.change(write, key, Values::new(), changes(&set, &[]), None);
        changed
            .await
            .map(drop)
            .map_err(|why| Trouble::of(|| name.clone(), why))
    }

    /// Takes an item away as services would, with its guards and counts.
    pub(super) async fn take_away(&self, record: &Record) -> Result<(), Trouble> {
        let items = self.items(record.entity());
        let name = room_for(&items.entity().name);
        let mut writes = self.schema.writes.iter();
        let Some(write) = writes.find(|write| write.name == name) else {
            return Ok(());
        };
        let key = values(&record.key(self.model));
        let removed = items.remove(write, key, Values::new(), None).await;
        removed
            .map(drop)
            .map_err(|why| Trouble::of(|| name.clone(), why))
    }

    async fn single(
        &self,
        access: &Access,
        write: &'static Write,
        deed: &Deed,
    ) -> Result<Option<Used>, Trouble> {
        let Some(action) = deed.actions.first() else {
            return Ok(None);
        };
        let done = self.act(access, write, deed, action).await;
        let used = self.used();
        if !judged(
            access,
            action,
            done.map(|written| matches!(written, Written::Before(_))),
        )? {
            return Ok(None);
        }
        if deed.claim.is_some() {
            self.again(access, write, deed, action).await?;
        }
        Ok(Some(used))
    }

    /// The same request once more: its key was claimed, and nothing may happen again.
    async fn again(
        &self,
        access: &Access,
        write: &'static Write,
        deed: &Deed,
        action: &DeedAction,
    ) -> Result<(), Trouble> {
        match self.act(access, write, deed, action).await {
            Ok(Written::Before(_)) => Ok(()),
            Ok(Written::Done(_)) => Err(Trouble::Wrong(
                "repeated with the same idempotency key, it happened twice".to_owned(),
            )),
            Err(why) => {
                let trouble = Trouble::of(|| format!("repeating {}", access.name), why);
                Err(match trouble {
                    Trouble::Wrong(why) => Trouble::Wrong(format!(
                        "repeated with the same idempotency key, it is not recognised: {why}"
                    )),
                    failed => failed,
                })
            }
        }
    }

    fn used(&self) -> Used {
        let (used, shares) = self.meter.take_shares();
        Used {
            units: used.write_units,
            shares,
            within_facts: false,
        }
    }

    /// What the costliest of all requests since used.
    fn used_by_the_costliest(&self) -> Used {
        let (used, shares) = self.meter.take_costliest_write();
        Used {
            units: used.write_units,
            shares,
            within_facts: false,
        }
    }

    /// One action of one item.
    async fn act(
        &self,
        access: &Access,
        write: &'static Write,
        deed: &Deed,
        action: &DeedAction,
    ) -> Result<Written, Error> {
        let items = self.items(access.verb.entity().id);
        let claim = self.claim(deed)?;
        let params = values(&deed.given);
        match &action.act {
            Act::Create(record) => {
                let fields = items.fields(&record.fields(self.model))?;
                items.create(fields, claim).await
            }
            Act::Update { key, set, add } => {
                let changes = changes(set, add);
                items
                    .change(write, values(key), params, changes, claim)
                    .await
            }
            Act::Delete { key } => items.remove(write, values(key), params, claim).await,
            Act::Check { .. } => Err(Error::invalid(
                &write.name,
                "",
                "a look alone writes nothing",
            )),
        }
    }

    fn claim(&self, deed: &Deed) -> Result<Option<ClaimRecord>, Error> {
        let Some(record) = &deed.claim else {
            return Ok(None);
        };
        let items = self.items(record.entity());
        let fields = items.fields(&record.fields(self.model))?;
        Ok(Some(ClaimRecord {
            entity: items.entity(),
            fields,
        }))
    }
}

/// What a record has in every field that a change can set; `null` for what is not there.
fn values_beside_the_key(model: &Model, record: &Record) -> Map<String, Value> {
    let entity = model.entity(record.entity());
    let values = entity.fields.iter().zip(record.slots()).enumerate();
    let values = values.filter(|(place, _)| !entity.key.has(FieldId(*place)));
    values
        .map(|(_, (field, value))| (field.name.value.clone(), value.clone()))
        .collect()
}

fn changes(set: &Map<String, Value>, add: &[(String, i64)]) -> Changes {
    let set = set.iter();
    let changes = set.fold(Changes::new(), |changes, (field, value)| {
        changes.set(field, &Change::Set(value))
    });
    let add = add.iter();
    add.fold(changes, |changes, (field, by)| changes.add(field, *by))
}
