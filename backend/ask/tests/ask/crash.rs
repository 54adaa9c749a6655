//! The program itself, killed while people answer: counts, answers, statistics and boards agree, and nothing it acknowledged is lost.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ask::model::{Agent, Question, Response, UserStats};
use ask::{ABOUT, App, SETTINGS, add_agent, add_key, reach};
use serde_json::json;
use tablewright::{Date, Entity, Uuid, Versioned};
use tablewright_service::{Settings, Sources};
use tablewright_testing::{Program, until};

use crate::person::{Person, agree, places_agree, plenty, words};
use crate::support::{Asks as _, Caller};

const PEOPLE: usize = 8;

async fn app_on(folder: &Path) -> App {
    let sources = Sources::none()
        .variable(
            "TABLEWRIGHT_ENDPOINT",
            format!("embedded:{}", folder.display()),
        )
        .variable("TABLEWRIGHT_ISSUER_KEYS", folder.to_str().unwrap());
    let settings = Settings::from_sources(&ABOUT, SETTINGS, &sources).unwrap();
    reach(&settings).await.unwrap()
}

async fn stored<T: Entity>(app: &App) -> Vec<T::Stored> {
    tablewright_testing::stored::<T>(app.repositories().store().client()).await
}

/// Opens and answers whatever is there until the program is gone; gives the ids of what was acknowledged.
async fn work(person: Person, questions: Vec<String>, told: Arc<AtomicUsize>) -> Vec<Uuid> {
    let mut acknowledged = Vec::new();
    for (number, id) in questions.iter().enumerate() {
        let path = format!("~/human/questions/{id}");
        let Ok(opened) = person
            .caller
            .try_send(http::Method::GET, &path, None, &[])
            .await
        else {
            break;
        };
        let Some(opened) = opened.body["opened"].as_str() else {
            continue;
        };
        let mut body = words(number);
        body["question_id"] = json!(id);
        body["opened"] = json!(opened);
        let body = body.to_string();
        let answered =
            person
                .caller
                .try_send(http::Method::POST, "~/human/responses", Some(&body), &[]);
        let Ok(reply) = answered.await else {
            break;
        };
        if reply.status == 201 {
            acknowledged.push(reply.text_of("response_id").parse().unwrap());
            told.fetch_add(1, Ordering::SeqCst);
        }
    }
    acknowledged
}

/// S2-24, C2-12, C2-13
#[tokio::test(flavor = "multi_thread")]
async fn what_was_answered_agrees_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let key = {
        let app = app_on(folder).await;
        let ask = app.repositories();
        add_agent(ask, "agent", &plenty()).await.unwrap();
        add_key(ask, "agent", "test").await.unwrap().key
    };
    let mut all: Vec<Uuid> = Vec::new();
    for enough in [2, 14, 23] {
        let mut command = Program::command(env!("CARGO_BIN_EXE_ask"), folder);
        command.arg("serve").env("TABLEWRIGHT_FORWARDED_HOPS", "1");
        command.env("TABLEWRIGHT_ISSUER_KEYS", folder);
        let program = Program::start(command);
        let nobody: Caller = program.caller(folder, "x").bearing(None);
        let agent = nobody.bearing(Some(key.clone()));
        let mut questions = Vec::new();
        for _ in 0..20 {
            let question =
                json!({ "prompt": "What would you have for lunch?", "min_responses": 4 });
            questions.push(agent.asks(question).await);
        }
        let told = Arc::new(AtomicUsize::new(0));
        let mut workers = Vec::new();
        for number in 0..PEOPLE {
            let person = Person::new(&nobody).await;
            // Two begin with the same question each: they meet, and still nobody is held up by the limit of a minute.
            let mut questions = questions.clone();
            questions.rotate_left(number / 2 * 5);
            workers.push(tokio::spawn(work(person, questions, Arc::clone(&told))));
        }
        until(|| told.load(Ordering::SeqCst) >= enough).await;
        program.kill();
        for worker in workers {
            all.extend(worker.await.unwrap());
        }
        verify(folder, &all).await;
    }
}

async fn verify(folder: &Path, acknowledged: &[Uuid]) {
    let app = app_on(folder).await;
    let questions = stored::<Question>(&app).await;
    let responses = stored::<Response>(&app).await;
    let people = stored::<UserStats>(&app).await;
    agree(&questions, &responses, &people);
    places_agree(&stored::<Agent>(&app).await, &questions);
    let known: Vec<Uuid> = responses
        .iter()
        .map(|response| response.response_id)
        .collect();
    for id in acknowledged {
        assert!(
            known.contains(id),
            "an answer that was acknowledged is gone"
        );
    }
    // The board has everybody once, with the points they have.
    let board = app.repositories().user_stats.leaderboard().all();
    let board = board.collect().await.unwrap().into_iter();
    let board: BTreeMap<String, i64> = board
        .map(|entry| (entry.fingerprint_hash, entry.total_points))
        .collect();
    let points = people
        .iter()
        .map(|person| (person.fingerprint_hash.clone(), person.total_points));
    assert_eq!(board, points.collect());
    agree_by_day_and_week(&app, &people).await;
    // So has the feed: what accepts answers, and nothing else.
    let now = app.repositories().store().now_millis() / 1000;
    let feed = app
        .repositories()
        .questions
        .open_questions(now)
        .all()
        .collect()
        .await
        .unwrap();
    let open = questions
        .iter()
        .filter(|question| question.closed_at.is_none());
    assert_eq!(feed.len(), open.count());
}

/// The boards of every day and week have those who answered in it, with the points of it.
async fn agree_by_day_and_week(app: &App, people: &[Versioned<UserStats>]) {
    let days: BTreeSet<Date> = people.iter().map(|person| person.points_date).collect();
    let weeks: BTreeSet<Date> = people.iter().map(|person| person.points_week).collect();
    assert!(!days.is_empty() && !weeks.is_empty());
    let stats = &app.repositories().user_stats;
    for day in days {
        let board = stats.leaderboard_of_day(day).all().collect().await.unwrap();
        let board = board.into_iter();
        let board: BTreeMap<String, i64> = board
            .map(|entry| (entry.fingerprint_hash, entry.daily_points))
            .collect();
        let of_day = people.iter().filter(|person| person.points_date == day);
        let points = of_day.map(|person| (person.fingerprint_hash.clone(), person.daily_points));
        assert_eq!(board, points.collect(), "{day}");
    }
    for week in weeks {
        let board = stats.leaderboard_of_week(week).all();
        let board = board.collect().await.unwrap().into_iter();
        let board: BTreeMap<String, i64> = board
            .map(|entry| (entry.fingerprint_hash, entry.weekly_points))
            .collect();
        let of_week = people.iter().filter(|person| person.points_week == week);
        let points = of_week.map(|person| (person.fingerprint_hash.clone(), person.weekly_points));
        assert_eq!(board, points.collect(), "{week}");
    }
}
