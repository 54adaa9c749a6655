//! Labels of an older shape, in which the name was a title, and of a newer one: seen as what they are by everything that looks at them.

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright::{Error, Failed, Item, Refused, Why};

use crate::corners::{
    Corners, CornersEvent, LabelKey, LabelNames, LabelRenamed, LendInput, SCHEMA, ShelfKey,
    corners, shelf, text,
};
use crate::support::Place;

fn label(version: u16, field: &str, name: &str) -> Item {
    let number = |number: i64| AttributeValue::N(number.to_string());
    Item::from([
        ("PK".to_owned(), text("LABEL#l")),
        ("SK".to_owned(), text("METADATA")),
        ("Type".to_owned(), text("Label")),
        ("label".to_owned(), text("l")),
        (field.to_owned(), text(name)),
        ("price".to_owned(), AttributeValue::N("1.5".to_owned())),
        ("data_version".to_owned(), number(i64::from(version))),
        ("last_write".to_owned(), number(1_600_000_000_000)),
    ])
}

async fn with(label: Item) -> (Place, Corners) {
    let (place, corners) = corners().await;
    let table = corners.store().table_name(&SCHEMA.tables[0]);
    let put = place.client.put_item().table_name(table);
    put.set_item(Some(label)).send().await.unwrap();
    (place, corners)
}

fn newer() -> Error {
    Error::NewerVersion {
        entity: "Label".to_owned(),
        found: 3,
        known: 2,
    }
}

#[tokio::test]
async fn some_fields_of_an_older_shape_are_read_by_their_present_names() {
    let (_place, corners) = with(label(1, "title", "Old")).await;
    let found = corners.labels.label_names("l").page().await.unwrap();
    let expected = LabelNames {
        label: "l".to_owned(),
        name: "Old".to_owned(),
        price: Some("1.5".parse().unwrap()),
    };
    assert_eq!(found.items, [expected]);
    assert_eq!(corners.labels.label_names("l").count().await.unwrap(), 1);
}

#[tokio::test]
async fn some_fields_of_a_newer_shape_are_not_guessed() {
    let (_place, corners) = with(label(3, "name", "New")).await;
    let found = corners.labels.label_names("l").page().await;
    assert_eq!(found, Err(newer()));
}

#[test]
fn an_event_compares_what_is_meant_and_not_how_it_is_stored() {
    let of = |before: &Item, after: &Item| CornersEvent::of("corners", Some(before), Some(after));
    let old = label(1, "title", "Old");
    assert_eq!(of(&old, &label(2, "name", "Old")), Ok(vec![]));
    let renamed = CornersEvent::LabelRenamed(LabelRenamed {
        label: "l".to_owned(),
        name: "New".to_owned(),
        price: Some("1.5".parse().unwrap()),
        old_name: "Old".to_owned(),
        former_price: Some("1.5".parse().unwrap()),
        r#type: Some("1.5".parse().unwrap()),
    });
    let happened = Ok(vec![renamed]);
    assert_eq!(of(&old, &label(2, "name", "New")), happened);
    assert_eq!(of(&old, &label(1, "title", "New")), happened);
    assert_eq!(of(&old, &label(3, "name", "New")), Err(newer()));
}

async fn lend(corners: &Corners, name: &str) -> Result<(), Failed<crate::corners::LendRefused>> {
    let input = LendInput { shelf: shelf(0) };
    corners.lend(&LabelKey::new("l"), name, &input).await
}

#[tokio::test]
async fn a_check_judges_the_present_shape_of_an_older_item() {
    let mut old = label(1, "title", "Old");
    // What has the present name in the older shape is something else.
    old.insert("name".to_owned(), text("New"));
    let (_place, corners) = with(old).await;
    let Err(Failed::Refused(refused)) = lend(&corners, "New").await else {
        panic!("it was not refused");
    };
    let Some(Refused {
        why: Why::Condition,
        seen: Some(seen),
    }) = refused.label
    else {
        panic!("{:?}", refused.label);
    };
    assert_eq!(seen.name, "Old");
    let key = ShelfKey::new("s");
    let shelfs = corners.shelfs.items();
    assert_eq!(shelfs.read_strong(&key).await.unwrap(), None);
    lend(&corners, "Old").await.unwrap();
    assert_eq!(shelfs.read_strong(&key).await.unwrap(), Some(shelf(0)));
}

#[tokio::test]
async fn a_check_of_a_newer_item_is_an_error_and_nothing_is_written() {
    let (_place, corners) = with(label(3, "name", "New")).await;
    for name in ["New", "Old"] {
        assert_eq!(lend(&corners, name).await, Err(Failed::Error(newer())));
    }
    let key = ShelfKey::new("s");
    let shelf = corners.shelfs.items().read_strong(&key).await;
    assert_eq!(shelf, Ok(None));
}
