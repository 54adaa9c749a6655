//! Every write pattern done.

use super::bench::Trouble;
use super::error::ProveError;
use super::verdict::Account;
use super::{Course, Step, writer};
use crate::deeds::FEW_AT_ONCE;
use crate::{Effect, Later, Oracle, Record, deeds};

impl Course<'_> {
    /// Does the deeds of every pattern beside what later records have, and tells the oracle what they do. Gives the records that were touched, as they were and as they are.
    pub(super) async fn write(
        &self,
        oracle: &mut Oracle<'_>,
        later: &Later,
        accounts: &mut [Account],
    ) -> Result<Vec<Record>, ProveError> {
        let bench = &self.bench;
        let watch = self.step(Step::Writing);
        let of = accounts.len() as u64;
        let mut touched = Vec::new();
        for (position, account) in accounts.iter_mut().enumerate() {
            watch(position as u64, of);
            let Some(writer) = writer(bench, position) else {
                continue;
            };
            let access = &bench.model.accesses[position];
            let deeds = deeds(bench.model, access, oracle, later, self.settings.seed);
            account.deeds = deeds.len() as u64;
            account.legal = deeds.iter().filter(|deed| deed.is_legal()).count() as u64;
            for deed in deeds {
                for record in deed.made_first() {
                    let before = oracle.stored(record.entity(), &record.key(bench.model));
                    touched.extend(before.cloned());
                    touched.push(record.clone());
                    oracle.insert(record.clone());
                }
                let mut after = deed.after.clone();
                match bench.perform(access, &writer, &deed).await {
                    // What was written was paid for, in whole units.
                    Ok(Some(used)) if used.units == 0.0 => return Err(ProveError::NoCapacity),
                    Ok(Some(used)) if used.units.fract() != 0.0 => {
                        return Err(ProveError::OtherCapacity);
                    }
                    Ok(used) => account.written(used),
                    Err(Trouble::Wrong(why)) => {
                        account.answered(0, 0, Some(format!("{}: {why}", deed.about)));
                        // It fails by itself: other patterns are held to what it left.
                        touched.extend(deed.after.iter().map(|one| one.record().clone()));
                        after = Box::pin(bench.what_became(access, &deed, oracle)).await?;
                    }
                    Err(Trouble::Failed(why)) => return Err(why),
                }
                for effect in &after {
                    let record = effect.record();
                    let before = oracle.stored(record.entity(), &record.key(bench.model));
                    touched.extend(before.cloned());
                    touched.push(record.clone());
                }
                oracle.apply(&after);
                let wrong = match removed(&after) {
                    many if many.len() > FEW_AT_ONCE => {
                        Box::pin(self.put_back(many, oracle)).await?
                    }
                    mut few => {
                        // What was taken away by other means than the pattern may have given what it had to others.
                        few.retain(|record| !deed.freed.contains(record));
                        let seed = self.settings.seed;
                        Box::pin(bench.left_behind(&few, oracle, seed)).await?
                    }
                };
                if let Some(wrong) = wrong {
                    account.answered(0, 0, Some(format!("{}: {wrong}", deed.about)));
                }
            }
        }
        Ok(touched)
    }

    /// What a batch deleted of many items is created again, so that the patterns behind it have data to work with. What cannot left
    /// something behind: a guard, a claim.
    async fn put_back(
        &self,
        removed: Vec<Record>,
        oracle: &mut Oracle<'_>,
    ) -> Result<Option<String>, ProveError> {
        let unstored = self.bench.create(&removed, &|_, _| {}).await?;
        let again: Vec<Effect> = removed.into_iter().map(Effect::Insert).collect();
        oracle.apply(&again);
        let first = unstored.into_values().next();
        Ok(first.map(|(count, why)| {
            format!("{count} of what it deleted could not be created again: {why}")
        }))
    }
}

fn removed(effects: &[Effect]) -> Vec<Record> {
    let removed = effects.iter().filter_map(|effect| match effect {
        Effect::Remove(record) => Some(record.clone()),
        _ => None,
    });
    removed.collect()
}
