// error[E0308]: mismatched types
use todo::model::{Todo, UserKey};

async fn misuse(todo: Todo) {
    let _ = todo.tasks.items().read(&UserKey::new("ada")).await;
}

fn main() {}
