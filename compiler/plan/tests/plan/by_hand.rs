//! What is understood of a request written by hand.

use tablewright_model::Model;
use tablewright_model::model::Request;
use tablewright_plan::hand::HandPlan;
use tablewright_plan::{Answer, OrderGiven, plan};

/// A model whose one pattern is `access`, on tasks that are in GSI1 by status and due date.
fn model(access: &str) -> Model {
    let text = format!(
        r#"
[model]
name = "example"

[table.app]
partition_key = "PK"
sort_key      = "SK"

[table.app.index]
GSI1 = {{}}

[entity.Task]
table = "app"
key   = {{ partition = "USER#{{user_id}}", sort = "TASK#{{task_id}}" }}
index.GSI1 = {{ partition = "USER#{{user_id}}", sort = "STATUS#{{status}}#{{due}}#{{task_id}}" }}

[entity.Task.fields]
user_id = "id"
task_id = "ulid"
status  = "ordered(open, done)"
due     = "date"

[access.tasks]
{access}
"#
    );
    tablewright_model::parse(&text).expect("a model")
}

fn by_hand(access: &str) -> HandPlan {
    match plan(&model(access)).remove(0).answer {
        Answer::ByHand(plan) => plan,
        other => panic!("{other:?}"),
    }
}

/// A query of GSI1 with a test of its sort key.
fn query(order: &str, test: &str, value: &str) -> HandPlan {
    by_hand(&format!(
        r#"list      = "Task"
by        = ["user_id"]
order     = "{order}"
index     = "GSI1"
condition = "GSI1PK = :user AND {test}"
values    = {{ ":user" = "USER#{{user_id}}", ":value" = "{value}" }}"#
    ))
}

#[test]
fn a_prefix_fixes_what_it_covers_and_a_range_what_stands_before_it() {
    let fixed = |test, value| query("asc", test, value).fixed_pieces;
    assert_eq!(fixed("begins_with(GSI1SK, :value)", "STATUS#"), 1);
    assert_eq!(fixed("begins_with(GSI1SK, :value)", "STATUS#open#"), 3);
    assert_eq!(fixed("GSI1SK < :value", "STATUS#open#{due}#"), 3);
    assert_eq!(fixed("GSI1SK < :value", "DUE#{due}#"), 0);
}

#[test]
fn what_is_left_of_the_key_gives_the_order() {
    let order = |order, value| query(order, "begins_with(GSI1SK, :value)", value).order;
    let backwards = OrderGiven::Yes { backwards: true };
    assert_eq!(order("due desc", "STATUS#open#"), backwards);
    assert!(matches!(order("due", "STATUS#"), OrderGiven::No(_)));
    assert!(matches!(
        order("status", "STATUS#"),
        OrderGiven::BySpelling(_)
    ));
}

#[test]
fn a_get_that_names_an_index_is_a_query_unless_it_says_otherwise() {
    let get = r#"get       = "Task"
by        = ["user_id"]
condition = "GSI1PK = :user"
index     = "GSI1"
values    = { ":user" = "USER#{user_id}" }"#;
    assert_eq!(by_hand(get).request, Request::Query);
    let said = format!("{get}\nrequest = \"GetItem\"");
    assert_eq!(by_hand(&said).request, Request::GetItem);
}

#[test]
fn the_partition_is_asked_for_and_with_an_equality() {
    let list = |condition: &str| {
        by_hand(&format!(
            r#"list      = "Task"
by        = ["user_id"]
condition = "{condition}"
values    = {{ ":user" = "USER#{{user_id}}", ":task" = "TASK#{{task_id}}" }}"#
        ))
    };
    let message = |condition| list(condition).faults.remove(0).message;
    assert_eq!(
        message("SK = :task"),
        "nothing is asked of the partition key: add `PK = :value`"
    );
    assert_eq!(
        message("begins_with(PK, :user) AND SK = :task"),
        "the partition key can only be asked with `=`: write `PK = :value`"
    );
    assert!(list("PK = :user AND SK = :task").faults.is_empty());
}

#[test]
fn a_value_the_pattern_fixes_is_the_text_it_has() {
    let model = model("list  = \"Task\"\nby    = [\"user_id\"]\nwhere = \"status = done\"");
    let Answer::Read(read) = plan(&model).remove(0).answer else {
        panic!("no read");
    };
    let texts: Vec<String> = read
        .sort
        .texts()
        .iter()
        .filter_map(|text| tablewright_keys::algebra::shortest_key(&text.typed()))
        .collect();
    assert_eq!(texts, ["STATUS#done#"]);
}

#[test]
fn of_several_keys_in_one_index_the_one_is_asked_whose_partition_is() {
    let keys = r##"
[model]
name = "example"

[table.app]
partition_key = "PK"
sort_key      = "SK"

[table.app.index]
GSI1 = {}

[entity.Task]
table = "app"
key   = { partition = "USER#{user_id}", sort = "TASK#{task_id}" }
index.GSI1 = [
  { partition = "TASK#{task_id}", sort = "DUE#{task_id}" },
  { partition = "STATUS#{status}", sort = "DUE#{due}#{task_id}" },
]

[entity.Task.fields]
user_id = "id"
task_id = "ulid"
status  = "enum(open, done)"
due     = "date"

[access.tasks]
list      = "Task"
by        = ["status"]
order     = "due"
index     = "GSI1"
condition = "GSI1PK = :status AND begins_with(GSI1SK, :due)"
values    = { ":status" = "STATUS#{status}", ":due" = "DUE#" }
"##;
    let model = tablewright_model::parse(keys).expect("a model");
    let Answer::ByHand(plan) = plan(&model).remove(0).answer else {
        panic!("it is by hand");
    };
    assert_eq!(plan.order, OrderGiven::Yes { backwards: false });
    let key = plan.key_of(&model, plan.entities[0]).expect("a key");
    assert_eq!(key.partition.to_string(), "STATUS#{status}");
    let sort = plan.sort.expect("a test of the sort key");
    assert_eq!(sort.values[0].stored.to_string(), "DUE#{due}#{task_id}");
}

fn faults(access: &str) -> Vec<String> {
    let faults = by_hand(access).faults;
    faults.into_iter().map(|fault| fault.message).collect()
}

#[test]
fn a_value_nothing_uses_is_refused_as_dynamodb_does() {
    let found = faults(
        r#"list      = "Task"
by        = ["user_id"]
condition = "PK = :user"
values    = { ":user" = "USER#{user_id}", ":users" = "USER#{user_id}" }"#,
    );
    assert_eq!(
        found,
        ["no expression uses `:users`, and DynamoDB refuses what is not used: remove it"]
    );
}

#[test]
fn a_value_in_another_form_than_the_stored_is_refused() {
    let found = faults(
        r#"list      = "Task"
by        = ["user_id", "status"]
index     = "GSI1"
condition = "GSI1PK = :user AND begins_with(GSI1SK, :status)"
values    = { ":user" = "USER#{user_id}", ":status" = "STATUS#{status:rank}#" }"#,
    );
    assert_eq!(
        found,
        ["`{status:rank}` is not in the form that is stored, `{status}`: write `{status}`"]
    );
}

#[test]
fn an_attribute_no_item_has_is_refused() {
    let found = faults(
        r##"list      = "Task"
by        = ["user_id"]
condition = "PK = :user"
filter    = "#state = :open"
names     = { "#state" = "statsu" }
values    = { ":user" = "USER#{user_id}", ":open" = "open" }"##,
    );
    assert_eq!(
        found,
        ["no item that is asked has an attribute `statsu`: did you mean `status`?"]
    );
}

#[test]
fn what_the_caller_gives_is_not_ignored() {
    let found = faults(
        r#"list      = "Task"
by        = ["user_id", "status"]
index     = "GSI1"
condition = "GSI1PK = :user AND begins_with(GSI1SK, :status)"
values    = { ":user" = "USER#{user_id}", ":status" = "STATUS#" }"#,
    );
    assert_eq!(
        found,
        [
            "the caller gives `status`, and no value of the request takes it: items with another one are given, too"
        ]
    );
}
