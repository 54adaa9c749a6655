// error[E0308]: mismatched types
use todo::model::Todo;

async fn misuse(todo: Todo) {
    let _ = todo.tasks.items().read("TASK#ada").await;
}

fn main() {}
