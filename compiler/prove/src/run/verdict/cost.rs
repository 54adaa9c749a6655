//! What questions cost, and whether that follows the answer and keeps the budget.

use tablewright_model::model::{Access, UnitKind};

use crate::run::ask::Asked;
use crate::{Expected, Question};

/// What one question cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cost {
    pub(super) units: f64,
    /// How much was given, and how much there is.
    given: u64,
    there_is: u64,
    within_facts: bool,
    /// The caller says whose items it wants: they are the same in both tables.
    of_somebody: bool,
    /// Of a list that the caller refines: how many items there are unrefined.
    unrefined: Option<u64>,
}

impl Cost {
    pub(crate) fn of(
        access: &Access,
        asked: &Asked,
        expected: &Expected,
        question: &Question,
        unrefined: Option<u64>,
    ) -> Self {
        Cost {
            units: asked.units,
            given: asked.len(),
            there_is: expected.len(),
            within_facts: question.within_facts,
            of_somebody: !access.by.is_empty(),
            unrefined,
        }
    }

    /// Whether a cost in the large table follows the table and not the answer. The same answer must cost the same. Where there is more to
    /// give, as on an index over all items, a page costs what the plan says at most; where that is not known, it may cost more as far as
    /// it gives more, and half as much again for larger items. What such an index is asked beside the facts, as with a filter that keeps
    /// nothing, is not judged: nobody said that it is cheap.
    pub(super) fn follows_the_table(
        &self,
        large: &Cost,
        planned: Option<f64>,
        requests: u32,
    ) -> bool {
        if !self.of_somebody && (!self.within_facts || self.unrefined.is_some()) {
            return false;
        }
        if self.there_is == large.there_is {
            return large.units > self.units;
        }
        let more = large.given.max(1) as f64 / self.given.max(1) as f64;
        let bound = self.units * more.max(1.0) * 1.5 * f64::from(requests) + 1.0;
        large.units > planned.unwrap_or(bound).max(self.units)
    }
}

/// The costliest question that keeps to the declared facts; of all, where none does. A refined list costs what the caller makes of it.
pub(super) fn costliest(costs: &[Option<Cost>]) -> Option<f64> {
    let most = |within: bool| {
        let costs = costs.iter().flatten();
        let costs = costs.filter(|cost| cost.unrefined.is_none());
        let costs = costs.filter(|cost| cost.within_facts || !within);
        costs.map(|cost| cost.units).max_by(f64::total_cmp)
    };
    most(true).or_else(|| most(false))
}

/// What is said of units over the budget; nothing within it.
pub(super) fn over_budget(access: &Access, kind: UnitKind, units: f64) -> Option<String> {
    let budget = access
        .budget
        .as_ref()
        .filter(|budget| budget.kind == kind)?;
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
            given: 20,
            there_is: 20,
            within_facts: true,
            of_somebody: true,
            unrefined: Some(unrefined),
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
