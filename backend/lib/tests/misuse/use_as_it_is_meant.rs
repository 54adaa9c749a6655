// This one compiles.

use accounts::model::{Account, Accounts};
use tablewright::Change;
use tasks::model::{AssignmentKey, Tasks, TaskKey};
use todo::model::{TaskPriority, Todo, UpdateTask};

pub async fn keys(todo: Todo, key: todo::model::TaskKey) {
    let _ = todo.tasks.items().read(&key).await;
}

pub async fn deletion(accounts: Accounts, account: Account) {
    let _ = accounts.accounts.items().delete(&account).await;
}

pub async fn without_version(tasks: Tasks, task: TaskKey) {
    let _ = tasks.assignments.items().delete_now(&AssignmentKey::new(task.task_id, "ada")).await;
}

fn main() {
    assert!(TaskPriority::High > TaskPriority::Low);
    let _ = UpdateTask {
        title: Change::Set("x".to_owned()),
        description: Change::Set(None),
        ..UpdateTask::default()
    };
}
