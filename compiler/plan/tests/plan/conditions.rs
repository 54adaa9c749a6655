//! What `where` makes known, and what is left to a filter.

use tablewright_plan::{Answer, ReadPlan, plan};

/// The plan of a list of tasks, with a status of this type.
fn list(status: &str, asked: &str) -> ReadPlan {
    let text = format!(
        r#"
[model]
name = "example"

[table.app]
partition_key = "PK"
sort_key      = "SK"

[table.app.index]
GSI1 = {{}}
GSI2 = {{}}

[entity.Task]
table = "app"
key   = {{ partition = "USER#{{user_id}}", sort = "TASK#{{task_id}}" }}

[entity.Task.index]
GSI1 = {{ partition = "USER#{{user_id}}", sort = "TASK#{{task_id}}", when = "status in (open, held)" }}
GSI2 = {{ partition = "USER#{{user_id}}", sort = "STATUS#{{status}}#{{task_id}}" }}

[entity.Task.fields]
user_id = "id"
task_id = "ulid"
status  = "{status}"

[access.tasks]
list = "Task"
{asked}
"#
    );
    let model = tablewright_model::parse(&text).expect("a model");
    match plan(&model).remove(0).answer {
        Answer::Read(plan) => plan,
        other => panic!("{other:?}"),
    }
}

const NOT_DONE: &str = "by = [\"user_id\"]\nwhere = \"status != done\"";

#[test]
fn all_words_but_one_are_the_others() {
    let plan = list("enum(open, held, done)", NOT_DONE);
    assert_eq!(plan.place.index.map(|index| index.0), Some(0));
    assert!(plan.filter.is_empty());
}

#[test]
fn what_may_be_absent_differs_from_every_word() {
    let plan = list("enum(open, held, done)?", NOT_DONE);
    assert_eq!(plan.place.index, None);
    assert_eq!(plan.filter.len(), 1);
}

#[test]
fn a_value_the_caller_gives_is_still_held_against_the_condition() {
    let asked = "by = [\"user_id\", \"status\"]\nwhere = \"status != done\"";
    assert_eq!(list("enum(open, held, done)", asked).filter.len(), 1);
}
