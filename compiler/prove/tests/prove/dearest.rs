//! The dearest call of a write is made, and not met by luck: what is measured is what the plan says, however few items there are.

use tablewright_model::Model;
use tablewright_plan::{Answer, plan};
use tablewright_prove::Proof;

use crate::full_pages;
use crate::support::{fixture, model, proved, root};

/// Every write whose measured cost is not the planned one.
fn differing(model: &Model, proof: &Proof) -> Vec<String> {
    let mut differing = Vec::new();
    for (planned, measured) in plan(model).iter().zip(&proof.patterns) {
        let Answer::Write(write) = &planned.answer else {
            continue;
        };
        let (planned, name) = (write.cost.units, &measured.pattern);
        if planned != measured.wcu {
            let (planned, measured) = (planned.unwrap_or(-1.0), measured.wcu.unwrap_or(-1.0));
            differing.push(format!(
                "{name}: {planned} wcu planned, {measured} measured"
            ));
        }
    }
    differing
}

async fn costs_as_planned(name: &str) {
    let model = model(root().join(format!("models/{name}.toml")));
    for (items, seed) in [(60, 1), (150, 2)] {
        let proof = proved(&model, items, seed).await;
        let differing = differing(&model, &proof);
        let about = format!("{name}, {items} items, seed {seed}");
        assert!(differing.is_empty(), "{about}: {differing:#?}");
        full_pages::cost_as_planned(&model, &proof, &about);
    }
}

/// S0-51
#[tokio::test(flavor = "multi_thread")]
async fn writes_of_todo_cost_as_planned() {
    costs_as_planned("todo").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_of_tasks_cost_as_planned() {
    costs_as_planned("tasks").await;
}

/// Somebody is on the boards or among the banned, and who is banned was not banned before.
#[tokio::test(flavor = "multi_thread")]
async fn writes_of_ask_cost_as_planned() {
    costs_as_planned("ask").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_of_accounts_cost_as_planned() {
    costs_as_planned("accounts").await;
}

/// The budgets are one unit too small, and never kept: whatever the data is made from, and however little of it there is.
async fn is_over_its_budget(name: &str, pattern: &str, units: f64) {
    let model = model(fixture(name));
    for (items, seed) in [(60, 1), (60, 2), (60, 3), (200, 2), (200, 3)] {
        let proof = proved(&model, items, seed).await;
        let mut patterns = proof.patterns.iter();
        let write = patterns.find(|one| one.pattern == pattern).unwrap();
        let about = format!("{items} items, seed {seed}: {write:#?}");
        assert_eq!(write.wcu, Some(units), "{about}");
        assert!(write.why.is_some(), "{about}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_is_in_an_index_while_fields_are_absent() {
    is_over_its_budget("absent-in-an-index", "add", 2.0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_finds_the_dearest_item() {
    is_over_its_budget("dearest-of-a-batch", "clear", 4.0).await;
}

/// What is larger than declared is deleted with the others, and does not hide what those cost: everybody has such an item.
#[tokio::test(flavor = "multi_thread")]
async fn a_batch_costs_what_the_dearest_of_the_declared_size_costs() {
    let text = std::fs::read_to_string(fixture("dearest-of-a-batch")).unwrap();
    let text = text.replace("items = 100000", "items = 100000\ndistinct = { user = 3 }");
    let model = tablewright_model::parse(&text).unwrap();
    for (items, seed) in [(60, 1), (200, 2)] {
        let proof = proved(&model, items, seed).await;
        let mut patterns = proof.patterns.iter();
        let batch = patterns.find(|one| one.pattern == "clear").unwrap();
        assert_eq!(
            batch.wcu,
            Some(4.0),
            "{items} items, seed {seed}: {batch:#?}"
        );
    }
}
