//! The example of a rule, as its page shows it, is refuted where an answer can show what the rule foretells, and by that; the example without the
//! mistake is proved.

use std::path::Path;

use crate::support::{all_pass, model, proved};

/// What is told of the example of each rule. Of the other rules the harm is in money, in races or in what grows for years, or their example has no
/// pattern; those have models of their own, in `rules` and `wrong_keys`.
const SHOWN: [(&str, &str); 14] = [
    ("create-overwrites", "what is there already went through"),
    ("enum-order", "came before Task"),
    ("equality-on-prefix", "missing Task"),
    ("key-part-skipped", "no key answers it"),
    ("key-too-long", "at most 1024"),
    (
        "limit-before-filter",
        "is not the last: Limit counts what is read, before the filter",
    ),
    ("matches-nothing", "missing Order"),
    ("open-prefix", "unasked Message"),
    ("range-end-lost", "missing Task"),
    ("range-sweeps", "unasked Payment"),
    ("sparse-on-nonkey", "after the writes"),
    ("transaction-limit", "ValidationException"),
    ("two-values-one-index", "missing Order"),
    ("update-creates", "what is not there went through"),
];

#[tokio::test(flavor = "multi_thread")]
async fn the_example_of_a_rule_fails_where_an_answer_can_show_it() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../check/fixtures");
    let mut unshown = Vec::new();
    for (rule, words) in SHOWN {
        let proof = proved(&model(fixtures.join(rule).join("trips.toml")), 60, 1).await;
        let mut told = proof
            .patterns
            .iter()
            .filter_map(|one| one.why.as_deref())
            .peekable();
        if told.peek().is_none() || !told.all(|why| why.contains(words)) {
            unshown.push((rule, proof.patterns));
        }
    }
    assert!(unshown.is_empty(), "told otherwise: {unshown:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_example_without_the_mistake_is_proved() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../check/fixtures");
    for (rule, _) in SHOWN {
        let proof = proved(&model(fixtures.join(rule).join("passes.toml")), 60, 1).await;
        all_pass(&proof, rule);
    }
}
