//! Shapes: written with their version, brought up to date when read, refused when newer than the code.

use accounts::model::{AccountKey, Accounts, SCHEMA};
use aws_sdk_dynamodb::types::AttributeValue;
use tablewright::{Error, Item};

use crate::support::{Place, SetClock, account, accounts};

fn text(value: &str) -> AttributeValue {
    AttributeValue::S(value.to_owned())
}

fn number(value: i64) -> AttributeValue {
    AttributeValue::N(value.to_string())
}

/// An item as version 1 stored it: the name was called `owner`.
fn first_version(pk: &str) -> Item {
    let data = Item::from([
        ("owner".to_owned(), text("Ada")),
        ("balance".to_owned(), number(7)),
    ]);
    Item::from([
        ("pk".to_owned(), text(pk)),
        ("data".to_owned(), AttributeValue::M(data)),
        ("data_version".to_owned(), number(1)),
        ("last_write".to_owned(), number(1_600_000_000_000)),
        ("ByNamePK".to_owned(), text("ACCOUNTS#0")),
        ("ByNameSK".to_owned(), text("Ada#old")),
    ])
}

/// S4-7, S4-12, C4-8, C4-9
#[tokio::test]
async fn an_item_is_stored_as_a_readable_map_with_its_version() {
    let (place, accounts) = accounts().await;
    let stored = accounts
        .accounts
        .items()
        .insert(account("a", 5))
        .await
        .unwrap();
    let table = accounts
        .store()
        .table_name(&accounts::model::SCHEMA.tables[0]);
    let item = place
        .client
        .get_item()
        .table_name(table)
        .key("pk", text("a"))
        .consistent_read(true)
        .send()
        .await
        .unwrap();
    let item = item.item.unwrap();
    let data = Item::from([
        ("name".to_owned(), text("Account a")),
        ("balance".to_owned(), number(5)),
    ]);
    assert_eq!(
        item["data"],
        AttributeValue::M(data),
        "the key is stored once"
    );
    assert_eq!(item["data_version"], number(2));
    assert_eq!(item["last_write"], number(stored.last_write));
    assert!(item.contains_key("ByNamePK") && item.contains_key("ByNameSK"));
    assert_eq!(item.len(), 6);
}

/// S4-17, C4-11
#[tokio::test]
async fn an_older_shape_is_brought_up_to_date_when_read_and_stored_by_the_next_update() {
    let (place, accounts) = accounts().await;
    let table = accounts
        .store()
        .table_name(&accounts::model::SCHEMA.tables[0]);
    place
        .client
        .put_item()
        .table_name(&table)
        .set_item(Some(first_version("old")))
        .send()
        .await
        .unwrap();
    let read = accounts.accounts.read_strong("old").await.unwrap().unwrap();
    assert_eq!(
        (read.name.as_str(), read.balance, read.data_version),
        ("Ada", 7, 2)
    );
    assert_eq!(read.last_write, 1_600_000_000_000, "reading writes nothing");
    let after = accounts
        .accounts
        .items()
        .update(&AccountKey::new("old"), |data| data.balance += 1)
        .await
        .unwrap();
    assert!(after.last_write > read.last_write);
    let item = place
        .client
        .get_item()
        .table_name(&table)
        .key("pk", text("old"))
        .consistent_read(true)
        .send()
        .await
        .unwrap();
    let item = item.item.unwrap();
    let data = Item::from([
        ("name".to_owned(), text("Ada")),
        ("balance".to_owned(), number(8)),
    ]);
    assert_eq!(
        item["data"],
        AttributeValue::M(data),
        "nothing of the old shape stays"
    );
    assert_eq!(item["data_version"], number(2));
    assert_eq!(item["ByNameSK"], text("Ada#old"));
}

/// C4-11
#[tokio::test]
async fn a_newer_shape_is_an_error_and_is_not_written_over() {
    let (place, accounts) = accounts().await;
    let table = accounts
        .store()
        .table_name(&accounts::model::SCHEMA.tables[0]);
    let mut newer = first_version("new");
    newer.insert("data_version".to_owned(), number(3));
    place
        .client
        .put_item()
        .table_name(&table)
        .set_item(Some(newer.clone()))
        .send()
        .await
        .unwrap();
    let error = Error::NewerVersion {
        entity: "AccountData".to_owned(),
        found: 3,
        known: 2,
    };
    assert_eq!(accounts.accounts.read("new").await, Err(error.clone()));
    let update = accounts
        .accounts
        .items()
        .update(&AccountKey::new("new"), |data| data.balance = 0)
        .await;
    assert_eq!(update, Err(error));
    let item = place
        .client
        .get_item()
        .table_name(&table)
        .key("pk", text("new"))
        .consistent_read(true)
        .send()
        .await
        .unwrap();
    assert_eq!(item.item, Some(newer));
}

#[tokio::test]
async fn what_others_store_beside_our_fields_stays() {
    let (place, accounts) = accounts().await;
    let table = accounts
        .store()
        .table_name(&accounts::model::SCHEMA.tables[0]);
    accounts
        .accounts
        .items()
        .insert(account("a", 5))
        .await
        .unwrap();
    place
        .client
        .update_item()
        .table_name(&table)
        .key("pk", text("a"))
        .update_expression("SET #d.nickname = :n, tag = :n")
        .expression_attribute_names("#d", "data")
        .expression_attribute_values(":n", text("x"))
        .send()
        .await
        .unwrap();
    accounts
        .accounts
        .items()
        .update(&AccountKey::new("a"), |data| data.balance += 1)
        .await
        .unwrap();
    let item = place
        .client
        .get_item()
        .table_name(&table)
        .key("pk", text("a"))
        .consistent_read(true)
        .send()
        .await
        .unwrap();
    let item = item.item.unwrap();
    assert_eq!(item["tag"], text("x"));
    let AttributeValue::M(data) = &item["data"] else {
        panic!("{item:?}");
    };
    assert_eq!(
        (&data["nickname"], &data["balance"]),
        (&text("x"), &number(6))
    );
}

#[tokio::test]
async fn an_item_that_is_none_is_told_with_the_reason() {
    let (place, accounts) = accounts().await;
    let table = accounts
        .store()
        .table_name(&accounts::model::SCHEMA.tables[0]);
    let spoilt = [
        (
            "no-version",
            Item::from([("pk".to_owned(), text("no-version"))]),
        ),
        ("no-name", {
            let mut item = first_version("no-name");
            item.insert("data".to_owned(), AttributeValue::M(Item::new()));
            item
        }),
        ("no-map", {
            let mut item = first_version("no-map");
            item.insert("data".to_owned(), text("x"));
            item
        }),
    ];
    for (pk, item) in spoilt {
        place
            .client
            .put_item()
            .table_name(&table)
            .set_item(Some(item))
            .send()
            .await
            .unwrap();
        let outcome = accounts.accounts.read_strong(pk).await;
        assert!(
            matches!(outcome, Err(Error::Unreadable { .. })),
            "{pk}: {outcome:?}"
        );
    }
}

/// C4-1: the token of an item that takes the place of another tells the two apart.
#[tokio::test]
async fn what_takes_the_place_of_a_deleted_item_has_a_later_token() {
    let place = Place::new().await;
    place.store(&SCHEMA).await;
    let clock = SetClock::at(1_700_000_000_000);
    let accounts = Accounts::new(&place.builder().clock(clock).build());
    let items = accounts.accounts.items();
    let key = AccountKey::new("a");
    let first = items.insert(account("a", 0)).await.unwrap();
    items.delete(&first).await.unwrap();
    let second = items.insert(account("a", 0)).await.unwrap();
    items.delete_now(&key).await.unwrap();
    let third = items.insert(account("a", 0)).await.unwrap();
    accounts.accounts.delete(&key).await.unwrap();
    let fourth = items.insert(account("a", 5)).await.unwrap();
    let tokens = [&first, &second, &third, &fourth].map(|one| one.last_write);
    assert!(tokens.is_sorted_by(|a, b| a < b), "{tokens:?}");
    for stale in [first, second, third] {
        let conflict = Err(Error::Conflict {
            entity: "AccountData".to_owned(),
        });
        assert_eq!(items.replace(stale).await, conflict);
    }
    assert_eq!(items.read_strong(&key).await.unwrap(), Some(fourth));
}
