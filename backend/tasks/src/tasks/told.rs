//! Why nothing was done to a task, as the caller is told.

use tablewright::{Failed, Refused, Why};
use tablewright_service::{Kind, Problem};

use crate::assignments;
use crate::kinds::DEACTIVATED;
use crate::model::{
    ChangeStatusAsAdminRefused, ChangeStatusRefused, CloseTaskRefused, CreateTaskRefused,
    DeleteTaskRefused, SignTaskRefused, UpdateTaskRefused,
};

/// Why nothing was done, as the caller is told.
pub(super) struct Told(pub(super) Problem);

impl From<Problem> for Told {
    fn from(problem: Problem) -> Self {
        Told(problem)
    }
}

/// What is wrong with the caller comes first: who may not act is not told of the task.
fn told(user: Option<Why>, assignment: Option<Why>, task: Option<Why>) -> Told {
    Told(match (user, assignment, task) {
        (Some(_), _, _) => Problem::new(DEACTIVATED),
        (_, Some(_), _) => assignments::not_assigned(),
        (_, _, Some(Why::NotFound)) => Problem::not_found("task"),
        (_, _, Some(Why::Condition)) => Problem::new(Kind::REFUSED).detail("the task is closed"),
        _ => Problem::new(Kind::CONFLICT),
    })
}

fn why<S>(refused: Option<Refused<S>>) -> Option<Why> {
    refused.map(|refused| refused.why)
}

/// What each write may be refused for: the caller, their assignment, the task.
macro_rules! refusals {
    ($($of:ident: |$refused:ident| $user:expr, $assignment:expr, $task:expr;)*) => {$(
        impl From<Failed<$of>> for Told {
            fn from(failed: Failed<$of>) -> Self {
                match failed {
                    Failed::Error(error) => Told(error.into()),
                    Failed::Refused($refused) => told($user, $assignment, $task),
                }
            }
        }
    )*};
}

refusals! {
    // The id is new: it is the caller.
    CreateTaskRefused: |it| why(it.user), None, None;
    UpdateTaskRefused: |it| why(it.user), None, why(it.task);
    SignTaskRefused: |it| why(it.user), None, why(it.task);
    DeleteTaskRefused: |it| why(it.user), None, why(it.task);
    ChangeStatusRefused: |it| why(it.user), why(it.assignment), why(it.task);
    ChangeStatusAsAdminRefused: |it| why(it.user), None, why(it.task);
    CloseTaskRefused: |it| why(it.user), None, why(it.task);
}
