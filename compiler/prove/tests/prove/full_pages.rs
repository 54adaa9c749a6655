//! Reads are asked for as much as a plan reckons with, and it is not met by luck: what is measured is what is planned, however few items there are.

use std::fs;
use std::ops::RangeInclusive;

use tablewright_model::Model;
use tablewright_model::model::Verb;
use tablewright_plan::{Answer, plan};
use tablewright_prove::Proof;

use crate::support::{all_pass, fixture, model, proved, root};

/// The plan takes an entry of an index that holds few fields for the largest that their types allow.
const NARROW: &str = "its index holds few fields, and the plan takes an entry for the largest that their types allow, with names of 32 bytes and identifiers of 128";

/// Where a filter drops some items, the plan reads more of every shard.
const FILTERED: &str =
    "the plan adds what the filter drops to every shard, and no shard has to give a whole page";

/// Reads that cost less than is planned, from so much to so much, and why. Where the two differ, they follow from the lengths of names that chance makes.
const LESS: [(&str, RangeInclusive<f64>, &str); 15] = [
    (
        "task_with_assignments",
        2.0..=2.0,
        "of the two kinds it gives, the plan takes every item for one of the larger, and a task has one of these: the other 49 are smaller",
    ),
    (
        "mails_waiting",
        14.0..=16.0,
        "a mail that did not arrive may have waited, and those that did are smaller: nothing but keys is in them",
    ),
    ("mails_due", 14.0..=16.0, "as of `mails_waiting`"),
    ("overdue_of_agent", 2.5..=2.5, NARROW),
    ("overdue_questions", 16.0..=16.0, NARROW),
    ("questions_to_catch_up", 16.0..=16.0, NARROW),
    ("banned_humans", 4.0..=4.0, NARROW),
    ("leaderboard", 20.0..=24.0, NARROW),
    ("leaderboard_of_day", 20.0..=24.0, NARROW),
    ("leaderboard_of_week", 20.0..=24.0, NARROW),
    ("count_ahead_of_day", 24.0..=32.0, NARROW),
    ("count_ahead_of_week", 64.0..=84.0, NARROW),
    (
        "count_ahead",
        4.0..=4.0,
        "ten thousand items are more than are made for one number: a partition of few costs a block",
    ),
    ("open_questions", 20.0..=20.0, FILTERED),
    ("neediest_questions", 20.0..=20.0, FILTERED),
];

/// Measured reads are planned reads, in the small table and in the large one; of what is read from several shards, where each of them is full.
pub(crate) fn cost_as_planned(model: &Model, proof: &Proof, about: &str) {
    let mut held = 0;
    for (plan, measured) in plan(model).iter().zip(&proof.patterns) {
        let access = model.access(&measured.pattern).unwrap();
        let Answer::Read(read) = &plan.answer else {
            continue;
        };
        let about = format!("{about}: {} of {measured:#?}", read.cost.formula);
        let planned = read.cost.units.unwrap();
        let costs = match measured.rcu_full {
            Some(full) => vec![full],
            None => vec![measured.rcu_small.unwrap(), measured.rcu_large.unwrap()],
        };
        held += usize::from(matches!(access.verb, Verb::List(_)));
        let less = LESS.iter().find(|(name, ..)| *name == access.name.value);
        match less {
            None => assert!(costs.iter().all(|units| *units == planned), "{about}"),
            Some((_, units, why)) => {
                assert!(*units.start() < planned, "no longer less ({why}): {about}");
                let are_so = costs.iter().all(|cost| units.contains(cost));
                assert!(are_so, "not {units:?} ({why}): {about}");
            }
        }
    }
    assert!(held > 2, "{about}");
}

/// A read that was renamed or removed leaves no exception behind.
#[test]
fn what_costs_less_is_a_read_of_a_model() {
    let models = ["todo", "tasks", "ask", "accounts"];
    let models = models.map(|name| model(root().join(format!("models/{name}.toml"))));
    for (name, ..) in LESS {
        let mut known = models.iter().filter_map(|model| model.access(name));
        let is_read = known.any(|access| access.verb.is_read());
        assert!(is_read, "no model has a read `{name}`");
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

/// Nothing says which shard the next items are in, so a page reads one of each: whoever has few items, or few in each shard, pays less. What is searched
/// or counted is as much as is declared, and so are the keys of a batch.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_read_from_many_places_is_asked_where_all_are_full() {
    let model = model(fixture("full-shards"));
    for (items, seed) in [(20, 1), (60, 2), (200, 3)] {
        let proof = proved(&model, items, seed).await;
        for (name, units, budget) in [
            ("newest", 12.0, "11.5 rcu"),
            ("newest_of_team", 12.0, "11.5 rcu"),
            ("how_many_of_team", 28.0, "27.5 rcu"),
            ("search_of_owner", 7.5, "7 rcu"),
            ("by_ids", 15.0, "14.5 rcu"),
        ] {
            let mut patterns = proof.patterns.iter();
            let read = patterns.find(|one| one.pattern == name).unwrap();
            let over = format!("it costs {units} rcu, more than its budget of {budget}");
            let about = format!("{items} items, seed {seed}: {read:#?}");
            assert_eq!(read.why, Some(over), "{about}");
        }
    }
}

/// With the half unit they lack, all of them are kept, also where one of everybody's items is larger than declared.
#[tokio::test(flavor = "multi_thread")]
async fn a_budget_of_what_is_planned_is_kept() {
    let mut text = fs::read_to_string(fixture("full-shards")).unwrap();
    for (small, planned) in [("11.5", "12"), ("27.5", "28"), ("14.5", "15"), ("7", "7.5")] {
        let budget = |units: &str| format!("budget  = \"{units} rcu\"");
        text = text.replace(&budget(small), &budget(planned));
        let budget = |units: &str| format!("budget = \"{units} rcu\"");
        text = text.replace(&budget(small), &budget(planned));
    }
    let model = tablewright_model::parse(&text).unwrap();
    for (items, seed) in [(20, 7), (60, 2), (200, 3)] {
        let proof = proved(&model, items, seed).await;
        all_pass(&proof, &format!("{items} items, seed {seed}"));
    }
}
