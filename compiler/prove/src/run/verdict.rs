//! From what was asked and written to what is proved.

mod cost;
mod growth;

use tablewright::Share;
use tablewright_model::Model;
use tablewright_model::model::{Access, Consistency, UnitKind, Verb};
use tablewright_plan::print::thousands;
use tablewright_plan::{Answer, CostOf, NoAnswer, Plan, bounds_a_page};

use self::cost::{
    Allowed, budget_of_another_kind, costliest, costliest_by, over_budget, refined_over_budget,
};
use self::growth::{counted_more, excused, most_counted, no_bound, not_compared};
use super::Settings;
use super::bench::Bench;
use super::fill::Unstored;
use super::finding::Finding;
use super::perform::Used;
use crate::deeds::MOST_AT_ONCE;
use crate::demand::is_about_counts;
use crate::enough::may_be_unanswered;
use crate::proof::{Growth, PatternProof, PlaceUnits, Proof, request_of};
use crate::{Few, Heat, Record};

pub(crate) use self::cost::Cost;

/// What is known of one pattern so far.
#[derive(Debug, Default)]
pub(crate) struct Account {
    /// The first thing that was wrong.
    wrong: Option<String>,
    returned: u64,
    expected: u64,
    /// The costs of its questions in the small table, and in the large one.
    pub(crate) small: Vec<Option<Cost>>,
    pub(crate) large: Vec<Option<Cost>>,
    /// The cost of a full page in tables that hold nothing else.
    pub(crate) full: Vec<Option<Cost>>,
    /// How many deeds were done, and the costliest.
    pub(crate) deeds: u64,
    /// How many of them were not to be refused.
    pub(crate) legal: u64,
    written: Option<Used>,
}

impl Account {
    /// A pattern that has no answer fails with that reason.
    pub(crate) fn open(&mut self, model: &Model, plan: &Plan) {
        if let Answer::Nothing(nothing) = &plan.answer {
            self.wrong = Some(unanswered(model, nothing));
        }
    }

    /// What could not be stored cannot be found.
    pub(crate) fn note_unstored(
        &mut self,
        model: &Model,
        access: &Access,
        unstored: &Unstored,
        all: &[Record],
    ) {
        for entity in access.verb.entities() {
            let Some((count, first)) = unstored.get(&entity.id) else {
                continue;
            };
            let of = all
                .iter()
                .filter(|record| record.entity() == entity.id)
                .count();
            let name = &model.entity(entity.id).name;
            let why = format!("{count} of {of} {name} could not be stored: {first}");
            self.wrong.get_or_insert(why);
        }
    }

    pub(crate) fn answered(&mut self, returned: u64, expected: u64, wrong: Option<String>) {
        self.returned += returned;
        self.expected += expected;
        if let Some(wrong) = wrong {
            self.wrong.get_or_insert(wrong);
        }
    }

    /// The costliest deed counts, of those that keep to the facts where there are such.
    pub(crate) fn written(&mut self, used: Option<Used>) {
        if let Some(used) = used
            && used.tells_more_than(self.written.as_ref())
        {
            self.written = Some(used);
        }
    }

    fn judge(mut self, bench: &Bench<'_>, position: usize, few: &[Few]) -> PatternProof {
        let (access, plan) = (&bench.model.accesses[position], &bench.plans[position]);
        for (small, large) in self.small.iter().zip(&mut self.large) {
            if let (Some(small), Some(large)) = (small, large)
                && small.meets_somebody_new(large)
            {
                large.beside_the_facts();
            }
        }
        let allowed = allowed(bench.model, access, plan);
        for cost in self.small.iter_mut().chain(&mut self.large).flatten() {
            if cost.is_left_unfilled(allowed) {
                cost.beside_the_facts();
            }
        }
        let (rcu_small, rcu_large) = (costliest(&self.small), costliest(&self.large));
        let rcu_full = costliest(&self.full);
        let wcu = self.written.as_ref().map(|used| used.units);
        let finding = Finding::of(access, plan);
        if self.wrong.is_none() {
            self.wrong = self
                .not_shown(bench.model, access)
                .or_else(|| budget_of_another_kind(access, finding.is_some()));
        }
        let mut growth = Vec::new();
        if self.wrong.is_none() {
            self.wrong =
                counted_more(access, &self.small).or_else(|| counted_more(access, &self.large));
        }
        if self.wrong.is_none() {
            let grown = self.grows(bench.model, access, plan, allowed);
            growth = grown.unwrap_or_else(|why| {
                self.wrong = Some(why);
                Vec::new()
            });
        }
        if self.wrong.is_none() && self.small.iter().any(Option::is_some) {
            self.wrong = not_compared(access, plan, few);
        }
        if self.wrong.is_none() {
            let held = self.held_to_budget(allowed);
            self.wrong = held
                .and_then(|units| over_budget(access, UnitKind::Read, units))
                .or_else(|| refined_over_budget(access, &self.small))
                .or_else(|| refined_over_budget(access, &self.large));
        }
        if let (None, Some(used)) = (&self.wrong, &self.written) {
            let over = over_budget(access, UnitKind::Write, used.units);
            self.wrong = over.map(|over| match used.within_facts {
                true => over,
                false => format!("{over}; nothing it writes could be as small as is declared"),
            });
        }
        PatternProof {
            pattern: access.name.value.clone(),
            ask: access.ask.as_ref().map(|ask| ask.value.clone()),
            is_write: !access.verb.is_read(),
            request: request_of(bench.model, plan),
            cost_of: CostOf::of(access),
            looks_at: access.looks_at,
            calls: match access.verb.is_read() {
                true => self.small.len() as u64,
                false => self.deeds,
            },
            returned: self.returned,
            expected: self.expected,
            rcu_small,
            rcu_large,
            rcu_full,
            growth,
            wcu,
            shares: shares(
                bench,
                self.written.map(|used| used.shares).unwrap_or_default(),
            ),
            budget: access
                .budget
                .as_ref()
                .or(access.finding_budget.as_ref())
                .map(|budget| budget.written.value.clone()),
            why: self.wrong,
        }
    }

    /// What was never called, or never gave an item, is not proved.
    fn not_shown(&self, model: &Model, access: &Access) -> Option<String> {
        if access.verb.is_read() {
            return self.not_answered(model, access);
        }
        if self.deeds > 0 && self.legal == 0 {
            return Some(
                "that it can be done was not shown: the data left no place for a call that goes through"
                    .to_owned(),
            );
        }
        (self.deeds == 0).then(|| {
            let why = match access.verb {
                Verb::Batch(_) => format!(
                    "no value of the data finds items that meet what it demands, and no more than {} of them",
                    thousands(MOST_AT_ONCE as u64)
                ),
                _ => "no item of the data meets what it demands".to_owned(),
            };
            format!("it could not be done: {why}")
        })
    }

    /// The units a budget is held to. Where a full page of every shard was measured, an item larger than declared among everybody's is not held against it.
    fn held_to_budget(&self, allowed: Allowed) -> Option<f64> {
        let full = costliest(&self.full);
        let held = |cost: &Cost| match full {
            Some(_) => cost.units - allowed.of_larger(cost),
            None => cost.units,
        };
        let small = costliest_by(&self.small, held)?;
        let large = costliest_by(&self.large, held)?;
        Some(small.max(large).max(full.unwrap_or(0.0)))
    }

    /// A read that gives nothing gives as little by a wrong key.
    fn not_answered(&self, model: &Model, access: &Access) -> Option<String> {
        if self.small.is_empty() {
            let why = "nothing could be asked: no item of the data has the values it is asked with";
            return Some(why.to_owned());
        }
        let condition = access.condition.as_ref();
        if self.expected > 0 || may_be_unanswered(model, access) {
            return None;
        }
        let why = match condition {
            Some(condition) => {
                let what_to_do = match is_about_counts(model, access) {
                    true => "prove it with more `--items`, or ask for what fewer items add up to",
                    false => "write a condition that an item can meet",
                };
                let written = &condition.written.value;
                format!("nothing of the data meets `{written}`: {what_to_do}")
            }
            None => "nothing of the data is what it asks for".to_owned(),
        };
        Some(format!("no answer with an item was shown: {why}"))
    }

    /// What of its cost grew for a reason; why it fails, where a cost grew with the table.
    fn grows(
        &self,
        model: &Model,
        access: &Access,
        plan: &Plan,
        allowed: Allowed,
    ) -> Result<Vec<Growth>, String> {
        let finds = Finding::of(access, plan).is_some();
        let pairs = self.small.iter().zip(&self.large);
        let pairs = pairs.filter_map(|(small, large)| Some((small.as_ref()?, large.as_ref()?)));
        let pairs: Vec<(&Cost, &Cost)> = pairs.collect();
        let growing = pairs
            .iter()
            .filter(|(small, large)| small.follows_the_table(large, allowed));
        let worst = growing.max_by(|(_, a), (_, b)| a.units.total_cmp(&b.units));
        match worst {
            None => Ok(excused(access, &pairs, allowed, finds)),
            Some((small, large)) => {
                let why = small.grown(large, finds, allowed);
                let no_bound = no_bound(model, access).map(|told| format!("{why}; {told}"));
                Err(no_bound.unwrap_or(why))
            }
        }
    }
}

/// What a pattern may cost.
fn allowed(model: &Model, access: &Access, plan: &Plan) -> Allowed {
    let read = plan.read();
    let finds = Finding::of(access, plan).is_some();
    let looks_at = read.and_then(|read| read.looks_at);
    Allowed {
        // Of a batch all is judged that it reads, and not a page.
        planned: read.and_then(|read| read.cost.units.filter(|_| !finds)),
        requests: read.map_or(1, |read| read.requests),
        page: read.and_then(|read| read.page),
        is_filtered: read.is_some_and(|read| !read.filter.is_empty()),
        keeps: access.keeps,
        block: match read.map_or(access.consistency.value, |read| read.consistency) {
            Consistency::Eventual => 0.5,
            Consistency::Strong => 1.0,
        },
        most_counted: most_counted(model, access),
        looks_at: looks_at.filter(|most| bounds_a_page(model, access, *most)),
        at_most: read.and_then(|read| read.at_most.as_ref()?.units),
    }
}

fn unanswered(model: &Model, nothing: &NoAnswer) -> String {
    let because: Vec<String> = nothing
        .misfits
        .iter()
        .map(|misfit| misfit.to_text(model, nothing.entity))
        .collect();
    let mut told = "no key answers it".to_owned();
    if !because.is_empty() {
        told.push_str(&format!(": {}", because.join("; ")));
    }
    if let Some(suggestion) = &nothing.suggestion {
        told.push_str(&format!("; this would: {suggestion}"));
    }
    told
}

/// Shares by the names the model has for tables and indexes.
fn shares(bench: &Bench<'_>, shares: Vec<Share>) -> Vec<PlaceUnits> {
    let named = shares.into_iter().filter(|share| share.write_units > 0.0);
    let named = named.map(|share| {
        let table = share.table.strip_prefix(bench.place.prefix());
        PlaceUnits {
            table: table.unwrap_or(&share.table).to_owned(),
            index: share.index,
            units: share.write_units,
        }
    });
    named.collect()
}

pub(crate) fn proof(
    bench: &Bench<'_>,
    settings: Settings,
    ((items_small, items_large), few): ((u64, u64), Vec<Few>),
    accounts: Vec<Account>,
    heat: Vec<Heat>,
) -> Proof {
    let patterns = accounts.into_iter().enumerate();
    let patterns = patterns.map(|(position, account)| account.judge(bench, position, &few));
    let patterns = patterns.collect();
    Proof {
        model: bench.model.name.value.clone(),
        design: String::new(),
        settings,
        items_small,
        items_large,
        has_ttl: bench.model.entities.iter().any(|one| one.ttl.is_some()),
        patterns,
        few,
        heat,
    }
}
