//! Many at once.

use std::collections::BTreeMap;

use ask::model::{Question, Response, UserStats};
use futures_util::future::join_all;
use tokio::task::JoinSet;

use crate::person::{Town, words};

const NOON: &str = "2026-11-18T12:00:00.000Z";

/// S2-24, C2-10, C2-12, C2-13: never an answer too many, never points without one.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_three_hundred_who_answer_at_once_twenty_are_stored() {
    let town = Town::at(NOON).await;
    let id = town.asks_for(20).await;
    let mut people = Vec::new();
    for _ in 0..300 {
        let person = town.somebody().await;
        let opened = person.opens(&id).await;
        people.push((person, opened));
    }
    town.clock.forward(60);
    let mut answers = JoinSet::new();
    for (number, (person, opened)) in people.into_iter().enumerate() {
        let id = id.clone();
        answers.spawn(async move { person.responds(&id, &opened, words(number)).await });
    }
    let mut told: BTreeMap<u16, usize> = BTreeMap::new();
    let mut points = 0;
    for reply in answers.join_all().await {
        points += reply.body["points_earned"].as_i64().unwrap_or(0);
        *told.entry(reply.status).or_default() += 1;
        if reply.status == 410 {
            reply.problem(410, "question-over");
        }
    }
    assert_eq!(told, BTreeMap::from([(201, 20), (410, 280)]));
    assert_eq!(
        points,
        20 * 10 + 10 * 5,
        "the first ten came while more than half lacked"
    );
    let (responses, people) = (
        town.api.stored::<Response>().await,
        town.api.stored::<UserStats>().await,
    );
    assert_eq!((responses.len(), people.len()), (20, 20));
    let stored: i64 = people.iter().map(|person| person.total_points).sum();
    assert_eq!(stored, points);
    let board = town
        .api
        .ask
        .user_stats
        .leaderboard()
        .all()
        .collect()
        .await
        .unwrap();
    assert_eq!(
        board.iter().map(|entry| entry.total_points).sum::<i64>(),
        points
    );
    town.agrees().await;
}

/// S2-22, C2-10: one answer each, from however many tabs.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_person_in_fifty_tabs_answers_once() {
    let town = Town::at(NOON).await;
    let id = town.asks_for(50).await;
    let ada = town.somebody().await;
    let mut tabs = Vec::new();
    for _ in 0..50 {
        tabs.push(ada.opens(&id).await);
    }
    town.clock.forward(60);
    let answers = tabs.iter().enumerate();
    let answers = answers.map(|(number, opened)| ada.responds(&id, opened, words(number)));
    let mut stored = 0;
    for reply in join_all(answers).await {
        match reply.status {
            201 => stored += 1,
            429 => drop(reply.problem(429, "rate-limited")),
            _ => drop(reply.problem(409, "already-answered")),
        }
    }
    assert_eq!(stored, 1);
    assert_eq!(town.api.stored::<Response>().await.len(), 1);
    town.agrees().await;
}

/// C2-16, C2-17: answers of one person at once earn a badge and a day once, and every point.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn answers_of_one_person_at_once_count_each_and_the_day_once() {
    let town = Town::at(NOON).await;
    let ada = town.somebody().await;
    let mut questions = Vec::new();
    for _ in 0..5 {
        let id = town.asks_for(1).await;
        questions.push((ada.opens(&id).await, id));
    }
    town.clock.forward(180);
    let answers = questions.iter().enumerate();
    let answers = answers.map(|(number, (opened, id))| ada.responds(id, opened, words(number)));
    let mut first_steps = 0;
    for reply in join_all(answers).await {
        let told = reply.expect(201).body;
        assert_eq!(
            (&told["points_earned"], &told["streak_days"]),
            (&15.into(), &1.into())
        );
        first_steps += told["new_badges"].as_array().unwrap().len();
    }
    assert_eq!(first_steps, 1, "one of them has earned the badge");
    let stats = ada.stats().await;
    assert_eq!(
        (&stats["total_answers"], &stats["total_points"]),
        (&5.into(), &75.into())
    );
    assert_eq!(
        (&stats["streak_days"], &stats["daily_points"]),
        (&1.into(), &75.into())
    );
    let questions = town.api.stored::<Question>().await;
    assert!(
        questions
            .iter()
            .all(|question| question.closed_at.is_some())
    );
    town.agrees().await;
}
