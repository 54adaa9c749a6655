//! Several items at once, and new ones where others were.

use serde_json::{Map, Value};
use tablewright_model::model::ActionKind;

use super::acts::change;
use super::workshop::{ATTEMPTS, Draft, Workshop};
use super::{FEW_AT_ONCE, MOST_AT_ONCE, Step, parameters};
use crate::data::{Fixed, Maker, Style};
use crate::deed::{Act, Deed, DeedAction, Effect, Refusal};
use crate::expected::Expected;
use crate::oracle::condition::holds;
use crate::question::{Kind, Question};
use crate::record::Record;

impl Workshop<'_> {
    /// A new item in the place of one whose time has passed and that is stored still.
    pub(super) fn in_the_place_of_what_is_over(&mut self, step: &Step<'_>) -> Option<Deed> {
        if step.kind != ActionKind::Create {
            return None;
        }
        let over = self
            .oracle
            .records(step.entity)
            .find(|record| !self.oracle.is_alive(record))?
            .clone();
        let entity = self.model.entity(step.entity);
        let identity = entity.identity().into_iter();
        let key: Fixed = identity
            .filter_map(|field| Some((field, over.value(field)?.clone())))
            .collect();
        let mut others = Maker::new(self.model);
        let record = others.record(step.entity, &key, Style::Plain, &mut self.chance)?;
        if self.clashes(&record) {
            return None;
        }
        let claim = self.claim(Some(&record));
        let mut after = vec![Effect::Insert(record.clone())];
        after.extend(claim.clone().map(Effect::Insert));
        self.done(&after);
        Some(Deed {
            given: Map::new(),
            actions: vec![DeedAction {
                name: step.name.clone(),
                act: Act::Create(record),
                refused: None,
                within_facts: false,
            }],
            claim,
            freed: None,
            after,
            about: format!("{} in the place of an item that is over", self.access.name),
            within_facts: false,
        })
    }

    /// A new item in the place of one that is taken away for it: where every key there can be is taken, as that of a singleton.
    pub(super) fn in_a_freed_place(&mut self, step: &Step<'_>) -> Option<Deed> {
        if step.kind != ActionKind::Create {
            return None;
        }
        let alive = self.alive(step.entity).to_vec();
        let old = alive
            .into_iter()
            .find(|one| self.oracle.counts_nothing(one))?;
        let identity = self.model.entity(step.entity).identity().into_iter();
        let key: Fixed = identity
            .filter_map(|field| Some((field, old.value(field)?.clone())))
            .collect();
        self.done(&[Effect::Remove(old.clone())]);
        let mut others = Maker::new(self.model);
        let record = others.record(step.entity, &key, Style::Plain, &mut self.chance)?;
        if self.clashes(&record) {
            return None;
        }
        let claim = self.claim(Some(&record));
        let within_facts = self.is_as_declared(&record);
        let mut made = vec![Effect::Insert(record.clone())];
        made.extend(claim.clone().map(Effect::Insert));
        self.done(&made);
        Some(Deed {
            given: Map::new(),
            actions: vec![DeedAction {
                name: step.name.clone(),
                act: Act::Create(record),
                refused: None,
                within_facts,
            }],
            claim,
            after: std::iter::once(Effect::Remove(old.clone()))
                .chain(made)
                .collect(),
            freed: Some(old),
            about: format!(
                "{} in the place of one that was taken away",
                self.access.name
            ),
            within_facts,
        })
    }

    /// Several items of a batch, each for itself.
    pub(super) fn several(&mut self, step: &Step<'_>, number: usize) -> Option<Deed> {
        let mut deed = Deed {
            given: Map::new(),
            actions: Vec::new(),
            claim: None,
            freed: None,
            after: Vec::new(),
            about: format!("{} {}", self.access.name, number + 1),
            within_facts: true,
        };
        let mut ways: Vec<Option<Refusal>> = vec![None; 5];
        ways.extend(
            super::ways_to_refuse(self.model, step)
                .into_iter()
                .map(Some),
        );
        let mut keys: Vec<Map<String, Value>> = Vec::new();
        for (place, refused) in ways.into_iter().enumerate() {
            // The first is the dearest there is.
            self.fullest = place == 0;
            let chosen = (0..ATTEMPTS).find_map(|_| {
                let mut draft = Draft {
                    given: deed.given.clone(),
                    ..Draft::default()
                };
                let chosen = match step.kind {
                    ActionKind::Create => self.create(step, &draft, refused.as_ref())?,
                    _ => self.existing(step, &mut draft, refused.as_ref(), false)?,
                };
                let key = chosen.record.key(self.model);
                (!keys.contains(&key)).then_some((chosen, draft.given, key))
            });
            self.fullest = false;
            let Some((chosen, given, key)) = chosen else {
                continue;
            };
            deed.given = given;
            keys.push(key);
            let within_facts = self.writes_as_declared(&chosen.record, chosen.effect.as_ref());
            if chosen.refused.is_none() {
                deed.after.extend(chosen.effect);
            }
            deed.actions.push(DeedAction {
                name: step.name.clone(),
                act: chosen.act,
                refused: chosen.refused,
                within_facts,
            });
        }
        deed.within_facts = deed
            .after
            .iter()
            .all(|effect| self.is_as_declared(effect.record()));
        self.done(&deed.after);
        (!deed.after.is_empty()).then_some(deed)
    }

    /// All items that one value finds. Those that do not meet the condition of the write are refused, each for itself, and at first such a
    /// value is looked for that finds both kinds.
    pub(super) fn all_that_is_found(&mut self, step: &Step<'_>, number: usize) -> Option<Deed> {
        for attempt in 0..ATTEMPTS {
            let count = self.alive(step.entity).len();
            let place = self.chance.below(count);
            let alive = self.alive[step.entity.0].as_deref().unwrap_or_default();
            // At first what belongs to the dearest there is.
            let record = match (number, attempt) {
                (0, 0) => self.fullest_of(step, alive.iter())?,
                _ => alive.get(place)?.clone(),
            };
            let all = record.fields(self.model);
            let by = self.access.by.iter().map(|by| {
                let name = by.written.value.clone();
                let value = all.get(&name)?.clone();
                Some((name, value))
            });
            let Some(given) = by.collect::<Option<Map<String, Value>>>() else {
                continue;
            };
            let condition = step.condition.map(|condition| &condition.condition);
            let met = condition.map(|condition| {
                parameters::found(
                    self.model,
                    condition,
                    &record,
                    &given,
                    true,
                    &mut self.chance,
                )
            });
            let Some(given) = met.unwrap_or(Some(given)) else {
                continue;
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
            // Few at first; where every value finds many, as a word of an enum does, these.
            let most = match attempt < ATTEMPTS * 3 / 4 {
                true => FEW_AT_ONCE,
                false => MOST_AT_ONCE,
            };
            if records.is_empty() || records.len() > most {
                continue;
            }
            let fullest = number == 0 && records.len() <= FEW_AT_ONCE;
            let model = self.model;
            let is_met = |record: &Record, given: &Map<String, Value>| {
                condition.is_none_or(|condition| holds(model, condition, record, given))
            };
            let all_alike = records.iter().all(|record| is_met(record, &given));
            if condition.is_some() && all_alike && attempt < ATTEMPTS / 2 {
                continue;
            }
            let mut deed = Deed {
                given,
                actions: Vec::new(),
                claim: None,
                freed: None,
                after: Vec::new(),
                about: format!("{} {}", self.access.name, number + 1),
                within_facts: true,
            };
            for record in &records {
                let key = record.key(self.model);
                let (act, effect) = match step.kind {
                    ActionKind::Update => {
                        let (act, changed) =
                            change(&mut self.maker, step, record, fullest, &mut self.chance)?;
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
            deed.within_facts = deed
                .after
                .iter()
                .all(|effect| self.is_as_declared(effect.record()));
            self.done(&deed.after);
            return Some(deed);
        }
        None
    }
}
