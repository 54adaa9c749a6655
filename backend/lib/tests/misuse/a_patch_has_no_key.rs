// error[E0560]: struct `UpdateTask` has no field named `user_id`
use tablewright::Change;
use todo::model::UpdateTask;

fn main() {
    let _ = UpdateTask {
        user_id: Change::Set("bob".to_owned()),
        ..UpdateTask::default()
    };
}
