//! What questions cost, and whether that follows the answer and keeps the budget.

use tablewright_model::Model;
use tablewright_model::model::{Access, UnitKind};

use crate::of_all::is_of_all;
use crate::run::ask::Asked;
use crate::{Expected, Question};

/// What is read is paid by blocks of this many bytes.
const READ_UNIT: u64 = 4096;

/// What one question cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    pub(super) units: f64,
    /// What must follow the answer: the same, but of what a batch finds all it reads.
    pub(super) followed: f64,
    /// How much was given, and how much there is.
    given: u64,
    pub(super) there_is: u64,
    /// How much there is of whom it is asked about, whatever else is demanded.
    of_them: u64,
    pub(super) within_facts: bool,
    /// The caller says whose items it wants: they are the same in both tables.
    pub(super) of_somebody: bool,
    /// It is about nobody's items: whatever the caller says has only so many values.
    of_all: bool,
    /// Of a list that the caller refines: how many items there are unrefined.
    pub(super) unrefined: Option<u64>,
    /// Its answer is one number, however much was counted.
    is_count: bool,
    /// The largest item it gave, in bytes.
    largest: usize,
    /// Some of everybody's items that it is about are larger than declared: any shard may have read one, also where it is on no page.
    pub(super) beside_larger: bool,
}

/// What more than before a pattern may cost in a larger table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowed {
    /// What the plan says it costs.
    pub(super) planned: Option<f64>,
    /// The requests that answer it.
    pub(super) requests: u32,
    /// Items a page; none of what has no pages.
    pub(super) page: Option<u64>,
    /// Whether a filter drops some of what is read, and what share it keeps, as far as that is declared.
    pub(super) is_filtered: bool,
    pub(super) keeps: Option<f64>,
    /// What a block costs that is read.
    pub(super) block: f64,
    /// How many items a count reads at most, where the model bounds it.
    pub(super) most_counted: Option<u64>,
    /// How many items a page looks at, where the model bounds it, and what the plan says so many cost.
    pub(super) looks_at: Option<u64>,
    pub(super) at_most: Option<f64>,
}

impl Allowed {
    /// What a page may cost that looks at no more than is declared: half as much again for larger items, and a block for every request in which a shard is
    /// read: first as much as a page has, and then more each time.
    fn of_what_is_looked_at(&self, small: &Cost, looks_at: u64) -> f64 {
        let looked_at = small.unrefined.unwrap_or(small.there_is);
        let scaled = small.followed * looks_at as f64 / looked_at.clamp(1, looks_at) as f64;
        let of_each = looks_at / u64::from(self.requests.max(1));
        let pages = of_each.div_ceil(self.page.unwrap_or(1).max(1));
        self.of_passing_over(self.at_most.unwrap_or(scaled), pages)
    }

    /// What a page may cost that passes over items, and looks at as many as so many pages have: half as much again as planned, since neither their sizes nor what passes is spread evenly,
    /// and a block for every request.
    fn of_passing_over(&self, planned: f64, pages: u64) -> f64 {
        let requests = self.requests * (1 + pages.max(1).ilog2());
        planned * 1.5 + 1.0 + f64::from(requests) * self.block
    }

    /// What an answer may cost where the plan says so much. A page that a filter leaves items out of is planned by what it keeps on average.
    fn of_an_answer(&self, planned: f64, is_count: bool) -> f64 {
        match self
            .keeps
            .filter(|keeps| !is_count && self.is_filtered && *keeps > 0.0)
        {
            Some(keeps) => self.of_passing_over(planned, (1.0 / keeps).ceil() as u64),
            None => planned,
        }
    }

    /// Of several shards, a block of each that read an item larger than declared.
    pub(super) fn of_larger(&self, cost: &Cost) -> f64 {
        match cost.beside_larger && self.requests > 1 {
            true => f64::from(self.requests) * self.block,
            false => 0.0,
        }
    }

    /// A block for each request beside the first: each is rounded up by itself.
    fn of_further_shards(&self) -> f64 {
        f64::from(self.requests.saturating_sub(1)) * self.block
    }

    /// What pages from all shards cost, whatever the small table had of them; nothing where there is one.
    fn of_shards(&self, large: &Cost) -> f64 {
        let unfiltered = self.requests > 1 && !large.is_count && !self.is_filtered;
        let Some(page) = self.page.filter(|_| unfiltered) else {
            return 0.0;
        };
        let blocks = (page * large.largest as u64).div_ceil(READ_UNIT).max(1);
        f64::from(self.requests) * self.block * blocks as f64
    }
}

impl Cost {
    pub(crate) fn of(
        model: &Model,
        access: &Access,
        asked: &Asked,
        expected: &Expected,
        question: &Question,
        (unrefined, of_them): (Option<u64>, u64),
    ) -> Self {
        Cost {
            units: asked.units,
            followed: asked.units,
            given: asked.len(),
            there_is: expected.len(),
            of_them,
            within_facts: question.within_facts,
            of_somebody: !access.by.is_empty(),
            of_all: is_of_all(model, access, access.verb.entity().id),
            unrefined,
            is_count: matches!(expected, Expected::Count(_)),
            largest: asked.largest(model),
            beside_larger: false,
        }
    }

    /// The same, about items of which some are larger than declared.
    pub(crate) fn beside_larger(self, beside_larger: bool) -> Self {
        Cost {
            beside_larger,
            ..self
        }
    }

    /// The same, judged by its costliest page whose items are as declared, where others are larger.
    pub(crate) fn judged_by_page(self, units: Option<f64>) -> Self {
        match units.filter(|_| self.unrefined.is_none()) {
            None => self,
            Some(units) => Cost {
                units,
                followed: units,
                within_facts: true,
                ..self
            },
        }
    }

    /// The same of what a batch reads to find its items: all pages, for what of it is meant.
    pub(crate) fn of_finding(self, asked: &Asked, meant: &Expected) -> Self {
        Cost {
            followed: asked.total,
            given: meant.len(),
            there_is: meant.len(),
            ..self
        }
    }

    /// A question beside what there is may meet somebody in the large table, of whom nothing is known: whether they keep to the facts, and
    /// what they would have cost in the small one, where they were not.
    pub(super) fn meets_somebody_new(&self, large: &Cost) -> bool {
        self.of_them == 0 && large.of_them > 0
    }

    /// What nobody said anything about.
    pub(super) fn beside_the_facts(&mut self) {
        self.within_facts = false;
    }

    /// Whether the caller selects of everybody's items beside the facts, by a refinement or by a value of the filter that keeps hardly anything.
    pub(super) fn selects(&self) -> bool {
        self.of_all && (self.unrefined.is_some() || !self.within_facts)
    }

    /// Whether so few of everybody's items pass that a page looks at as many as it may: they are fewer than `keeps` says, whatever it says.
    pub(super) fn is_left_unfilled(&self, allowed: Allowed) -> bool {
        let page = allowed.page.unwrap_or(0);
        self.of_all && allowed.is_filtered && allowed.looks_at.is_some() && self.there_is < page
    }

    /// How many of everybody's items a page looks at for that, where it is bounded. What somebody has is the same in both tables.
    pub(super) fn looked_at(&self, allowed: Allowed) -> Option<u64> {
        allowed.looks_at.filter(|_| self.selects())
    }

    /// Whether a cost in the large table follows the table and not the answer. The same answer must cost the same. Where there is more to
    /// give, as on an index over all items, a page costs what the plan says at most, and with a filter about that; where that is not known, as of one that is refined, it may cost more as far as
    /// it gives more, and half as much again for larger items; of several shards each may have read a block more, or, without
    /// a filter, have a page to give at last. Where it is refined, or asked beside the facts, as with a filter that keeps nothing, a page that looks at
    /// so many items and no more costs what these cost, and one that looks at as many as it takes follows the table. A count gives one number however much it counts, so that more to count is no
    /// excuse: only where the model says how many of all there are it counts at most, it may cost what the plan makes of that.
    pub(super) fn follows_the_table(&self, large: &Cost, allowed: Allowed) -> bool {
        if let Some(looks_at) = self.looked_at(allowed) {
            let bound = allowed.of_what_is_looked_at(self, looks_at);
            return large.followed > bound.max(self.followed);
        }
        if self.of_somebody && self.meets_somebody_new(large) {
            return false;
        }
        if self.there_is == large.there_is {
            return large.followed > self.followed;
        }
        let more = large.given.max(1) as f64 / self.given.max(1) as f64;
        // A page that a filter did not fill has read all there is: that it found more is no excuse either.
        let page = allowed.page.unwrap_or(0);
        let read_all = allowed.is_filtered && large.there_is < page;
        let (more, planned) = match (self.is_count, read_all) {
            (true, _) => (
                1.0,
                allowed.planned.filter(|_| allowed.most_counted.is_some()),
            ),
            (false, true) => (1.0, allowed.planned),
            (false, false) => (more.max(1.0), allowed.planned),
        };
        let bound = self.followed * more * 1.5 + 1.0 + allowed.of_further_shards();
        let bound = bound.max(allowed.of_shards(large));
        let planned = planned.filter(|_| self.is_count || !self.selects());
        let planned = planned
            .map(|planned| allowed.of_an_answer(planned, self.is_count) + allowed.of_larger(large));
        large.followed > planned.unwrap_or(bound).max(self.followed)
    }

    /// What is said of a cost that follows the table.
    pub(super) fn grown(&self, large: &Cost, finds: bool, allowed: Allowed) -> String {
        let (from, to) = (self.followed, large.followed);
        let why = match (self.is_count, finds) {
            (true, _) => "it counts by reading, and its cost follows the table",
            (false, true) => {
                "what it reads to find its items follows the table and not what it writes"
            }
            (false, false) => "its cost follows the table and not its answer",
        };
        let passes_over = allowed.is_filtered || self.unrefined.is_some();
        let what_to_do = match self.selects() && passes_over && allowed.looks_at.is_none() {
            true => {
                "; hardly anything of everybody's items passed: say by `looks_at` how many items a page looks at, at most"
            }
            false => "",
        };
        format!("{why}: {from} rcu in the small one, {to} rcu in the large one{what_to_do}")
    }
}

/// What is said of a budget in units the pattern does not cost: nothing would hold it.
pub(super) fn budget_of_another_kind(access: &Access, finds: bool) -> Option<String> {
    let budget = access.budget.as_ref();
    let budget = budget.or(access.finding_budget.as_ref().filter(|_| !finds))?;
    let (kind, unit) = match access.verb.is_read() {
        true => (UnitKind::Read, "rcu"),
        false => (UnitKind::Write, "wcu"),
    };
    (budget.kind != kind).then(|| {
        format!(
            "it costs {unit}, and nothing holds it to its budget of {}",
            budget.written
        )
    })
}

/// The costliest question that keeps to the declared facts; of all, where none does. A refined list costs what the caller makes of it.
pub(super) fn costliest(costs: &[Option<Cost>]) -> Option<f64> {
    costliest_by(costs, |cost| cost.units)
}

/// The same by what a question is held to.
pub(super) fn costliest_by(costs: &[Option<Cost>], units: impl Fn(&Cost) -> f64) -> Option<f64> {
    let most = |within: bool| {
        let costs = costs.iter().flatten();
        let costs = costs.filter(|cost| cost.unrefined.is_none());
        let costs = costs.filter(|cost| cost.within_facts || !within);
        costs.map(&units).max_by(f64::total_cmp)
    };
    most(true).or_else(|| most(false))
}

/// What is said of units over the budget; nothing within it.
pub(super) fn over_budget(access: &Access, kind: UnitKind, units: f64) -> Option<String> {
    let mut budgets = access.budget.iter().chain(&access.finding_budget);
    let budget = budgets.find(|budget| budget.kind == kind)?;
    let unit = match kind {
        UnitKind::Read => "rcu",
        UnitKind::Write => "wcu",
    };
    (units > budget.units).then(|| {
        format!(
            "it costs {units} {unit}, more than its budget of {}",
            budget.written
        )
    })
}

/// What is said of a refined list over its budget. A page of it may have to read all there is unrefined, and may stop within a page: the
/// budget is there for each page of that, and once more.
pub(super) fn refined_over_budget(access: &Access, costs: &[Option<Cost>]) -> Option<String> {
    let budget = access
        .budget
        .as_ref()
        .filter(|budget| budget.kind == UnitKind::Read)?;
    let over = costs.iter().flatten().filter_map(|cost| {
        let passed = cost.unrefined.filter(|_| cost.within_facts)?;
        let passed = access.looks_at.map_or(passed, |most| passed.min(most));
        let pages = passed.div_ceil(access.page.value.max(1)) + 1;
        (cost.units > budget.units * pages as f64).then_some((cost.units, passed, pages))
    });
    let (units, passed, pages) = over.max_by(|(a, ..), (b, ..)| a.total_cmp(b))?;
    Some(format!(
        "refined, a page of it costs {units} rcu where {passed} items are read, more than {pages} times its budget of {}",
        budget.written
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models;

    fn refined(units: f64, unrefined: u64) -> Option<Cost> {
        Some(Cost {
            units,
            followed: units,
            given: 20,
            there_is: 20,
            of_them: unrefined,
            within_facts: true,
            of_somebody: true,
            of_all: false,
            unrefined: Some(unrefined),
            is_count: false,
            largest: 400,
            beside_larger: false,
        })
    }

    /// Pages of 20, at 1.5 rcu each.
    #[test]
    fn a_refined_page_may_cost_its_budget_for_every_page_it_passes_over_and_once_more() {
        let model = models::todo();
        let access = model.access("tasks_refined").unwrap();
        assert_eq!(access.budget.as_ref().unwrap().units, 1.5);
        assert_eq!(refined_over_budget(access, &[refined(6.0, 60)]), None);
        assert_eq!(
            refined_over_budget(access, &[refined(1.0, 60), refined(6.5, 60)]).as_deref(),
            Some(
                "refined, a page of it costs 6.5 rcu where 60 items are read, more than 4 times its budget of 1.5 rcu"
            )
        );
    }

    /// C0-11: a count is one number, and must not cost more where there is more to count, unless the model says how much that is.
    #[test]
    fn more_to_count_is_no_excuse() {
        let count = |units: f64, count: u64| Cost {
            units,
            followed: units,
            given: count,
            there_is: count,
            unrefined: None,
            is_count: true,
            of_somebody: false,
            ..refined(0.0, 0).unwrap()
        };
        let allowed = |planned: Option<f64>, is_bounded: bool| Allowed {
            planned,
            requests: 8,
            page: Some(20),
            is_filtered: false,
            keeps: None,
            block: 0.5,
            most_counted: is_bounded.then_some(10_000),
            looks_at: None,
            at_most: None,
        };
        let (small, large) = (count(4.0, 100), count(26.0, 1000));
        assert!(small.follows_the_table(&large, allowed(None, false)));
        assert!(small.follows_the_table(&large, allowed(Some(90.0), false)));
        assert!(!small.follows_the_table(&large, allowed(Some(90.0), true)));
        assert!(small.follows_the_table(&large, allowed(Some(20.0), true)));
        // One read of a counter, or a block more.
        assert!(!count(0.5, 10).follows_the_table(&count(0.5, 100), allowed(None, false)));
        assert!(!count(4.0, 100).follows_the_table(&count(7.0, 110), allowed(None, false)));
        assert!(
            small
                .grown(&large, false, allowed(None, false))
                .starts_with("it counts by reading")
        );
    }

    /// S3-48: what each shard may have to give is a page of it. A filter that passes over more in the large table follows the table, however
    /// many shards there are.
    #[test]
    fn shards_have_a_page_each_to_give_and_no_more() {
        let list = |units: f64, given: u64, there_is: u64| Cost {
            units,
            followed: units,
            given,
            there_is,
            unrefined: None,
            of_somebody: false,
            largest: 1000,
            ..refined(0.0, 0).unwrap()
        };
        let allowed = |is_filtered: bool| Allowed {
            planned: None,
            requests: 16,
            page: Some(20),
            is_filtered,
            keeps: None,
            block: 0.5,
            most_counted: None,
            looks_at: None,
            at_most: None,
        };
        // A page of 20 from 16 shards of 7 items, and of 70: five blocks of each.
        let (small, large) = (list(16.0, 20, 112), list(40.0, 20, 1120));
        assert!(!small.follows_the_table(&large, allowed(false)));
        assert!(small.follows_the_table(&list(40.5, 20, 1120), allowed(false)));
        // A filter that keeps so little that no page is full has read all there is.
        let (small, large) = (list(12.5, 1, 1), list(76.5, 10, 10));
        assert!(small.follows_the_table(&large, allowed(true)));
        // One that keeps half fills a page from a block more of each shard.
        let (small, large) = (list(8.0, 20, 56), list(16.0, 20, 560));
        assert!(!small.follows_the_table(&large, allowed(true)));
    }

    /// What is rare and larger than declared costs each shard that reads it a block more than planned, and no more.
    #[test]
    fn an_item_larger_than_declared_is_no_growth_of_a_list_of_shards() {
        let list = |units: f64, there_is: u64, beside_larger: bool| Cost {
            units,
            followed: units,
            there_is,
            unrefined: None,
            of_somebody: false,
            beside_larger,
            ..refined(0.0, 0).unwrap()
        };
        let allowed = Allowed {
            planned: Some(12.0),
            requests: 8,
            page: Some(20),
            is_filtered: false,
            keeps: None,
            block: 0.5,
            most_counted: None,
            looks_at: None,
            at_most: None,
        };
        let small = list(4.0, 20, true);
        assert!(small.follows_the_table(&list(12.5, 200, false), allowed));
        assert!(!small.follows_the_table(&list(12.5, 200, true), allowed));
        assert!(small.follows_the_table(&list(16.5, 200, true), allowed));
    }

    /// A search that finds nothing in both tables, of somebody who has tasks in the large one alone.
    #[test]
    fn who_is_not_in_the_small_table_is_compared_with_nobody() {
        let search = |units: f64, of_them: u64| Cost {
            units,
            followed: units,
            given: 0,
            there_is: 0,
            of_them,
            unrefined: None,
            ..refined(0.0, 0).unwrap()
        };
        let allowed = Allowed {
            planned: Some(15.0),
            requests: 1,
            page: None,
            is_filtered: true,
            keeps: None,
            block: 0.5,
            most_counted: None,
            looks_at: None,
            at_most: None,
        };
        assert!(!search(0.5, 0).follows_the_table(&search(1.5, 12), allowed));
        assert!(search(0.5, 4).follows_the_table(&search(1.5, 4), allowed));
        assert!(search(0.5, 0).follows_the_table(&search(1.5, 0), allowed));
    }

    /// S3-48: a refined page of everybody's items costs what it looks at; where nothing bounds that, it follows the table.
    #[test]
    fn a_refined_page_of_everybody_costs_what_it_looks_at() {
        let page = |units: f64, given: u64, unrefined: u64| Cost {
            units,
            followed: units,
            given,
            there_is: given,
            of_somebody: false,
            of_all: true,
            ..refined(0.0, unrefined).unwrap()
        };
        let allowed = |looks_at: Option<u64>, planned: Option<f64>| Allowed {
            planned: Some(24.0),
            requests: 8,
            page: Some(20),
            is_filtered: true,
            keeps: None,
            block: 0.5,
            most_counted: None,
            looks_at,
            at_most: planned,
        };
        let (small, large) = (page(34.5, 1, 500), page(294.0, 1, 5_000));
        assert!(small.follows_the_table(&large, allowed(None, None)));
        // 52 units, half as much again, one unit, and two requests for each shard: a page of 20, and the rest of 50.
        let bounded = allowed(Some(400), Some(52.0));
        assert!(small.follows_the_table(&large, bounded));
        assert!(!small.follows_the_table(&page(87.0, 1, 5_000), bounded));
        assert!(small.follows_the_table(&page(87.5, 1, 5_000), bounded));
        // Where nobody can plan it, what was looked at in the small table says what as many cost as are looked at.
        let unplanned = allowed(Some(400), None);
        let few = page(10.0, 1, 100);
        assert!(!few.follows_the_table(&page(69.0, 1, 5_000), unplanned));
        assert!(few.follows_the_table(&page(69.5, 1, 5_000), unplanned));
        // What passes often fills a page from as much in both tables.
        let often = |units: f64, there_is: u64| Cost {
            there_is,
            ..page(units, 20, 5 * there_is)
        };
        let (small, large) = (often(12.0, 100), often(12.5, 1_000));
        assert!(!small.follows_the_table(&large, allowed(None, None)));
        // Somebody's items are the same.
        let of_somebody = Cost {
            of_somebody: true,
            of_all: false,
            ..page(12.0, 20, 500)
        };
        assert!(of_somebody.follows_the_table(&page(12.5, 20, 500), bounded));
    }

    #[test]
    fn what_a_refined_page_costs_is_not_told_as_the_cost_of_the_pattern() {
        let plain = Cost {
            units: 1.5,
            unrefined: None,
            ..refined(0.0, 0).unwrap()
        };
        assert_eq!(costliest(&[refined(9.0, 60), Some(plain)]), Some(1.5));
    }
}
