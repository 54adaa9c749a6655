use serde_json::Value;

use super::*;
use crate::data::small;
use crate::deed::{Act, Effect, Refusal};
use crate::indexed::{entries, weight};
use crate::models;
use crate::oracle::condition::holds;
use crate::record::Record;
use crate::valid;

/// What must be true of a deed before it is done, and what it must leave, worked out from its own words.
fn check(name: &str, model: &Model, access: &Access, oracle: &Oracle<'_>, deed: &Deed) {
    let batch = matches!(access.verb, Verb::Batch(_));
    let steps = steps(access);
    let about = format!("{name}: {}", deed.about);
    let mut effects = Vec::new();
    for (position, action) in deed.actions.iter().enumerate() {
        let step = if batch { &steps[0] } else { &steps[position] };
        assert_eq!(action.name, step.name, "{about}");
        let alive = |key| {
            oracle
                .stored(step.entity, key)
                .filter(|record| oracle.is_alive(record))
        };
        match &action.act {
            Act::Create(record) => {
                assert_eq!(valid::fault(model, record), None, "{about}");
                let there = alive(&record.key(model)).is_some();
                assert_eq!(there, action.refused == Some(Refusal::Exists), "{about}");
                effects.push(Effect::Insert(record.clone()));
            }
            Act::Update { key, set, add } => {
                let Some(record) = alive(key) else {
                    assert_eq!(action.refused, Some(Refusal::NotFound), "{about}");
                    continue;
                };
                let met = step.condition.is_none_or(|condition| {
                    let counted = oracle.counted(record);
                    holds(model, &condition.condition, &counted, &deed.given)
                });
                assert_eq!(met, action.refused != Some(Refusal::Condition), "{about}");
                let changed = changed(model, record, set, add);
                assert_eq!(valid::fault(model, &changed), None, "{about}");
                effects.push(Effect::Replace(changed));
            }
            Act::Delete { key } | Act::Check { key } => {
                let Some(record) = alive(key) else {
                    assert_eq!(action.refused, Some(Refusal::NotFound), "{about}");
                    continue;
                };
                let met = step.condition.is_none_or(|condition| {
                    let counted = oracle.counted(record);
                    holds(model, &condition.condition, &counted, &deed.given)
                });
                assert_eq!(met, action.refused != Some(Refusal::Condition), "{about}");
                if let Act::Delete { .. } = action.act {
                    effects.push(Effect::Remove(record.clone()));
                }
            }
        }
    }
    effects.extend(deed.claim.clone().map(Effect::Insert));
    if !batch {
        let effects = if deed.is_refused() {
            Vec::new()
        } else {
            effects
        };
        assert_eq!(deed.after.len(), effects.len(), "{about}");
        for (said, found) in deed.after.iter().zip(&effects) {
            match (said, found) {
                // What is removed has its counts in one and not in the other.
                (Effect::Remove(said), Effect::Remove(found)) => {
                    assert_eq!(said.key(model), found.key(model))
                }
                (said, found) => assert_eq!(said, found, "{about}"),
            }
        }
    }
}

fn prepare(oracle: &mut Oracle<'_>, deed: &Deed) {
    let first = deed.made_first().cloned();
    first.for_each(|record| oracle.insert(record));
}

fn changed(
    model: &Model,
    record: &Record,
    set: &serde_json::Map<String, Value>,
    add: &[(String, i64)],
) -> Record {
    let mut fields = record.fields(model);
    fields.extend(set.clone());
    for (name, by) in add {
        let has = fields.get(name).and_then(Value::as_i64).unwrap_or(0);
        fields.insert(name.clone(), Value::from(has + by));
    }
    Record::of(model, record.entity(), fields).unwrap()
}

#[test]
fn every_write_is_done_and_refused_as_its_words_say() {
    for (name, model) in models::all() {
        let population = small(&model, 800, 1);
        let mut oracle = Oracle::new(&model, &population.small, population.now);
        for access in model
            .accesses
            .iter()
            .filter(|access| !access.verb.is_read())
        {
            let all = deeds(&model, access, &oracle, &Later::default(), 1);
            let is_done = all.iter().any(|deed| !deed.after.is_empty());
            assert!(is_done, "{name}: {} is never done", access.name);
            let refused = |deed: &Deed| deed.is_refused();
            let finds = matches!(&access.verb, Verb::Batch(_)) && !all.iter().any(refused);
            assert!(
                all.iter().any(refused) || finds,
                "{name}: {} is never refused",
                access.name
            );
            assert_eq!(all, deeds(&model, access, &oracle, &Later::default(), 1));
            for deed in &all {
                prepare(&mut oracle, deed);
                check(name, &model, access, &oracle, deed);
                oracle.apply(&deed.after);
            }
        }
    }
}

#[test]
fn every_way_to_refuse_is_tried() {
    let model = models::tasks();
    let population = small(&model, 800, 1);
    let oracle = Oracle::new(&model, &population.small, population.now);
    let refusals = |access: &str| -> Vec<(String, Refusal)> {
        let all = deeds(
            &model,
            model.access(access).unwrap(),
            &oracle,
            &Later::default(),
            1,
        );
        let actions = all.into_iter().flat_map(|deed| deed.actions);
        actions
            .filter_map(|action| Some((action.name, action.refused?)))
            .collect()
    };
    let named = |name: &str, refusal| (name.to_owned(), refusal);
    assert_eq!(
        refusals("create_user"),
        [
            named("User", Refusal::Exists),
            named("User", Refusal::Taken("email".to_owned()))
        ]
    );
    assert_eq!(
        refusals("update_user"),
        [
            named("User", Refusal::NotFound),
            named("User", Refusal::Taken("email".to_owned()))
        ]
    );
    assert_eq!(
        refusals("take_task"),
        [
            named("Task", Refusal::NotFound),
            named("Task", Refusal::Condition),
            named("User", Refusal::NotFound),
            named("User", Refusal::Condition),
            named("Assignment", Refusal::Exists),
        ]
    );
}

/// What a batch finds and its condition does not hold of is among its items, and refused.
#[test]
fn a_batch_that_finds_its_items_is_refused_those_that_do_not_meet_its_condition() {
    let model = include_str!("../../tests/right/batch-on-condition.toml");
    let model = tablewright_model::parse(model).unwrap();
    let population = small(&model, 200, 1);
    let mut oracle = Oracle::new(&model, &population.small, population.now);
    for name in ["dim", "take_out"] {
        let access = model.access(name).unwrap();
        let all = deeds(&model, access, &oracle, &Later::default(), 1);
        assert_eq!(all.len(), 2, "{name}");
        for deed in all {
            prepare(&mut oracle, &deed);
            check(name, &model, access, &oracle, &deed);
            let refused = deed.actions.iter().filter(|one| one.refused.is_some());
            let refused = refused.count();
            assert!(refused > 0, "{name}: {deed:#?}");
            assert_eq!(deed.after.len(), deed.actions.len() - refused, "{name}");
            oracle.apply(&deed.after);
        }
    }
}

/// S0-51: of every write there is a call of an item in every index, also where the declared size is that of an item in none.
#[test]
fn the_dearest_call_is_among_them() {
    let text = include_str!("../../fixtures/dearest-writes.toml").replace("600 B", "200 B");
    let model = tablewright_model::parse(&text).unwrap();
    let population = small(&model, 200, 1);
    let oracle = Oracle::new(&model, &population.small, population.now);
    let all = |name: &str| {
        deeds(
            &model,
            model.access(name).unwrap(),
            &oracle,
            &Later::default(),
            1,
        )
    };
    let created = all("new_item").into_iter().filter(|deed| {
        let full = |effect: &Effect| entries(&model, effect.record()) == 3;
        deed.within_facts && deed.after.iter().any(full)
    });
    assert_eq!(created.count(), 1);
    let moved = all("change").into_iter().filter(|deed| {
        let moved = |effect: &Effect| {
            let after = effect.record();
            let prepared = deed.prepared.iter();
            let mut prepared = prepared.filter(|one| one.key(&model) == after.key(&model));
            let stored = || oracle.stored(after.entity(), &after.key(&model));
            let before = prepared.next().or_else(stored).unwrap();
            weight(&model, Some(before), Some(after))
        };
        deed.within_facts && deed.after.iter().map(moved).max() >= Some(4)
    });
    assert!(moved.count() > 0);
}
