//! The documents' access patterns, each answered by the models as it must be. (S0-15 … S0-43, S1-12 … S1-18, S2-12 … S2-20)

use std::fs;
use std::path::Path;

use tablewright_model::field_type::FieldType;
use tablewright_model::model::{ActionKind, Consistency, Layout, Model, Profile, Verb};
use tablewright_model::parse;
use tablewright_plan::{Answer, ItemRole, Operation, Plan, ReadPlan, WritePlan, plan, plan_one};

pub(crate) fn model(name: &str) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../models/{name}.toml"));
    let text = fs::read_to_string(&path).expect("the model can be read");
    parse(&text).unwrap_or_else(|faults| panic!("{name}: {faults:?}"))
}

fn planned(model: &Model, pattern: &str) -> Plan {
    plan_one(
        model,
        model
            .access(pattern)
            .unwrap_or_else(|| panic!("no pattern {pattern}")),
    )
}

fn read(model: &Model, pattern: &str) -> ReadPlan {
    match planned(model, pattern).answer {
        Answer::Read(plan) => plan,
        other => panic!("{pattern}: {other:?}"),
    }
}

fn write(model: &Model, pattern: &str) -> WritePlan {
    match planned(model, pattern).answer {
        Answer::Write(plan) => plan,
        other => panic!("{pattern}: {other:?}"),
    }
}

/// Demand, model, pattern, request, key condition.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static str,
);

#[rustfmt::skip]
const PATTERNS: &[Row] = &[
    ("S0-15", "todo", "user", "GetItem on todo-app-data", "PK = USER#{user_id} AND SK = METADATA"),
    ("S0-16", "todo", "task", "GetItem on todo-app-data", "PK = TASK#{user_id} AND SK = TASK#{task_id}"),
    ("S0-17", "todo", "tasks", "Query on todo-app-data", "PK = TASK#{user_id} AND begins_with(SK, TASK#)"),
    ("S0-18", "todo", "tasks_grouped_by_status", "Query on GSI1 of todo-app-data", "GSI1PK = USER#{user_id} AND begins_with(GSI1SK, STATUS#)"),
    ("S0-19", "todo", "tasks_by_status", "Query on GSI1 of todo-app-data", "GSI1PK = USER#{user_id} AND begins_with(GSI1SK, STATUS#{status}#)"),
    ("S0-20 S0-30", "todo", "tasks_with_due_date", "Query on GSI2 of todo-app-data", "GSI2PK = USER#{user_id} AND begins_with(GSI2SK, DUEDATE#)"),
    ("S0-21", "todo", "tasks_due_on", "Query on GSI2 of todo-app-data", "GSI2PK = USER#{user_id} AND begins_with(GSI2SK, DUEDATE#{due_date}#)"),
    ("S0-22", "todo", "tasks_due", "Query on GSI2 of todo-app-data", "GSI2PK = USER#{user_id} AND GSI2SK BETWEEN DUEDATE#{due_date_from} AND DUEDATE#{due_date_to}$"),
    ("S0-24", "todo", "tasks_by_urgency", "Query on GSI3 of todo-app-data", "GSI3PK = USER#{user_id} AND begins_with(GSI3SK, PRIORITY#)"),
    ("S0-25", "todo", "tasks_by_priority", "Query on GSI3 of todo-app-data", "GSI3PK = USER#{user_id} AND begins_with(GSI3SK, PRIORITY#{priority:rank}#)"),
    ("S0-26", "todo", "tasks_grouped_by_category", "Query on GSI4 of todo-app-data", "GSI4PK = USER#{user_id} AND begins_with(GSI4SK, CATEGORY#)"),
    ("S0-27", "todo", "tasks_by_category", "Query on GSI4 of todo-app-data", "GSI4PK = USER#{user_id} AND begins_with(GSI4SK, CATEGORY#{category}#)"),
    ("S0-28", "todo", "completed_tasks", "Query on GSI1 of todo-app-data", "GSI1PK = USER#{user_id} AND begins_with(GSI1SK, STATUS#completed#)"),
    ("S0-29", "todo", "overdue_tasks", "Query on GSI5 of todo-app-data", "GSI5PK = USER#{user_id} AND GSI5SK BETWEEN OPENDUE# AND OPENDUE#{due_date}"),
    ("S0-31", "todo", "count_by_status", "GetItem on todo-app-data, the counter by_status of TaskCounts", "PK = USER#{user_id} AND SK = COUNTS"),
    ("S0-32", "todo", "count_by_priority", "GetItem on todo-app-data, the counter by_priority of TaskCounts", "PK = USER#{user_id} AND SK = COUNTS"),
    ("S0-35", "todo", "search_tasks", "Query on todo-app-data", "PK = TASK#{user_id} AND begins_with(SK, TASK#)"),
    ("S0-38", "todo", "idempotent_answer", "GetItem on todo-app-data", "PK = IDEMPOTENCY#{user_id} AND SK = REQUEST#{route}#{request_id}"),
    ("S0-42", "todo", "task_titles", "Query on todo-app-data", "PK = TASK#{user_id} AND begins_with(SK, TASK#)"),
    ("S0-43", "todo", "tasks_by_ids", "BatchGetItem on todo-app-data", "PK = TASK#{user_id} AND SK = TASK#{task_id}"),
    ("S1-12", "tasks", "task", "GetItem on TaskManagement", "PK = TASK#{TaskId} AND SK = METADATA"),
    ("S1-13", "tasks", "user", "GetItem on TaskManagement", "PK = USER#{UserId} AND SK = PROFILE"),
    ("S1-14", "tasks", "assignments_of_task", "Query on TaskManagement", "PK = TASK#{TaskId} AND begins_with(SK, ASSIGNMENT#)"),
    ("S1-15", "tasks", "assignments_of_user", "Query on UserTasksIndex of TaskManagement", "GSI1PK = USER#{UserId} AND begins_with(GSI1SK, TASK#)"),
    ("S1-16", "tasks", "tasks_by_status", "Query on TaskStatusIndex of TaskManagement", "GSI2PK = STATUS#{Status}#{0..7} AND begins_with(GSI2SK, CREATED_AT#)"),
    ("S1-17", "tasks", "task_with_assignments", "Query on TaskManagement", "PK = TASK#{TaskId}"),
    ("S1-18", "tasks", "assignment", "GetItem on TaskManagement", "PK = TASK#{TaskId} AND SK = ASSIGNMENT#{UserId}"),
    ("S2-12", "ask", "question", "GetItem on aah-questions", "question_id = {question_id}"),
    ("S2-13", "ask", "open_questions", "Query on Accepting of aah-questions", "AcceptingPK = ACCEPTING#{0..7}"),
    ("S2-14", "ask", "questions_of_agent", "Query on ByAgentId of aah-questions", "agent_id = {agent_id}"),
    ("S2-15", "ask", "responses_of_question", "Query on aah-responses", "question_id = {question_id}"),
    ("S2-16", "ask", "answers_of_human", "Query on ByFingerprint of aah-responses", "fingerprint_hash = {fingerprint_hash}"),
    ("S2-17", "ask", "response", "GetItem on aah-responses", "question_id = {question_id} AND fingerprint_hash = {fingerprint_hash}"),
    ("S2-18", "ask", "eligible_subscriptions", "Query on ByNextEligible of aah-subscriptions", "ByNextEligiblePK = ELIGIBLE#{0..7} AND ByNextEligibleSK <= {next_eligible_at}$"),
    ("S2-19", "ask", "stats", "GetItem on aah-user-stats", "fingerprint_hash = {fingerprint_hash}"),
    ("S2-20", "ask", "leaderboard", "Query on ByTotalPoints of aah-user-stats", "_leaderboard = ALL_TIME#{0..7}"),
];

#[test]
fn every_documented_read_has_the_request_it_must_have() {
    for (demand, name, pattern, request, key) in PATTERNS {
        let model = model(name);
        let text = planned(&model, pattern).to_text(&model);
        let line = |start: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(start));
            line.unwrap_or_default().trim().to_owned()
        };
        assert_eq!(line("  request"), *request, "{demand} {pattern}");
        assert_eq!(line("  key"), *key, "{demand} {pattern}");
    }
}

#[test]
fn every_list_comes_in_pages() {
    // S0-23
    for name in ["todo", "tasks", "ask", "accounts"] {
        for plan in plan(&model(name)) {
            if let Answer::Read(read) = &plan.answer
                && read.operation == Operation::Query
            {
                let counted = read.page.is_none();
                assert!(
                    counted == plan.pattern.starts_with("count"),
                    "{name}.{}",
                    plan.pattern
                );
            }
        }
    }
}

#[test]
fn the_to_do_table_is_as_demanded() {
    let model = model("todo");
    // S0-1: one table, string keys, one stream.
    assert_eq!(model.tables.len(), 1);
    let table = &model.tables[0];
    assert_eq!(table.name.as_str(), "todo-app-data");
    assert_eq!(
        (
            table.partition_key.name.as_str(),
            table.sort_key.as_ref().map(|key| key.name.as_str())
        ),
        ("PK", Some("SK"))
    );
    assert!(table.stream.is_some());
    let key = |entity: &str| {
        let entity = model
            .entities
            .iter()
            .find(|other| other.name.as_str() == entity)
            .expect("an entity");
        (
            entity.key.partition.to_string(),
            entity
                .key
                .sort
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default(),
        )
    };
    assert_eq!(key("User"), ("USER#{user_id}".into(), "METADATA".into())); // S0-2
    assert_eq!(
        key("Task"),
        ("TASK#{user_id}".into(), "TASK#{task_id}".into())
    ); // S0-3
    let claim = (
        "IDEMPOTENCY#{user_id}".into(),
        "REQUEST#{route}#{request_id}".into(),
    );
    assert_eq!(key("Idempotency"), claim); // S0-4, scoped to the caller and the route

    let task = model
        .entities
        .iter()
        .find(|entity| entity.name.as_str() == "Task")
        .expect("Task");
    let sort = |index: usize| {
        task.index_keys[index]
            .key
            .sort
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default()
    };
    assert_eq!(sort(0), "STATUS#{status}#{task_id}"); // S0-5
    assert_eq!(sort(1), "DUEDATE#{due_date}#{task_id}"); // S0-6
    assert_eq!(sort(2), "PRIORITY#{priority:rank}#{task_id}"); // S0-7
    assert_eq!(sort(3), "CATEGORY#{category}#{task_id}"); // S0-8
    for key in &task.index_keys {
        assert_eq!(key.key.partition.to_string(), "USER#{user_id}"); // S0-9
    }
    let kind = |name: &str| {
        let field = task.field(task.field_named(name).expect("a field"));
        (field.kind().to_string(), field.is_optional())
    };
    assert_eq!(kind("title"), ("string(1..200)".into(), false)); // S0-11
    for optional in ["description", "priority", "category", "due_date"] {
        assert!(kind(optional).1, "{optional}"); // S0-11
    }
    assert_eq!(
        kind("status").0,
        "enum(pending, in_progress, completed, cancelled)"
    ); // S0-12
    assert_eq!(kind("priority").0, "ordered(low, medium, high, urgent)"); // S0-13
    assert_eq!(kind("due_date").0, "date"); // S0-14
    assert_eq!(kind("completed_at"), ("epoch_seconds".into(), true)); // S0-14
    assert_eq!(kind("ttl"), ("epoch_seconds".into(), true)); // S0-41: active tasks have none
}

#[test]
fn a_to_do_write_touches_all_that_belongs_to_it() {
    let model = model("todo");
    let create = write(&model, "create_task"); // S0-36, S0-44
    assert_eq!(create.operation, Operation::TransactWriteItems);
    let roles: Vec<&ItemRole> = create.items.iter().map(|item| &item.role).collect();
    assert_eq!(
        roles,
        [&ItemRole::Named, &ItemRole::Counter, &ItemRole::Claim]
    );
    assert_eq!(
        create.items[0].conditions,
        ["it is not there, or its ttl has passed"]
    );
    // S0-38, S0-39, S0-40: a claim can be taken again once its time has passed.
    assert_eq!(
        create.items[2].conditions,
        ["it is not there, or its ttl has passed"]
    );

    let update = write(&model, "update_task"); // S0-36, S0-46
    assert!(update.reads_first);
    assert_eq!(update.items[0].conditions, ["last_write is what was read"]);

    let user = write(&model, "create_user"); // S0-10
    assert!(
        user.items
            .iter()
            .any(|item| item.role == ItemRole::Guard("email".into()))
    );
    let moved = write(&model, "update_user");
    let guards = moved
        .items
        .iter()
        .filter(|item| item.role == ItemRole::Guard("email".into()));
    let kinds: Vec<ActionKind> = guards.map(|item| item.kind).collect();
    assert_eq!(kinds, [ActionKind::Delete, ActionKind::Create]);

    let deleted = write(&model, "delete_task"); // S0-37
    assert_eq!(deleted.items[0].kind, ActionKind::Delete);

    let bulk = write(&model, "change_status_in_bulk"); // S0-33: each task by itself, never a blind put
    assert!(bulk.each && bulk.reads_first && bulk.finds.is_none());
    let cleared = write(&model, "delete_completed_in_bulk"); // S0-34
    assert!(
        cleared.items[0]
            .conditions
            .contains(&"status = completed".to_owned())
    );
}

#[test]
fn the_costs_are_those_of_dynamodb() {
    // S0-51, and the figures the document gets wrong: a write of at most 1 KB with four indexes that hold everything.
    let text = r##"
[model]
name = "costs"

[table.app]
partition_key = "PK"
sort_key      = "SK"

[table.app.index]
GSI1 = {}
GSI2 = {}
GSI3 = {}
GSI4 = {}

[entity.Task]
table = "app"
key   = { partition = "TASK#{user}", sort = "TASK#{id}" }
index.GSI1 = { partition = "USER#{user}", sort = "STATUS#{status}#{id}" }
index.GSI2 = { partition = "USER#{user}", sort = "DUE#{due}#{id}" }
index.GSI3 = { partition = "USER#{user}", sort = "PRIORITY#{priority:rank}#{id}" }
index.GSI4 = { partition = "USER#{user}", sort = "CATEGORY#{category}#{id}" }
facts.size = "1 KB"

[entity.Task.fields]
user     = "id"
id       = "ulid"
status   = "enum(open, done)"
due      = "date"
priority = "ordered(low, high)"
category = "id"

[access.get]
get = "Task"
by  = ["user", "id"]

[access.get_strongly]
get         = "Task"
by          = ["user", "id"]
consistency = "strong"

[access.create]
create = "Task"

[access.change_status]
update = "Task"
by     = ["user", "id"]
set    = ["status"]

[access.delete]
delete = "Task"
by     = ["user", "id"]

[access.both]
transact = [{ create = "Task", as = "mine" }, { check = "Task", as = "other" }]
"##;
    let model = parse(text).expect("a model");
    let units: Vec<(String, Option<f64>)> = plan(&model)
        .into_iter()
        .map(|plan| {
            let cost = match &plan.answer {
                Answer::Read(read) => read.cost.units,
                Answer::Write(write) => write.cost.units,
                _ => None,
            };
            (plan.pattern, cost)
        })
        .collect();
    let expected = [
        ("get", 0.5),
        ("get_strongly", 1.0),
        ("create", 5.0),
        ("change_status", 6.0),
        ("delete", 5.0),
        // Two items at the transactional price, and four index entries at the plain one.
        ("both", 8.0),
    ];
    let expected: Vec<(String, Option<f64>)> = expected
        .iter()
        .map(|(name, units)| ((*name).to_owned(), Some(*units)))
        .collect();
    assert_eq!(units, expected);
}

#[test]
fn the_task_manager_is_as_demanded() {
    let model = model("tasks");
    let table = &model.tables[0];
    assert_eq!(table.name.as_str(), "TaskManagement"); // S1-1
    assert_eq!(
        table.type_attribute.as_ref().map(|name| name.as_str()),
        Some("EntityType")
    );
    let entity = |name: &str| {
        model
            .entities
            .iter()
            .find(|entity| entity.name.as_str() == name)
            .expect("an entity")
    };
    for (name, stored, sort) in [
        ("Task", "TASK", "METADATA"),                        // S1-7
        ("User", "USER", "PROFILE"),                         // S1-8
        ("Assignment", "ASSIGNMENT", "ASSIGNMENT#{UserId}"), // S1-9
    ] {
        assert_eq!(entity(name).type_value.as_str(), stored);
        assert_eq!(
            entity(name)
                .key
                .sort
                .as_ref()
                .map(ToString::to_string)
                .as_deref(),
            Some(sort)
        );
    }
    let words = |name: &str, field: &str| {
        let entity = entity(name);
        let words = entity
            .field(entity.field_named(field).expect("a field"))
            .kind()
            .words()
            .map(<[String]>::to_vec);
        words.unwrap_or_default().join(" ")
    };
    assert_eq!(words("Task", "Status"), "OPEN IN_PROGRESS COMPLETED CLOSED"); // S1-3
    assert_eq!(words("Task", "Priority"), "LOW MEDIUM HIGH"); // S1-4
    assert_eq!(words("User", "UserStatus"), "ACTIVE DEACTIVATED"); // S1-5

    let has = |name: &str, fields: &[&str]| {
        for field in fields {
            assert!(entity(name).field_named(field).is_some(), "{name}.{field}");
        }
    };
    // S1-2; AssignedTo is gone, since a task has many assignments.
    has(
        "Task",
        &[
            "TaskId",
            "Title",
            "Description",
            "Status",
            "Priority",
            "CreatedBy",
            "CreatedAt",
            "UpdatedAt",
        ],
    );
    has("User", &["UserId", "Email", "UserStatus", "Groups"]); // S1-6, S1-45
    has(
        "Assignment",
        &["TaskId", "UserId", "AssignedBy", "AssignedAt"],
    ); // S1-9
    assert!(entity("Task").field_named("AssignedTo").is_none());
    let in_index = |name: &str, index: &str| {
        let key = entity(name)
            .index_keys
            .iter()
            .find(|key| key.name.as_str() == index)
            .expect("a key");
        (
            key.key.partition.to_string(),
            key.key
                .sort
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default(),
        )
    };
    // S1-10; S1-35: the key of an assignment is the pair, so a task has several users and a user several tasks.
    assert_eq!(
        in_index("Assignment", "UserTasksIndex"),
        ("USER#{UserId}".into(), "TASK#{TaskId}".into())
    );
    // S1-11
    let (partition, sort) = in_index("Task", "TaskStatusIndex");
    assert!(partition.starts_with("STATUS#{Status}") && sort.starts_with("CREATED_AT#{CreatedAt"));
    // S1-47: what decides an assignment is read strongly. S1-48: lists and profiles are not.
    assert_eq!(read(&model, "assignment").consistency, Consistency::Strong);
    assert_eq!(
        read(&model, "assignments_of_user").consistency,
        Consistency::Eventual
    );
    assert_eq!(read(&model, "user").consistency, Consistency::Eventual);
    // S1-39
    let Verb::Transact(actions) = &model.access("change_status").expect("a pattern").verb else {
        panic!("a status is changed in a transaction");
    };
    let changed: Vec<&str> = actions
        .iter()
        .flat_map(|action| &action.changes.set)
        .map(|set| set.written.as_str())
        .collect();
    for field in ["Status", "UpdatedBy", "UpdatedAt"] {
        assert!(changed.contains(&field), "{field}");
    }

    // S1-16: every shard of a status is asked, and the newest or oldest of all come first.
    assert_eq!(read(&model, "tasks_by_status").requests, 8);
    // S1-28, S1-29, S1-30, S1-31, S1-32: the assignment stands or falls with the task, the user and its absence.
    let assign = write(&model, "assign_task");
    let checks = assign
        .items
        .iter()
        .filter(|item| item.kind == ActionKind::Check)
        .count();
    assert!(checks >= 2 && assign.operation == Operation::TransactWriteItems);
    let put = assign
        .items
        .iter()
        .find(|item| item.kind == ActionKind::Create)
        .expect("a put");
    assert_eq!(put.conditions, ["it is not there"]);
    // S1-38: only while the caller holds the assignment.
    let change = write(&model, "change_status");
    assert!(
        change
            .items
            .iter()
            .any(|item| item.kind == ActionKind::Check)
    );
    // S1-24, S1-33, S1-40: events come from the stream.
    for event in ["TaskCreated", "TaskAssigned", "TaskStatusUpdated"] {
        let event = model
            .events
            .iter()
            .find(|other| other.name.as_str() == event)
            .expect("an event");
        assert!(event.trigger.is_some() && event.after.is_none());
    }
}

#[test]
fn ask_a_human_is_as_demanded() {
    let model = model("ask");
    assert_eq!(model.profile, Profile::TablePerEntity);
    for table in [
        "aah-questions",
        "aah-responses",
        "aah-subscriptions",
        "aah-user-stats",
    ] {
        assert!(
            model
                .tables
                .iter()
                .any(|other| other.name.as_str() == table),
            "{table}"
        ); // S2-1
    }
    let entity = |name: &str| {
        model
            .entities
            .iter()
            .find(|entity| entity.name.as_str() == name)
            .expect("an entity")
    };
    let has = |name: &str, fields: &[&str]| {
        for field in fields {
            assert!(entity(name).field_named(field).is_some(), "{name}.{field}");
        }
    };
    // S2-2, S2-6, S2-8, S2-10: the documents' attributes, by their names.
    has(
        "Question",
        &[
            "question_id",
            "status",
            "prompt",
            "type",
            "options",
            "audience",
            "required_responses",
            "current_responses",
        ],
    );
    has(
        "Question",
        &[
            "agent_id",
            "idempotency_key",
            "created_at",
            "expires_at",
            "closed_at",
        ],
    );
    has(
        "Response",
        &[
            "question_id",
            "response_id",
            "answer",
            "selected_option",
            "confidence",
            "fingerprint_hash",
            "created_at",
            "response_time_ms",
        ],
    );
    has(
        "Subscription",
        &[
            "subscription_id",
            "fcm_token",
            "min_interval_minutes",
            "last_notified_at",
            "created_at",
            "updated_at",
            "active",
        ],
    ); // S2-27
    has(
        "UserStats",
        &[
            "fingerprint_hash",
            "total_points",
            "total_answers",
            "streak_days",
            "streak_last_date",
            "badges",
            "answers_by_category",
        ],
    );
    // S2-5, S2-25: purged by a TTL that is not the deadline.
    let question = entity("Question");
    let named = |field: &Option<(tablewright_model::Text, tablewright_model::model::FieldId)>| {
        field.as_ref().map(|(name, _)| name.value.clone())
    };
    assert_eq!(named(&question.deadline).as_deref(), Some("expires_at"));
    assert_eq!(named(&question.ttl).as_deref(), Some("purge_at"));
    // S2-3, S2-4, S2-7, S2-9, S2-11: an index for each, and the sparse ones hold only what is asked for.
    let index = |name: &str, index: &str| {
        let key = entity(name)
            .index_keys
            .iter()
            .find(|key| key.name.as_str() == index);
        key.unwrap_or_else(|| panic!("{name} is not in {index}"))
            .when
            .is_some()
    };
    assert!(index("Question", "Accepting"));
    assert!(!index("Question", "ByAgentId"));
    assert!(!index("Response", "ByFingerprint"));
    assert!(index("Subscription", "ByNextEligible"));
    // Whoever is banned is on no board.
    assert!(index("UserStats", "ByTotalPoints"));
    // S2-21: a repeated request claims its key in the transaction of the question. S2-23: a limit is a counter.
    assert!(
        write(&model, "ask_question")
            .items
            .iter()
            .any(|item| item.role == ItemRole::Claim)
    );
    assert_eq!(write(&model, "use_window").operation, Operation::UpdateItem);

    // S2-13, S2-18, S2-20: no index has all its traffic on one partition.
    for pattern in ["open_questions", "eligible_subscriptions", "leaderboard"] {
        assert!(read(&model, pattern).requests > 1, "{pattern}");
    }
    // S2-17, S2-22: one answer each is a key, not a look-up.
    assert_eq!(read(&model, "response").operation, Operation::GetItem);
    // S2-24: answer, question and points are one transaction.
    let answer = write(&model, "answer");
    assert_eq!(answer.operation, Operation::TransactWriteItems);
    let written: Vec<(ActionKind, &str)> = answer
        .items
        .iter()
        .map(|item| (item.kind, model.entity(item.entity).name.as_str()))
        .collect();
    assert_eq!(
        written,
        [
            (ActionKind::Create, "Response"),
            (ActionKind::Update, "Question"),
            (ActionKind::Update, "Agent"),
            (ActionKind::Update, "UserStats"),
        ]
    );
    // Never an answer too many, and none after the deadline, though TTL has not come yet.
    let conditions = answer.items[1].conditions.join(" and ");
    for part in [
        "status in (OPEN, PARTIAL)",
        "current_responses < required_responses",
        "expires_at > :now",
    ] {
        assert!(conditions.contains(part), "{part}: {conditions}");
    }
}

#[test]
fn accounts_are_as_demanded() {
    let model = model("accounts");
    // S4-1: a table for each entity.
    let mut tables: Vec<_> = model.entities.iter().map(|entity| entity.table).collect();
    tables.dedup();
    assert_eq!(tables.len(), model.entities.len());
    let account = &model.entities[0];
    assert_eq!(
        account
            .versioned
            .as_ref()
            .map(|versioned| versioned.data_version.value),
        Some(2)
    ); // S4-10
    let versioned = account.versioned.as_ref().expect("versioned"); // S4-7
    assert_eq!(versioned.layout, Layout::Wrapped); // S4-12
    let balance = account.field(account.field_named("balance").expect("balance")); // S4-18
    assert!(matches!(balance.kind(), FieldType::Int { .. }));
    assert_eq!(read(&model, "read").cost.units, Some(0.5)); // S4-2
    assert_eq!(read(&model, "read_strong").cost.units, Some(1.0)); // S4-3
    assert_eq!(
        write(&model, "insert").items[0].conditions,
        ["it is not there"]
    ); // S4-4
    assert_eq!(
        write(&model, "update").items[0].conditions,
        ["last_write is what was read"]
    ); // S4-5
    assert!(
        write(&model, "delete").items[0]
            .conditions
            .contains(&"last_write is what was read".to_owned())
    ); // S4-6
    // Money moves if there is enough of it, from one account to another, and the transfer is written with it.
    let transfer = write(&model, "transfer");
    let names: Vec<Option<&str>> = transfer
        .items
        .iter()
        .map(|item| item.name.as_deref())
        .collect();
    assert_eq!(names, [Some("payer"), Some("payee"), None]);
    assert_eq!(
        transfer.items[0].conditions,
        ["it is there", "balance >= :amount"]
    );
    assert_eq!(transfer.items[1].conditions, ["it is there"]);
    assert_eq!(transfer.items[2].conditions, ["it is not there"]);
    // Amounts are added where they lie: nothing is read first that could be outdated.
    assert!(!transfer.reads_first && !write(&model, "withdraw").reads_first);
    assert_eq!(
        write(&model, "withdraw").items[0].conditions,
        ["it is there", "balance >= :amount"]
    );
}
