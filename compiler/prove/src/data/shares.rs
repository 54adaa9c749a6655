//! How many records of each entity, and how they spread over what they refer to.

use tablewright_model::Model;
use tablewright_model::model::{Access, Action, ActionKind, EntityId, FieldId, Verb};

use super::chance::Chance;
use super::links::Links;

/// At most so many items refer to one on average, so that many have few and some have many.
const ON_AVERAGE: usize = 12;

/// So many have very many.
const HEAVY: usize = 3;

/// Nothing belongs to one of so many.
const IDLE: usize = 10;

/// How many records of each entity there are among so many, in the proportions the facts declare.
pub(crate) fn shares(model: &Model, links: &Links, items: usize) -> Vec<usize> {
    let declared: Vec<Option<u64>> = model
        .entities
        .iter()
        .map(|entity| entity.facts.items)
        .collect();
    let sum: u64 = declared.iter().flatten().sum();
    let unsaid = if sum == 0 { 100 } else { sum / 25 + 1 };
    let weights: Vec<f64> = declared
        .iter()
        .map(|items| items.unwrap_or(unsaid) as f64)
        .collect();
    let total: f64 = weights.iter().sum();
    let least = (items / (4 * model.entities.len().max(1))).min(40);
    let mut counts: Vec<usize> = weights
        .iter()
        .map(|weight| ((items as f64 * weight / total) as usize).max(least))
        .collect();
    for (id, _) in model.entity_ids().filter(|(id, _)| links.only_counts[id.0]) {
        counts[id.0] = 0;
    }
    for id in links.order.iter().rev() {
        for reference in &links.references[id.0] {
            let average = bound(model, *id, reference.to)
                .map_or(ON_AVERAGE, |most| (most / 2).clamp(1, ON_AVERAGE));
            counts[reference.to.0] = counts[reference.to.0].max(counts[id.0] / average);
        }
    }
    let sum: usize = counts.iter().sum();
    if sum > items {
        for count in &mut counts {
            *count = (*count * items / sum).max((*count).min(least));
        }
    }
    for (id, _) in model.entity_ids() {
        let needed = idle_needed(model, links, id);
        if counts[id.0] / IDLE < needed {
            counts[id.0] += needed;
        }
    }
    counts
}

/// How many of so many nothing belongs to: a tenth, and as many as are needed.
pub(crate) fn idle_of(model: &Model, links: &Links, id: EntityId, among: usize) -> usize {
    (among / IDLE).max(idle_needed(model, links, id).min(among))
}

/// How many nothing must belong to: every second has counts of nothing, for every pattern that takes such away and one more, to be refused.
pub(crate) fn idle_needed(model: &Model, links: &Links, id: EntityId) -> usize {
    let counts_of_it = |keeper: &EntityId| {
        let mut references = links.references[keeper.0].iter();
        links.only_counts[keeper.0] && references.any(|reference| reference.to == id)
    };
    let keepers = model.entity_ids().map(|(keeper, _)| keeper);
    let needed = keepers
        .filter(counts_of_it)
        .filter_map(|keeper| takers(model, keeper));
    needed.map(|patterns| 2 * (patterns + 1)).max().unwrap_or(0)
}

/// How many patterns delete items of an entity; none where no pattern does.
pub(crate) fn takers(model: &Model, id: EntityId) -> Option<usize> {
    let deletes = |action: &Action| action.kind == ActionKind::Delete && action.entity.id == id;
    let takes = |access: &&Access| match &access.verb {
        Verb::Delete(entity) => entity.id == id,
        Verb::Batch(action) => deletes(action),
        Verb::Transact(actions) => actions.iter().any(deletes),
        _ => false,
    };
    let patterns = model.accesses.iter().filter(takes).count();
    (patterns > 0).then_some(patterns)
}

/// How many of one entity a relationship allows for one of another.
fn bound(model: &Model, of: EntityId, to: EntityId) -> Option<usize> {
    let mut relationships = model.relationships.iter();
    let found = relationships
        .find(|one| one.from.id == to && one.to.as_ref().is_some_and(|to| to.id == of))?;
    let most = found.bound?.at_most?;
    usize::try_from(most).ok()
}

/// The choice of one of several things others belong to: a few have very many, some have none.
#[derive(Debug)]
pub(crate) struct Spread {
    counts: Vec<u32>,
    /// The very many.
    many: usize,
    /// No more than this.
    most: usize,
    /// Of all that are chosen for.
    of: usize,
    /// So many, the last, have none.
    none: usize,
}

impl Spread {
    /// For so many records of an entity that choose among so many, in these fields of theirs.
    pub(crate) fn new(
        model: &Model,
        id: EntityId,
        fields: &[FieldId],
        among: usize,
        of: usize,
        to: Option<EntityId>,
    ) -> Self {
        let entity = model.entity(id);
        let names: Vec<&str> = fields
            .iter()
            .map(|field| entity.field(*field).name.as_str())
            .collect();
        let mut most = to.and_then(|to| bound(model, id, to)).unwrap_or(usize::MAX);
        let mut page = 20;
        for access in &model.accesses {
            let about = access.verb.entities().iter().any(|one| one.id == id);
            let by = access
                .by
                .iter()
                .any(|by| names.contains(&by.written.as_str()));
            if !about || !by || !access.verb.is_read() {
                continue;
            }
            match (&access.verb, access.returns) {
                // Such a pattern reads all there are at once, and says how many that is.
                (Verb::Search { .. } | Verb::Count(_), Some(returns)) => {
                    most = most.min(usize::try_from(returns).unwrap_or(usize::MAX));
                }
                (Verb::List(_), _) => page = page.max(access.page.value as usize),
                _ => {}
            }
        }
        let average = of / among.max(1);
        let many = (page * 5 / 2 + 3).max(average * 3).min(most).min(of / 6);
        Spread {
            counts: vec![0; among],
            many,
            most: most.max(1),
            of,
            none: among / IDLE,
        }
    }

    /// Whether no more than so many may have the same.
    pub(crate) fn is_bounded(&self) -> bool {
        self.most < usize::MAX
    }

    /// The same with at least so many that have none.
    pub(crate) fn with_none(self, least: usize) -> Self {
        let none = self.none.max(least).min(self.counts.len());
        Spread { none, ..self }
    }

    /// The one for a record of this number; its turn keeps several choices of one record apart. Without a turn it is one with few.
    pub(crate) fn choose(
        &mut self,
        number: usize,
        turn: Option<usize>,
        chance: &mut Chance,
    ) -> usize {
        let heavy = HEAVY.min(self.counts.len() / 4);
        let place = turn.map(|turn| (number + turn * self.of / 2) % self.of.max(1));
        let chosen = match place {
            Some(place) if place < heavy * self.many => place % heavy.max(1),
            _ => self.light(heavy, chance),
        };
        if let Some(count) = self.counts.get_mut(chosen) {
            *count += 1;
        }
        chosen
    }

    /// One of those with few; never one of the last, which have none.
    fn light(&mut self, heavy: usize, chance: &mut Chance) -> usize {
        let end = (self.counts.len() - self.none).max(heavy + 1);
        for _ in 0..8 {
            // Twice the chance for the lower ones: not all have equally few.
            let chosen = heavy + chance.below(end - heavy).min(chance.below(end - heavy));
            if self
                .counts
                .get(chosen)
                .is_some_and(|count| (*count as usize) < self.most)
            {
                return chosen;
            }
        }
        let room = |count: &u32| (*count as usize) < self.most;
        let found = self.counts.iter().skip(heavy).position(room);
        found
            .map_or(0, |found| found + heavy)
            .min(self.counts.len().saturating_sub(1))
    }
}

/// Whether what belongs to this one is wild.
pub(crate) fn is_wild(chosen: usize, among: usize) -> bool {
    let heavy = HEAVY.min(among / 4);
    among >= 12 && (heavy..heavy + 1 + among / 200).contains(&chosen)
}
