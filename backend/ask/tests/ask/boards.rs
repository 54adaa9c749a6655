//! Boards and ranks (S2-19, S2-20, S2-29, C2-15).

use ask::model::UserStats;
use serde_json::{Value, json};

use crate::person::{Town, words};

const NOON: &str = "2026-11-18T12:00:00.000Z";

/// Somebody with so many points, of today, this week and ever.
fn with(hash: &str, points: i64) -> UserStats {
    serde_json::from_value(json!({
        "fingerprint_hash": hash, "total_points": points, "total_answers": 1, "daily_points": points.min(500), "daily_answers": 1,
        "points_date": "2026-11-18", "weekly_points": points.min(3500), "weekly_answers": 1, "points_week": "2026-11-16",
        "streak_days": 1, "streak_last_date": "2026-11-18", "badges": {}, "answers_by_category": {},
        "created_at": NOON, "updated_at": NOON,
    }))
    .unwrap()
}

#[tokio::test]
async fn a_board_has_an_order_also_where_points_are_equal() {
    let town = Town::at(NOON).await;
    let ada = town.somebody().await;
    let board = async |query: &str| {
        ada.get(&format!("/leaderboard{query}"))
            .await
            .expect(200)
            .body
    };
    let empty = board("").await;
    assert_eq!(
        empty,
        json!({ "period": "all_time", "entries": [], "your_rank": null, "your_rank_over": null, "your_points": 0 })
    );
    let people = town.api.ask.user_stats.items();
    for (number, points) in [40, 30, 30, 15, 15, 10].into_iter().enumerate() {
        people
            .insert(with(&format!("somebody-{number}"), points))
            .await
            .unwrap();
    }
    let id = town.asks_for(2).await;
    town.clock.forward(180);
    let told = ada.answers(&id, words(1)).await.expect(201);
    assert_eq!(told.body["total_points"], 15);
    for period in ["daily", "weekly", "all_time"] {
        let board = board(&format!("?period={period}")).await;
        let entries = board["entries"].as_array().unwrap();
        let of = |field: &str| {
            entries
                .iter()
                .map(|entry| entry[field].clone())
                .collect::<Vec<Value>>()
        };
        assert_eq!(of("points"), [40, 30, 30, 15, 15, 15, 10], "{period}");
        assert_eq!(of("rank"), [1, 2, 2, 4, 4, 4, 7], "{period}");
        assert_eq!(
            entries.iter().filter(|entry| entry["you"] == true).count(),
            1
        );
        assert_eq!(
            (&board["your_rank"], &board["your_points"]),
            (&json!(4), &json!(15))
        );
        assert_eq!(
            board["entries"],
            self::again(&ada, period).await,
            "equal points have one order"
        );
    }
    assert_eq!(
        board("?limit=2").await["entries"].as_array().unwrap().len(),
        2
    );
    assert_eq!(board("?limit=2").await["your_rank"], 4);
    assert_eq!(ada.stats().await["rank"], 4);
    // S2-26: nothing on a board says who somebody is.
    assert!(!board("").await.to_string().contains("somebody-"));
    for wrong in ["period=monthly", "limit=101", "limit=0"] {
        ada.get(&format!("/leaderboard?{wrong}"))
            .await
            .problem(400, "malformed");
    }
}

async fn again(person: &crate::person::Person, period: &str) -> Value {
    let board = person.get(&format!("/leaderboard?period={period}")).await;
    board.expect(200).body["entries"].clone()
}

/// C2-15: a rank is exact up to 1000, and costs no more than reading so many entries.
#[tokio::test]
async fn beyond_a_thousand_nobody_counts() {
    let town = Town::at(NOON).await;
    let ada = town.somebody().await;
    let id = town.asks_for(50).await;
    ada.answers(&id, words(1)).await.expect(201);
    let people = town.api.ask.user_stats.items();
    for number in 0..999 {
        people
            .insert(with(&format!("somebody-{number}"), 100))
            .await
            .unwrap();
    }
    let rank = async || {
        let stats = ada.stats().await;
        (stats["rank"].clone(), stats["rank_over"].clone())
    };
    assert_eq!(rank().await, (json!(1000), json!(null)));
    let exact = ada.sees("/leaderboard?period=all_time").await;
    assert!(
        exact.contains("Your rank is 1000, with 15 points."),
        "{exact}"
    );
    for number in 999..1100 {
        people
            .insert(with(&format!("somebody-{number}"), 100))
            .await
            .unwrap();
    }
    assert_eq!(rank().await, (json!(null), json!(1000)));
    let board = ada.get("/leaderboard?period=daily").await.expect(200).body;
    assert_eq!(
        (&board["your_rank"], &board["your_rank_over"]),
        (&json!(null), &json!(1000))
    );
    assert_eq!(board["your_points"], 15);
    // The pages say it in words, and name no rank.
    let (board, own) = (ada.sees("/leaderboard").await, ada.sees("/me").await);
    let said = "Your rank is beyond 1000, with 15 points: at least 1000 people have more.";
    assert!(board.contains(said), "{board}");
    assert!(own.contains("<dt>Rank</dt><dd>beyond 1000</dd>"), "{own}");

    let (store, meter) = town.api.ask.store().metered();
    let metered = ask::model::Ask::new(&store);
    assert_eq!(
        metered
            .user_stats
            .count_ahead(15)
            .up_to(1000)
            .await
            .unwrap(),
        1000
    );
    let bounded = meter.take().read_units;
    assert_eq!(metered.user_stats.count_ahead(15).await.unwrap(), 1100);
    assert!(bounded < meter.take().read_units);
    assert_eq!(
        metered.user_stats.count_ahead(15).up_to(10).await.unwrap(),
        10
    );
    assert_eq!(meter.take().requests, 1);
}
