//! Many at once. What happened is read from the change stream, which has every change in the order in which it was made.

use std::collections::HashMap;
use std::time::Duration;

use aws_sdk_dynamodbstreams::types::ShardIteratorType;
use tablewright::{Changed, Item, Uuid};
use tasks::model::{TaskStatus, TasksChange, TasksEvent, UserStatus};
use tasks::rules::{Role, may_become};

use crate::support::{Api, Asks as _, Caller, Reply};

/// Every change of the table there has been, in order.
pub(crate) async fn history(api: &Api) -> Vec<(Option<Item>, Option<Item>)> {
    use aws_sdk_dynamodbstreams::types::AttributeValue as Streamed;
    // The two crates of the SDK have a type each for the same value.
    fn of(value: &Streamed) -> aws_sdk_dynamodb::types::AttributeValue {
        use aws_sdk_dynamodb::types::AttributeValue as Stored;
        match value {
            Streamed::S(text) => Stored::S(text.clone()),
            Streamed::N(number) => Stored::N(number.clone()),
            Streamed::Bool(truth) => Stored::Bool(*truth),
            Streamed::Null(null) => Stored::Null(*null),
            Streamed::L(list) => Stored::L(list.iter().map(of).collect()),
            Streamed::M(map) => Stored::M(
                map.iter()
                    .map(|(name, value)| (name.clone(), of(value)))
                    .collect(),
            ),
            other => panic!("no item of the model has {other:?}"),
        }
    }
    let image = |image: Option<&HashMap<String, Streamed>>| {
        image.map(|image| {
            image
                .iter()
                .map(|(name, value)| (name.clone(), of(value)))
                .collect::<Item>()
        })
    };
    let streams = api.engine.streams();
    let found = streams
        .list_streams()
        .table_name("TaskManagement")
        .send()
        .await
        .unwrap();
    let arn = found.streams()[0].stream_arn().unwrap().to_owned();
    let stream = streams
        .describe_stream()
        .stream_arn(&arn)
        .send()
        .await
        .unwrap();
    let shards = stream.stream_description().unwrap().shards().to_vec();
    assert_eq!(shards.len(), 1, "one shard has one order");
    let iterator = streams
        .get_shard_iterator()
        .stream_arn(&arn)
        .shard_id(shards[0].shard_id().unwrap())
        .shard_iterator_type(ShardIteratorType::TrimHorizon)
        .send()
        .await
        .unwrap();
    let mut next = iterator.shard_iterator;
    let mut changes = Vec::new();
    while let Some(iterator) = next {
        let page = streams
            .get_records()
            .shard_iterator(iterator)
            .send()
            .await
            .unwrap();
        if page.records().is_empty() {
            break;
        }
        for record in page.records() {
            let change = record.dynamodb().unwrap();
            changes.push((image(change.old_image()), image(change.new_image())));
        }
        next = page.next_shard_iterator;
    }
    changes
}

/// Goes through all changes again: whenever somebody was assigned, they were active and the task was handed out. Gives how many were.
async fn every_assignment_was_right(api: &Api) -> usize {
    let mut users: HashMap<String, UserStatus> = HashMap::new();
    let mut tasks: HashMap<Uuid, TaskStatus> = HashMap::new();
    let mut assigned = 0;
    for (before, after) in history(api).await {
        match TasksChange::decode("TaskManagement", before.as_ref(), after.as_ref()).unwrap() {
            Some(TasksChange::User(
                Changed::Inserted(user) | Changed::Changed { after: user, .. },
            )) => {
                users.insert(user.user_id.clone(), user.user_status);
            }
            Some(TasksChange::Task(
                Changed::Inserted(task) | Changed::Changed { after: task, .. },
            )) => {
                tasks.insert(task.task_id, task.status);
            }
            Some(TasksChange::Assignment(Changed::Inserted(assignment))) => {
                assert_eq!(
                    users[&assignment.user_id],
                    UserStatus::Active,
                    "{assignment:?}"
                );
                let status = tasks[&assignment.task_id];
                assert!(
                    matches!(status, TaskStatus::Open | TaskStatus::InProgress),
                    "{assignment:?} {status}"
                );
                assigned += 1;
            }
            _ => {}
        }
    }
    assigned
}

/// S1-30 to S1-33: of many who assign one user to one task one does, and it is told once.
#[tokio::test(flavor = "multi_thread")]
async fn two_hundred_assign_one_user_to_one_task() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    api.member("ada").await;
    let id = admin.task("Fix bug").await;
    let answers = futures_util::future::join_all((0..200).map(|_| {
        let (admin, id) = (admin.clone(), id.clone());
        tokio::spawn(async move { admin.assign(&id, "ada").await })
    }))
    .await;
    let mut statuses: HashMap<u16, usize> = HashMap::new();
    for answer in answers {
        let answer = answer.unwrap();
        if answer.status == 409 {
            answer.clone().problem(409, "exists");
        }
        *statuses.entry(answer.status).or_default() += 1;
    }
    assert_eq!(statuses, HashMap::from([(200, 1), (409, 199)]));
    assert_eq!(every_assignment_was_right(&api).await, 1);
    let mut told = 0;
    for (before, after) in history(&api).await {
        let events = TasksEvent::of("TaskManagement", before.as_ref(), after.as_ref()).unwrap();
        told += events
            .iter()
            .filter(|event| matches!(event, TasksEvent::TaskAssigned(_)))
            .count();
    }
    assert_eq!(told, 1, "one event");
}

/// How many rounds of a race, and how many go on at the same time.
const ROUNDS: usize = 500;
const LANES: usize = 10;

async fn assign(admin: &Caller, task: &str, user: &str, round: usize) -> Reply {
    held_back(Side::Assigns, round).await;
    admin.assign(task, user).await
}

/// C1-5: an assignment and a deactivation at the same moment.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_assigned_after_they_were_deactivated() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    let lanes = (0..LANES).map(|lane| {
        let (api, admin) = (&api, &admin);
        async move {
            let name = format!("user-{lane}");
            api.member(&name).await;
            let mut assigned = 0;
            for round in 0..ROUNDS / LANES {
                let id = admin.task(&format!("{lane} {round}")).await;
                let (assign, deactivate) = tokio::join!(assign(admin, &id, &name, round), async {
                    held_back(Side::Ends, round).await;
                    admin.user_status(&name, "DEACTIVATED").await
                });
                deactivate.expect(200);
                match assign.status {
                    200 => assigned += 1,
                    _ => drop(assign.problem(400, "not-assignable")),
                }
                admin.user_status(&name, "ACTIVE").await.expect(200);
            }
            assigned
        }
    });
    let assigned: usize = futures_util::future::join_all(lanes)
        .await
        .into_iter()
        .sum();
    assert_eq!(every_assignment_was_right(&api).await, assigned);
    assert!(
        (1..ROUNDS).contains(&assigned),
        "both happened: {assigned} of {ROUNDS} were assigned"
    );
}

/// C1-5, C1-15: an assignment and a closing at the same moment.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_assigned_after_the_task_was_closed() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    api.member("ada").await;
    let lanes = (0..LANES).map(|lane| {
        let admin = &admin;
        async move {
            let mut assigned = 0;
            for round in 0..ROUNDS / LANES {
                let id = admin.task(&format!("{lane} {round}")).await;
                let (assign, close) = tokio::join!(assign(admin, &id, "ada", round), async {
                    held_back(Side::Ends, round).await;
                    admin.close(&id).await
                });
                close.expect(200);
                match assign.status {
                    200 => assigned += 1,
                    _ => drop(assign.problem(409, "refused")),
                }
            }
            assigned
        }
    });
    let assigned: usize = futures_util::future::join_all(lanes)
        .await
        .into_iter()
        .sum();
    assert_eq!(every_assignment_was_right(&api).await, assigned);
    assert!(
        (1..ROUNDS).contains(&assigned),
        "both happened: {assigned} of {ROUNDS} were assigned"
    );
}

/// Which of two is held back.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    /// Who assigns, or changes a status.
    Assigns,
    /// Who ends the right to.
    Ends,
}

/// Holds one of two back, in every other round the other, and each time for longer: sometimes one is first, and sometimes the other.
async fn held_back(side: Side, round: usize) {
    let is_held = round.is_multiple_of(2) == (side == Side::Assigns);
    // From not at all to longer than a request takes where many are made.
    let millis = 2_u64.pow((round / 2 % 8) as u32) - 1;
    if is_held && millis > 0 {
        tokio::time::sleep(Duration::from_millis(millis)).await;
    }
}

/// C1-17, C1-18: a member's change of status and their deactivation, or the end of their assignment, at the same moment.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_changes_a_status_after_they_lost_the_right_to() {
    let api = Api::start().await;
    let (admin, ada) = (api.admin("456").await, api.member("ada").await);
    let mut changed = [0, 0];
    for round in 0..100 {
        let id = admin.task("Fix bug").await;
        admin.assign(&id, "ada").await.expect(200);
        let path = format!("/tasks/{id}/assignments/ada");
        let (change, end) = tokio::join!(
            async {
                held_back(Side::Assigns, round / 2).await;
                ada.status(&id, "IN_PROGRESS").await
            },
            async {
                held_back(Side::Ends, round / 2).await;
                match round % 2 {
                    0 => admin.user_status("ada", "DEACTIVATED").await.expect(200),
                    _ => admin.delete(&path).await.expect(204),
                }
            }
        );
        drop(end);
        assert!(matches!(change.status, 200 | 403), "{}", change.text);
        changed[round % 2] += usize::from(change.status == 200);
        if round % 2 == 0 {
            admin.user_status("ada", "ACTIVE").await.expect(200);
        }
    }
    let (mut active, mut holds) = (false, HashMap::new());
    let mut seen = 0;
    for (before, after) in history(&api).await {
        match TasksChange::decode("TaskManagement", before.as_ref(), after.as_ref()).unwrap() {
            Some(TasksChange::User(
                Changed::Inserted(user) | Changed::Changed { after: user, .. },
            )) if user.user_id == "ada" => {
                active = user.user_status == UserStatus::Active;
            }
            Some(TasksChange::Assignment(Changed::Inserted(one))) => {
                holds.insert(one.task_id, true);
            }
            Some(TasksChange::Assignment(Changed::Removed(one))) => {
                holds.insert(one.task_id, false);
            }
            Some(TasksChange::Task(Changed::Changed { after, .. })) => {
                assert!(active && holds[&after.task_id], "{after:?}");
                seen += 1;
            }
            _ => {}
        }
    }
    assert_eq!(seen, changed[0] + changed[1]);
}

/// C1-15, C1-18: many change one task at the same moment, and each change follows the status there was.
#[tokio::test(flavor = "multi_thread")]
async fn each_change_of_a_status_follows_the_one_before() {
    let api = Api::start().await;
    let admin = api.admin("456").await;
    let id = admin.task("Fix bug").await;
    let mut members = Vec::new();
    for number in 0..12 {
        let name = format!("user-{number}");
        members.push(api.member(&name).await);
        admin.assign(&id, &name).await.expect(200);
    }
    let works = members.iter().map(|member| async {
        for status in ["IN_PROGRESS", "COMPLETED", "OPEN", "IN_PROGRESS", "OPEN"] {
            let answer = member.status(&id, status).await;
            assert!(matches!(answer.status, 200 | 409), "{}", answer.text);
        }
    });
    futures_util::future::join_all(works).await;
    let mut changes = 0;
    for (before, after) in history(&api).await {
        let change = TasksChange::decode("TaskManagement", before.as_ref(), after.as_ref());
        if let Some(TasksChange::Task(Changed::Changed { before, after })) = change.unwrap() {
            assert!(
                may_become(before.status, after.status, Role::Member),
                "{after:?}"
            );
            changes += 1;
        }
    }
    assert!(changes > 1, "{changes} changes");
}
