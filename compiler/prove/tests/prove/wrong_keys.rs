//! Keys that cannot hold every value of their fields, or hold two items in one place: refuted however few items there are, since the values
//! that break them are made on purpose. The checker says so beforehand, and nobody asks it.

use std::path::{Path, PathBuf};

use tablewright_check::check_text;

use crate::support::{model, proved};

fn file(name: &str) -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    tests.join(format!("wrong-keys/{name}.toml"))
}

/// The rule that foretells it, the pattern that fails, and what is told of it.
async fn is_refuted(name: &str, rule: &str, pattern: &str, words: &str) {
    let text = std::fs::read_to_string(file(name)).unwrap();
    let findings = check_text(&text);
    assert!(
        findings.iter().any(|one| one.rule == rule),
        "{name}: {findings:#?}"
    );
    let model = model(file(name));
    for (items, seed) in [(60, 1), (60, 2), (400, 3)] {
        let proof = proved(&model, items, seed).await;
        let about = format!("{name}, {items} items, seed {seed}");
        let mut patterns = proof.patterns.iter();
        let found = patterns.find(|one| one.pattern == pattern).unwrap();
        let why = found.why.clone().unwrap_or_default();
        assert!(why.contains(words), "{about}: {why:?}");
    }
}

/// C3-8
#[tokio::test(flavor = "multi_thread")]
async fn a_partition_of_numbers_with_more_digits_than_it_has_room_for() {
    let words = "cannot be padded";
    is_refuted("padded-partition", "unpadded-number", "seats", words).await;
    is_refuted(
        "padded-partition-of-many",
        "unpadded-number",
        "seats",
        words,
    )
    .await;
    is_refuted("padded-of-few", "unpadded-number", "seats", words).await;
    is_refuted(
        "padded-number-of-another",
        "unpadded-number",
        "seats",
        words,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_partition_that_may_be_empty_or_too_long() {
    is_refuted("empty-partition", "empty-key", "notes", "cannot be empty").await;
    is_refuted(
        "long-partition",
        "key-too-long",
        "pages",
        "could not be stored",
    )
    .await;
}

/// In characters of several bytes; and of two texts that are too long together.
#[tokio::test(flavor = "multi_thread")]
async fn a_sort_key_that_is_too_long_when_it_is_filled() {
    let words = "could not be stored";
    is_refuted("long-sort", "key-too-long", "file", words).await;
    is_refuted("long-sum", "key-too-long", "file", words).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_texts_that_run_together() {
    let words = "could not be stored";
    is_refuted("unescaped-sort", "delimiter-in-value", "file", words).await;
    is_refuted("unescaped-partition", "delimiter-in-value", "file", words).await;
    is_refuted("unescaped-of-few", "delimiter-in-value", "file", words).await;
    is_refuted(
        "unescaped-name-of-another",
        "delimiter-in-value",
        "file",
        words,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_is_the_key_of_another_entity() {
    let words = "could not be stored";
    is_refuted("another-entitys-key", "key-overlap", "member", words).await;
    is_refuted(
        "another-entitys-key-by-name",
        "key-overlap",
        "member",
        words,
    )
    .await;
}

/// The example on the page of the rule, and what it leaves out: keys without a word, guards, and keys that only begin or end alike.
#[tokio::test(flavor = "multi_thread")]
async fn two_templates_that_can_meet() {
    let words = "could not be stored";
    for (name, pattern) in [
        ("two-entities-of-one-template", "draft"),
        ("two-entities-without-a-word", "team"),
        ("a-guard-like-a-key", "user"),
        ("ends-and-beginnings-that-meet", "note"),
    ] {
        is_refuted(name, "key-overlap", pattern, words).await;
    }
}

/// Of every type, and with any lengths.
#[tokio::test(flavor = "multi_thread")]
async fn one_template_that_can_be_read_in_two_ways() {
    let (side_by_side, unescaped) = ("ambiguous-template", "delimiter-in-value");
    let words = "could not be stored";
    for (name, rule, pattern) in [
        ("numbers-side-by-side", side_by_side, "page"),
        ("an-id-and-a-number-side-by-side", side_by_side, "host"),
        ("short-texts-side-by-side", side_by_side, "host"),
        ("unescaped-address", unescaped, "host"),
        ("unescaped-and-short", unescaped, "host"),
        ("unescaped-and-long", unescaped, "host"),
    ] {
        is_refuted(name, rule, pattern, words).await;
    }
    is_refuted(
        "side-by-side-in-an-index",
        side_by_side,
        "hosts_at",
        "unasked Host",
    )
    .await;
}

/// An item has one entry of an index, whatever keys the model has for it: that is the fault of the model, and not of whoever tells the units.
#[tokio::test(flavor = "multi_thread")]
async fn two_keys_of_one_index() {
    let rule = "two-values-one-index";
    is_refuted("two-keys-of-an-index", rule, "due", "missing Task").await;
}
