//! Lists are asked for a full page of items as large as declared, and not met by luck: what is measured is what is planned, however few items there are.

use tablewright_model::Model;
use tablewright_model::model::Verb;
use tablewright_plan::{Answer, plan};
use tablewright_prove::Proof;

use crate::support::{fixture, model, proved, root};

/// Lists whose full page costs less than is planned, what it costs, and why.
const LESS: [(&str, f64, &str); 2] = [
    (
        "task_with_assignments",
        2.0,
        "of the two kinds it gives, the plan takes every item for one of the larger, and a task has one of these: the other 49 are smaller",
    ),
    (
        "overdue_of_agent",
        2.5,
        "its index holds few fields, and the plan takes an entry for the largest that their types allow, with names of 32 bytes and identifiers of 128",
    ),
];

/// Measured reads are planned reads, for every list, in the small table and in the large one. A page that is read from several shards takes a page of each,
/// which small tables do not have: it costs no more than planned.
pub(crate) fn cost_as_planned(model: &Model, proof: &Proof, about: &str) {
    let mut held = 0;
    for (plan, measured) in plan(model).iter().zip(&proof.patterns) {
        let access = model.access(&measured.pattern).unwrap();
        let (Verb::List(_), Answer::Read(read)) = (&access.verb, &plan.answer) else {
            continue;
        };
        let about = format!("{about}: {} of {measured:#?}", read.cost.formula);
        let planned = read.cost.units.unwrap();
        let costs = [measured.rcu_small.unwrap(), measured.rcu_large.unwrap()];
        if read.requests > 1 {
            assert!(costs.iter().all(|units| *units <= planned), "{about}");
            continue;
        }
        assert!(read.filter.is_empty(), "{about}");
        held += 1;
        let less = LESS.iter().find(|(name, ..)| *name == access.name.value);
        match less {
            None => assert_eq!(costs, [planned; 2], "{about}"),
            Some((_, units, why)) => {
                assert!(*units < planned, "no longer less ({why}): {about}");
                assert_eq!(costs, [*units; 2], "{why}: {about}");
            }
        }
    }
    assert!(held > 2, "{about}");
}

/// A list that was renamed or removed leaves no exception behind.
#[test]
fn what_costs_less_is_a_list_of_a_model() {
    let models = ["todo", "tasks", "ask", "accounts"];
    let models = models.map(|name| model(root().join(format!("models/{name}.toml"))));
    for (name, ..) in LESS {
        let mut known = models.iter().filter_map(|model| model.access(name));
        let is_list = known.any(|access| matches!(access.verb, Verb::List(_)));
        assert!(is_list, "no model has a list `{name}`");
    }
}

/// Whoever has few items has cheap lists: the budget is for those who have a page of them, and three of these are too small.
#[tokio::test(flavor = "multi_thread")]
async fn a_list_is_asked_for_a_full_page() {
    let model = model(fixture("full-pages"));
    let over = |budget: &str| {
        Some(format!(
            "it costs 1.5 rcu, more than its budget of {budget}"
        ))
    };
    for (items, seed) in [(20, 1), (60, 1), (60, 2), (200, 1), (200, 2)] {
        let proof = proved(&model, items, seed).await;
        for (name, told) in [
            ("by_priority", over("0.5 rcu")),
            ("by_category", over("0.5 rcu")),
            ("by_due", over("1 rcu")),
            ("all", None),
        ] {
            let mut patterns = proof.patterns.iter();
            let list = patterns.find(|one| one.pattern == name).unwrap();
            assert_eq!(list.why, told, "{items} items, seed {seed}: {list:#?}");
            assert_eq!(
                (list.rcu_small, list.rcu_large),
                (Some(1.5), Some(1.5)),
                "{items} items, seed {seed}"
            );
        }
    }
}
