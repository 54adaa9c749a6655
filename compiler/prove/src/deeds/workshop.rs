//! Where deeds are put together: records chosen that fit each other, values made, effects worked out.

mod items;

use serde_json::{Map, Value};
use tablewright_model::Model;
use tablewright_model::model::{Access, ActionKind, EntityId};

use super::Step;
use super::choice::have_a_value_in_common;
use super::fullest::is_as_dear_as_declared;
use crate::data::{Chance, Later, Maker};
use crate::deed::{Act, Deed, DeedAction, Effect, Refusal};
use crate::demand::edges::Edge;
use crate::oracle::Oracle;
use crate::record::Record;

/// How often another choice is tried.
pub(super) const ATTEMPTS: usize = 60;

pub(super) struct Workshop<'w> {
    pub(super) model: &'w Model,
    pub(super) access: &'w Access,
    pub(super) oracle: Oracle<'w>,
    /// What later records have.
    pub(super) later: &'w Later,
    pub(super) maker: Maker<'w>,
    pub(super) chance: Chance,
    /// The records of each entity that are not over, as far as they were asked for.
    pub(super) alive: Vec<Option<Vec<Record>>>,
    /// Whether items are to be in as many indexes as they can be.
    pub(super) fullest: bool,
    /// Whether the dearest there are were tried, and do not go together: others must be made.
    pub(super) anew: bool,
    /// Whether items may be made over, or give up their place, where there are no more keys.
    pub(super) makes_over: bool,
    /// The edge of a condition that a chosen item is to have.
    pub(super) at: Option<At>,
}

/// An edge of the condition that a step puts to its item.
pub(super) struct At {
    pub(super) entity: EntityId,
    pub(super) edge: Edge,
    pub(super) all: Vec<Edge>,
}

/// What has been decided of a deed.
#[derive(Default)]
pub(super) struct Draft {
    /// The values of key fields, by name: what has the same name is the same.
    pub(super) bound: Map<String, Value>,
    pub(super) given: Map<String, Value>,
    pub(super) chosen: Vec<Option<Chosen>>,
    /// What has to be made first, made over, or taken away.
    pub(super) prepared: Vec<Record>,
    pub(super) made_over: Vec<Record>,
    pub(super) freed: Vec<Record>,
}

impl Draft {
    /// Whether an item has its part already: an action is on it, or it is taken away first.
    pub(super) fn has_a_part_for(&self, model: &Model, record: &Record) -> bool {
        let chosen = self.chosen.iter().flatten().map(|one| &one.record);
        let mut known = chosen.chain(&self.freed);
        known.any(|known| known.is_same_item(model, record))
    }

    /// Whether another action gives an item one of the unique values of this one.
    pub(super) fn gives_a_value_of(&self, model: &Model, record: &Record) -> bool {
        let chosen = self.chosen.iter().flatten();
        let mut given = chosen.filter_map(|one| match &one.effect {
            Some(Effect::Insert(given) | Effect::Replace(given)) => Some(given),
            _ => None,
        });
        given.any(|given| have_a_value_in_common(model, given, record))
    }
}

/// The part of one action.
#[derive(Clone)]
pub(super) struct Chosen {
    pub(super) act: Act,
    pub(super) effect: Option<Effect>,
    pub(super) record: Record,
    pub(super) refused: Option<Refusal>,
}

impl<'w> Workshop<'w> {
    pub(super) fn new(
        model: &'w Model,
        access: &'w Access,
        oracle: Oracle<'w>,
        later: &'w Later,
        seed: u64,
    ) -> Self {
        let mut maker = Maker::before(model, later);
        for (id, _) in model.entity_ids() {
            oracle.records(id).for_each(|record| maker.remember(record));
        }
        Workshop {
            chance: Chance::of(seed, &format!("deeds {}", access.name)),
            alive: vec![None; model.entities.len()],
            fullest: false,
            anew: false,
            makes_over: false,
            at: None,
            model,
            access,
            oracle,
            later,
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
        let draft = (0..ATTEMPTS).find_map(|attempt| {
            self.anew = attempt > 0;
            self.draft(steps, &order, refused.as_ref())
        });
        self.anew = false;
        let draft = draft?;
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
            within_facts: self.writes_as_declared(&one.record, one.effect.as_ref()),
        });
        let actions: Vec<DeedAction> = actions.collect();
        let claim = self.claim(first.as_ref());
        let records = chosen.iter().map(|one| &one.record).chain(&claim);
        let written = chosen
            .iter()
            .filter_map(|one| one.effect.as_ref())
            .map(Effect::record);
        let within_facts = records
            .chain(written)
            .all(|record| self.is_as_declared(record));
        let mut after: Vec<Effect> = Vec::new();
        let first = draft.prepared.iter().chain(&draft.made_over);
        let first: Vec<Effect> = first.cloned().map(Effect::Insert).collect();
        self.done(&first);
        if refused.is_none() {
            after.extend(draft.freed.iter().cloned().map(Effect::Remove));
            after.extend(chosen.into_iter().filter_map(|one| one.effect));
            after.extend(claim.clone().map(Effect::Insert));
            self.done(&after);
        }
        Some(Deed {
            given: draft.given,
            actions,
            claim,
            prepared: draft.prepared,
            made_over: draft.made_over,
            freed: draft.freed,
            after,
            about,
            within_facts,
        })
    }

    /// Whether an item is no dearer than the model says.
    pub(super) fn is_as_declared(&self, record: &Record) -> bool {
        is_as_dear_as_declared(self.model, record)
    }

    /// Whether an item is no dearer than the model says, before it is written and after.
    pub(super) fn writes_as_declared(&self, before: &Record, effect: Option<&Effect>) -> bool {
        self.is_as_declared(before)
            && effect.is_none_or(|effect| self.is_as_declared(effect.record()))
    }

    pub(super) fn done(&mut self, effects: &[Effect]) {
        self.oracle.apply(effects);
        for effect in effects {
            self.alive[effect.record().entity().0] = None;
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
                // Of these there are fewest.
                _ if self.takes_empty_counts(step) => (0, 0, None),
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
            let chosen = match step.kind {
                ActionKind::Create => match self.create(step, &draft, refused) {
                    None if refused.is_none() => self.in_the_place_of_one(step, &mut draft)?,
                    created => created?,
                },
                _ => self.existing(step, &mut draft, refused)?,
            };
            let of_its_kind = steps.iter().filter(|other| other.entity == step.entity);
            if of_its_kind.count() == 1 {
                draft.bound.extend(chosen.record.key(self.model));
            }
            draft.chosen[*position] = Some(chosen);
        }
        // What is refused changes nothing, so nothing may go for it.
        (refused.is_none() || draft.freed.is_empty()).then_some(draft)
    }
}
