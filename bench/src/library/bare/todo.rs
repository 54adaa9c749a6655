//! Tasks by hand.

use anyhow::{Context, bail, ensure};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{
    Put, ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure, TransactWriteItem, Update,
};
use tablewright::{Ulid, Versioned};
use todo::model::{Task, TaskPriority, TaskStatus};

use super::{
    Item, now_millis, number, take_number, take_optional_number, take_optional_text, take_text,
    text,
};

const TABLE: &str = "todo-app-data";

pub(crate) async fn task(
    client: &Client,
    user_id: &str,
    task_id: Ulid,
) -> anyhow::Result<Option<Versioned<Task>>> {
    let found = client
        .get_item()
        .table_name(TABLE)
        .key("PK", text(format!("TASK#{user_id}")))
        .key("SK", text(format!("TASK#{task_id}")))
        .consistent_read(false)
        .return_consumed_capacity(ReturnConsumedCapacity::Total)
        .send()
        .await?;
    std::hint::black_box(found.consumed_capacity);
    let now = now_millis()? / 1000;
    match found.item {
        Some(item) if take_optional_number(&item, "ttl").is_none_or(|end| end > now) => {
            from_item(item).map(Some)
        }
        _ => Ok(None),
    }
}

/// A page, the newest first, and the key it ends with.
pub(crate) async fn tasks(
    client: &Client,
    user_id: &str,
    limit: i32,
) -> anyhow::Result<(Vec<Versioned<Task>>, Option<Item>)> {
    let found = client
        .query()
        .table_name(TABLE)
        .key_condition_expression("PK = :pk AND begins_with(SK, :sk)")
        .filter_expression("attribute_not_exists(#ttl) OR #ttl > :now")
        .expression_attribute_names("#ttl", "ttl")
        .expression_attribute_values(":pk", text(format!("TASK#{user_id}")))
        .expression_attribute_values(":sk", text("TASK#"))
        .expression_attribute_values(":now", number(now_millis()? / 1000))
        .scan_index_forward(false)
        .limit(limit)
        .return_consumed_capacity(ReturnConsumedCapacity::Total)
        .send()
        .await?;
    std::hint::black_box(found.consumed_capacity);
    let items = found.items.unwrap_or_default();
    let tasks: Vec<_> = items.into_iter().map(from_item).collect::<Result<_, _>>()?;
    Ok((tasks, found.last_evaluated_key))
}

pub(crate) async fn create_task(client: &Client, task: Task) -> anyhow::Result<Versioned<Task>> {
    let last_write = now_millis()?;
    let put = Put::builder()
        .table_name(TABLE)
        .set_item(Some(task_item(&task, last_write)))
        .condition_expression("attribute_not_exists(PK)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    let sent = client
        .transact_write_items()
        .transact_items(TransactWriteItem::builder().put(put).build())
        .transact_items(TransactWriteItem::builder().update(count(&task)?).build())
        .return_consumed_capacity(ReturnConsumedCapacity::Total)
        .send()
        .await?;
    std::hint::black_box(sent.consumed_capacity);
    Ok(Versioned {
        data: task,
        data_version: 1,
        last_write,
    })
}

/// Every number a task is counted in.
fn count(task: &Task) -> anyhow::Result<Update> {
    let mut set = String::from(
        "SET #total = if_not_exists(#total, :zero) + :one, \
         #status = if_not_exists(#status, :zero) + :one, \
         #type = if_not_exists(#type, :type), user_id = if_not_exists(user_id, :user)",
    );
    let mut update = Update::builder();
    if let Some(priority) = task.priority {
        set.push_str(", #priority = if_not_exists(#priority, :zero) + :one");
        let name = format!("by_priority_{priority}");
        update = update.expression_attribute_names("#priority", name);
    }
    let update = update
        .table_name(TABLE)
        .key("PK", text(format!("USER#{}", task.user_id)))
        .key("SK", text("COUNTS"))
        .update_expression(set)
        .expression_attribute_names("#total", "total")
        .expression_attribute_names("#status", format!("by_status_{}", task.status))
        .expression_attribute_names("#type", "Type")
        .expression_attribute_values(":zero", number(0))
        .expression_attribute_values(":one", number(1))
        .expression_attribute_values(":type", text("TaskCounts"))
        .expression_attribute_values(":user", text(&task.user_id))
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    Ok(update)
}

/// A task as it is stored, in every index it belongs to.
pub(crate) fn task_item(task: &Task, last_write: i64) -> Item {
    let id = task.task_id.to_string();
    let status = task.status.as_str();
    let user = text(format!("USER#{}", task.user_id));
    let mut item = Item::from([
        ("PK".into(), text(format!("TASK#{}", task.user_id))),
        ("SK".into(), text(format!("TASK#{id}"))),
        ("Type".into(), text("Task")),
        ("GSI1PK".into(), user.clone()),
        ("GSI1SK".into(), text(format!("STATUS#{status}#{id}"))),
        ("user_id".into(), text(&task.user_id)),
        ("title".into(), text(&task.title)),
        ("status".into(), text(status)),
        ("created_at".into(), number(task.created_at)),
        ("updated_at".into(), number(task.updated_at)),
        ("revision".into(), number(task.revision)),
        ("data_version".into(), number(1)),
        ("last_write".into(), number(last_write)),
    ]);
    if let Some(description) = &task.description {
        item.insert("description".into(), text(description));
    }
    if let Some(day) = task.due_date {
        let day = day.to_string();
        item.insert("GSI2PK".into(), user.clone());
        item.insert("GSI2SK".into(), text(format!("DUEDATE#{day}#{id}")));
        if matches!(task.status, TaskStatus::Pending | TaskStatus::InProgress) {
            item.insert("GSI5PK".into(), user.clone());
            item.insert("GSI5SK".into(), text(format!("OPENDUE#{day}#{id}")));
        }
        item.insert("due_date".into(), text(day));
    }
    if let Some(priority) = task.priority {
        let rank = priority as u8;
        item.insert("GSI3PK".into(), user.clone());
        item.insert("GSI3SK".into(), text(format!("PRIORITY#{rank}#{id}")));
        item.insert("priority".into(), text(priority.as_str()));
    }
    if let Some(category) = &task.category {
        item.insert("GSI4PK".into(), user);
        item.insert("GSI4SK".into(), text(format!("CATEGORY#{category}#{id}")));
        item.insert("category".into(), text(category));
    }
    for (name, value) in [("completed_at", task.completed_at), ("ttl", task.ttl)] {
        if let Some(value) = value {
            item.insert(name.into(), number(value));
        }
    }
    item.insert("task_id".into(), text(id));
    item
}

fn from_item(mut item: Item) -> anyhow::Result<Versioned<Task>> {
    let data_version = u16::try_from(take_number(&item, "data_version")?)?;
    ensure!(data_version == 1, "a task of version {data_version}");
    let day = take_optional_text(&mut item, "due_date");
    let priority = take_optional_text(&mut item, "priority");
    Ok(Versioned {
        data_version,
        last_write: take_number(&item, "last_write")?,
        data: Task {
            task_id: take_text(&mut item, "task_id")?.parse()?,
            user_id: take_text(&mut item, "user_id")?,
            title: take_text(&mut item, "title")?,
            description: take_optional_text(&mut item, "description"),
            status: status(&take_text(&mut item, "status")?)?,
            priority: priority.as_deref().map(self::priority).transpose()?,
            category: take_optional_text(&mut item, "category"),
            due_date: day.map(|day| day.parse()).transpose().context("a day")?,
            created_at: take_number(&item, "created_at")?,
            updated_at: take_number(&item, "updated_at")?,
            completed_at: take_optional_number(&item, "completed_at"),
            ttl: take_optional_number(&item, "ttl"),
            revision: take_number(&item, "revision")?,
        },
    })
}

fn status(word: &str) -> anyhow::Result<TaskStatus> {
    Ok(match word {
        "pending" => TaskStatus::Pending,
        "in_progress" => TaskStatus::InProgress,
        "completed" => TaskStatus::Completed,
        "cancelled" => TaskStatus::Cancelled,
        other => bail!("{other} is no status"),
    })
}

fn priority(word: &str) -> anyhow::Result<TaskPriority> {
    Ok(match word {
        "low" => TaskPriority::Low,
        "medium" => TaskPriority::Medium,
        "high" => TaskPriority::High,
        "urgent" => TaskPriority::Urgent,
        other => bail!("{other} is no priority"),
    })
}
