//! What the lake adds up to, against what the tables and the changes add up to.

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::{Array as _, TimestampMillisecondArray};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::Value;
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
    let lives = lives(reader).await?;
    let per_day = |row: &GoldRow<'_>| {
        let day = row.day("day").map(|day| day.to_string());
        let counts = ["created", "completed"].map(|name| count(row, name));
        let after = number(row.number("seconds_to_complete"));
        [
            vec![text(row, "user_id"), shown(day)],
            counts.to_vec(),
            vec![after],
        ]
        .concat()
    };
    let expected = created_and_completed(&lives);
    hold(reader, "tasks_per_day", per_day, expected, verdicts).await?;
    let completion = |row: &GoldRow<'_>| {
        let texts = ["user_id", "category"].map(|name| text(row, name));
        let counts = ["tasks", "completed"].map(|name| count(row, name));
        let numbers = ["rate", "seconds_to_complete"].map(|name| number(row.number(name)));
        [texts, counts, numbers].concat()
    };
    let expected = completion_of(&lives);
    hold(reader, "completion", completion, expected, verdicts).await?;
    // There is a piece for each day; the last may be of a day that is over. What was overdue on days before it nobody knows any more.
    let days = reader.gold_pieces("overdue").await?;
    let today = days.last().and_then(|day| day.parse().ok());
    let today = today.unwrap_or_else(|| Timestamp::now().to_zoned(TimeZone::UTC).date());
    let overdue = |row: &GoldRow<'_>| {
        let day = row.day("day").map(|day| day.to_string());
        vec![text(row, "user_id"), shown(day), count(row, "tasks")]
    };
    let mut rows = Vec::new();
    let see = |row: &GoldRow<'_>| {
        if row.day("day") == Some(today) {
            rows.push(overdue(row));
        }
    };
    reader.gold("overdue", see).await?;
    judge("overdue", rows, overdue_on(tasks, today), verdicts);
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
    judge(table, rows, expected, verdicts);
    Ok(())
}

fn judge(table: &str, rows: Vec<Row>, expected: BTreeSet<Row>, verdicts: &mut Verdicts) {
    let mut faults = twice(rows.iter().cloned());
    faults.extend(same(&expected, &rows.into_iter().collect()));
    let what = format!("gold of {table} is what the tasks and their changes add up to");
    verdicts.hold("lake", what, format!("{} rows", expected.len()), faults);
}

/// A task as a change left it.
#[derive(Debug, Clone, PartialEq)]
struct State {
    user: String,
    category: Option<String>,
    is_cancelled: bool,
    created_at: i64,
    updated_at: i64,
    completed_at: Option<i64>,
}

/// All that a task ever was, in the order of its changes. Those that are gone have lives as well.
type Lives = BTreeMap<String, Vec<State>>;

/// The lives of all tasks, by what bronze has of them, which is compared with the stream elsewhere.
async fn lives(reader: &Reader) -> anyhow::Result<Lives> {
    let mut changes: BTreeMap<(String, String), Option<State>> = BTreeMap::new();
    let see = |rows: &RecordBatch| {
        let columns = ["key", "sequence", "after"].map(|name| texts(rows, name));
        let [keys, sequences, after] = columns;
        for ((key, sequence), after) in keys.into_iter().zip(sequences).zip(after) {
            changes.insert((key, sequence), State::read(&after));
        }
    };
    reader.bronze("Task", see).await?;
    let mut lives = Lives::new();
    for ((key, _), state) in changes {
        lives.entry(key).or_default().extend(state);
    }
    Ok(lives)
}

impl State {
    /// From the JSON of DynamoDB; none when there was no item.
    fn read(image: &str) -> Option<State> {
        let item: Value = serde_json::from_str(image).ok()?;
        let text = |name: &str| item[name]["S"].as_str().map(str::to_owned);
        let seconds = |name: &str| item[name]["N"].as_str()?.parse().ok();
        Some(State {
            user: text("user_id")?,
            category: text("category"),
            is_cancelled: text("status").as_deref() == Some("cancelled"),
            created_at: seconds("created_at")?,
            updated_at: seconds("updated_at")?,
            completed_at: seconds("completed_at"),
        })
    }

    fn took(&self) -> Option<f64> {
        let at = self.completed_at?;
        Some((at - self.created_at).max(0) as f64)
    }
}

/// A task is created on one day, and completed on each day at whose end it is, since then.
fn created_and_completed(lives: &Lives) -> BTreeSet<Row> {
    let mut days: BTreeMap<(String, Date), (i64, Vec<f64>)> = BTreeMap::new();
    for life in lives.values() {
        let Some(first) = life.first() else { continue };
        let place = |at: i64| (first.user.clone(), day(at * 1000));
        days.entry(place(first.created_at)).or_default().0 += 1;
        let mut at_the_end: BTreeMap<Date, &State> = BTreeMap::new();
        for state in life {
            at_the_end.insert(day(state.updated_at * 1000), state);
        }
        for (on, state) in at_the_end {
            let at = state.completed_at.filter(|at| day(*at * 1000) == on);
            if let Some((at, took)) = at.zip(state.took()) {
                days.entry(place(at)).or_default().1.push(took);
            }
        }
    }
    let row = |((user, day), (created, took)): ((String, Date), (i64, Vec<f64>))| {
        vec![
            user,
            day.to_string(),
            created.to_string(),
            took.len().to_string(),
            number(average(&took)),
        ]
    };
    days.into_iter().map(row).collect()
}

fn average(of: &[f64]) -> Option<f64> {
    (!of.is_empty()).then(|| of.iter().sum::<f64>() / of.len() as f64)
}

/// By what each task was last.
fn completion_of(lives: &Lives) -> BTreeSet<Row> {
    let mut groups: BTreeMap<(String, String), Vec<&State>> = BTreeMap::new();
    let last = lives.values().filter_map(|life| life.last());
    for state in last.filter(|state| !state.is_cancelled) {
        let place = (state.user.clone(), shown(state.category.clone()));
        groups.entry(place).or_default().push(state);
    }
    let row = |((user, category), tasks): ((String, String), Vec<&State>)| {
        let took = tasks.iter().filter_map(|state| state.took());
        let took: Vec<f64> = took.collect();
        vec![
            user,
            category,
            tasks.len().to_string(),
            took.len().to_string(),
            number(Some(took.len() as f64 / tasks.len() as f64)),
            number(average(&took)),
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
