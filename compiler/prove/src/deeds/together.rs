//! Several items at once, and new ones where others were.

use serde_json::{Map, Value};
use tablewright_model::model::{ActionKind, Request};

use super::Step;
use super::workshop::{ATTEMPTS, Draft, Workshop};
use crate::deed::{Act, Deed, DeedAction, Effect, Refusal};

/// More items than DynamoDB takes in one transaction.
const MORE_THAN_A_TRANSACTION: usize = 101;

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
        let record = self.with_the_key_of(&over, &Map::new())?;
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
            prepared: Vec::new(),
            made_over: Vec::new(),
            freed: Vec::new(),
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
        let record = self.in_its_place(&old, &Map::new())?;
        self.done(&[Effect::Remove(old.clone())]);
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
            prepared: Vec::new(),
            made_over: Vec::new(),
            after: std::iter::once(Effect::Remove(old.clone()))
                .chain(made)
                .collect(),
            freed: vec![old],
            about: format!(
                "{} in the place of one that was taken away",
                self.access.name
            ),
            within_facts,
        })
    }

    /// How many items of a batch are written: a few. Where a person sends them in one transaction, as many as are said to be in it, beside one alone; what is
    /// too many for a transaction is so with a few more than it takes.
    fn at_once(&self, number: usize) -> usize {
        let by_hand = self.access.by_hand.as_ref();
        let request = by_hand.and_then(|by_hand| by_hand.request);
        let together = request.is_some_and(|one| one.value == Request::TransactWriteItems);
        match self.access.returns {
            Some(returns) if together && number > 0 => {
                let returns = usize::try_from(returns).unwrap_or(usize::MAX);
                1 + returns.min(MORE_THAN_A_TRANSACTION)
            }
            _ => 5,
        }
    }

    /// Several items of a batch, each for itself.
    pub(super) fn several(&mut self, step: &Step<'_>, number: usize) -> Option<Deed> {
        let mut deed = Deed {
            given: Map::new(),
            actions: Vec::new(),
            claim: None,
            prepared: Vec::new(),
            made_over: Vec::new(),
            freed: Vec::new(),
            after: Vec::new(),
            about: format!("{} {}", self.access.name, number + 1),
            within_facts: true,
        };
        let mut ways: Vec<Option<Refusal>> = vec![None; self.at_once(number)];
        let refusals = self.ways_to_refuse(std::slice::from_ref(step), step);
        ways.extend(refusals.into_iter().map(Some));
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
                    _ => self.existing(step, &mut draft, refused.as_ref())?,
                };
                let key = chosen.record.key(self.model);
                // What goes for one item may be another of the batch.
                let is_apart = !keys.contains(&key) && draft.freed.is_empty();
                is_apart.then_some((chosen, draft, key))
            });
            self.fullest = false;
            let Some((chosen, draft, key)) = chosen else {
                continue;
            };
            deed.given = draft.given;
            deed.prepared.extend(draft.prepared);
            deed.made_over.extend(draft.made_over);
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
        let first: Vec<Effect> = deed.made_first().cloned().map(Effect::Insert).collect();
        self.done(&first);
        self.done(&deed.after);
        (!deed.after.is_empty()).then_some(deed)
    }
}
