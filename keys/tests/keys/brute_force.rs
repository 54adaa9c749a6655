//! The algebra against enumeration: every answer must be right in both directions.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tablewright_keys::algebra::{
    self, WhyUnordered, ambiguity, can_be_equal, meeting, order, order_upto, prefix_can_match,
};

use crate::tiny::{Tiny, crowded, related, tiny};

/// Runs many cases and insists that both answers occur often: a test of one answer only proves little.
fn for_many<S: Strategy>(
    cases: u32,
    cases_of: &S,
    check: impl Fn(S::Value) -> Result<bool, TestCaseError>,
) {
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let (yes, no) = (Cell::new(0_u32), Cell::new(0_u32));
    let run = TestRunner::new(config).run(cases_of, |case| {
        let answer = if check(case)? { &yes } else { &no };
        answer.set(answer.get() + 1);
        Ok(())
    });
    if let Err(failure) = run {
        panic!("{failure}");
    }
    let rarer = yes.get().min(no.get());
    assert!(rarer * 12 > cases, "{} yes and {} no", yes.get(), no.get());
}

#[test]
fn keys_can_be_equal_exactly_when_some_are() {
    for_many(4000, &related(), |(a, b)| {
        let keys: HashSet<String> = a.all_keys().into_iter().collect();
        let common = b.all_keys().into_iter().filter(|key| keys.contains(key));
        let shortest = common.map(|key| key.chars().count()).min();
        let witness = can_be_equal(&a.template, &b.template);
        prop_assert_eq!(
            witness.as_ref().map(|key| key.chars().count()),
            shortest,
            "{:?}",
            witness
        );
        if let Some(key) = &witness {
            prop_assert!(keys.contains(key) && b.all_keys().contains(key), "{}", key);
        }
        if let Some(found) = meeting(&a.template, &b.template) {
            prop_assert_eq!(Some(&found.key), witness.as_ref());
            for (tiny, reading) in [(&a, &found.first), (&b, &found.second)] {
                prop_assert_eq!(&reading.concat(), &found.key);
                let mut all = tiny.all_texts().into_iter();
                prop_assert!(all.any(|texts| texts == *reading), "{:?}", found);
            }
        }
        Ok(witness.is_some())
    });
}

#[test]
fn a_template_is_ambiguous_exactly_when_a_key_has_two_readings() {
    for_many(4000, &prop_oneof![tiny(), crowded()], |tiny| {
        let mut readings: HashMap<String, Vec<&str>> = HashMap::new();
        let mut shortest: Option<usize> = None;
        for texts in tiny.all_texts() {
            let key = texts.concat();
            let length = key.chars().count();
            if readings.insert(key, texts).is_some() {
                shortest = Some(shortest.map_or(length, |known| known.min(length)));
            }
        }
        let found = ambiguity(&tiny.template);
        prop_assert_eq!(
            found.as_ref().map(|found| found.key.chars().count()),
            shortest,
            "{:?}",
            found
        );
        if let Some(found) = &found {
            let all = tiny.all_texts();
            prop_assert_ne!(&found.first, &found.second);
            for reading in [&found.first, &found.second] {
                prop_assert_eq!(&reading.concat(), &found.key);
                prop_assert!(all.iter().any(|texts| texts == reading), "{:?}", found);
            }
        }
        Ok(found.is_some())
    });
}

/// Whether keys that differ in the first `pieces` pieces sort like those pieces' values.
fn sorts(tiny: &Tiny, pieces: usize) -> bool {
    // Combinations come in the order of their values, so each must be above all that differ before it.
    let mut highest_before: Option<String> = None;
    let mut highest_of_group: Option<(Vec<&str>, String)> = None;
    for texts in tiny.all_texts() {
        let key = texts.concat();
        let head = texts[..pieces.min(texts.len())].to_vec();
        match &mut highest_of_group {
            Some((group, highest)) if *group == head => *highest = key.clone().max(highest.clone()),
            group => {
                highest_before = highest_before.max(group.take().map(|(_, highest)| highest));
                *group = Some((head, key.clone()));
            }
        }
        if highest_before.as_ref().is_some_and(|before| key <= *before) {
            return false;
        }
    }
    true
}

/// Templates whose texts stand for their values.
fn lossless() -> impl Strategy<Value = Tiny> {
    prop_oneof![3 => tiny(), 1 => crowded()].prop_filter("lossless", |tiny| !tiny.loses_values())
}

#[test]
fn keys_are_in_order_exactly_when_all_of_them_are() {
    for_many(4000, &lossless(), |tiny| {
        let answer = order(&tiny.template);
        prop_assert_eq!(answer.is_ok(), sorts(&tiny, usize::MAX), "{:?}", answer);
        if let Err(broken) = &answer
            && let WhyUnordered::Continuation { smaller, greater } = &broken.why
        {
            let keys = tiny.all_keys();
            let at = |key: &String| keys.iter().position(|known| known == key);
            prop_assert!(smaller >= greater, "{:?}", broken);
            prop_assert!(
                at(smaller).is_some() && at(greater).is_some(),
                "{:?}",
                broken
            );
        }
        Ok(answer.is_ok())
    });
}

#[test]
fn the_first_pieces_are_in_order_exactly_when_all_keys_are_by_them() {
    for_many(2000, &(lossless(), 0..4_usize), |(tiny, pieces)| {
        let answer = order_upto(&tiny.template, pieces);
        prop_assert_eq!(answer.is_ok(), sorts(&tiny, pieces), "{:?}", answer);
        Ok(answer.is_ok())
    });
}

#[test]
fn a_prefix_can_match_exactly_when_some_key_starts_with_it() {
    for_many(4000, &related(), |(prefix, tiny)| {
        let prefixes: HashSet<String> = prefix.all_keys().into_iter().collect();
        let starts = |key: &String| {
            let mut ends = key.char_indices().map(|(end, _)| end).chain([key.len()]);
            ends.any(|end| prefixes.contains(&key[..end]))
        };
        let expected = tiny.all_keys().iter().any(starts);
        prop_assert_eq!(prefix_can_match(&prefix.template, &tiny.template), expected);
        Ok(expected)
    });
}

#[test]
fn exactly_the_keys_with_one_reading_are_decoded() {
    for_many(1000, &related(), |(tiny, other)| {
        let mut readings: HashMap<String, usize> = HashMap::new();
        for key in tiny.all_keys() {
            *readings.entry(key).or_default() += 1;
        }
        let probes = tiny
            .all_keys()
            .into_iter()
            .take(60)
            .chain(other.all_keys().into_iter().take(60));
        let mut decoded = 0;
        for key in probes {
            let values = tiny.template.decode(&key);
            prop_assert_eq!(values.is_some(), readings.get(&key) == Some(&1), "{}", key);
            if let Some(values) = values.filter(|_| !tiny.loses_values()) {
                let rendered = tiny.template.render(|field| values.get(field).cloned());
                prop_assert_eq!(rendered, Ok(key));
                decoded += 1;
            }
        }
        let shortest = tiny
            .all_keys()
            .into_iter()
            .map(|key| key.chars().count())
            .min();
        let example = algebra::shortest_key(&tiny.template);
        prop_assert_eq!(example.map(|key| key.chars().count()), shortest);
        Ok(decoded > 0)
    });
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_longest_key_is_as_long_as_its_bound(tiny in tiny()) {
        if let Some(longest) = tiny.all_keys().iter().map(String::len).max() {
            prop_assert_eq!(u64::try_from(longest).ok(), tiny.template.max_bytes());
        }
    }
}
