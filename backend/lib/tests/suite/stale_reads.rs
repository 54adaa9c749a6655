//! Reads that are behind, and answers that are lost, where it matters what they said.

use tablewright::{Change, Error, Failed};

use crate::corners::{
    Corners, Label, LabelKey, PartKey, Place, RelabelInput, RelabelLabel, RelabelRefused,
    RenameLabel, SCHEMA, ShelfKey, part, shelf,
};
use crate::faults::faulty_store;
use crate::faulty::{Fault, Faulty};

async fn corners() -> (Faulty, Corners) {
    let (faulty, store) = faulty_store(&SCHEMA).await;
    (faulty, Corners::new(&store))
}

/// A label that was open and is closed; gives the answer of a read that is behind.
async fn was_closed(faulty: &Faulty, corners: &Corners) -> Fault {
    let label = Label {
        label: "l".to_owned(),
        name: "closed".to_owned(),
        price: None,
    };
    corners.labels.items().insert(label).await.unwrap();
    let get = r#"{"TableName":"corners","Key":{"PK":{"S":"LABEL#l"},"SK":{"S":"METADATA"}}}"#;
    let behind = faulty.engine.dispatch("GetItem", get.as_bytes()).body;
    let open = |label: &mut Label| label.name = "open".to_owned();
    let key = LabelKey::new("l");
    corners.labels.items().update(&key, open).await.unwrap();
    Fault::Answer(200, behind.leak())
}

/// What a service says of a label that is closed.
#[derive(Debug, PartialEq)]
enum Problem {
    Closed,
    Failed(String),
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        Problem::Failed(error.to_string())
    }
}

impl From<Failed<RelabelRefused>> for Problem {
    fn from(failed: Failed<RelabelRefused>) -> Self {
        Problem::Failed(failed.to_string())
    }
}

#[tokio::test]
async fn a_change_that_refuses_what_was_is_asked_about_what_is() {
    let (faulty, corners) = corners().await;
    let behind = was_closed(&faulty, &corners).await;
    faulty.plan("GetItem", [behind]);
    let rename = |label: &Label| match label.name.as_str() {
        "open" => Ok(RenameLabel {
            name: Change::Set("done".to_owned()),
        }),
        _ => Err(Problem::Closed),
    };
    let key = LabelKey::new("l");
    let renamed = corners
        .labels
        .rename_label(&key, |label| rename(&label.data));
    assert_eq!(renamed.await.unwrap().name, "done");
    assert_eq!(faulty.sent("GetItem"), 2);
    faulty.plan("GetItem", []);
    let refused = corners
        .labels
        .rename_label(&key, |label| rename(&label.data));
    assert_eq!(refused.await, Err(Problem::Closed));
    assert_eq!(faulty.sent("GetItem"), 2);
    assert_eq!(faulty.sent("UpdateItem"), 0);
}

#[tokio::test]
async fn a_transaction_that_refuses_what_was_is_asked_about_what_is() {
    let (faulty, corners) = corners().await;
    let behind = was_closed(&faulty, &corners).await;
    faulty.plan("GetItem", [behind]);
    let key = LabelKey::new("l");
    let relabel = || {
        corners.relabel(&key, |seen| match seen.label.name.as_str() {
            "open" => Ok(RelabelInput {
                label: RelabelLabel {
                    name: Change::Set("done".to_owned()),
                },
                shelf: shelf(0),
            }),
            _ => Err(Problem::Closed),
        })
    };
    relabel().await.unwrap();
    assert_eq!(faulty.sent("GetItem"), 2);
    let made = ShelfKey::new("s");
    let made = corners.shelfs.items().read_strong(&made).await;
    assert_eq!(made, Ok(Some(shelf(0))));
    faulty.plan("TransactWriteItems", []);
    assert_eq!(relabel().await, Err(Problem::Closed));
    assert_eq!(faulty.sent("TransactWriteItems"), 0);
}

#[tokio::test]
async fn a_deletion_whose_answer_was_lost_is_uncertain_and_happens_once() {
    let (faulty, corners) = corners().await;
    corners.parts.items().insert(part("p")).await.unwrap();
    let key = PartKey::new("b", "p");
    faulty.plan("DeleteItem", [Fault::LoseAnswer]);
    let taken = corners.parts.take_part(&key).await;
    assert!(matches!(taken, Err(Error::Uncertain { .. })), "{taken:?}");
    assert_eq!(faulty.sent("DeleteItem"), 2);
    let left = corners.parts.items().read_strong(&key).await.unwrap();
    assert_eq!(left, None);
    let again = corners.parts.take_part(&key).await;
    assert!(matches!(again, Err(Error::NotFound { .. })), "{again:?}");
    // A request that never arrived is sent again, and nothing is uncertain.
    corners.parts.items().insert(part("p")).await.unwrap();
    faulty.plan("DeleteItem", [Fault::LoseRequest]);
    assert_eq!(corners.parts.take_part(&key).await.unwrap(), part("p"));
}

#[tokio::test]
async fn who_gives_a_value_up_between_two_reads_does_not_have_it() {
    let (faulty, corners) = corners().await;
    let place = Place {
        room: "r".to_owned(),
        place: "x".to_owned(),
        holder: "Ada".to_owned(),
        ttl: None,
    };
    corners.places.items().insert(place).await.unwrap();
    let change = |engine: &tablewright_local::Engine| {
        let body = r#"{"TableName":"corners","Key":{"PK":{"S":"ROOM#r"},"SK":{"S":"PLACE#x"}},
            "UpdateExpression":"SET holder = :holder","ExpressionAttributeValues":{":holder":{"S":"Bob"}}}"#;
        assert_eq!(engine.dispatch("UpdateItem", body.as_bytes()).status, 200);
    };
    assert!(corners.places.place_of("ada").await.unwrap().is_some());
    faulty.plan("GetItem", [Fault::None, Fault::After(Box::new(change))]);
    assert_eq!(corners.places.place_of("ada").await.unwrap(), None);
    assert_eq!(faulty.sent("GetItem"), 2);
}
