//! Every event has its mails, and none comes twice but what docs/tasks.md admits.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use tablewright::Uuid;
use tablewright_stream::events::Event;
use tasks::model::{MailRecord, MailRecordState, TasksEvent};

use super::Ground;
use crate::smtp::Taken;
use crate::verdicts::Verdicts;

/// An event and a person.
type Mail = (String, String);

/// Who must have a mail, and who may.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wanted {
    must: BTreeSet<Mail>,
    may: BTreeSet<Mail>,
}

pub(super) fn verify(
    ground: &Ground<'_>,
    happened: &[(Event, TasksEvent)],
    records: &[MailRecord],
    verdicts: &mut Verdicts,
) {
    let wanted = wanted(happened);
    let taken = ground.server.taken();
    let of = |record: &MailRecord| (record.event_id.clone(), record.user_id.clone());
    let sent: BTreeSet<Mail> = records
        .iter()
        .filter(|record| record.state == MailRecordState::Sent)
        .map(of)
        .collect();
    let arrived: BTreeSet<&str> = taken.iter().map(|mail| mail.id.as_str()).collect();
    let mut faults = Vec::new();
    for mail in &wanted.must {
        if !sent.contains(mail) {
            faults.push(format!("{mail:?} is not recorded as sent"));
        }
        if !arrived.contains(id_of(mail).as_str()) {
            faults.push(format!("{mail:?} never arrived"));
        }
    }
    for record in records {
        if !wanted.may.contains(&of(record)) {
            faults.push(format!("nobody should have got {record:?}"));
        }
    }
    let known: BTreeSet<String> = records.iter().map(|record| id_of(&of(record))).collect();
    let foreign = arrived.iter().filter(|id| !known.contains(**id));
    faults.extend(foreign.map(|id| format!("{id} arrived and was never claimed")));
    let what = "every event has its mails: sent, arrived, and to nobody else";
    // Who no longer works on a task, or of which there is no more, is told nothing of it, be it begun.
    let dropped = records.len() - sent.len();
    let certain = wanted.must.len();
    let note = format!(
        "{} mails, {certain} of them for certain; {dropped} begun and no longer of concern",
        sent.len()
    );
    verdicts.hold("tasks", what, note, faults);

    let again = again(&taken, ground.kills);
    let what = "no mail came twice but what was on the wire at a kill, or was taken without a word";
    let note = format!(
        "{} on the wire at a kill, {} without a word",
        again.at_a_kill, again.without_a_word
    );
    verdicts.hold("tasks", what, note, again.for_no_reason);
}

fn id_of((event, user): &Mail) -> String {
    format!("<{event}.{user}@{}>", crate::MAIL_DOMAIN)
}

/// Whom the events concern. Who was assigned for a while only, or deactivated for a while, and of a task that is gone, may have been told or not.
fn wanted(happened: &[(Event, TasksEvent)]) -> Wanted {
    let mut gone: BTreeSet<Uuid> = BTreeSet::new();
    let mut left: BTreeSet<(Uuid, String)> = BTreeSet::new();
    let mut out: BTreeSet<&String> = BTreeSet::new();
    let mut ever: BTreeMap<Uuid, BTreeSet<String>> = BTreeMap::new();
    for (_, event) in happened {
        match event {
            TasksEvent::TaskDeleted(of) => {
                gone.insert(of.task_id);
            }
            TasksEvent::TaskUnassigned(of) => {
                left.insert((of.task_id, of.user_id.clone()));
            }
            TasksEvent::UserDeactivated(of) => {
                out.insert(&of.user_id);
            }
            TasksEvent::TaskAssigned(of) => {
                ever.entry(of.task_id)
                    .or_default()
                    .insert(of.user_id.clone());
            }
            _ => {}
        }
    }
    let mut wanted = Wanted::default();
    let mut so_far: BTreeMap<Uuid, BTreeSet<String>> = BTreeMap::new();
    for (told, event) in happened {
        let (task, actor, certain, possible) = match event {
            TasksEvent::TaskAssigned(of) => {
                let one = BTreeSet::from([of.user_id.clone()]);
                so_far.entry(of.task_id).or_default().extend(one.clone());
                (of.task_id, Some(&of.assigned_by), one.clone(), one)
            }
            TasksEvent::TaskStatusUpdated(of) => {
                let (certain, possible) = everybody(of.task_id, &of.created_by, &so_far, &ever);
                (of.task_id, of.updated_by.as_ref(), certain, possible)
            }
            TasksEvent::TaskClosed(of) => {
                let (certain, possible) = everybody(of.task_id, &of.created_by, &so_far, &ever);
                (of.task_id, of.closed_by.as_ref(), certain, possible)
            }
            _ => continue,
        };
        let others = |users: BTreeSet<String>| users.into_iter().filter(|user| Some(user) != actor);
        let mail = |user: String| (told.id.clone(), user);
        wanted.may.extend(others(possible).map(mail));
        if !gone.contains(&task) {
            let stays =
                |user: &String| !out.contains(user) && !left.contains(&(task, user.clone()));
            let certain = others(certain).filter(stays);
            wanted.must.extend(certain.map(mail));
        }
    }
    wanted
}

fn everybody(
    task: Uuid,
    creator: &str,
    so_far: &BTreeMap<Uuid, BTreeSet<String>>,
    ever: &BTreeMap<Uuid, BTreeSet<String>>,
) -> (BTreeSet<String>, BTreeSet<String>) {
    let with_creator = |members: Option<&BTreeSet<String>>| {
        let mut all = members.cloned().unwrap_or_default();
        all.insert(creator.to_owned());
        all
    };
    (
        with_creator(so_far.get(&task)),
        with_creator(ever.get(&task)),
    )
}

/// How long it may take from the word of the server until it is noted that a mail was sent, while everything is slow: a kill after that explains nothing.
const TO_NOTE: Duration = Duration::from_secs(5);

/// Mails that came again, by the reason.
#[derive(Debug, Default)]
struct Again {
    at_a_kill: usize,
    without_a_word: usize,
    for_no_reason: Vec<String>,
}

fn again(taken: &[Taken], kills: &[Instant]) -> Again {
    let mut last: BTreeMap<&str, &Taken> = BTreeMap::new();
    let mut again = Again::default();
    for mail in taken {
        let Some(before) = last.insert(&mail.id, mail) else {
            continue;
        };
        if !before.told {
            again.without_a_word += 1;
        } else if kills
            .iter()
            .any(|kill| before.at <= *kill && *kill <= mail.at && *kill - before.at <= TO_NOTE)
        {
            again.at_a_kill += 1;
        } else {
            let apart = mail.at.duration_since(before.at);
            again
                .for_no_reason
                .push(format!("{} came again after {apart:?}", mail.id));
        }
    }
    again
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mail_comes_again_only_for_a_reason() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let taken = |id: &str, seconds, told| Taken {
            id: id.to_owned(),
            at: at(seconds),
            told,
        };
        let mails = [
            taken("a", 1, true),
            taken("b", 1, true),
            taken("c", 1, false),
            taken("d", 1, true),
            taken("a", 5, true),
            taken("c", 6, true),
            taken("d", 2, true),
            taken("b", 20, true),
        ];
        let again = again(&mails, &[at(4), at(19)]);
        assert_eq!((again.at_a_kill, again.without_a_word), (2, 1));
        assert_eq!(again.for_no_reason, ["d came again after 1s"]);
        let again = super::again(&mails, &[at(19)]);
        let late = [
            "a came again after 4s",
            "d came again after 1s",
            "b came again after 19s",
        ];
        assert_eq!(again.for_no_reason, late);
    }
}
