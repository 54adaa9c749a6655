//! Index keys, guards and counts always say what the items say, whatever was done to them.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use proptest::prelude::*;
use tablewright::{Change, Date, Error, Item, Ulid};
use todo::model::{SCHEMA, Task, TaskKey, TaskPriority, TaskStatus, Todo, UpdateTask};

use crate::support::{Place, task, todo};

/// Something done to one of a few tasks.
#[derive(Debug, Clone)]
enum Step {
    Create(u8, Option<TaskPriority>, Option<u8>),
    Patch(u8, UpdateTask),
    Rewrite(u8, TaskStatus, Option<u8>),
    Delete(u8),
}

fn status() -> impl Strategy<Value = TaskStatus> {
    prop::sample::select(TaskStatus::ALL.to_vec())
}

fn priority() -> impl Strategy<Value = Option<TaskPriority>> {
    prop::option::of(prop::sample::select(TaskPriority::ALL.to_vec()))
}

fn change<T: std::fmt::Debug + Clone + 'static>(
    value: impl Strategy<Value = T> + 'static,
) -> impl Strategy<Value = Change<T>> {
    prop_oneof![Just(Change::Keep), value.prop_map(Change::Set)]
}

fn category() -> impl Strategy<Value = Option<String>> {
    prop::option::of(prop::sample::select(vec![
        "home".to_owned(),
        "a#b $".to_owned(),
        "é".to_owned(),
    ]))
}

fn day(number: u8) -> Date {
    Date::constant(2024, 1, 1).saturating_add(jiff::Span::new().days(i64::from(number)))
}

fn step() -> impl Strategy<Value = Step> {
    let which = 0..4_u8;
    prop_oneof![
        (which.clone(), priority(), prop::option::of(any::<u8>()))
            .prop_map(|(a, b, c)| Step::Create(a, b, c)),
        (
            which.clone(),
            change(status()),
            change(priority()),
            change(category()),
            change(prop::option::of(any::<u8>().prop_map(day))),
        )
            .prop_map(|(which, status, priority, category, due_date)| {
                Step::Patch(
                    which,
                    UpdateTask {
                        status,
                        priority,
                        category,
                        due_date,
                        ..UpdateTask::default()
                    },
                )
            }),
        (which.clone(), status(), prop::option::of(any::<u8>()))
            .prop_map(|(a, b, c)| Step::Rewrite(a, b, c)),
        which.prop_map(Step::Delete),
    ]
}

async fn take(todo: &Todo, id: &[Ulid], step: Step) {
    let key = |which: u8| TaskKey::new("ada", id[usize::from(which)]);
    let outcome = match step {
        Step::Create(which, priority, due) => {
            let mut new = task("ada", "x");
            new.task_id = id[usize::from(which)];
            new.priority = priority;
            new.due_date = due.map(day);
            todo.tasks.create_task(new, None).await.map(drop)
        }
        Step::Patch(which, patch) => todo
            .tasks
            .update_task(&key(which), |_| Ok::<_, Error>((patch.clone(), None)))
            .await
            .map(drop),
        Step::Rewrite(which, status, due) => todo
            .tasks
            .items()
            .update(&key(which), |task| {
                task.status = status;
                task.due_date = due.map(day);
            })
            .await
            .map(drop),
        Step::Delete(which) => todo.tasks.delete_task(&key(which), None).await.map(drop),
    };
    match outcome {
        Ok(()) | Err(Error::NotFound { .. } | Error::Exists { .. }) => {}
        Err(error) => panic!("{error}"),
    }
}

/// The index keys of a task, written down once more by hand.
fn expected(task: &Task) -> HashMap<String, String> {
    let id = task.task_id;
    let mut keys = HashMap::new();
    let mut add = |index: &str, sort: String| {
        keys.insert(format!("{index}PK"), "USER#ada".to_owned());
        keys.insert(format!("{index}SK"), sort);
    };
    add("GSI1", format!("STATUS#{}#{id}", task.status));
    if let Some(due) = task.due_date {
        add("GSI2", format!("DUEDATE#{due}#{id}"));
        if matches!(task.status, TaskStatus::Pending | TaskStatus::InProgress) {
            add("GSI5", format!("OPENDUE#{due}#{id}"));
        }
    }
    if let Some(priority) = task.priority {
        add("GSI3", format!("PRIORITY#{}#{id}", priority as u8));
    }
    if let Some(category) = &task.category {
        let escaped = category
            .replace('$', "$24")
            .replace('#', "$23")
            .replace(' ', "$20");
        add("GSI4", format!("CATEGORY#{escaped}#{id}"));
    }
    keys
}

async fn everything(place: &Place, todo: &Todo) -> Vec<Item> {
    let table = todo.store().table_name(&SCHEMA.tables[0]);
    let found = place
        .client
        .scan()
        .table_name(table)
        .consistent_read(true)
        .send()
        .await
        .unwrap();
    found.items.unwrap_or_default()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// S0-46
    #[test]
    fn no_index_key_and_no_count_is_ever_stale(steps in prop::collection::vec(step(), 1..25)) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(async {
            let (place, todo) = todo().await;
            let ids: Vec<Ulid> = (0..4).map(|_| Ulid::new()).collect();
            for step in steps {
                take(&todo, &ids, step).await;
            }
            let mut counted: HashMap<String, i64> = HashMap::new();
            let mut counts = Item::new();
            for item in everything(&place, &todo).await {
                if item["Type"] != AttributeValue::S("Task".to_owned()) {
                    counts = item;
                    continue;
                }
                let id: Ulid = item["task_id"].as_s().unwrap().parse().unwrap();
                let task = todo.tasks.task("ada", id).await.unwrap().unwrap();
                let keys: HashMap<String, String> = item
                    .iter()
                    .filter(|(name, _)| name.starts_with("GSI"))
                    .map(|(name, value)| (name.clone(), value.as_s().unwrap().clone()))
                    .collect();
                assert_eq!(keys, expected(&task));
                *counted.entry("total".to_owned()).or_default() += 1;
                *counted.entry(format!("by_status_{}", task.status)).or_default() += 1;
                if let Some(priority) = task.priority {
                    *counted.entry(format!("by_priority_{priority}")).or_default() += 1;
                }
            }
            let numbers = counts.iter().filter_map(|(name, value)| Some((name.clone(), value.as_n().ok()?.parse().ok()?)));
            let numbers = numbers.filter(|(name, _)| name != "counting_since");
            let numbers: HashMap<String, i64> = numbers.filter(|(_, number)| *number != 0).collect();
            assert_eq!(numbers, counted);
        });
    }
}
