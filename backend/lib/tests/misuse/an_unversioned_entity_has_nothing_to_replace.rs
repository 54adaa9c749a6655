// error[E0599]: the method `replace` exists for reference `&tablewright::repository::Repository<tasks::model::Assignment>`, but its trait bounds were not satisfied
use tasks::model::{Assignment, Tasks};

async fn misuse(tasks: Tasks, assignment: Assignment) {
    let _ = tasks.assignments.items().replace(assignment).await;
}

fn main() {}
