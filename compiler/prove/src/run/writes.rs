//! Every write pattern done.

use super::bench::Trouble;
use super::error::ProveError;
use super::verdict::Account;
use super::{Course, Step, writer};
use crate::{Oracle, Record, deeds};

impl Course<'_> {
    /// Does the deeds of every pattern, and tells the oracle what they do. Gives the records that were touched, as they were and as they are.
    pub(super) async fn write(
        &self,
        oracle: &mut Oracle<'_>,
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
            let deeds = deeds(bench.model, access, oracle, self.settings.seed);
            account.deeds = deeds.len() as u64;
            for deed in deeds {
                match bench.perform(access, &writer, &deed).await {
                    Ok(used) => account.written(used, deed.within_facts),
                    Err(Trouble::Wrong(why)) => {
                        account.answered(0, 0, Some(format!("{}: {why}", deed.about)));
                    }
                    Err(Trouble::Failed(why)) => return Err(why),
                }
                for effect in &deed.after {
                    let record = effect.record();
                    let before = oracle.stored(record.entity(), &record.key(bench.model));
                    touched.extend(before.cloned());
                    touched.push(record.clone());
                }
                oracle.apply(&deed.after);
            }
        }
        Ok(touched)
    }
}
