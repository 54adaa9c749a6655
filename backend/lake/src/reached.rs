//! How far bronze has what the tables tell.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tablewright_stream::{Progress, Record, Shard};

use crate::lake::Lake;

/// What is known of it, for as long as a lake is open.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// How far those are who read the streams, where this process does.
    readers: Mutex<Vec<Progress>>,
    /// When the oldest change of a shard happened that could not be written.
    unwritten: Mutex<BTreeMap<Shard, i64>>,
}

impl Lake {
    /// From now on changes are told by these.
    pub(crate) fn is_told_by(&self, readers: Vec<Progress>) {
        *locked(&self.inner.told.readers) = readers;
    }

    /// Up to when bronze has every change that is not known to be lost, in milliseconds since 1970; none when nobody knows yet. What a function is told nobody has to read: it has all but what it could not write.
    pub(crate) fn reached(&self, now: i64) -> Option<i64> {
        let readers = locked(&self.inner.told.readers);
        let read: Option<Vec<i64>> = readers.iter().map(Progress::reached).collect();
        let before = self.unwritten_since().map(|oldest| oldest - 1);
        let reached = read?.into_iter().chain(before).chain([now]).min();
        // A change that does not say when it happened was before all others.
        reached.filter(|reached| *reached > 0)
    }

    /// Since when a change waits to be written, or cannot be read; none when all is well.
    pub(crate) fn waits_since(&self) -> Option<i64> {
        let readers = locked(&self.inner.told.readers);
        let read = readers.iter().filter_map(Progress::waits_since);
        read.chain(self.unwritten_since()).min()
    }

    fn unwritten_since(&self) -> Option<i64> {
        locked(&self.inner.told.unwritten).values().min().copied()
    }

    /// Notes whether changes of a shard could be written. Those after them come when they are.
    pub(crate) fn note_written(&self, shard: &Shard, records: &[Arc<Record>], is_written: bool) {
        let mut unwritten = locked(&self.inner.told.unwritten);
        match records.iter().map(|record| record.happened).min() {
            Some(oldest) if !is_written => drop(unwritten.insert(shard.clone(), oldest)),
            _ => drop(unwritten.remove(shard)),
        }
    }
}

fn locked<T>(one: &Mutex<T>) -> MutexGuard<'_, T> {
    one.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tablewright::Store;
    use tablewright::descriptor::Schema;
    use tablewright::descriptor::written::SchemaText;
    use tablewright_local::Engine;

    use super::*;
    use crate::look::Looked;
    use crate::model::LakeModel;
    use crate::options::LakeOptions;
    use crate::place::Place;

    // As a function is told it, which has nobody who reads.
    #[tokio::test]
    async fn what_could_not_be_written_is_behind_until_it_is() {
        let store = Store::new(Engine::temporary().unwrap().dynamodb());
        let folder = tempfile::TempDir::new().unwrap();
        let place = Place::folder(folder.path()).unwrap();
        let schema = Schema::resolve(SchemaText::new("none")).unwrap();
        let model = LakeModel::new(Box::leak(Box::new(schema)));
        let lake = Lake::open(&place, model, LakeOptions::default());
        let lake = lake.await.unwrap();
        let shard = Shard {
            stream: String::from("stream"),
            shard: String::from("shard"),
        };
        let now = store.now_millis();
        let happened = now / 1000 - 60;
        let record = json!({
            "eventID": "e", "dynamodb": { "SequenceNumber": "1", "ApproximateCreationDateTime": happened },
        });
        let records = [Arc::new(Record::of_lambda("table", &record).unwrap())];
        let looked = Looked {
            is_whole: true,
            ..Looked::default()
        };
        assert_eq!((lake.reached(now), lake.waits_since()), (Some(now), None));
        lake.note_written(&shard, &records, false);
        let happened = happened * 1000;
        assert_eq!(lake.reached(now), Some(happened - 1));
        assert!(lake.end_look(&store, looked) >= 60.0);
        lake.note_written(&shard, &records, true);
        assert_eq!(lake.reached(now), Some(now));
        assert!(lake.end_look(&store, looked).abs() < f64::EPSILON);
    }
}
