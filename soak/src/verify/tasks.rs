//! The task manager: tasks, assignments, and what follows from every change.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use tablewright::Store;
use tablewright_local::Engine;
use tablewright_stream::Record;
use tablewright_stream::events::{Event, EventLog};
use tasks::model::{
    Assignment, HistoryEntry, MailRecord, Task, Tasks, TasksEvent, User, UserStatus,
};

use super::{misplaced, same, stored, twice};
use crate::load::differs;
use crate::load::tasks::Ledger;
use crate::smtp::MailServer;
use crate::verdicts::Verdicts;

mod mails;

/// What the service was given to work with.
pub(crate) struct Ground<'a> {
    pub(crate) engine: &'a Engine,
    /// All changes of the table, in order.
    pub(crate) records: &'a [Arc<Record>],
    pub(crate) events: &'a Path,
    pub(crate) server: &'a MailServer,
    /// When the service was killed.
    pub(crate) kills: &'a [Instant],
}

pub(crate) async fn verify(
    ground: &Ground<'_>,
    ledgers: &[Ledger],
    verdicts: &mut Verdicts,
) -> anyhow::Result<()> {
    tasks_agree(ground.engine, ledgers, verdicts).await?;
    let happened = happened(ground.records)?;
    let expected: BTreeSet<String> = happened.iter().map(|(event, _)| event.id.clone()).collect();

    let (from, until) = (jiff::Timestamp::MIN, jiff::Timestamp::MAX);
    let mut logged = Vec::new();
    // A span from the beginning of time cannot be widened.
    let from = from + jiff::SignedDuration::from_hours(24);
    for event in EventLog::read(ground.events, from, until)? {
        logged.push(event?.id);
    }
    let what = "every change has its events in the log, and there are no others";
    let note = format!("{} events", expected.len());
    let faults = same(&expected, &logged.into_iter().collect());
    verdicts.hold("tasks", what, note, faults);

    let of_tasks: BTreeSet<String> = happened
        .iter()
        .filter(|(event, _)| event.detail.contains_key("TaskId"))
        .map(|(event, _)| event.id.clone())
        .collect();
    let history = stored::<HistoryEntry>(ground.engine).await;
    let entries = history.iter().map(|entry| entry.event_id.clone());
    let mut faults = twice(entries.clone());
    faults.extend(same(&of_tasks, &entries.collect()));
    let what = "history has every event of every task once";
    verdicts.hold("tasks", what, format!("{} entries", history.len()), faults);

    let records = stored::<MailRecord>(ground.engine).await;
    mails::verify(ground, &happened, &records, verdicts);
    Ok(())
}

/// All that happened, as the model declares it.
fn happened(records: &[Arc<Record>]) -> anyhow::Result<Vec<(Event, TasksEvent)>> {
    let mut happened = Vec::new();
    for record in records {
        let (before, after) = (record.before.as_ref(), record.after.as_ref());
        for event in TasksEvent::of(&record.table, before, after)? {
            happened.push((Event::of(record, &event)?, event));
        }
    }
    Ok(happened)
}

async fn tasks_agree(
    engine: &Engine,
    ledgers: &[Ledger],
    verdicts: &mut Verdicts,
) -> anyhow::Result<()> {
    let known = || ledgers.iter().flat_map(|ledger| &ledger.tasks);
    let tasks = stored::<Task>(engine).await;
    let found: BTreeMap<String, &Task> = tasks
        .iter()
        .map(|task| (task.task_id.to_string(), &task.data))
        .collect();
    let faults = same(
        &known().map(|(id, _)| id.clone()).collect(),
        &found.keys().cloned().collect(),
    );
    let what = "every acknowledged task is there, every deleted one is not, and no other is";
    verdicts.hold("tasks", what, format!("{} tasks", found.len()), faults);

    let (mut fields, mut revisions) = (Vec::new(), Vec::new());
    for (id, known) in known() {
        let Some(task) = found.get(id) else { continue };
        let stored = serde_json::to_value(task).unwrap_or_default();
        // The document has its own spelling of what callers see.
        let spelled: Value = [
            ("title", "Title"),
            ("status", "Status"),
            ("priority", "Priority"),
        ]
        .into_iter()
        .map(|(told, field)| (told.to_owned(), stored[field].clone()))
        .collect();
        let names = ["title", "status", "priority"];
        if names
            .iter()
            .any(|name| differs(&known.told, &spelled, name))
        {
            fields.push(format!(
                "{id} was acknowledged as {} and is {stored}",
                known.told
            ));
        }
        if known.revision != task.revision {
            revisions.push(format!(
                "{id} was changed {} times and has revision {}",
                known.revision, task.revision
            ));
        }
    }
    let what = "every task is as it was acknowledged last";
    verdicts.hold("tasks", what, "", fields);
    verdicts.hold("tasks", "no key did its work twice", "", revisions);

    let assigned: BTreeSet<(String, String)> = known()
        .flat_map(|(id, known)| known.assigned.iter().map(|user| (id.clone(), user.clone())))
        .collect();
    let there = stored::<Assignment>(engine).await.into_iter();
    let there = there.map(|one| (one.task_id.to_string(), one.user_id));
    let what = "assignments are those that were acknowledged, and went with their tasks";
    let note = format!("{} assignments", assigned.len());
    verdicts.hold("tasks", what, note, same(&assigned, &there.collect()));

    let people = stored::<User>(engine).await;
    let is_out = |user: &&User| user.user_status == UserStatus::Deactivated;
    let out = people.iter().map(|user| &user.data).filter(is_out);
    let out: BTreeSet<String> = out.map(|user| user.user_id.clone()).collect();
    let said = ledgers.iter().flat_map(|ledger| ledger.deactivated.clone());
    let mut faults = same(&said.collect(), &out);
    let known: BTreeSet<String> = people.iter().map(|user| user.user_id.clone()).collect();
    let members = ledgers.iter().flat_map(|ledger| &ledger.members);
    let lost = members.filter(|name| !known.contains(*name));
    faults.extend(lost.map(|name| format!("{name} is not known")));
    let what = "who is deactivated is who was acknowledged to be, and nobody else";
    let note = format!("{} of {} people", out.len(), people.len());
    verdicts.hold("tasks", what, note, faults);

    let mut faults = misplaced::<Task>(engine).await?;
    faults.extend(misplaced::<User>(engine).await?);
    faults.extend(misplaced::<Assignment>(engine).await?);
    let repositories = Tasks::new(&Store::new(engine.dynamodb()));
    let listed = repositories.tasks.all_tasks().all().collect().await?;
    let listed: BTreeSet<String> = listed.iter().map(|task| task.task_id.to_string()).collect();
    faults.extend(same(&found.into_keys().collect(), &listed));
    for user in people {
        let holder = repositories.users.user_by_email(&user.email).await?;
        if holder.is_none_or(|holder| holder.user_id != user.user_id) {
            faults.push(format!("the address of {} is not guarded", user.user_id));
        }
    }
    verdicts.hold(
        "tasks",
        "indexes and guards agree with the items",
        "",
        faults,
    );
    Ok(())
}
