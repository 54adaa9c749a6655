//! Right models whose corners a proof must not stumble over.

use std::path::Path;

use tablewright_prove::report::text::{self, Look};
use tablewright_prove::report::{json, markdown};
use tablewright_prove::{Few, Verdict, WhyFew};

use crate::support::{all_pass, model, proved};

async fn is_proved(name: &str, items: usize, seed: u64) {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let model = model(tests.join(format!("right/{name}.toml")));
    let proof = proved(&model, items, seed).await;
    all_pass(&proof, &format!("{name}, seed {seed}"));
}

/// S0-51: what does not meet the condition of a batch is left alone, by the store and by the oracle.
#[tokio::test(flavor = "multi_thread")]
async fn batches_that_find_their_items_write_those_that_meet_the_condition() {
    is_proved("batch-on-condition", 120, 1).await;
}

/// S0-51: words are found whatever their accents.
#[tokio::test(flavor = "multi_thread")]
async fn a_search_does_not_mind_accents() {
    for seed in 1..=3 {
        is_proved("accents", 150, seed).await;
    }
}

/// An order by a field in lower case is what the checker and the oracle mean by it.
#[tokio::test(flavor = "multi_thread")]
async fn a_list_in_the_order_of_a_field_in_lower_case() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let findings = tablewright_check::check(&model(tests.join("right/lower-case.toml")));
    assert!(findings.is_empty(), "{findings:#?}");
    is_proved("lower-case", 120, 1).await;
}

/// A document has no names that DynamoDB refuses.
#[tokio::test(flavor = "multi_thread")]
async fn fields_of_any_json() {
    is_proved("documents", 120, 1).await;
}

/// S3-48: fields of few declared values are words, whose items are everybody's.
#[tokio::test(flavor = "multi_thread")]
async fn everybodys_items_by_a_field_of_few_values() {
    for seed in 1..=2 {
        is_proved("few-queues", 400, seed).await;
    }
}

/// An item that is nothing but counts is in its indexes from the first of them.
#[tokio::test(flavor = "multi_thread")]
async fn counts_in_an_index() {
    is_proved("counts-in-an-index", 200, 1).await;
}

/// There are as many as there is room for: one of a singleton, four of a key of four words.
#[tokio::test(flavor = "multi_thread")]
async fn entities_of_few_keys() {
    is_proved("few-keys", 120, 1).await;
}

/// S3-48: there are as many as were asked for, or as there can be, which is told.
#[tokio::test(flavor = "multi_thread")]
async fn entities_of_short_keys() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let model = model(tests.join("right/short-keys.toml"));
    for seed in 1..=2 {
        let proof = proved(&model, 200, seed).await;
        all_pass(&proof, &format!("short-keys, seed {seed}"));
        let few = [Few {
            entity: proof.few[0].entity,
            name: "Level".to_owned(),
            index: None,
            small: 3,
            large: 3,
            why: WhyFew::NoRoom { room: 3 },
        }];
        assert_eq!(proof.few, few);
        let told = "3 Level, then 3, as many as there can be.";
        let look = Look {
            color: false,
            width: 120,
        };
        let terminal = text::render(&proof, look);
        assert!(terminal.contains(told), "{terminal}");
        let page = markdown::render(&proof, "Short keys");
        assert!(page.contains(told), "{page}");
        let document = json::render(&[proof]);
        assert!(document.contains("as many as there can be"), "{document}");
    }
}

/// S0-51: whatever callers refine by: one of several values, a range, what is there and what is not.
#[tokio::test(flavor = "multi_thread")]
async fn lists_refined_in_every_way() {
    is_proved("refinements", 150, 1).await;
}

/// C0-11: one number costs one read, what its owner has, or what the model says it counts at most.
#[tokio::test(flavor = "multi_thread")]
async fn counts_that_are_bounded() {
    is_proved("counts", 150, 1).await;
}

/// S3-52: what cost more in the large table is named in the document, with what excuses it.
#[tokio::test(flavor = "multi_thread")]
async fn a_kept_proof_says_what_grew_and_why() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let proof = proved(&model(tests.join("right/counts.toml")), 150, 1).await;
    let page = markdown::render(&proof, "Counts");
    let grew = page
        .split("## What costs more in the large table")
        .nth(1)
        .unwrap();
    let grew = grew.split("\n## ").next().unwrap();
    let lines: Vec<&str> = grew.lines().filter(|line| line.starts_with("- ")).collect();
    assert!(lines[0].starts_with("- `ahead`, "), "{page}");
    assert!(
        lines[0].contains("the model declares 5,000 at most"),
        "{page}"
    );
    assert_eq!(lines.len(), 1, "{page}");
    assert!(page.contains("One pattern is about more of them"), "{page}");
    assert!(!page.contains("The same answer costs"), "{page}");
}

/// S0-51: what is taken away so that a value is free is needed by no other step of the same transaction.
#[tokio::test(flavor = "multi_thread")]
async fn transactions_of_unique_values_that_are_all_taken() {
    for seed in 1..=6 {
        is_proved("few-unique-at-once", 60, seed).await;
    }
}

/// What was never counted is zero, to reads and to conditions alike.
#[tokio::test(flavor = "multi_thread")]
async fn conditions_on_counters() {
    for (items, seed) in [(120, 1), (120, 2), (15, 3), (20, 4), (80, 3)] {
        is_proved("counters-compared", items, seed).await;
    }
}

/// A whole decimal is a decimal, in a key too.
#[tokio::test(flavor = "multi_thread")]
async fn decimals_in_keys() {
    is_proved("decimals", 120, 1).await;
}

/// S0-51: what is found by one of two words is half of all there is.
#[tokio::test(flavor = "multi_thread")]
async fn batches_of_more_items_than_a_few() {
    is_proved("batches-of-many", 300, 1).await;
}

/// A guard that holds a part of the key, which no change can touch; and the first item of a singleton.
#[tokio::test(flavor = "multi_thread")]
async fn values_that_are_unique_within_a_team() {
    for seed in 1..=3 {
        is_proved("nicknames", 120, seed).await;
    }
}

/// An order `a` and its lines, and nothing of the order `ab`.
#[tokio::test(flavor = "multi_thread")]
async fn a_collection_that_begins_with_a_value() {
    for seed in 1..=3 {
        is_proved("orders-and-lines", 120, seed).await;
    }
}

/// S0-53: a write by hand tells its units with every index, as any other.
#[tokio::test(flavor = "multi_thread")]
async fn a_write_by_hand_tells_what_each_index_took() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let proof = proved(&model(tests.join("right/write-by-hand.toml")), 60, 1).await;
    all_pass(&proof, "write-by-hand");
    let mut patterns = proof.patterns.iter();
    let write = patterns.find(|one| one.pattern == "add").unwrap();
    let shares = write.shares.iter();
    let shares: Vec<(Option<&str>, f64)> = shares
        .map(|share| (share.index.as_deref(), share.units))
        .collect();
    assert_eq!(shares, [(None, 1.0), (Some("GSI1"), 1.0)]);
}

/// C3-8: what nobody declared is not held against a key, by the checker or by a proof: how great a number is, how long a text, and what comes after
/// ten digits of seconds.
#[tokio::test(flavor = "multi_thread")]
async fn keys_of_what_has_no_declared_end() {
    for name in ["open-number", "seconds-of-ten-digits", "open-text"] {
        is_proved(name, 60, 1).await;
        is_proved(name, 60, 2).await;
    }
}

/// A number that is added to moves by itself; what is made of other fields stays, and comes with the first number.
#[tokio::test(flavor = "multi_thread")]
async fn keys_and_guards_of_numbers_that_are_added_to() {
    for seed in 1..=3 {
        is_proved("added-keys", 120, seed).await;
        is_proved("added-guards", 60, seed).await;
    }
}

/// What a sparse index holds is asked for in the same words, or in narrower ones, and nothing is left out.
#[tokio::test(flavor = "multi_thread")]
async fn sparse_indexes_that_are_no_sets_of_values() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let findings = tablewright_check::check(&model(tests.join("right/sparse-in-other-words.toml")));
    let mut errors = findings.iter().filter(|one| one.rule == "no-answer");
    assert!(errors.next().is_none(), "{findings:#?}");
    for seed in 1..=3 {
        is_proved("sparse-in-other-words", 120, seed).await;
    }
}

/// The version is projected, or fetched with the items of a local index.
#[tokio::test(flavor = "multi_thread")]
async fn versioned_items_of_indexes_that_hold_some_attributes() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let findings = tablewright_check::check(&model(tests.join("right/versioned-in-an-index.toml")));
    assert!(findings.is_empty(), "{findings:#?}");
    for seed in 1..=2 {
        is_proved("versioned-in-an-index", 120, seed).await;
    }
}

/// S0-51: whoever counts an item has to be there, and whose it becomes is one who is.
#[tokio::test(flavor = "multi_thread")]
async fn items_given_to_whoever_counts_them() {
    for seed in 1..=3 {
        is_proved("counted-by-somebody", 150, seed).await;
    }
    is_proved("counted-by-somebody", 20, 4).await;
}

/// S0-51: of what hardly any item is by chance there is one, however few items there are.
#[tokio::test(flavor = "multi_thread")]
async fn conditions_that_hardly_any_item_meets() {
    for (items, seed) in [(10, 1), (11, 2), (25, 3), (60, 4), (150, 5)] {
        is_proved("rare-conditions", items, seed).await;
    }
}

/// S0-51: where every key there can be is taken, what a write demands is there all the same: of a singleton, and of an item for each of three words.
#[tokio::test(flavor = "multi_thread")]
async fn writes_on_conditions_of_few_keys() {
    for (items, seed) in [(30, 1), (30, 2), (60, 3), (150, 4)] {
        is_proved("few-keys-on-condition", items, seed).await;
    }
}

/// What is written before the large table is filled takes no unique value that it will have.
#[tokio::test(flavor = "multi_thread")]
async fn unique_values_of_which_there_are_few() {
    for (items, seed) in [(60, 2), (150, 1), (150, 2), (150, 4)] {
        is_proved("short-unique", items, seed).await;
    }
}

/// S0-54: what is written often is no reason to be hot, where it is spread.
#[tokio::test(flavor = "multi_thread")]
async fn guards_counts_and_local_indexes_within_what_a_partition_takes() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let model = model(tests.join("right/cool-partitions.toml"));
    for seed in 1..=3 {
        let proof = proved(&model, 150, seed).await;
        all_pass(&proof, &format!("cool-partitions, seed {seed}"));
        let all_cool = proof.heat.iter().all(|heat| heat.verdict == Verdict::Cool);
        assert!(all_cool, "{:#?}", proof.heat);
    }
}

/// S0-51: a condition that compares with what the caller gives is met by some, and not by others, whatever its field is.
#[tokio::test(flavor = "multi_thread")]
async fn conditions_that_compare_with_parameters() {
    for seed in 1..=3 {
        is_proved("compared-with-parameters", 120, seed).await;
    }
}

/// S3-48: what a filter keeps is kept on average: a page may read more by chance.
#[tokio::test(flavor = "multi_thread")]
async fn filters_that_keep_what_they_say() {
    for seed in 1..=6 {
        is_proved("filters-that-keep-most", 400, seed).await;
    }
}

/// S3-48: a page of larger items costs more, however large the table is.
#[tokio::test(flavor = "multi_thread")]
async fn pages_of_items_larger_than_on_average() {
    for seed in 1..=6 {
        is_proved("larger-than-declared", 400, seed).await;
    }
}

/// S3-48: a page of an index of what a condition names is a page.
#[tokio::test(flavor = "multi_thread")]
async fn pages_of_an_index_of_few() {
    is_proved("sparse-in-plain", 200, 1).await;
}

/// S0-51: a count that makes an item enters its indexes: it is measured, and costs what is planned.
#[tokio::test(flavor = "multi_thread")]
async fn the_first_count_enters_the_indexes() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let model = model(tests.join("right/first-counts.toml"));
    for seed in 1..=3 {
        let proof = proved(&model, 200, seed).await;
        all_pass(&proof, &format!("first-counts, seed {seed}"));
        let costs = [
            ("post", 8.0),
            ("move", 7.0),
            ("relabel", 9.0),
            ("remove", 6.0),
        ];
        for (name, wcu) in costs {
            let pattern = proof.patterns.iter().find(|one| one.pattern == name);
            assert_eq!(pattern.unwrap().wcu, Some(wcu), "{name}, seed {seed}");
        }
    }
}
