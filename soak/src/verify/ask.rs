//! Ask-a-Human: questions, answers, points, boards, and who was told.

use std::collections::{BTreeMap, BTreeSet};

use ask::model::{Ask, Notice, Outreach, Question, Response, Subscription, UserStats};
use serde_json::Value;
use tablewright::{Date, Entity as _, Store, Versioned};
use tablewright_local::Engine;

use super::{items, misplaced, same, stored, twice};
use crate::load::ask::{Ledger, Said};
use crate::receiver::Taken;
use crate::verdicts::Verdicts;

mod agents;
mod bans;

/// A question whose time was over in the last seconds of the service, or later, may be marked or not.
const MARKED_WITHIN: i64 = 20;

struct Tables {
    questions: Vec<Versioned<Question>>,
    responses: Vec<Versioned<Response>>,
    people: Vec<Versioned<UserStats>>,
    devices: Vec<Versioned<Subscription>>,
}

/// Who was told of what.
pub(crate) struct Heard<'a> {
    /// People, by Firebase.
    pub(crate) pushed: &'a [Value],
    /// Agents, by webhooks; and what came there that should not.
    pub(crate) agents: &'a [Taken],
    pub(crate) strange: Vec<String>,
    /// Until when somebody was there to look after what time brings, in seconds since 1970.
    pub(crate) until: i64,
}

pub(crate) async fn verify(
    engine: &Engine,
    ledgers: &[Ledger],
    heard: Heard<'_>,
    verdicts: &mut Verdicts,
) -> anyhow::Result<()> {
    let tables = Tables {
        questions: stored::<Question>(engine).await,
        responses: stored::<Response>(engine).await,
        people: stored::<UserStats>(engine).await,
        devices: stored::<Subscription>(engine).await,
    };
    let ask = Ask::new(&Store::new(engine.dynamodb()));
    let now = ask.store().now_millis() / 1000;
    questions_are_there(&tables, ledgers, verdicts);
    answers_are_there(&tables, ledgers, verdicts);
    counts_agree(&tables, now, heard.until, verdicts);
    points_agree(&tables, verdicts);
    boards_agree(&ask, &tables, verdicts).await?;
    indexes_agree(engine, &ask, &tables, ledgers, verdicts).await?;
    bans::hold(&tables, ledgers, verdicts);
    nobody_is_told_twice(engine, &tables, heard.pushed, verdicts).await;
    agents::are_told(&tables.questions, heard, verdicts);
    Ok(())
}

fn questions_are_there(tables: &Tables, ledgers: &[Ledger], verdicts: &mut Verdicts) {
    let asked = ledgers.iter().flat_map(|ledger| &ledger.questions);
    let asked: BTreeSet<(String, String)> = asked
        .map(|(id, question)| {
            let prompt = question["prompt"].as_str().unwrap_or_default();
            (id.clone(), prompt.to_owned())
        })
        .collect();
    let there = tables.questions.iter();
    let there = there.map(|one| (one.question_id.to_string(), one.prompt.clone()));
    let mut faults = same(&asked, &there.collect());
    faults.extend(twice(tables.questions.iter().map(|one| &one.prompt)));
    let what = "every acknowledged question is there, once for each key, and no other";
    verdicts.hold("ask", what, format!("{} questions", asked.len()), faults);
}

fn answers_are_there(tables: &Tables, ledgers: &[Ledger], verdicts: &mut Verdicts) {
    let stored: BTreeMap<(String, &str), &Response> = tables
        .responses
        .iter()
        .map(|one| {
            let text = one.answer.as_deref().unwrap_or_default();
            ((one.question_id.to_string(), text), &one.data)
        })
        .collect();
    let (mut faults, mut many, mut unsure) = (Vec::new(), 0, 0);
    let mut expected = BTreeSet::new();
    for answer in ledgers.iter().flat_map(|ledger| &ledger.answers) {
        let key = (answer.question.clone(), answer.text.as_str());
        let found = stored.get(&key);
        match (&answer.said, found) {
            (Said::Stored { id, points }, Some(found)) => {
                many += 1;
                if found.response_id.to_string() != *id || found.points_earned != *points {
                    faults.push(format!("{answer:?} is stored as {found:?}"));
                }
            }
            (Said::StoredBefore, Some(_)) => many += 1,
            (Said::TooMany, found) => unsure += usize::from(found.is_some()),
            (Said::Over | Said::Banned, None) => {}
            (Said::Stored { .. } | Said::StoredBefore, None) => {
                faults.push(format!("{answer:?} is not there"));
            }
            (Said::Over | Said::Banned, Some(found)) => {
                faults.push(format!("{answer:?} was refused, and is there: {found:?}"));
            }
        }
        if found.is_some() {
            expected.insert(key);
        }
    }
    let foreign = stored.keys().filter(|key| !expected.contains(*key));
    faults.extend(foreign.map(|key| format!("nobody answered {key:?}")));
    let what = "every acknowledged answer is there as acknowledged, and no other";
    let note = match unsure {
        0 => format!("{many} answers"),
        _ => format!("{many} answers, {unsure} more of those who tried too often"),
    };
    verdicts.hold("ask", what, note, faults);
}

/// S2-24, C2-12
fn counts_agree(tables: &Tables, now: i64, until: i64, verdicts: &mut Verdicts) {
    let mut faults = Vec::new();
    for question in &tables.questions {
        let id = question.question_id;
        let answers = tables.responses.iter();
        let answers = answers.filter(|answer| answer.question_id == id).count();
        let answers = i64::try_from(answers).unwrap_or(i64::MAX);
        let lacks = question.required_responses - answers;
        let accepting = if answers == 0 { "OPEN" } else { "PARTIAL" };
        let status = question.status.as_str();
        let is_right = match lacks {
            0 => status == "CLOSED",
            _ if question.expires_at > now => status == accepting,
            _ if question.expires_at > until - MARKED_WITHIN => {
                status == accepting || status == "EXPIRED"
            }
            _ => status == "EXPIRED",
        };
        let counts = (question.current_responses, question.responses_needed);
        let is_closed = question.closed_at.is_some() == (lacks == 0);
        if counts != (answers, lacks) || !is_right || !is_closed {
            faults.push(format!("{answers} answers to {:?}", question.data));
        }
    }
    verdicts.hold(
        "ask",
        "counts and statuses agree with the answers",
        "",
        faults,
    );
}

/// C2-13
fn points_agree(tables: &Tables, verdicts: &mut Verdicts) {
    let mut faults = Vec::new();
    let mut answers = 0;
    for person in &tables.people {
        let own = tables.responses.iter();
        let own = own.filter(|answer| answer.fingerprint_hash == person.fingerprint_hash);
        let own: Vec<_> = own.collect();
        let points: i64 = own.iter().map(|answer| answer.points_earned).sum();
        let many = i64::try_from(own.len()).unwrap_or(i64::MAX);
        let by_category: i64 = person.answers_by_category.values().sum();
        let stored = (person.total_answers, person.total_points, by_category);
        if stored != (many, points, many) {
            let why = format!("{many} answers with {points} points of {:?}", person.data);
            faults.push(why);
        }
        answers += own.len();
    }
    if answers != tables.responses.len() {
        let many = tables.responses.len();
        faults.push(format!("of {many} answers {answers} are somebody's"));
    }
    let note = format!("{} people", tables.people.len());
    verdicts.hold("ask", "points agree with the answers", note, faults);
}

/// C2-15: the boards of all time, of every day and of every week.
async fn boards_agree(ask: &Ask, tables: &Tables, verdicts: &mut Verdicts) -> anyhow::Result<()> {
    let mut faults = Vec::new();
    let stats = &ask.user_stats;
    // Who is banned is on none.
    let people = || tables.people.iter().filter(|one| one.banned_at.is_none());
    let board = stats.leaderboard().all().collect().await?.into_iter();
    let board = board.map(|entry| (entry.fingerprint_hash, entry.total_points));
    let points = people().map(|one| (one.fingerprint_hash.clone(), one.total_points));
    faults.extend(same(&points.collect(), &board.collect()));
    let days: BTreeSet<Date> = people().map(|one| one.points_date).collect();
    for day in days {
        let board = stats.leaderboard_of_day(day).all().collect().await?;
        let board = board.into_iter();
        let board = board.map(|entry| (entry.fingerprint_hash, entry.daily_points));
        let of_day = people().filter(|one| one.points_date == day);
        let points = of_day.map(|one| (one.fingerprint_hash.clone(), one.daily_points));
        faults.extend(same(&points.collect(), &board.collect()));
    }
    let weeks: BTreeSet<Date> = people().map(|one| one.points_week).collect();
    for week in weeks {
        let board = stats.leaderboard_of_week(week).all().collect().await?;
        let board = board.into_iter();
        let board = board.map(|entry| (entry.fingerprint_hash, entry.weekly_points));
        let of_week = people().filter(|one| one.points_week == week);
        let points = of_week.map(|one| (one.fingerprint_hash.clone(), one.weekly_points));
        faults.extend(same(&points.collect(), &board.collect()));
    }
    verdicts.hold("ask", "boards agree with the points", "", faults);
    Ok(())
}

async fn indexes_agree(
    engine: &Engine,
    ask: &Ask,
    tables: &Tables,
    ledgers: &[Ledger],
    verdicts: &mut Verdicts,
) -> anyhow::Result<()> {
    let mut faults = misplaced::<Question>(engine).await?;
    faults.extend(misplaced::<Response>(engine).await?);
    faults.extend(misplaced::<Subscription>(engine).await?);
    faults.extend(misplaced::<UserStats>(engine).await?);
    let now = ask.store().now_millis() / 1000;
    let feed = ask.questions.open_questions(now).all().collect().await?;
    let feed = feed.iter().map(|question| question.question_id);
    let open = tables
        .questions
        .iter()
        .filter(|question| question.closed_at.is_none() && question.expires_at > now);
    let open = open.map(|question| question.question_id);
    faults.extend(same(&open.collect(), &feed.collect()));
    verdicts.hold(
        "ask",
        "indexes and the feed agree with the items",
        "",
        faults,
    );

    let said = ledgers.iter().flat_map(|ledger| &ledger.devices);
    let there = tables.devices.iter().map(|device| &device.fcm_token);
    let mut faults = same(&said.collect(), &there.collect());
    for device in &tables.devices {
        let token = &device.fcm_token;
        let guarded = ask.subscriptions.subscription_by_token(token).await?;
        if guarded.is_none_or(|found| found.subscription_id != device.subscription_id) {
            faults.push(format!("{token} is not guarded"));
        }
    }
    // A device and its guard, and nothing else.
    let all = items(engine, &Subscription::descriptor().table.name).await?;
    if all.len() != 2 * tables.devices.len() {
        let many = all.len() - tables.devices.len();
        faults.push(format!("{many} guards of {} devices", tables.devices.len()));
    }
    let what = "every device that subscribed is there once, with its guard";
    let note = format!("{} devices", tables.devices.len());
    verdicts.hold("ask", what, note, faults);
    Ok(())
}

/// C2-4: docs/ask.md admits none.
async fn nobody_is_told_twice(
    engine: &Engine,
    tables: &Tables,
    pushed: &[Value],
    verdicts: &mut Verdicts,
) {
    let of = |message: &Value, field: &str| match field {
        "token" => message["token"].as_str().unwrap_or_default().to_owned(),
        field => message["data"][field]
            .as_str()
            .unwrap_or_default()
            .to_owned(),
    };
    let told = pushed
        .iter()
        .map(|message| (of(message, "question_id"), of(message, "token")));
    let told: Vec<(String, String)> = told.collect();
    let mut faults = twice(told.iter().cloned());
    let people: BTreeMap<String, &str> = tables
        .devices
        .iter()
        .map(|device| {
            (
                device.subscription_id.to_string(),
                device.fcm_token.as_str(),
            )
        })
        .collect();
    let notices = stored::<Notice>(engine).await;
    let claimed: BTreeSet<(String, String)> = notices
        .iter()
        .map(|notice| {
            let device = people.get(&notice.subscription_id.to_string());
            let device = device.copied().unwrap_or_default();
            (notice.question_id.to_string(), device.to_owned())
        })
        .collect();
    let foreign = told.iter().filter(|told| !claimed.contains(*told));
    faults.extend(foreign.map(|told| format!("{told:?} was told and not claimed")));
    for outreach in stored::<Outreach>(engine).await {
        if outreach.told > outreach.wanted {
            faults.push(format!("more were told than wanted: {outreach:?}"));
        }
    }
    let what = "nobody was told twice of a question, nor more people than were wanted";
    let note = format!(
        "{} claimed, {} notifications arrived",
        notices.len(),
        told.len()
    );
    verdicts.hold("ask", what, note, faults);
}
