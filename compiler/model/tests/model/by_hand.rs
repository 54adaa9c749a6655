//! Requests written by hand, where the rest of the model is at fault.

#[test]
fn a_request_on_an_unknown_table_is_reported_with_the_table() {
    let faults = tablewright_model::parse(
        r#"
[model]
name = "example"

[entity.Task]
table = "app"
key   = { partition = "USER#{user_id}" }
fields = { user_id = "id" }

[access.task]
get       = "Task"
by        = ["user_id"]
index     = "GSI1"
condition = "GSI1PK = :user"
values    = { ":user" = "USER#{user_id}" }
"#,
    )
    .expect_err("there is no table");
    let messages: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
    assert_eq!(messages, ["there is no table `app`"]);
}
