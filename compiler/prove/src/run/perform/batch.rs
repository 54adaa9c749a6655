//! Many items, each for itself.

use tablewright::descriptor::{Read, Write};
use tablewright::{Found, Values};
use tablewright_model::model::{Access, ActionKind, Verb};

use super::Used;
use super::judged::judged;
use crate::run::bench::{Bench, Trouble, values};
use crate::{Deed, DeedAction};

impl Bench<'_> {
    /// Each item for itself. The costliest counts.
    pub(super) async fn each(
        &self,
        access: &Access,
        write: &'static Write,
        deed: &Deed,
        actions: &[DeedAction],
    ) -> Result<Option<Used>, Trouble> {
        let mut worst: Option<Used> = None;
        for action in actions {
            self.meter.take();
            let done = self.act(access, write, deed, action).await;
            let used = Used {
                within_facts: action.within_facts,
                ..self.used()
            };
            if judged(access, action, done.map(|_| false))? && used.tells_more_than(worst.as_ref())
            {
                worst = Some(used);
            }
        }
        Ok(worst)
    }

    /// What is found is written, all of it and nothing else. On a condition each is deleted by its key, as services do it; without one what
    /// is found is deleted as it is found.
    pub(super) async fn found(
        &self,
        access: &Access,
        write: &'static Write,
        read: &'static Read,
        deed: &Deed,
    ) -> Result<Option<Used>, Trouble> {
        let doing = || format!("doing {}", access.name);
        let given: Values = values(&deed.given);
        let expected = deed.actions.len() as u64;
        let other = |found: u64| {
            let why = format!("it found {found} items instead of {expected}");
            Err(Trouble::Wrong(why))
        };
        let Verb::Batch(batch) = &access.verb else {
            return Ok(None);
        };
        if batch.kind == ActionKind::Delete && batch.condition.is_none() {
            let items = self.items(access.verb.entity().id);
            let deleted = items.delete_found(read, given).await;
            let deleted = deleted.map_err(|why| Trouble::of(doing, why))?;
            // What it costs is said for each item, and each is a request of its own.
            let used = self.used_by_the_costliest();
            if deleted != expected {
                return other(deleted);
            }
            return Ok((deleted > 0).then_some(used));
        }
        let found = self.store.query::<Found>(read, given).all().collect().await;
        let found = found.map_err(|why| Trouble::of(doing, why))?;
        if found.len() as u64 != expected {
            return other(found.len() as u64);
        }
        self.each(access, write, deed, &deed.actions).await
    }
}
