//! What the lake adds up to, against what the tables and the changes add up to.

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::{Array as _, TimestampMillisecondArray};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use tablewright_lake::{GoldRow, Reader, RecordBatch};
use todo::model::{Task, TaskStatus};

use super::lake::texts;
use super::{same, twice};
use crate::verdicts::Verdicts;

/// A row, in words: two of them are the same, or one can be shown.
type Row = Vec<String>;

pub(crate) async fn verify(
    reader: &Reader,
    tasks: &[Task],
    verdicts: &mut Verdicts,
) -> anyhow::Result<()> {
    let per_day = |row: &GoldRow<'_>| {
        let day = row.day("day").map(|day| day.to_string());
        let counts = ["created", "completed"].map(|name| count(row, name));
        [vec![text(row, "user_id"), shown(day)], counts.to_vec()].concat()
    };
    hold(
        reader,
        "tasks_per_day",
        per_day,
        created_and_completed(tasks),
        verdicts,
    )
    .await?;
    let completion = |row: &GoldRow<'_>| {
        let texts = ["user_id", "category"].map(|name| text(row, name));
        let counts = ["tasks", "completed"].map(|name| count(row, name));
        let numbers = ["rate", "seconds_to_complete"].map(|name| number(row.number(name)));
        [texts, counts, numbers].concat()
    };
    hold(
        reader,
        "completion",
        completion,
        completion_of(tasks),
        verdicts,
    )
    .await?;
    // It is of the day it was added up on, which may be over.
    let mut day = None;
    reader
        .gold("overdue", |row| day = day.max(row.day("day")))
        .await?;
    let overdue = |row: &GoldRow<'_>| {
        let day = row.day("day").map(|day| day.to_string());
        vec![text(row, "user_id"), shown(day), count(row, "tasks")]
    };
    let today = Timestamp::now().to_zoned(TimeZone::UTC).date();
    let expected = overdue_on(tasks, day.unwrap_or(today));
    hold(reader, "overdue", overdue, expected, verdicts).await?;
    let active = |row: &GoldRow<'_>| {
        let day = row.day("day").map(|day| day.to_string());
        vec![shown(day), count(row, "users")]
    };
    let expected = active_in(reader).await?;
    hold(reader, "active_users", active, expected, verdicts).await
}

async fn hold(
    reader: &Reader,
    table: &str,
    in_words: impl Fn(&GoldRow<'_>) -> Row,
    expected: BTreeSet<Row>,
    verdicts: &mut Verdicts,
) -> anyhow::Result<()> {
    let mut rows = Vec::new();
    reader.gold(table, |row| rows.push(in_words(row))).await?;
    let mut faults = twice(rows.iter().cloned());
    faults.extend(same(&expected, &rows.into_iter().collect()));
    let what = format!("gold of {table} is what the tasks and their changes add up to");
    verdicts.hold("lake", what, format!("{} rows", expected.len()), faults);
    Ok(())
}

fn created_and_completed(tasks: &[Task]) -> BTreeSet<Row> {
    let mut days: BTreeMap<(String, Date), [i64; 2]> = BTreeMap::new();
    for task in tasks {
        let happened = [Some(task.created_at), task.completed_at];
        for (what, at) in happened.into_iter().enumerate() {
            if let Some(at) = at {
                days.entry((task.user_id.clone(), day(at * 1000)))
                    .or_default()[what] += 1;
            }
        }
    }
    let row = |((user, day), [created, completed]): ((String, Date), [i64; 2])| {
        let words = [day.to_string(), created.to_string(), completed.to_string()];
        [vec![user], words.to_vec()].concat()
    };
    days.into_iter().map(row).collect()
}

fn completion_of(tasks: &[Task]) -> BTreeSet<Row> {
    let mut groups: BTreeMap<(String, String), Vec<&Task>> = BTreeMap::new();
    let counted = |task: &&Task| task.status != TaskStatus::Cancelled;
    for task in tasks.iter().filter(counted) {
        let place = (task.user_id.clone(), shown(task.category.clone()));
        groups.entry(place).or_default().push(task);
    }
    let row = |((user, category), tasks): ((String, String), Vec<&Task>)| {
        let took = |task: &&Task| {
            task.completed_at
                .map(|at| (at - task.created_at).max(0) as f64)
        };
        let took: Vec<f64> = tasks.iter().filter_map(took).collect();
        let completed = took.len() as f64;
        let average = (completed > 0.0).then(|| took.iter().sum::<f64>() / completed);
        vec![
            user,
            category,
            tasks.len().to_string(),
            took.len().to_string(),
            number(Some(completed / tasks.len() as f64)),
            number(average),
        ]
    };
    groups.into_iter().map(row).collect()
}

fn overdue_on(tasks: &[Task], today: Date) -> BTreeSet<Row> {
    let mut users: BTreeMap<&str, i64> = BTreeMap::new();
    for task in tasks {
        let is_over = matches!(task.status, TaskStatus::Completed | TaskStatus::Cancelled);
        if !is_over && task.due_date.is_some_and(|due| due < today) {
            *users.entry(&task.user_id).or_default() += 1;
        }
    }
    let row = |(user, many): (&str, i64)| vec![user.into(), today.to_string(), many.to_string()];
    users.into_iter().map(row).collect()
}

/// How many users somebody's request changed a task of, on each day, by the changes in bronze.
async fn active_in(reader: &Reader) -> anyhow::Result<BTreeSet<Row>> {
    let mut days: BTreeMap<Date, BTreeSet<String>> = BTreeMap::new();
    let see = |rows: &RecordBatch| {
        let happened = rows.column_by_name("happened");
        let happened = happened.and_then(|column| column.as_any().downcast_ref());
        let happened: Option<&TimestampMillisecondArray> = happened;
        let moments = happened.into_iter().flat_map(|column| column.iter());
        let whose = texts(rows, "key").into_iter().zip(texts(rows, "cause"));
        for (moment, (key, cause)) in moments.zip(whose) {
            if cause == "request" {
                // As `["TASK#ada","TASK#01H…"]`.
                let user = key.split('"').nth(1).unwrap_or_default().to_owned();
                days.entry(day(moment.unwrap_or_default()))
                    .or_default()
                    .insert(user);
            }
        }
    };
    reader.bronze("Task", see).await?;
    let row =
        |(day, users): (Date, BTreeSet<String>)| vec![day.to_string(), users.len().to_string()];
    Ok(days.into_iter().map(row).collect())
}

fn day(milliseconds: i64) -> Date {
    let moment = Timestamp::from_millisecond(milliseconds).unwrap_or_default();
    moment.to_zoned(TimeZone::UTC).date()
}

fn text(row: &GoldRow<'_>, name: &str) -> String {
    shown(row.text(name).map(str::to_owned))
}

fn count(row: &GoldRow<'_>, name: &str) -> String {
    shown(row.count(name).map(|count| count.to_string()))
}

fn number(number: Option<f64>) -> String {
    shown(number.map(|number| format!("{number:.6}")))
}

fn shown(value: Option<String>) -> String {
    value.unwrap_or_else(|| String::from("null"))
}
