use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;
use tablewright_model::Model;
use tablewright_model::model::{EntityId, FieldId};

use super::links::Links;
use super::sizes::size_of_record;
use super::*;
use crate::fold::fold;
use crate::models;
use crate::valid;

fn entity(model: &Model, name: &str) -> (EntityId, Vec<FieldId>) {
    let (id, entity) = model
        .entity_ids()
        .find(|(_, one)| one.name.value == name)
        .unwrap();
    (id, (0..entity.fields.len()).map(FieldId).collect())
}

fn all(population: &Population) -> impl Iterator<Item = &Record> {
    population.small.iter().chain(&population.more)
}

#[test]
fn the_same_seed_gives_the_same_records() {
    for (_, model) in models::all() {
        let (first, second) = (
            populate(&model, 200, 7).unwrap(),
            populate(&model, 200, 7).unwrap(),
        );
        assert_eq!(first.small, second.small);
        assert_eq!(first.more, second.more);
        assert_ne!(first.small, populate(&model, 200, 8).unwrap().small);
    }
}

#[test]
fn every_record_is_valid_and_nearly_as_many_are_made_as_asked_for() {
    for (name, model) in models::all() {
        let population = populate(&model, 1000, 1).unwrap();
        for record in all(&population) {
            assert_eq!(valid::fault(&model, record), None, "{name}");
        }
        let (small, more) = (population.small.len(), population.more.len());
        assert!((850..1300).contains(&small), "{name}: {small}");
        assert!((7600..9600).contains(&more), "{name}: {more}");
        for (id, entity) in model.entity_ids() {
            let count = population
                .small
                .iter()
                .filter(|record| record.entity() == id)
                .count();
            assert!(count > 0, "{name}: no {}", entity.name);
        }
    }
}

#[test]
fn keys_and_unique_values_occur_once() {
    for (name, model) in models::all() {
        let population = populate(&model, 400, 2).unwrap();
        let mut seen = BTreeSet::new();
        for record in all(&population) {
            let entity = model.entity(record.entity());
            let key = record.key(&model);
            assert!(
                seen.insert(format!("{} {key:?}", entity.name)),
                "{name}: {key:?}"
            );
            for unique in entity
                .unique
                .iter()
                .filter_map(|unique| unique.guard.as_ref())
            {
                let values = unique
                    .field_ids()
                    .into_iter()
                    .map(|field| record.value(field));
                let values: Option<Vec<String>> = values
                    .map(|value| Some(fold(&value?.to_string())))
                    .collect();
                if let Some(values) = values {
                    assert!(
                        seen.insert(format!("guard {} {values:?}", entity.name)),
                        "{name}: {values:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn references_hold_and_come_after_what_they_refer_to() {
    for (name, model) in models::all() {
        let population = populate(&model, 400, 3).unwrap();
        let links = Links::of(&model);
        for world in [&population.small, &population.more] {
            let mut seen: BTreeSet<String> = BTreeSet::new();
            for record in world {
                for reference in &links.references[record.entity().0] {
                    let values: Option<Vec<&Value>> = reference
                        .fields
                        .iter()
                        .map(|(mine, _)| record.value(*mine))
                        .collect();
                    if let Some(values) = values {
                        let referred = format!("{:?} {values:?}", reference.to);
                        assert!(seen.contains(&referred), "{name}: {referred}");
                    }
                }
                let entity = model.entity(record.entity());
                let key: Vec<&Value> = entity
                    .identity()
                    .into_iter()
                    .filter_map(|field| record.value(field))
                    .collect();
                seen.insert(format!("{:?} {key:?}", record.entity()));
            }
        }
    }
}

#[test]
fn a_few_have_many_many_have_few_and_some_have_none() {
    let model = models::todo();
    let population = small(&model, 3000, 1);
    let ((user, _), (task, fields)) = (entity(&model, "User"), entity(&model, "Task"));
    let mut tasks: HashMap<&Value, usize> = HashMap::new();
    let users = population
        .small
        .iter()
        .filter(|record| record.entity() == user)
        .count();
    for record in population
        .small
        .iter()
        .filter(|record| record.entity() == task)
    {
        *tasks.entry(record.value(fields[0]).unwrap()).or_default() += 1;
    }
    let most = tasks.values().copied().max().unwrap();
    let light = tasks.values().filter(|count| **count < 20).count();
    // Several pages of twenty, and no more than the search says it reads.
    assert!((53..=200).contains(&most), "{most}");
    assert!(light * 2 > users, "{light} of {users}");
    assert!(tasks.len() < users);
}

#[test]
fn sizes_are_near_what_the_model_declares() {
    for (name, model) in models::all() {
        let population = small(&model, 1000, 4);
        for (id, entity) in model.entity_ids() {
            let Some(declared) = entity.facts.size else {
                continue;
            };
            let sizes: Vec<usize> = population
                .small
                .iter()
                .filter(|record| record.entity() == id)
                .map(|record| size_of_record(&model, record))
                .collect();
            let within = sizes
                .iter()
                .filter(|size| **size <= declared as usize)
                .count();
            let name = format!("{name} {}: {within} of {}", entity.name, sizes.len());
            assert!(within * 100 >= sizes.len() * 85, "{name}");
        }
    }
    let model = models::todo();
    let population = small(&model, 1000, 4);
    let (task, _) = entity(&model, "Task");
    let sizes = population
        .small
        .iter()
        .filter(|record| record.entity() == task)
        .map(|record| size_of_record(&model, record));
    let (count, sum) = sizes.fold((0, 0), |(count, sum), size| (count + 1, sum + size));
    assert!((430..600).contains(&(sum / count)), "{}", sum / count);
}

#[test]
fn awkward_values_equal_moments_absent_optionals_and_ended_items_are_there() {
    let model = models::todo();
    let population = small(&model, 1000, 5);
    let (task, _) = entity(&model, "Task");
    let field = |name: &str| model.entity(task).field_named(name).unwrap();
    let tasks: Vec<&Record> = population
        .small
        .iter()
        .filter(|record| record.entity() == task)
        .collect();
    let texts: Vec<&str> = tasks
        .iter()
        .filter_map(|one| one.value(field("category"))?.as_str())
        .collect();
    assert!(texts.iter().any(|text| text.contains('#')));
    assert!(texts.iter().any(|text| !text.is_ascii()));
    assert!(
        tasks
            .iter()
            .any(|one| one.value(field("priority")).is_none())
    );
    let now = population.now / 1000;
    let ends: Vec<i64> = tasks
        .iter()
        .filter_map(|one| one.value(field("ttl"))?.as_i64())
        .collect();
    assert!(
        ends.contains(&now)
            && ends.iter().any(|end| *end > now)
            && ends.iter().any(|end| *end < now)
    );
    let mut moments: BTreeMap<String, usize> = BTreeMap::new();
    for one in &tasks {
        *moments
            .entry(one.value(field("created_at")).unwrap().to_string())
            .or_default() += 1;
    }
    assert!(moments.values().any(|count| *count > 2));
}

#[test]
fn every_type_has_values() {
    let model = models::every_type();
    let population = populate(&model, 200, 6).unwrap();
    for record in all(&population) {
        assert_eq!(valid::fault(&model, record), None);
    }
    let (id, fields) = entity(&model, "Thing");
    for field in fields {
        let has =
            all(&population).any(|record| record.entity() == id && record.value(field).is_some());
        assert!(has, "{}", model.entity(id).field(field).name);
    }
}

#[test]
fn too_little_is_said() {
    assert_eq!(
        populate(&models::todo(), 10, 1).unwrap_err(),
        PopulateError::TooFew { least: 20 }
    );
    let none = tablewright_model::parse("[model]\nname = \"none\"\n").unwrap();
    assert_eq!(
        populate(&none, 1000, 1).unwrap_err(),
        PopulateError::NoEntity
    );
}

/// S0-51: in the table and in every index, however few items there are.
#[test]
fn of_what_has_an_end_something_is_over_everywhere() {
    let mut places = 0;
    for (name, model) in models::all() {
        for seed in 1..=3 {
            let population = populate(&model, 200, seed).unwrap();
            for (id, entity) in model.entity_ids() {
                let Some((_, end)) = &entity.ttl else {
                    continue;
                };
                let is_over = |record: &&Record| {
                    let end = record.value(*end).and_then(Value::as_i64);
                    record.entity() == id && end == Some(population.now / 1000)
                };
                let over: Vec<&Record> = population.small.iter().filter(is_over).collect();
                assert!(!over.is_empty(), "{name}, seed {seed}: {}", entity.name);
                for index in &entity.index_keys {
                    let is_in = |record: &&Record| crate::indexed::is_in(&model, index, record);
                    let place = format!("{name}, seed {seed}: {} of {}", index.name, entity.name);
                    assert!(over.iter().any(is_in), "{place}");
                    places += 1;
                }
            }
        }
    }
    assert!(places > 0, "no model has an index of what ends");
}
