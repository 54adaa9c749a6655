//! The same seed, the same proof; and nothing left of it.

use std::time::Duration;

use tablewright_local::Engine;
use tablewright_prove::report::json;
use tablewright_prove::{Place, Settings, Step, prove};

use crate::support::{fixture, model, proved};

#[tokio::test(flavor = "multi_thread")]
async fn a_seed_gives_the_same_proof_and_another_one_another() {
    let model = model(fixture("lost-end-day"));
    let first = proved(&model, 60, 7).await;
    let again = proved(&model, 60, 7).await;
    assert_eq!(first, again);
    let documents = [first, again].map(|proof| json::render(&[proof]));
    assert_eq!(documents[0], documents[1]);
    let other = proved(&model, 60, 8).await;
    assert_ne!(json::render(&[other]), documents[0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_proofs_at_one_endpoint_do_not_meet_and_leave_nothing() {
    let model = model(fixture("stale-index"));
    let engine = Engine::temporary().unwrap();
    let settings = Settings { items: 40, seed: 1 };
    let places = [(); 2].map(|()| Place::new(engine.dynamodb(), Duration::ZERO));
    let [one, other] = &places;
    assert_ne!(one.prefix(), other.prefix());
    let silent = |_, _, _| {};
    let (one, other) = tokio::join!(
        prove(&model, settings, one, &silent),
        prove(&model, settings, other, &silent)
    );
    assert_eq!(one.unwrap(), other.unwrap());
    for place in places {
        place.clear().await.unwrap();
    }
    let left = engine.dynamodb().list_tables().send().await.unwrap();
    assert_eq!(left.table_names(), [""; 0]);
}

/// A fault of the program itself, at any step, is told as one and can be cleared away.
#[tokio::test(flavor = "multi_thread")]
async fn a_proof_that_panics_can_be_cleared_away() {
    let model = model(fixture("stale-index"));
    let engine = Engine::temporary().unwrap();
    let settings = Settings { items: 40, seed: 1 };
    for at in [Step::Making, Step::Filling, Step::Asking, Step::Growing] {
        let place = Place::new(engine.dynamodb(), Duration::ZERO);
        let failing =
            |step, done, _| assert!(step != at || done < 2 && at != Step::Making, "at {at:?}");
        let proof = prove(&model, settings, &place, &failing).await;
        let why = proof.unwrap_err().to_string();
        assert_eq!(
            why,
            format!("a fault of Tablewright, not of the model: at {at:?}")
        );
        place.clear().await.unwrap();
        let left = engine.dynamodb().list_tables().send().await.unwrap();
        assert_eq!(left.table_names(), [""; 0], "{at:?}");
    }
}

/// Dropping a proof at any moment leaves tables that clearing finds, also those that were being made.
#[tokio::test(flavor = "multi_thread")]
async fn a_proof_that_is_dropped_can_be_cleared_away() {
    let model = model(fixture("stale-index"));
    let engine = Engine::temporary().unwrap();
    let settings = Settings { items: 40, seed: 1 };
    for milliseconds in [0, 1, 3, 10, 30, 100] {
        let place = Place::new(engine.dynamodb(), Duration::ZERO);
        let silent = |_, _, _| {};
        let proving = prove(&model, settings, &place, &silent);
        let _ = tokio::time::timeout(Duration::from_millis(milliseconds), proving).await;
        place.clear().await.unwrap();
        let left = engine.dynamodb().list_tables().send().await.unwrap();
        assert_eq!(left.table_names(), [""; 0], "after {milliseconds} ms");
    }
}
