//! What is over is in every index, and is asked for, however few items there are.

use std::path::PathBuf;

use crate::support::{all_pass, model, proved};

fn file(name: &str) -> PathBuf {
    let tests = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests");
    tests.join(format!("over/{name}.toml"))
}

/// S0-51: an index without the end of its items gives those that are over.
#[tokio::test(flavor = "multi_thread")]
async fn an_index_without_the_end_is_refuted_with_any_seed() {
    let model = model(file("end-not-projected"));
    for (items, seed) in [(20, 1), (40, 2), (100, 2), (100, 5), (100, 6), (400, 1)] {
        let proof = proved(&model, items, seed).await;
        let mut patterns = proof.patterns.iter();
        let found = patterns.find(|one| one.pattern == "of_place").unwrap();
        let why = found.why.clone().unwrap_or_default();
        assert!(
            why.contains("unasked Reading"),
            "{items} items, seed {seed}: {why:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_with_the_end_is_proved() {
    let model = model(file("end-projected"));
    for (items, seed) in [(20, 1), (100, 2), (400, 1)] {
        let proof = proved(&model, items, seed).await;
        all_pass(&proof, &format!("{items} items, seed {seed}"));
    }
}
