//! Batches that find their items by one value.

use serde_json::{Map, Value};
use tablewright_model::model::ActionKind;

use super::workshop::{ATTEMPTS, Draft, Workshop};
use super::{FEW_AT_ONCE, MOST_AT_ONCE, Step};
use crate::deed::{Act, Deed, DeedAction, Effect, Refusal};
use crate::expected::Expected;
use crate::oracle::condition::holds;
use crate::parameters;
use crate::question::{Kind, Question};
use crate::record::Record;

/// For so many owners a new item is tried that is dearer than all there are.
const OWNERS: usize = 8;

/// What a batch is to find.
#[derive(Clone, Copy)]
struct Wanted {
    /// No more items than this.
    most: usize,
    /// Items that meet the condition of the write, and others that do not.
    both_kinds: bool,
    /// The dearest there is.
    fullest: bool,
}

impl Workshop<'_> {
    /// All items that one value finds. Those that do not meet the condition of the write are refused, each for itself, and at first such a
    /// value is looked for that finds both kinds.
    pub(super) fn all_that_is_found(&mut self, step: &Step<'_>, number: usize) -> Option<Deed> {
        let about = format!("{} {}", self.access.name, number + 1);
        if number == 0
            && let Some(deed) = self.the_dearest_is_found(step, &about)
        {
            return Some(deed);
        }
        for attempt in 0..ATTEMPTS {
            let count = self.alive(step.entity).len();
            let place = self.chance.below(count);
            let record = self.alive(step.entity).get(place)?.clone();
            let wanted = Wanted {
                // Few at first; where every value finds many, as a word of an enum does, these.
                most: match attempt < ATTEMPTS * 3 / 4 {
                    true => FEW_AT_ONCE,
                    false => MOST_AT_ONCE,
                },
                both_kinds: attempt < ATTEMPTS / 2,
                fullest: false,
            };
            let deed = self.found_with(step, &record, wanted, &about);
            if deed.is_some() {
                return deed;
            }
        }
        None
    }

    /// What is found with the dearest item there is, of whoever has few; or with a dearer one, which is made first.
    fn the_dearest_is_found(&mut self, step: &Step<'_>, about: &str) -> Option<Deed> {
        let alive = self.alive(step.entity).to_vec();
        let best = self.fullest_of(step, alive.iter());
        let rank = best.as_ref().map(|best| self.rank(best));
        let ways = [
            (FEW_AT_ONCE, true),
            (FEW_AT_ONCE, false),
            (MOST_AT_ONCE, false),
        ];
        for (most, both_kinds) in ways {
            let wanted = Wanted {
                most,
                both_kinds: both_kinds && step.condition.is_some(),
                fullest: true,
            };
            for _ in 0..OWNERS {
                let draft = Draft::default();
                let Some(dearer) = self.dearer(step, &draft, best.as_ref()) else {
                    break;
                };
                self.done(&[Effect::Insert(dearer.clone())]);
                if let Some(mut deed) = self.found_with(step, &dearer, wanted, about) {
                    deed.prepared.push(dearer);
                    return Some(deed);
                }
                self.done(&[Effect::Remove(dearer)]);
            }
            let mut asked: Vec<Map<String, Value>> = Vec::new();
            for record in &alive {
                let given = self.asked_with(record).unwrap_or_default();
                if Some(self.rank(record)) != rank || asked.contains(&given) {
                    continue;
                }
                if let Some(deed) = self.found_with(step, record, wanted, about) {
                    return Some(deed);
                }
                asked.push(given);
                if asked.len() == ATTEMPTS {
                    break;
                }
            }
        }
        None
    }

    /// What is found with an item that was made for it, however many others are.
    pub(super) fn found_with_one(
        &mut self,
        step: &Step<'_>,
        record: &Record,
        about: &str,
    ) -> Option<Deed> {
        let wanted = Wanted {
            most: MOST_AT_ONCE,
            both_kinds: false,
            fullest: self.fullest,
        };
        self.found_with(step, record, wanted, about)
    }

    /// Whether a record can be taken away by its key alone: nothing hangs on it, and it is not over.
    fn can_be_freed(&self, record: &Record) -> bool {
        self.oracle.counts_nothing(record) && self.oracle.is_alive(record)
    }

    /// The values that find a record.
    fn asked_with(&self, record: &Record) -> Option<Map<String, Value>> {
        let all = record.fields(self.model);
        let by = self.access.by.iter().map(|by| {
            let name = by.written.value.clone();
            let value = all.get(&name)?.clone();
            Some((name, value))
        });
        by.collect()
    }

    /// What is found with a record, if that is what is wanted.
    fn found_with(
        &mut self,
        step: &Step<'_>,
        record: &Record,
        wanted: Wanted,
        about: &str,
    ) -> Option<Deed> {
        let given = self.asked_with(record)?;
        let condition = step.condition.map(|condition| &condition.condition);
        let given = match condition {
            None => given,
            Some(condition) => {
                let chance = &mut self.chance;
                parameters::found(self.model, condition, record, &given, true, chance)?
            }
        };
        let question = Question::new(Kind::Typical, given.clone());
        // Without a condition what is over and stored still is deleted, too.
        let found = match step.kind == ActionKind::Delete && condition.is_none() {
            true => self.oracle.answer_of_all_stored(self.access, &question),
            false => self.oracle.answer(self.access, &question),
        };
        let Expected::Many { records, .. } = found else {
            return None;
        };
        if records.is_empty() || records.len() > wanted.most {
            return None;
        }
        let model = self.model;
        let is_met = |record: &Record, given: &Map<String, Value>| {
            condition.is_none_or(|condition| holds(model, condition, record, given))
        };
        let all_alike = records.iter().all(|record| is_met(record, &given));
        if condition.is_some() && all_alike && wanted.both_kinds {
            return None;
        }
        let mut deed = Deed {
            given,
            actions: Vec::new(),
            claim: None,
            prepared: Vec::new(),
            made_over: Vec::new(),
            freed: Vec::new(),
            after: Vec::new(),
            about: about.to_owned(),
            within_facts: true,
        };
        let its_key = record.key(model);
        // All at once are as dear as the dearest: what is larger than declared would hide what is promised.
        let at_once = step.kind == ActionKind::Delete && condition.is_none() && wanted.fullest;
        let at_once = at_once && self.is_as_declared(record);
        let (freed, records): (Vec<Record>, Vec<Record>) = records
            .into_iter()
            .partition(|one| at_once && !self.is_as_declared(one) && self.can_be_freed(one));
        let is_hidden = at_once && !records.iter().all(|one| self.is_as_declared(one));
        if is_hidden && wanted.most < MOST_AT_ONCE {
            return None;
        }
        for record in &records {
            let key = record.key(model);
            let fullest = wanted.fullest && (records.len() <= FEW_AT_ONCE || key == its_key);
            let (act, effect) = match step.kind {
                ActionKind::Update => {
                    let (act, changed) = self.change(step, record, fullest)?;
                    (act, Effect::Replace(changed))
                }
                _ => (Act::Delete { key }, Effect::Remove(record.clone())),
            };
            let done = is_met(record, &deed.given);
            deed.actions.push(DeedAction {
                name: step.name.clone(),
                act,
                refused: (!done).then_some(Refusal::Condition),
                within_facts: self.writes_as_declared(record, Some(&effect)),
            });
            deed.after.extend(done.then_some(effect));
        }
        let mut written = deed.after.iter().map(Effect::record);
        deed.within_facts = written.all(|record| self.is_as_declared(record));
        deed.after.extend(freed.iter().cloned().map(Effect::Remove));
        deed.freed = freed;
        self.done(&deed.after);
        Some(deed)
    }
}
