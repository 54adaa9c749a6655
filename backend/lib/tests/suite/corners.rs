//! The model of corners: what few models have.

use aws_sdk_dynamodb::types::AttributeValue;
use tablewright::Item;

pub(crate) use self::model::*;
use crate::support::Place as Somewhere;

/// What the compiler's golden test holds.
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub, reason = "it is a module of a service, not of a test")]
#[path = "../../../../compiler/emit/tests/emit/corners.rs"]
mod model;

mod migrations {
    use tablewright::Migrations;

    pub(super) fn label() -> Migrations {
        Migrations::none().from(1, |fields| {
            fields.rename("title", "name");
            Ok(())
        })
    }
}

pub(crate) async fn corners() -> (Somewhere, Corners) {
    let place = Somewhere::new().await;
    let store = place.store(&SCHEMA).await;
    (place, Corners::new(&store))
}

/// The item of a key, as it is stored.
pub(crate) async fn stored(
    place: &Somewhere,
    corners: &Corners,
    pk: &str,
    sk: &str,
) -> Option<Item> {
    let table = corners.store().table_name(&SCHEMA.tables[0]);
    let get = place.client.get_item().table_name(table);
    let get = get.key("PK", text(pk)).key("SK", text(sk));
    get.consistent_read(true).send().await.unwrap().item
}

pub(crate) fn text(value: &str) -> AttributeValue {
    AttributeValue::S(value.to_owned())
}

pub(crate) fn part(name: &str) -> Part {
    Part {
        r#box: "b".to_owned(),
        part: name.to_owned(),
        price: "1".parse().unwrap(),
        tags: ["small".to_owned()].into(),
        needs: ["glue".to_owned()].into(),
        weights: None,
        stage: None,
        note: None,
        maker: None,
        uses: 0,
    }
}

pub(crate) fn shelf(books: i64) -> Shelf {
    Shelf {
        shelf: "s".to_owned(),
        label: "Shelf".to_owned(),
        books,
    }
}
