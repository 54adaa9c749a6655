//! Where deeds are put together: records chosen that fit each other, values made, effects worked out.

use serde_json::{Map, Value};
use tablewright_model::Model;
use tablewright_model::model::{Access, ActionKind, EntityId};

use super::acts::change;
use super::{Step, parameters};
use crate::data::{Chance, Fixed, Maker, Style};
use crate::deed::{Act, Deed, DeedAction, Effect, Refusal};
use crate::oracle::Oracle;
use crate::question::{Kind, Question};
use crate::record::Record;

/// How often another choice is tried.
const ATTEMPTS: usize = 60;

/// How many records are looked at for one that meets a condition.
const FAR: usize = 3000;

pub(super) struct Workshop<'w> {
    model: &'w Model,
    access: &'w Access,
    oracle: Oracle<'w>,
    maker: Maker<'w>,
    chance: Chance,
    /// The records of each entity that are not over, as far as they were asked for.
    alive: Vec<Option<Vec<Record>>>,
}

/// What has been decided of a deed.
#[derive(Default)]
struct Draft {
    /// The values of key fields, by name: what has the same name is the same.
    bound: Map<String, Value>,
    given: Map<String, Value>,
    chosen: Vec<Option<Chosen>>,
}

/// The part of one action.
#[derive(Clone)]
struct Chosen {
    act: Act,
    effect: Option<Effect>,
    record: Record,
    refused: Option<Refusal>,
}

impl<'w> Workshop<'w> {
    pub(super) fn new(model: &'w Model, access: &'w Access, oracle: Oracle<'w>, seed: u64) -> Self {
        let mut maker = Maker::new(model);
        for (id, _) in model.entity_ids() {
            oracle.records(id).for_each(|record| maker.remember(record));
        }
        Workshop {
            chance: Chance::of(seed, &format!("deeds {}", access.name)),
            alive: vec![None; model.entities.len()],
            model,
            access,
            oracle,
            maker,
        }
    }

    pub(super) fn identity_names(&self, id: EntityId) -> Vec<String> {
        let entity = self.model.entity(id);
        let names = entity.identity().into_iter();
        names
            .map(|field| entity.field(field).name.value.clone())
            .collect()
    }

    /// A call of the pattern; with one of its actions refused, if that is wanted.
    pub(super) fn deed(
        &mut self,
        steps: &[Step<'_>],
        refused: Option<(usize, Refusal)>,
        number: usize,
    ) -> Option<Deed> {
        let order = self.order(steps, refused.as_ref());
        let draft = (0..ATTEMPTS).find_map(|_| self.draft(steps, &order, refused.as_ref()))?;
        let chosen: Vec<Chosen> = draft.chosen.into_iter().flatten().collect();
        let first = chosen.first().map(|one| one.record.clone());
        let about = match &refused {
            None => format!("{} {}", self.access.name, number + 1),
            Some((position, refusal)) => format!(
                "{}, refused: {} {refusal}",
                self.access.name, steps[*position].name
            ),
        };
        let names = steps.iter().map(|step| step.name.clone());
        let actions = names.zip(&chosen).map(|(name, one)| DeedAction {
            name,
            act: one.act.clone(),
            refused: one.refused.clone(),
        });
        let actions: Vec<DeedAction> = actions.collect();
        let claim = self.claim(first.as_ref());
        let mut after: Vec<Effect> = Vec::new();
        if refused.is_none() {
            after.extend(chosen.into_iter().filter_map(|one| one.effect));
            after.extend(claim.clone().map(Effect::Insert));
            self.done(&after);
        }
        Some(Deed {
            given: draft.given,
            actions,
            claim,
            after,
            about,
        })
    }

    fn done(&mut self, effects: &[Effect]) {
        self.oracle.apply(effects);
        for effect in effects {
            let (Effect::Insert(record) | Effect::Replace(record) | Effect::Remove(record)) =
                effect;
            self.alive[record.entity().0] = None;
        }
    }

    /// What has most in its key comes first: it says which others belong to it. What is new comes last, unless it
    /// must be there already.
    fn order(&self, steps: &[Step<'_>], refused: Option<&(usize, Refusal)>) -> Vec<usize> {
        let mut order: Vec<usize> = (0..steps.len()).collect();
        let links = &self.maker.links;
        let rank = |id: EntityId| links.order.iter().position(|known| *known == id);
        order.sort_by_key(|position| {
            let step = &steps[*position];
            let fields = self.identity_names(step.entity).len();
            match step.kind {
                ActionKind::Create if refused == Some(&(*position, Refusal::Exists)) => {
                    (0, 0, None)
                }
                ActionKind::Create => (1, 0, rank(step.entity)),
                _ => (0, usize::MAX - fields, None),
            }
        });
        order
    }

    fn draft(
        &mut self,
        steps: &[Step<'_>],
        order: &[usize],
        refused: Option<&(usize, Refusal)>,
    ) -> Option<Draft> {
        let mut draft = Draft {
            chosen: vec![None; steps.len()],
            ..Draft::default()
        };
        for position in order {
            let step = &steps[*position];
            let refused = refused
                .filter(|(refused, _)| refused == position)
                .map(|(_, refusal)| refusal);
            let several = steps
                .iter()
                .filter(|other| other.entity == step.entity)
                .count()
                > 1;
            let chosen = match step.kind {
                ActionKind::Create => self.create(step, &draft, refused)?,
                _ => self.existing(step, &mut draft, refused, several)?,
            };
            if !several {
                draft.bound.extend(chosen.record.key(self.model));
            }
            draft.chosen[*position] = Some(chosen);
        }
        Some(draft)
    }

    /// An action on an item that is there, or must be and is not.
    fn existing(
        &mut self,
        step: &Step<'_>,
        draft: &mut Draft,
        refused: Option<&Refusal>,
        several: bool,
    ) -> Option<Chosen> {
        if refused == Some(&Refusal::NotFound) {
            return self.absent(step, draft);
        }
        let wanted = refused != Some(&Refusal::Condition);
        let record = self.choose(step, draft, wanted)?;
        let taken = draft.chosen.iter().flatten().any(|other| {
            several
                && other.record.entity() == record.entity()
                && other.record.key(self.model) == record.key(self.model)
        });
        // What counts something must not go: its numbers would begin anew.
        if taken || (step.kind == ActionKind::Delete && !self.oracle.counts_nothing(&record)) {
            return None;
        }
        if let Some(condition) = step.condition {
            let condition = &condition.condition;
            draft.given = parameters::found(
                self.model,
                condition,
                &record,
                &draft.given,
                wanted,
                &mut self.chance,
            )?;
        }
        let key = record.key(self.model);
        let (act, effect) = match step.kind {
            ActionKind::Update => {
                let (mut act, mut changed) =
                    change(&mut self.maker, step, &record, &mut self.chance)?;
                if let Some(Refusal::Taken(unique)) = refused {
                    (act, changed) = self.with_taken(act, &changed, unique)?;
                } else if self.clashes(&changed) {
                    return None;
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

    /// A record that is not over and has the values that are decided.
    fn choose(&mut self, step: &Step<'_>, draft: &Draft, wanted: bool) -> Option<Record> {
        let names = self.identity_names(step.entity);
        let key: Option<Map<String, Value>> = names
            .iter()
            .map(|name| Some((name.clone(), draft.bound.get(name)?.clone())))
            .collect();
        if let Some(key) = key {
            let found = self.oracle.stored(step.entity, &key)?;
            return self.oracle.is_alive(found).then(|| found.clone());
        }
        let count = self.alive(step.entity).len();
        let begin = self.chance.below(count);
        let entity = self.model.entity(step.entity);
        let fits = |record: &Record| {
            names.iter().all(|name| {
                let value = entity
                    .field_named(name)
                    .and_then(|field| record.value(field));
                draft
                    .bound
                    .get(name)
                    .is_none_or(|bound| value == Some(bound))
            })
        };
        // From a place taken by chance on, the first with which it can be done.
        let model = self.model;
        let mut chance = self.chance.clone();
        let alive = self.alive(step.entity);
        let places = (0..count.min(FAR)).map(|step| (begin + step) % count);
        let found = places.map(|place| &alive[place]).find(|record| {
            fits(record)
                && step.condition.is_none_or(|condition| {
                    let condition = &condition.condition;
                    parameters::found(model, condition, record, &draft.given, wanted, &mut chance)
                        .is_some()
                })
        });
        found.cloned()
    }

    fn alive(&mut self, id: EntityId) -> &[Record] {
        let oracle = &self.oracle;
        self.alive[id.0].get_or_insert_with(|| {
            let records = oracle.records(id).filter(|record| oracle.is_alive(record));
            records.cloned().collect()
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
            ActionKind::Update => change(&mut self.maker, step, &record, &mut self.chance)?.0,
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

    fn create(
        &mut self,
        step: &Step<'_>,
        draft: &Draft,
        refused: Option<&Refusal>,
    ) -> Option<Chosen> {
        let mut fixed = self.fixed(step.entity, &draft.bound);
        let entity = self.model.entity(step.entity);
        let old = match refused {
            None => None,
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
                    self.maker
                        .record(step.entity, &fixed, Style::Typical, &mut self.chance)?
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

    /// What a new record must have: what is decided, what it refers to, and values of pools.
    fn fixed(&mut self, id: EntityId, bound: &Map<String, Value>) -> Fixed {
        let entity = self.model.entity(id);
        let mut fixed = Fixed::new();
        for reference in self.maker.links.references[id.0].clone() {
            let count = self.alive(reference.to).len();
            let number = self.chance.below(count);
            let target = self.alive(reference.to).get(number).cloned();
            for (mine, theirs) in &reference.fields {
                let value = target.as_ref().and_then(|target| target.value(*theirs));
                fixed.extend(value.map(|value| (*mine, value.clone())));
            }
        }
        for (field, _) in self.maker.links.pooled[id.0].clone() {
            let count = self.alive(id).len();
            let number = self.chance.below(count);
            let value = self
                .alive(id)
                .get(number)
                .and_then(|record| record.value(field).cloned());
            fixed.extend(value.map(|value| (field, value)));
        }
        let carried = bound
            .iter()
            .filter_map(|(name, value)| Some((entity.field_named(name)?, value.clone())));
        fixed.extend(carried);
        fixed
    }

    /// The record of the request, for whom the first item is.
    fn claim(&mut self, first: Option<&Record>) -> Option<Record> {
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

    /// Whether another record has one of the unique values of this.
    fn clashes(&self, record: &Record) -> bool {
        let entity = self.model.entity(record.entity());
        let guards = entity
            .unique
            .iter()
            .filter_map(|unique| unique.guard.as_ref());
        let guards: Vec<_> = guards.collect();
        if guards.is_empty() {
            return false;
        }
        let folded =
            |value: Option<&Value>| value.map(|value| crate::fold::fold(&value.to_string()));
        self.oracle.records(record.entity()).any(|other| {
            other.key(self.model) != record.key(self.model)
                && guards.iter().any(|guard| {
                    let mut fields = guard.field_ids().into_iter();
                    fields.all(|field| {
                        record.value(field).is_some()
                            && folded(other.value(field)) == folded(record.value(field))
                    })
                })
        })
    }

    /// The change with the unique values of another record.
    fn with_taken(&mut self, act: Act, changed: &Record, unique: &str) -> Option<(Act, Record)> {
        let id = changed.entity();
        let entity = self.model.entity(id);
        let guard = entity
            .unique
            .iter()
            .find(|known| known.name.value == unique)?
            .guard
            .as_ref()?;
        let count = self.alive(id).len();
        let number = self.chance.below(count);
        let other = self.alive(id).get(number)?.clone();
        if other.key(self.model) == changed.key(self.model) {
            return None;
        }
        let Act::Update { key, mut set, add } = act else {
            return None;
        };
        let mut slots = Vec::new();
        for field in guard.field_ids() {
            let value = other.value(field)?.clone();
            set.insert(entity.field(field).name.value.clone(), value.clone());
            slots.push((field.0, value));
        }
        Some((Act::Update { key, set, add }, changed.with(slots)))
    }

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
            }],
            claim,
            after,
            about: format!("{} in the place of an item that is over", self.access.name),
        })
    }

    /// Several items of a batch, each for itself.
    pub(super) fn several(&mut self, step: &Step<'_>, number: usize) -> Option<Deed> {
        let mut deed = Deed {
            given: Map::new(),
            actions: Vec::new(),
            claim: None,
            after: Vec::new(),
            about: format!("{} {}", self.access.name, number + 1),
        };
        let mut ways: Vec<Option<Refusal>> = vec![None; 5];
        ways.extend(
            super::ways_to_refuse(self.model, step)
                .into_iter()
                .map(Some),
        );
        let mut keys: Vec<Map<String, Value>> = Vec::new();
        for refused in ways {
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
            let Some((chosen, given, key)) = chosen else {
                continue;
            };
            deed.given = given;
            keys.push(key);
            if chosen.refused.is_none() {
                deed.after.extend(chosen.effect);
            }
            deed.actions.push(DeedAction {
                name: step.name.clone(),
                act: chosen.act,
                refused: chosen.refused,
            });
        }
        self.done(&deed.after);
        (!deed.after.is_empty()).then_some(deed)
    }

    /// All items that one value finds.
    pub(super) fn all_that_is_found(&mut self, step: &Step<'_>, number: usize) -> Option<Deed> {
        for _ in 0..ATTEMPTS {
            let count = self.alive(step.entity).len();
            let place = self.chance.below(count);
            let record = self.alive(step.entity).get(place)?.clone();
            let all = record.fields(self.model);
            let by = self.access.by.iter().map(|by| {
                let name = by.written.value.clone();
                let value = all.get(&name)?.clone();
                Some((name, value))
            });
            let Some(given) = by.collect::<Option<Map<String, Value>>>() else {
                continue;
            };
            let question = Question::new(Kind::Typical, given.clone());
            let crate::expected::Expected::Many { records, .. } =
                self.oracle.answer(self.access, &question)
            else {
                return None;
            };
            if records.is_empty() || records.len() > 60 {
                continue;
            }
            let mut deed = Deed {
                given,
                actions: Vec::new(),
                claim: None,
                after: Vec::new(),
                about: format!("{} {}", self.access.name, number + 1),
            };
            for record in &records {
                let key = record.key(self.model);
                let (act, effect) = match step.kind {
                    ActionKind::Update => {
                        let (act, changed) =
                            change(&mut self.maker, step, record, &mut self.chance)?;
                        (act, Effect::Replace(changed))
                    }
                    _ => (Act::Delete { key }, Effect::Remove(record.clone())),
                };
                deed.actions.push(DeedAction {
                    name: step.name.clone(),
                    act,
                    refused: None,
                });
                deed.after.push(effect);
            }
            self.done(&deed.after);
            return Some(deed);
        }
        None
    }
}
