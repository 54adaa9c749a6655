//! Time passes: deadlines, midnights, and what is kept how long.

use ask::model::Response;
use serde_json::{Value, json};

use crate::person::{Person, Town, words};

/// C2-7, C2-8: from its deadline on a question is expired, whether anybody wrote that down or not.
#[tokio::test]
async fn a_question_expires_by_the_clock_alone() {
    let town = Town::at("2026-11-18T12:00:00.000Z").await;
    let id = town
        .asks(json!({ "prompt": "Quick, what is it?", "timeout_seconds": 60, "min_responses": 2 }))
        .await;
    let (ada, bob) = (town.somebody().await, town.somebody().await);
    let late = bob.opens(&id).await;
    town.clock.forward(59);
    ada.answers(&id, words(1)).await.expect(201);
    town.clock.forward(1);
    let over = bob
        .responds(&id, &late, words(2))
        .await
        .problem(410, "question-over");
    assert_eq!(over.body["detail"], "its time is over");
    let seen = bob.get(&format!("/questions/{id}")).await.expect(200).body;
    assert_eq!(
        (&seen["status"], &seen["can_answer"]),
        (&json!("EXPIRED"), &json!(false))
    );
    assert_eq!(
        bob.get("/questions").await.expect(200).body["items"],
        json!([])
    );
    let asked = format!("~/agent/questions/{id}");
    let seen = town.agent.get(&asked).await.expect(200).body;
    assert_eq!(
        (&seen["status"], seen["responses"].as_array().unwrap().len()),
        (&json!("EXPIRED"), 1),
        "what was answered stays"
    );
    // A day after it has expired it is gone; the answer is kept for thirty days.
    town.clock.forward(86_400 - 1);
    town.agent.get(&asked).await.expect(200);
    town.clock.forward(1);
    town.agent.get(&asked).await.problem(404, "not-found");
    bob.get(&format!("/questions/{id}"))
        .await
        .problem(404, "not-found");
    bob.responds(&id, &late, words(2))
        .await
        .problem(404, "not-found");
    assert_eq!(town.api.stored::<Response>().await.len(), 1);
}

/// C2-7, C2-9: a closed question stays for seven days, an answer for thirty, statistics for ever.
#[tokio::test]
async fn everything_is_kept_as_long_as_it_should() {
    let town = Town::at("2026-11-18T12:00:00.000Z").await;
    let id = town.asks_for(1).await;
    let ada = town.somebody().await;
    ada.answers(&id, words(1)).await.expect(201);
    let asked = format!("~/agent/questions/{id}");
    let answers = async || {
        ada.get("/responses").await.expect(200).body["items"]
            .as_array()
            .unwrap()
            .len()
    };
    town.clock.forward(7 * 86_400 - 1);
    assert_eq!(
        town.agent.get(&asked).await.expect(200).body["status"],
        "CLOSED"
    );
    town.clock.forward(1);
    town.agent.get(&asked).await.problem(404, "not-found");
    town.clock.forward(23 * 86_400 - 1);
    assert_eq!(answers().await, 1);
    town.clock.forward(1);
    assert_eq!(answers().await, 0);
    let stats = ada.stats().await;
    assert_eq!(
        (&stats["total_answers"], &stats["streak_days"]),
        (&json!(1), &json!(0))
    );
    assert_eq!(stats["badges"].as_array().unwrap().len(), 2);
}

async fn answers_now(town: &Town, person: &Person, zone: Option<&str>) -> Value {
    let id = town.asks_for(50).await;
    let opened = person.opens(&id).await;
    town.clock.forward(60);
    let mut answer = words(0);
    answer["answer"] = json!(format!("What I say of {id}"));
    if let Some(zone) = zone {
        answer["time_zone"] = json!(zone);
    }
    person.responds(&id, &opened, answer).await.expect(201).body
}

async fn streak(person: &Person) -> i64 {
    person.stats().await["streak_days"].as_i64().unwrap()
}

/// C2-17: midnight comes at three moments in three zones; streaks follow the person, boards follow UTC.
#[tokio::test]
async fn midnight_is_where_the_person_is() {
    let town = Town::at("2026-11-18T09:00:00.000Z").await;
    let (kiri, utc, la) = (
        town.somebody().await,
        town.somebody().await,
        town.somebody().await,
    );
    let zones = [
        (&kiri, "Pacific/Kiritimati"),
        (&utc, "UTC"),
        (&la, "America/Los_Angeles"),
    ];
    for (person, zone) in zones {
        assert_eq!(
            answers_now(&town, person, Some(zone)).await["streak_days"],
            1,
            "{zone}"
        );
    }
    let streaks = async || (streak(&kiri).await, streak(&utc).await, streak(&la).await);
    let board = async |period: &str| {
        let board = utc
            .get(&format!("/leaderboard?period={period}"))
            .await
            .expect(200)
            .body;
        board["entries"].as_array().unwrap().len()
    };
    assert_eq!(
        (
            board("daily").await,
            board("weekly").await,
            board("all_time").await
        ),
        (3, 3, 3)
    );

    // 10:00 UTC: the 19th has begun on Kiritimati, and nowhere else. There it is another day, and UTC's is the same.
    town.clock.set("2026-11-18T10:00:00.000Z");
    let told = answers_now(&town, &kiri, None).await;
    assert_eq!(told["streak_days"], 2, "what was said once is kept");
    assert_eq!(answers_now(&town, &utc, None).await["streak_days"], 1);
    assert_eq!(kiri.stats().await["daily_points"], 30, "one day, UTC");

    // The next day, UTC. In Los Angeles it still is the 18th.
    town.clock.set("2026-11-19T00:00:00.000Z");
    assert_eq!(board("daily").await, 0);
    assert_eq!(
        (
            board("weekly").await,
            utc.stats().await["daily_points"].clone()
        ),
        (3, json!(0))
    );
    assert_eq!(
        utc.get("/leaderboard?period=daily").await.expect(200).body["your_rank"],
        json!(null)
    );
    assert_eq!(answers_now(&town, &utc, None).await["streak_days"], 2);
    assert_eq!(answers_now(&town, &la, None).await["streak_days"], 1);
    assert_eq!(board("daily").await, 2);

    // A day without an answer ends a streak when it is over where the person is: at three moments.
    for (moment, expected) in [
        ("2026-11-20T07:59:59.000Z", (2, 2, 1)), // the last second of the 19th in Los Angeles
        ("2026-11-20T08:00:00.000Z", (2, 2, 0)),
        ("2026-11-20T09:59:59.000Z", (2, 2, 0)), // the last second of the 20th on Kiritimati
        ("2026-11-20T10:00:00.000Z", (0, 2, 0)),
        ("2026-11-20T23:59:59.000Z", (0, 2, 0)),
        ("2026-11-21T00:00:00.000Z", (0, 0, 0)),
    ] {
        town.clock.set(moment);
        assert_eq!(streaks().await, expected, "{moment}");
    }
    assert_eq!(answers_now(&town, &kiri, None).await["streak_days"], 1);

    // Monday, UTC: a new week.
    town.clock.set("2026-11-22T23:59:59.999Z");
    assert_eq!(board("weekly").await, 3);
    town.clock.set("2026-11-23T00:00:00.000Z");
    assert_eq!((board("weekly").await, board("all_time").await), (0, 3));
    town.agrees().await;
}

/// C2-17: three days in a row, in one's own zone, are rewarded on the third; the cap holds for a day of UTC.
#[tokio::test]
async fn three_days_and_five_hundred_points() {
    let town = Town::at("2026-11-18T12:00:00.000Z").await;
    let ada = town.somebody().await;
    let mut earned = Vec::new();
    for day in ["18", "19", "20"] {
        town.clock.set(&format!("2026-11-{day}T12:00:00.000Z"));
        let told = answers_now(&town, &ada, Some("Europe/Berlin")).await;
        earned.push(told["points_earned"].as_i64().unwrap());
    }
    assert_eq!(earned, [15, 15, 25]);
    // 32 answers of 15 points are 480; then 20 are left, and then none.
    let mut last = json!(null);
    for number in 0..34 {
        town.clock.set(&format!(
            "2026-11-21T{:02}:{:02}:00.000Z",
            1 + number / 4,
            3 * (number % 4)
        ));
        last = answers_now(&town, &ada, None).await;
        if number == 33 {
            assert_eq!(last["points_earned"], 5);
        }
    }
    town.clock.set("2026-11-21T20:00:00.000Z");
    let beyond = answers_now(&town, &ada, None).await;
    assert_eq!(
        (&beyond["points_earned"], &beyond["total_points"]),
        (&json!(0), &last["total_points"])
    );
    let stats = ada.stats().await;
    assert_eq!(
        (&stats["daily_points"], &stats["total_points"]),
        (&json!(500), &json!(555))
    );
    assert_eq!(stats["total_answers"], 38);
    assert_eq!(stats["streak_days"], 4);
    town.clock.set("2026-11-22T00:00:00.000Z");
    assert_eq!(answers_now(&town, &ada, None).await["points_earned"], 15);
    town.agrees().await;
}
