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

const ORDERS: &str = r#"
[model]
name = "example"

[table.app]
partition_key = "PK"
sort_key      = "SK"

[entity.Order]
table = "app"
key   = { partition = "C#{c}", sort = "O#{o}" }
fields = { c = "id", o = "string(1..6)" }

[entity.Line]
table = "app"
key   = { partition = "C#{c}", sort = "O#{o}#L#{n:03}" }
fields = { c = "id", o = "string(1..6)", n = "int(0..999)" }

[access.order_full]
list = ["Order", "Line"]
by   = ["c", "o"]
"#;

/// Orders `a` and `ab` begin alike: what is asked ends where the value does, or at a delimiter.
#[test]
fn a_collection_that_begins_with_a_value_is_closed_behind_it() {
    let asked = |text: &str| {
        let model = tablewright_model::parse(text).expect("a model");
        match &plan(&model)[0].answer {
            Answer::Read(read) => Ok(read.key_condition(&model)),
            Answer::Nothing(nothing) => Err(nothing.misfits[0].reason.clone()),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        asked(ORDERS).as_deref(),
        Ok("PK = C#{c} AND SK BETWEEN O#{o} AND O#{o}$")
    );
    // Values of one width are not the beginning of others.
    assert_eq!(
        asked(&ORDERS.replace("o = \"string(1..6)\"", "o = \"ulid\"")).as_deref(),
        Ok("PK = C#{c} AND begins_with(SK, O#{o})")
    );
    // Another delimiter may be in the value.
    assert!(matches!(
        asked(&ORDERS.replace("#L#", ":L#")),
        Err(MisfitReason::OpenPrefix(_))
    ));
}
