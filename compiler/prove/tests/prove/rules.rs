//! What a rule says will go wrong does go wrong: a model that trips it fails its proof, or costs more, in the way the rule predicts, and
//! its near miss does not (C3-8). A proof does not ask the checker.

use std::path::PathBuf;

use tablewright_check::check_text;
use tablewright_prove::{Because, PatternProof, Proof, Verdict};

use crate::support::{model, proved};

const ITEMS: usize = 150;
const SEED: u64 = 7;

fn file(rule: &str, kind: &str) -> PathBuf {
    let tests = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests");
    tests.join(format!("rules/{rule}.{kind}.toml"))
}

/// The rules the checker names in a model.
fn found(rule: &str, kind: &str) -> Vec<&'static str> {
    let text = std::fs::read_to_string(file(rule, kind)).unwrap();
    let mut found: Vec<&str> = check_text(&text)
        .iter()
        .map(|finding| finding.rule)
        .collect();
    found.dedup();
    found
}

/// The proofs of the model that trips a rule, and of its near miss.
async fn proofs(rule: &str) -> (Proof, Proof) {
    proofs_of(rule, "trips").await
}

async fn proofs_of(rule: &str, kind: &str) -> (Proof, Proof) {
    assert_eq!(found(rule, kind), [rule], "the checker predicts it");
    assert!(found(rule, "passes").is_empty(), "the near miss is clean");
    let trips = proved(&model(file(rule, kind)), ITEMS, SEED).await;
    let passes = proved(&model(file(rule, "passes")), ITEMS, SEED).await;
    assert!(passes.passes(), "{}", told(&passes));
    (trips, passes)
}

fn told(proof: &Proof) -> String {
    let patterns = proof.patterns.iter();
    let why: Vec<String> = patterns
        .filter_map(|pattern| Some(format!("{}: {}", pattern.pattern, pattern.why.as_ref()?)))
        .collect();
    format!("{}\n{:#?}", why.join("\n"), proof.heat)
}

fn pattern<'p>(proof: &'p Proof, name: &str) -> &'p PatternProof {
    let mut patterns = proof.patterns.iter();
    patterns.find(|pattern| pattern.pattern == name).unwrap()
}

/// The proof of a model that trips the rule fails at a pattern, with these words.
async fn fails(rule: &str, name: &str, words: &str) {
    fails_as(rule, "trips", name, words).await;
}

async fn fails_as(rule: &str, kind: &str, name: &str, words: &str) {
    let (trips, _) = proofs_of(rule, kind).await;
    let why = pattern(&trips, name).why.clone().unwrap_or_default();
    assert!(why.contains(words), "{rule}: {why:?}\n{}", told(&trips));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unpadded_number_leaves_the_range() {
    fails("unpadded-number", "scores_from", "unasked").await;
}

/// The ends of a type are among the data, also where no key has room for them; and a model of which nothing can be stored is at fault itself.
#[tokio::test(flavor = "multi_thread")]
async fn a_number_that_is_padded_to_fewer_digits_than_it_has_is_not_stored() {
    for (kind, words) in [
        ("trips-2", "points=100000"),
        ("trips-3", "points=-"),
        ("trips-4", "154 of 154 Score could not be stored"),
    ] {
        fails_as("unpadded-number", kind, "scores_from", words).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_of_an_empty_text_is_not_stored() {
    fails("empty-key", "person", "a key cannot be empty").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_too_long_is_not_stored() {
    fails("key-too-long", "page", "could not be stored").await;
}

/// However few items there are, and whatever they are made from.
#[tokio::test(flavor = "multi_thread")]
async fn a_delimiter_in_a_value_ends_it() {
    fails("delimiter-in-value", "files", "unasked File").await;
    let trips = model(file("delimiter-in-value", "trips"));
    for (items, seed) in [(20, 1), (60, 2), (60, 3), (800, 1)] {
        let proof = proved(&trips, items, seed).await;
        assert!(!proof.passes(), "{items} items, seed {seed}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_uneven_timestamp_comes_out_of_order() {
    fails("uneven-timestamp", "messages", "before").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_day_of_a_range_is_lost() {
    fails("range-end-lost", "tasks_due", "missing").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_range_sweeps_up_payments() {
    fails("range-sweeps", "orders", "Payment").await;
}

/// The same four items a page, and the page costs what was read to find them.
#[tokio::test(flavor = "multi_thread")]
async fn a_filter_reads_what_it_drops() {
    let (trips, passes) = proofs("filter-selects").await;
    let units = |proof: &Proof| pattern(proof, "tasks_of_kind").rcu_large.unwrap();
    let (filtered, by_key) = (units(&trips), units(&passes));
    assert!(filtered >= 3.0 * by_key, "{filtered} rcu against {by_key}");
}

/// S3-48: who wants those of everybody that are rare makes a page read all there are, unless it looks at so many and no more.
#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_everybody_that_callers_filter_follows_the_table() {
    for (trips, passes, words) in [
        ("trips-2", "passes-2", "say by `looks_at`"),
        ("trips-3", "passes-3", "say by `looks_at`"),
        ("trips-4", "passes-4", "say by `looks_at`"),
        ("trips-5", "passes-3", "bounds it only beside `items`"),
    ] {
        assert_eq!(found("filter-selects", trips), ["filter-selects"]);
        assert!(found("filter-selects", passes).is_empty());
        let proof = |kind| model(file("filter-selects", kind));
        let trips = proved(&proof(trips), 800, SEED).await;
        let why = pattern(&trips, "users").why.clone().unwrap_or_default();
        assert!(why.contains(words), "{why:?}");
        let passes = proved(&proof(passes), 800, SEED).await;
        assert!(passes.passes(), "{}", told(&passes));
        let users = pattern(&passes, "users");
        let mut growth = users.growth.iter();
        let looked_at = growth.find(|one| matches!(one.because, Because::LooksAtMore { .. }));
        assert!(looked_at.is_some(), "{:?}", users.growth);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_partition_read_whole_gives_strangers() {
    fails("reads-strangers", "orders", "Address").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_over_its_budget_is_measured_over_it() {
    fails("over-budget", "messages", "more than its budget").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn few_values_make_a_hot_index() {
    let (trips, passes) = proofs("low-cardinality-index").await;
    let hot = |proof: &Proof| -> Vec<Option<String>> {
        let heat = proof.heat.iter();
        heat.filter(|heat| heat.verdict == Verdict::Hot)
            .map(|heat| heat.index.clone())
            .collect()
    };
    assert_eq!(hot(&trips), [Some("GSI1".to_owned())]);
    assert!(hot(&passes).is_empty(), "{}", told(&passes));
}

/// Its near miss is closed by the delimiter. However few items there are, somebody's name begins with another's.
#[tokio::test(flavor = "multi_thread")]
async fn an_open_prefix_finds_what_begins_with_it() {
    fails("open-prefix", "messages_of_author", "unasked Message").await;
    for (items, seed) in [(60, 1), (60, 2), (200, 1), (1000, 2)] {
        let proof = proved(&model(file("open-prefix", "trips")), items, seed).await;
        let why = pattern(&proof, "messages_of_author").why.clone();
        let why = why.unwrap_or_default();
        assert!(
            why.contains("unasked Message"),
            "{items} items, seed {seed}: {why:?}"
        );
    }
}

/// Its near miss is the same update, planned.
#[tokio::test(flavor = "multi_thread")]
async fn an_update_by_hand_leaves_a_sparse_index_as_it_was() {
    fails("sparse-on-nonkey", "queue_of_owner", "missing Job").await;
}

/// Its near miss has fewer items, and all of them go into one transaction.
#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_of_too_many_actions_is_refused() {
    fails("transaction-limit", "open_flight", "100").await;
}

/// An index entry whose key changes is deleted and written anew: two writes where there would be one.
#[tokio::test(flavor = "multi_thread")]
async fn a_volatile_key_moves_its_index_entry() {
    let (trips, passes) = proofs("volatile-index-key").await;
    let of_index = |proof: &Proof| {
        let shares = &pattern(proof, "move").shares;
        let share = shares
            .iter()
            .find(|share| share.index.as_deref() == Some("GSI1"));
        share.map(|share| share.units)
    };
    assert_eq!(of_index(&trips), Some(2.0));
    assert_eq!(of_index(&passes), Some(1.0));
}

/// Whole items are read for two fields of each.
#[tokio::test(flavor = "multi_thread")]
async fn a_wide_projection_reads_more_than_is_asked_for() {
    let (trips, passes) = proofs("wide-projection").await;
    let units = |proof: &Proof| pattern(proof, "articles_of_author").rcu_large.unwrap();
    let (wide, narrow) = (units(&trips), units(&passes));
    assert!(wide >= 3.0 * narrow, "{wide} rcu against {narrow}");
}

/// A local index that does not hold what is asked for answers all the same, for a read of every item it finds.
#[tokio::test(flavor = "multi_thread")]
async fn a_narrow_local_index_fetches_every_item() {
    let (trips, passes) = proofs("not-projected").await;
    assert!(trips.passes(), "{}", told(&trips));
    let units = |proof: &Proof| pattern(proof, "posts_in_state").rcu_large.unwrap();
    let (fetched, held) = (units(&trips), units(&passes));
    assert!(fetched >= 3.0 * held, "{fetched} rcu against {held}");
    let planned = tablewright_plan::plan(&model(file("not-projected", "trips")));
    let tablewright_plan::Answer::Read(read) = &planned[0].answer else {
        panic!("it is read");
    };
    // Half a unit for five entries, and one for each item of two blocks.
    assert_eq!(read.cost.units, Some(5.5));
    assert!(fetched <= 5.5, "{fetched}");
}

/// Every field is projected, and no item can be read: the version of its shape is not.
#[tokio::test(flavor = "multi_thread")]
async fn an_index_without_the_version_of_its_items_answers_nothing() {
    fails_as(
        "not-projected",
        "trips-2",
        "seats",
        "it has no data_version",
    )
    .await;
}
