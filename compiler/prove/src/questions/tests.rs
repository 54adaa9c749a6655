use std::collections::BTreeMap;

use super::*;
use crate::data::{populate, small};
use crate::expected::Expected;
use crate::models;
use crate::oracle::Oracle;

#[test]
fn every_read_is_asked_in_many_ways_and_all_that_it_takes_is_given() {
    for (name, model) in models::all() {
        let population = small(&model, 1500, 1);
        let schema = tablewright_plan::lower(&model);
        for access in model.accesses.iter().filter(|access| access.verb.is_read()) {
            let asked = questions(&model, access, &population, 1);
            assert!(!asked.is_empty(), "{name}: {}", access.name);
            assert_eq!(asked, questions(&model, access, &population, 1));
            let read = schema
                .reads
                .iter()
                .find(|read| read.name == access.name.value)
                .unwrap();
            for question in asked.iter().filter(|question| question.keys.is_empty()) {
                for (given, _) in &read.given {
                    assert!(
                        question.given.contains_key(given) || matches!(access.verb, Verb::Batch(_)),
                        "{name}: {} lacks {given}",
                        access.name
                    );
                }
            }
        }
    }
}

#[test]
fn answers_are_found_missed_and_cut_at_the_edge() {
    for (name, model) in models::all() {
        let population = small(&model, 1500, 1);
        let oracle = Oracle::new(&model, &population.small, population.now);
        for access in model.accesses.iter().filter(|access| access.verb.is_read()) {
            let mut lengths: BTreeMap<Kind, Vec<u64>> = BTreeMap::new();
            for question in questions(&model, access, &population, 1) {
                lengths
                    .entry(question.kind)
                    .or_default()
                    .push(oracle.answer(access, &question).len());
            }
            let found = lengths.values().flatten().any(|length| *length > 0);
            assert!(found, "{name}: nothing of {} is found", access.name);
            if access.by.iter().any(|by| {
                model
                    .entity(access.verb.entity().id)
                    .field(by.id)
                    .kind()
                    .words()
                    .is_none()
            }) && !matches!(access.verb, Verb::Batch(_))
                && !model
                    .entity(access.verb.entity().id)
                    .field(access.by[0].id)
                    .kind()
                    .is_time()
            {
                assert!(
                    lengths.values().flatten().any(|length| *length == 0),
                    "{name}: {} always finds",
                    access.name
                );
            }
        }
    }
}

#[test]
fn heavy_lists_have_several_pages() {
    let model = models::todo();
    let population = small(&model, 1500, 1);
    let oracle = Oracle::new(&model, &population.small, population.now);
    let access = model.access("tasks").unwrap();
    let asked = questions(&model, access, &population, 1);
    let heavy = asked.iter().filter(|question| question.kind == Kind::Heavy);
    assert!(heavy.clone().count() > 0);
    for question in heavy {
        assert!(oracle.answer(access, question).len() > 40);
    }
}

/// A budget is held by what keeps to the facts: heavy lists, refined ones and whole batches among it.
#[test]
fn lists_and_batches_are_asked_within_the_facts() {
    let model = models::todo();
    let population = small(&model, 1500, 1);
    let asked = |name: &str| -> Vec<Question> {
        let access = model.access(name).unwrap();
        let asked = questions(&model, access, &population, 1);
        asked.into_iter().filter(|one| one.within_facts).collect()
    };
    assert!(asked("tasks").iter().any(|one| one.kind == Kind::Heavy));
    assert!(
        asked("tasks_refined")
            .iter()
            .any(|one| !one.refine.is_empty())
    );
    let batches = asked("tasks_by_ids");
    assert!(batches.iter().all(|one| one.keys.len() == 20) && batches.len() == 4);
}

/// A page is not all that was read for it where something is over: no page of such an owner is held to a budget.
#[test]
fn what_has_items_that_are_over_is_not_judged_by_page() {
    let model = models::todo();
    let mut population = small(&model, 1500, 1);
    let access = model.access("tasks").unwrap();
    let id = access.verb.entity().id;
    let (_, ttl) = model.entity(id).ttl.clone().unwrap();
    let user = model.entity(id).field_named("user_id").unwrap();
    let asked = questions(&model, access, &population, 1);
    let judged = |asked: &[Question], owner: &Value| {
        let mut of_owner = asked.iter().filter(|one| one.given["user_id"] == *owner);
        of_owner.any(|one| one.by_page || one.within_facts)
    };
    let owners = asked.iter().map(|one| &one.given["user_id"]);
    let owner = owners.clone().find(|owner| judged(&asked, owner));
    let owner = owner.expect("somebody keeps to the facts").clone();
    let mut of_owner = population.small.iter_mut();
    let over = of_owner
        .find(|one| one.entity() == id && one.value(user) == Some(&owner))
        .unwrap();
    *over = over.with([(ttl.0, Value::from(population.now / 1000))]);
    let asked = questions(&model, access, &population, 1);
    let mut owners = asked.iter().map(|one| &one.given["user_id"]);
    assert!(owners.any(|one| *one == owner), "{owner} is asked about");
    assert!(!judged(&asked, &owner), "{owner}");
}

/// What is asked about a user, an agent or a day has the same answer with nine times as much beside it.
#[test]
fn more_beside_it_changes_no_answer_about_the_small_part() {
    for (name, model) in models::all() {
        let population = populate(&model, 600, 1).unwrap();
        let alone = Oracle::new(&model, &population.small, population.now);
        let large = Oracle::new(
            &model,
            population.small.iter().chain(&population.more),
            population.now,
        );
        let mut same = 0;
        for access in model.accesses.iter().filter(|access| access.verb.is_read()) {
            let entity = model.entity(access.verb.entity().id);
            let wide =
                |by: &tablewright_model::model::Known| entity.field(by.id).kind().words().is_none();
            if !access.by.iter().any(wide) {
                continue;
            }
            for question in questions(&model, access, &population, 1) {
                let (expected, found) = (
                    alone.answer(access, &question),
                    large.answer(access, &question),
                );
                if question.kind == Kind::NearMiss {
                    // A neighbour may be one of the others.
                    continue;
                }
                match (&expected, &found) {
                    (Expected::Many { .. }, Expected::Many { records, .. }) => {
                        assert_eq!(
                            expected.difference(&model, records),
                            None,
                            "{name}: {} {question:?}",
                            access.name
                        );
                    }
                    (expected, found) => {
                        assert_eq!(expected, found, "{name}: {} {question:?}", access.name)
                    }
                }
                same += 1;
            }
        }
        assert!(same > 60, "{name}: {same}");
    }
}
