//! The example of a rule, as its page shows it, is refuted where an answer can show what the rule foretells.

use std::path::Path;

use crate::support::{model, proved};

/// Of the other rules the harm is in money, in races or in what grows for years, or their example has no pattern; those have models of their
/// own, in `rules` and `wrong_keys`.
const SHOWN: [&str; 14] = [
    "create-overwrites",
    "enum-order",
    "equality-on-prefix",
    "key-part-skipped",
    "key-too-long",
    "limit-before-filter",
    "matches-nothing",
    "open-prefix",
    "range-end-lost",
    "range-sweeps",
    "sparse-on-nonkey",
    "transaction-limit",
    "two-values-one-index",
    "update-creates",
];

#[tokio::test(flavor = "multi_thread")]
async fn the_example_of_a_rule_fails_where_an_answer_can_show_it() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../check/fixtures");
    let mut unshown = Vec::new();
    for rule in SHOWN {
        let model = model(fixtures.join(rule).join("trips.toml"));
        let proof = proved(&model, 60, 1).await;
        if proof.patterns.iter().all(|pattern| pattern.why.is_none()) {
            unshown.push(rule);
        }
    }
    assert!(unshown.is_empty(), "proved: {unshown:?}");
}
