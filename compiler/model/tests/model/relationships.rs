//! What a relationship must say before it is one.

use tablewright_model::parse;

/// The tail of a model with tasks and users.
fn model(relationship: &str) -> String {
    format!(
        r##"
[model]
name = "tasks"

[table.app]
partition_key = "PK"
sort_key      = "SK"
type          = "Type"

[entity.Task]
table = "app"
key   = {{ partition = "TASK#{{task_id}}", sort = "METADATA" }}

[entity.Task.fields]
task_id = "ulid"

[entity.User]
table = "app"
key   = {{ partition = "USER#{{user_id}}", sort = "METADATA" }}

[entity.User.fields]
user_id = "id"

[entity.Assignment]
table = "app"
key   = {{ partition = "TASK#{{task_id}}", sort = "USER#{{user_id}}" }}

[entity.Assignment.fields]
task_id = "ulid"
user_id = "id"

[relationship.assignments]
from  = "Task"
to    = "User"
bound = "unbounded"
{relationship}
"##
    )
}

/// S3-23: no list is an adjacency list of nothing: of M:N each strategy needs the entity that stands for it.
#[test]
fn many_to_many_names_the_entity_between() {
    for strategy in [
        "adjacency-list",
        "materialised-graph",
        "shallow-duplication",
        "normalisation",
    ] {
        let text = model(&format!("kind = \"M:N\"\nstrategy = \"{strategy}\""));
        let faults = parse(&text).expect_err("no entity is between");
        let told: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
        assert_eq!(
            told,
            ["the M:N relationship `assignments` does not say which entity stands for it"],
            "{strategy}"
        );
        assert_eq!(&text[faults[0].span.range()], "\"M:N\"");
        assert_eq!(faults[0].help.as_deref(), Some("name it in `through`"));
    }
    let named = "kind = \"M:N\"\nstrategy = \"adjacency-list\"\nthrough = \"Assignment\"";
    assert!(parse(&model(named)).is_ok());
}
