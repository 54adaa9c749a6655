// error[E0308]: mismatched types
use tablewright::Change;
use todo::model::UpdateTask;

fn main() {
    let _ = UpdateTask {
        title: Change::Set(None),
        ..UpdateTask::default()
    };
}
