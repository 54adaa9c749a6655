//! Records into tables.

use std::collections::BTreeMap;

use futures_util::{StreamExt as _, stream};
use tablewright::{Error, Load};
use tablewright_model::Model;
use tablewright_model::model::EntityId;

use super::Watch;
use super::bench::{Bench, Trouble};
use super::error::ProveError;
use crate::Record;
use crate::difference::name;

/// So many items are on their way at once.
const AT_ONCE: usize = 8;

/// Records that could not be stored, by entity: how many, and why the first.
pub(crate) type Unstored = BTreeMap<EntityId, (u64, String)>;

impl Bench<'_> {
    /// Creates records as services do: one by one, each on condition of its absence, with its guards and counts.
    pub(crate) async fn create(
        &self,
        records: &[Record],
        watch: Watch<'_>,
    ) -> Result<Unstored, ProveError> {
        let mut unstored = Unstored::new();
        let mut done = 0;
        // What is counted comes behind what counts it, so those of one entity can go together.
        for run in records.chunk_by(|a, b| a.entity() == b.entity()) {
            let mut created = stream::iter(run.iter().map(|record| self.create_one(record)))
                .buffer_unordered(AT_ONCE);
            while let Some(created) = created.next().await {
                done += 1;
                watch(done, records.len() as u64);
                match created {
                    Ok(()) => {}
                    Err((record, Trouble::Wrong(why))) => {
                        note(&mut unstored, record, self.model, &why);
                    }
                    Err((_, Trouble::Failed(why))) => return Err(why),
                }
            }
        }
        Ok(unstored)
    }

    async fn create_one<'r>(&self, record: &'r Record) -> Result<(), (&'r Record, Trouble)> {
        let items = self.items(record.entity());
        let created = async {
            let fields = items.fields(&record.fields(self.model))?;
            items.create(fields, None).await
        };
        let doing = || format!("creating {}", name(self.model, record));
        let created = created.await.map_err(|why| Trouble::of(doing, why));
        created.map(drop).map_err(|trouble| (record, trouble))
    }

    /// Puts records beside them in batches: nothing is asked about them but that they are in nobody's way. What has no key is left out.
    pub(crate) async fn load(
        &self,
        records: &[Record],
        watch: Watch<'_>,
    ) -> Result<Unstored, ProveError> {
        let failed = |why| ProveError::Endpoint {
            doing: "filling the table".to_owned(),
            why,
        };
        // Nobody reads a meter here, so none is asked for.
        let mut unstored = Unstored::new();
        let mut load = Load::into_store(&self.store.unmetered());
        for (position, record) in records.iter().enumerate() {
            watch(position as u64 + 1, records.len() as u64);
            let entity = &self.schema.entities[record.entity().0];
            let items = self.items(record.entity());
            let added = match items.fields(&record.fields(self.model)) {
                Ok(fields) => load.add(entity, fields).await,
                Err(why) => Err(why),
            };
            match added {
                Ok(()) => {}
                // Nothing was sent: the library found no item in it.
                Err(why @ Error::Invalid { .. }) => {
                    note(&mut unstored, record, self.model, &why.to_string());
                }
                Err(why) => return Err(failed(why)),
            }
        }
        load.finish().await.map_err(failed)?;
        Ok(unstored)
    }
}

/// One more that could not be stored. Whichever comes first by name is told: the same in every run.
fn note(unstored: &mut Unstored, record: &Record, model: &Model, why: &str) {
    let told = format!("{}: {why}", name(model, record));
    let entry = unstored.entry(record.entity()).or_insert((0, told.clone()));
    entry.0 += 1;
    if told < entry.1 {
        entry.1 = told;
    }
}
