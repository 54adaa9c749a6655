//! Unique values that end with the items they belong to.

use tablewright::Error;

use crate::corners::{Corners, Place, PlaceKey, SCHEMA, corners, text};
use crate::support::{Place as Somewhere, SetClock};

const NOW: i64 = 1_700_000_000;

fn held(place: &str, holder: &str, ttl: Option<i64>) -> Place {
    Place {
        room: "r".to_owned(),
        place: place.to_owned(),
        holder: holder.to_owned(),
        ttl,
    }
}

/// A place that Ada held for ten seconds, which have passed.
async fn left() -> (Somewhere, Corners) {
    let (somewhere, _) = corners().await;
    let clock = SetClock::at(NOW * 1000);
    let corners = Corners::new(&somewhere.builder().clock(clock.clone()).build());
    let short = held("a", "Ada", Some(NOW + 10));
    corners.places.items().insert(short).await.unwrap();
    clock.set((NOW + 10) * 1000);
    (somewhere, corners)
}

async fn place_of(corners: &Corners, holder: &str) -> Option<String> {
    let found = corners.places.place_of(holder).await.unwrap();
    found.map(|place| place.data.place)
}

#[tokio::test]
async fn a_value_somebody_took_from_an_expired_item_is_not_taken_back() {
    let (_somewhere, corners) = left().await;
    assert_eq!(place_of(&corners, "ada").await, None);
    let places = corners.places.items();
    places.insert(held("b", "ADA", None)).await.unwrap();
    let taken = places.insert(held("a", "Ada", None)).await;
    assert!(matches!(taken, Err(Error::Taken { .. })), "{taken:?}");
    places.insert(held("a", "Bob", None)).await.unwrap();
    assert_eq!(place_of(&corners, "ada").await.as_deref(), Some("b"));
    assert_eq!(place_of(&corners, "bob").await.as_deref(), Some("a"));
    // It is still guarded, and freed by its owner alone.
    let taken = places.insert(held("c", "ada", None)).await;
    assert!(matches!(taken, Err(Error::Taken { .. })), "{taken:?}");
    places.delete_now(&PlaceKey::new("r", "a")).await.unwrap();
    assert_eq!(place_of(&corners, "ada").await.as_deref(), Some("b"));
}

#[tokio::test]
async fn an_expired_item_is_made_again_with_its_value() {
    let (_somewhere, corners) = left().await;
    let places = corners.places.items();
    places.insert(held("a", "Ada", None)).await.unwrap();
    assert_eq!(place_of(&corners, "ada").await.as_deref(), Some("a"));
    let taken = places.insert(held("b", "Ada", None)).await;
    assert!(matches!(taken, Err(Error::Taken { .. })), "{taken:?}");
}

#[tokio::test]
async fn an_expired_item_is_made_again_also_when_its_guard_was_swept_before_it() {
    let (somewhere, corners) = left().await;
    let table = corners.store().table_name(&SCHEMA.tables[0]);
    let sweep = somewhere.client.delete_item().table_name(table);
    let sweep = sweep.key("PK", text("HOLDER#ada"));
    let sweep = sweep.key("SK", text("METADATA"));
    sweep.send().await.unwrap();
    let places = corners.places.items();
    places.insert(held("a", "Ada", None)).await.unwrap();
    assert_eq!(place_of(&corners, "ada").await.as_deref(), Some("a"));
}
