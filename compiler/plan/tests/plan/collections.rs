//! Lists of several entities.

use tablewright_plan::{Answer, MisfitReason, plan};

#[test]
fn a_reason_speaks_of_the_first_entity_also_where_the_second_has_other_fields() {
    let model = tablewright_model::parse(
        r#"
[model]
name = "example"

[table.app]
partition_key = "PK"
sort_key      = "SK"

[entity.User]
table = "app"
key   = { partition = "USER#{user_id}", sort = "METADATA" }
fields = { user_id = "id" }

[entity.Task]
table = "app"
key   = { partition = "PROJECT#{project_id}", sort = "TASK#{task_id}" }
fields = { user_id = "id", task_id = "ulid", project_id = "id" }

[access.user_with_tasks]
list = ["User", "Task"]
by   = ["user_id"]
"#,
    )
    .expect("a model");
    let plan = plan(&model).remove(0);
    let Answer::Nothing(nothing) = &plan.answer else {
        panic!("{:?}", plan.answer);
    };
    assert_eq!(nothing.misfits[0].reason, MisfitReason::LeavesOut);
    assert!(plan.to_text(&model).contains("the table leaves out items"));
}
