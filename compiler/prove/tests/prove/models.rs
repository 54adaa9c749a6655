//! The models of this repository.

use crate::support::{all_pass, model, proved, root};

async fn all_patterns_are_proved(name: &str) {
    let model = model(root().join(format!("models/{name}.toml")));
    let proof = proved(&model, 400, 1).await;
    all_pass(&proof, name);
    assert_eq!(proof.patterns.len(), model.accesses.len());
}

/// S0-51, S0-52
#[tokio::test(flavor = "multi_thread")]
async fn every_pattern_of_todo() {
    all_patterns_are_proved("todo").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_pattern_of_tasks() {
    all_patterns_are_proved("tasks").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_pattern_of_ask() {
    all_patterns_are_proved("ask").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_pattern_of_accounts() {
    all_patterns_are_proved("accounts").await;
}
