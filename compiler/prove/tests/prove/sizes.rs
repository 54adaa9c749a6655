//! Small tables have true verdicts: nothing is told of a right model that only a larger one would have shown otherwise.

use crate::support::{all_pass, model, proved, root};

/// Sizes and seeds whose data has little of everything.
async fn is_proved(name: &str, sizes: &[(usize, u64)]) {
    let model = model(root().join(format!("models/{name}.toml")));
    for (items, seed) in sizes {
        let proof = proved(&model, *items, *seed).await;
        all_pass(&proof, &format!("{name}, {items} items, seed {seed}"));
    }
}

/// S0-51: a search of somebody whom the small table does not know, and counts that never counted anything.
#[tokio::test(flavor = "multi_thread")]
async fn a_small_todo() {
    is_proved("todo", &[(150, 1)]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_small_task_manager() {
    is_proved("tasks", &[(50, 2)]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_small_ask() {
    is_proved("ask", &[(50, 1)]).await;
}

/// Only an account without money can be closed, and of few accounts all have some.
#[tokio::test(flavor = "multi_thread")]
async fn few_accounts() {
    is_proved("accounts", &[(50, 1), (200, 4)]).await;
}

/// A number of items that no memory holds is refused with one that can be.
#[test]
fn more_items_than_can_be_made() {
    let model = model(root().join("models/todo.toml"));
    let refused = tablewright_prove::populate(&model, usize::MAX, 1);
    let why = refused.unwrap_err().to_string();
    assert!(why.contains("10,000,000 items at most"), "{why}");
}
