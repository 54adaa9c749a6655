//! What a refusal is about, by the name it has in the request (S0-48).

use tablewright_service::{Kind, Problem};

/// With the parameter that names the task, where the refusal is about the task.
pub(crate) fn of_task(problem: Problem) -> Problem {
    about("task_id", "there is no such task", problem)
}

/// The same of the caller, whom the token names.
pub(crate) fn of_caller(problem: Problem) -> Problem {
    let absent = "the caller has not said who they are, by PUT /users/me";
    about("Authorization", absent, problem)
}

fn about(field: &str, absent: &str, problem: Problem) -> Problem {
    let named = !problem.body().errors.is_empty();
    match problem.kind() {
        _ if named => problem,
        Kind::NOT_FOUND => problem.field(field, absent),
        Kind::CONFLICT => problem.field(field, "others changed it at the same time: send it again"),
        _ => problem,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_or_contended_is_named_once() {
        let named = |problem: Problem| -> Vec<String> {
            let errors = of_task(problem).body().errors.into_iter();
            errors.map(|error| error.field).collect()
        };
        assert_eq!(named(Problem::not_found("task")), ["task_id"]);
        assert_eq!(named(Problem::new(Kind::CONFLICT)), ["task_id"]);
        assert_eq!(named(Problem::invalid("title", "it is empty")), ["title"]);
        let key = Problem::new(Kind::CONFLICT).field("Idempotency-Key", "it is worked on");
        assert_eq!(named(key), ["Idempotency-Key"]);
        assert!(named(Problem::internal("why")).is_empty());
    }
}
