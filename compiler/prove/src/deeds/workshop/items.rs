//! The item of each action: one that is there, one that is not, a new one, and the claim of a request.

use serde_json::{Map, Value};
use tablewright_model::model::{ActionKind, FieldId};

use super::{Chosen, Draft, Workshop};
use crate::data::Style;
use crate::deed::{Act, Effect, Refusal};
use crate::deeds::Step;
use crate::deeds::acts::set_to;
use crate::deeds::keepers::Known;
use crate::parameters;
use crate::record::Record;

impl Workshop<'_> {
    /// An action on an item that is there, or must be and is not.
    pub(in crate::deeds) fn existing(
        &mut self,
        step: &Step<'_>,
        draft: &mut Draft,
        refused: Option<&Refusal>,
    ) -> Option<Chosen> {
        if refused == Some(&Refusal::NotFound) {
            return self.absent(step, draft);
        }
        let wanted = refused != Some(&Refusal::Condition);
        let chosen = self.choose(step, draft, wanted);
        let dearer = match self.fullest && refused.is_none() {
            true => self.dearer(step, draft, chosen.as_ref()),
            false => None,
        };
        draft.prepared.extend(dearer.clone());
        let record = self.found_or_made_over(step, draft, wanted, dearer.or(chosen))?;
        // What counts something must not go: its numbers would begin anew.
        if draft.has_a_part_for(self.model, &record)
            || draft.gives_a_value_of(self.model, &record)
            || (step.kind == ActionKind::Delete && !self.oracle.counts_nothing(&record))
        {
            return None;
        }
        if let Some(condition) = step.condition {
            let condition = &condition.condition;
            draft.given = parameters::found(
                self.model,
                condition,
                &self.oracle.counted(&record),
                &draft.given,
                wanted,
                &mut self.chance,
            )?;
        }
        let key = record.key(self.model);
        let (act, effect) = match step.kind {
            ActionKind::Update => {
                let (mut act, mut changed) = self.change(step, &record, self.fullest)?;
                match refused {
                    Some(Refusal::Taken(unique)) => {
                        (act, changed) = self.with_taken(step, act, &changed, unique, draft)?;
                    }
                    None if self.makes_over && self.is_taken(&changed, draft) => {
                        (act, changed) = self.with_what_another_had(step, act, &changed, draft)?;
                    }
                    _ if self.is_taken(&changed, draft) => return None,
                    Some(Refusal::NoKeeper(keeper)) => {
                        (act, changed) = self.with_nobody(step, act, &changed, keeper)?;
                    }
                    _ => {}
                }
                (act, Some(Effect::Replace(changed)))
            }
            ActionKind::Delete => (Act::Delete { key }, Some(Effect::Remove(record.clone()))),
            _ => (Act::Check { key }, None),
        };
        Some(Chosen {
            act,
            effect,
            record,
            refused: refused.cloned(),
        })
    }

    /// An action on an item that is not there.
    fn absent(&mut self, step: &Step<'_>, draft: &mut Draft) -> Option<Chosen> {
        let over: Vec<Record> = self
            .oracle
            .records(step.entity)
            .filter(|record| !self.oracle.is_alive(record))
            .cloned()
            .collect();
        let ended = !over.is_empty() && self.chance.one_in(2);
        let record = match ended {
            true => self.chance.pick(&over).clone(),
            false => {
                let fixed = self.fixed(step.entity, &Map::new());
                self.maker
                    .record(step.entity, &fixed, Style::Plain, &mut self.chance)?
            }
        };
        if let Some(condition) = step.condition {
            let condition = &condition.condition;
            let found = parameters::found(
                self.model,
                condition,
                &record,
                &draft.given,
                true,
                &mut self.chance,
            );
            let found = found.or_else(|| {
                parameters::found(
                    self.model,
                    condition,
                    &record,
                    &draft.given,
                    false,
                    &mut self.chance,
                )
            });
            draft.given = found?;
        }
        let key = record.key(self.model);
        let act = match step.kind {
            ActionKind::Update => self.change(step, &record, false)?.0,
            ActionKind::Delete => Act::Delete { key },
            _ => Act::Check { key },
        };
        Some(Chosen {
            act,
            effect: None,
            record,
            refused: Some(Refusal::NotFound),
        })
    }

    /// The change with the values of one that would count the item, and is not there.
    fn with_nobody(
        &mut self,
        step: &Step<'_>,
        act: Act,
        changed: &Record,
        keeper: &str,
    ) -> Option<(Act, Record)> {
        let Act::Update { key, add, .. } = act else {
            return None;
        };
        let set: Vec<FieldId> = step.changes.set.iter().map(|field| field.id).collect();
        let changed = self.counted_by_nobody(changed, &set, keeper)?;
        let set = set_to(step, &set, &changed);
        Some((Act::Update { key, set, add }, changed))
    }

    pub(in crate::deeds) fn create(
        &mut self,
        step: &Step<'_>,
        draft: &Draft,
        refused: Option<&Refusal>,
    ) -> Option<Chosen> {
        let mut fixed = self.fixed(step.entity, &draft.bound);
        let entity = self.model.entity(step.entity);
        let old = match refused {
            None | Some(Refusal::NoKeeper(_)) => None,
            Some(_) => {
                let count = self.alive(step.entity).len();
                let number = self.chance.below(count);
                Some(self.alive(step.entity).get(number)?.clone())
            }
        };
        let record = match (refused, old) {
            (Some(Refusal::Exists), Some(old)) => {
                let bound = |name: &String, value: &Value| {
                    draft.bound.get(name).is_none_or(|bound| bound == value)
                };
                if !old
                    .key(self.model)
                    .iter()
                    .all(|(name, value)| bound(name, value))
                {
                    return None;
                }
                old
            }
            (refused, old) => {
                if let (Some(Refusal::Taken(unique)), Some(old)) = (refused, old) {
                    if draft.has_a_part_for(self.model, &old) {
                        return None;
                    }
                    let guard = entity
                        .unique
                        .iter()
                        .find(|known| known.name.value == *unique)?
                        .guard
                        .as_ref()?;
                    let made =
                        self.maker
                            .record(step.entity, &fixed, Style::Plain, &mut self.chance)?;
                    let values = guard
                        .field_ids()
                        .into_iter()
                        .map(|field| Some((field.0, old.value(field)?.clone())));
                    let values: Option<Vec<(usize, Value)>> = values.collect();
                    made.with(values?)
                } else {
                    fixed.retain(|_, value| !value.is_null());
                    if self.fullest {
                        self.fill_indexes(step.entity, &mut fixed);
                        self.meet_conditions(step, &draft.given, &mut fixed);
                    }
                    let made =
                        self.maker
                            .record(step.entity, &fixed, Style::Typical, &mut self.chance)?;
                    let made = match self.fullest {
                        true => self.with_all(made, &fixed)?,
                        false => made,
                    };
                    let free = self.unbound(step.entity, &draft.bound);
                    let made = match refused {
                        Some(Refusal::NoKeeper(keeper)) => {
                            self.counted_by_nobody(&made, &free, keeper)?
                        }
                        _ => {
                            let known = Known {
                                draft: Some(draft),
                                ..Known::default()
                            };
                            let made = self.counted_first(made, &free);
                            self.counted_by_somebody(made, &free, &known)?
                        }
                    };
                    // Who counts it may be a part of its key.
                    let is_apart = !draft.has_a_part_for(self.model, &made)
                        && !draft.gives_a_value_of(self.model, &made);
                    (is_apart && self.is_free(&made)).then_some(made)?
                }
            }
        };
        Some(Chosen {
            act: Act::Create(record.clone()),
            effect: Some(Effect::Insert(record.clone())),
            record,
            refused: refused.cloned(),
        })
    }

    /// The record of the request, for whom the first item is.
    pub(in crate::deeds) fn claim(&mut self, first: Option<&Record>) -> Option<Record> {
        let claim = self.access.idempotent.as_ref()?;
        let of = first
            .map(|record| record.fields(self.model))
            .unwrap_or_default();
        let fresh = self
            .maker
            .links
            .fresh(self.model.entity(claim.id), claim.id);
        let mut fixed = self.fixed(claim.id, &of);
        // Whose it is it has in common with the item; its own key and what else it tells it has not.
        let identity = self.model.entity(claim.id).identity();
        fixed.retain(|field, _| identity.contains(field) && !fresh.contains(field));
        self.maker
            .record(claim.id, &fixed, Style::Plain, &mut self.chance)
    }
}
