// error[E0369]: binary operation `>` cannot be applied to type `TaskStatus`
use todo::model::{TaskPriority, TaskStatus};

fn main() {
    assert!(TaskPriority::High > TaskPriority::Low);
    assert!(TaskStatus::Completed > TaskStatus::Pending);
}
