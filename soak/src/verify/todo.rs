//! The To-Do API: what was acknowledged, and what its own check says.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;
use tablewright_local::Engine;
use todo::model::{Idempotency, Task, User};

use super::{same, stored};
use crate::load::differs;
use crate::load::todo::{Known, Ledger};
use crate::verdicts::Verdicts;

const SHOWN: [&str; 6] = [
    "title",
    "description",
    "status",
    "priority",
    "category",
    "due_date",
];

pub(crate) async fn verify(
    engine: &Engine,
    ledgers: &[Ledger],
    check: Command,
    verdicts: &mut Verdicts,
) -> anyhow::Result<()> {
    let known: BTreeMap<String, &Known> = ledgers
        .iter()
        .flat_map(|ledger| &ledger.tasks)
        .map(|(id, known)| (id.clone(), known))
        .collect();
    let tasks = stored::<Task>(engine).await;
    let found: BTreeMap<String, (Value, i64)> = tasks
        .iter()
        .map(|task| {
            let value = serde_json::to_value(&task.data).unwrap_or_default();
            (task.task_id.to_string(), (value, task.revision))
        })
        .collect();
    let faults = same(
        &known.keys().collect::<BTreeSet<_>>(),
        &found.keys().collect::<BTreeSet<_>>(),
    );
    let what = "every acknowledged task is there, every deleted one is not, and no other is";
    verdicts.hold("todo", what, format!("{} tasks", known.len()), faults);

    let (mut fields, mut revisions) = (Vec::new(), Vec::new());
    for (id, known) in &known {
        let Some((stored, revision)) = found.get(id) else {
            continue;
        };
        let other = SHOWN.into_iter().filter(|field| {
            let unknown = *field == "status" && known.told["status"].is_null();
            !unknown && differs(&known.told, stored, field)
        });
        if other.count() > 0 {
            fields.push(format!(
                "{id} was acknowledged as {} and is {stored}",
                known.told
            ));
        }
        if known.revision.is_some_and(|known| known != *revision) {
            revisions.push(format!(
                "{id} was changed {:?} times and has revision {revision}",
                known.revision
            ));
        }
    }
    let what = "every task is as it was acknowledged last";
    verdicts.hold("todo", what, "", fields);
    verdicts.hold("todo", "no key did its work twice", "", revisions);

    let people: BTreeSet<(String, String)> = stored::<User>(engine)
        .await
        .into_iter()
        .map(|user| (user.user_id.clone(), user.email.to_string()))
        .collect();
    let said: BTreeSet<(String, String)> = ledgers
        .iter()
        .filter_map(|ledger| Some((ledger.user.clone(), ledger.email.clone()?)))
        .collect();
    let what = "every user has the address that was acknowledged last";
    verdicts.hold("todo", what, "", same(&said, &people));
    let requests = stored::<Idempotency>(engine).await;
    let (mut faults, mut left) = (Vec::new(), 0);
    for ledger in ledgers.iter().filter(|ledger| ledger.forgotten > 0) {
        left += 1;
        // Requests to leave are remembered: what else would tell that one sent again was done?
        let own = requests
            .iter()
            .filter(|one| one.user_id == ledger.user && one.route != "DELETE /api/v1/users/me");
        let number = |one: &Idempotency| one.request_id.rsplit('-').next()?.parse::<u64>().ok();
        let own = own.filter(|one| number(one).is_none_or(|number| number < ledger.forgotten));
        faults
            .extend(own.map(|one| format!("{} of {} is remembered", one.request_id, one.user_id)));
    }
    let what = "nothing is remembered of what users asked before they left";
    verdicts.hold(
        "todo",
        what,
        format!("{left} have left and come again"),
        faults,
    );
    checked(check, verdicts);
    Ok(())
}

/// `todo check`: counters, guards, indexes.
fn checked(mut check: Command, verdicts: &mut Verdicts) {
    let (note, faults) = match check.arg("check").output() {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stdout);
            let why = String::from_utf8_lossy(&output.stderr);
            match output.status.success() {
                true => (said.trim().to_owned(), Vec::new()),
                false => (
                    String::new(),
                    vec![format!("{}{}", said.trim(), why.trim())],
                ),
            }
        }
        Err(why) => (String::new(), vec![why.to_string()]),
    };
    let what = "`todo check` agrees: counters, guards, indexes, lists";
    verdicts.hold("todo", what, note, faults);
}
