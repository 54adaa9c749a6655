//! Additions and conditions on items of another shape, in which the number has another name: nothing is added beside it, and no
//! condition looks in the wrong place. C4-11, C4-17

use std::sync::LazyLock;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::{Deserialize, Serialize};
use tablewright::descriptor::words::single;
use tablewright::descriptor::written::{ActionText, EntityText, SchemaText, WriteText};
use tablewright::descriptor::{KeyAttribute, Schema, Table};
use tablewright::{
    Changes, Decimal, Entity, EntityKey, Error, Failure, Inputs, Item, Migrations, Patch, Refused,
    Repository, Seen, Store, TransactKeys, Values, Versioned, Why,
};

use crate::support::Place;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Purse {
    pk: String,
    coins: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gold: Option<Decimal>,
}

#[derive(Debug, Clone)]
struct PurseKey(String);

impl EntityKey for PurseKey {
    fn values(&self) -> Values {
        Values::new().with("pk", &self.0)
    }
}

impl Entity for Purse {
    type Key = PurseKey;
    type Stored = Versioned<Purse>;

    fn descriptor() -> &'static tablewright::descriptor::Entity {
        SCHEMA.entity("Purse")
    }

    fn key(&self) -> PurseKey {
        PurseKey(self.pk.clone())
    }

    fn migrations() -> Migrations {
        Migrations::none().from(1, |fields| {
            fields.rename("sum", "coins");
            Ok(())
        })
    }
}

struct Add(i64);

impl Patch<Purse> for Add {
    fn changes(&self) -> Changes {
        Changes::new().add("coins", self.0)
    }
}

struct Find(i64);

impl Patch<Purse> for Find {
    fn changes(&self) -> Changes {
        Changes::new().add("gold", self.0)
    }
}

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let add = || ActionText::update("Purse").add(&["coins"]);
    let text = SchemaText::new("purses")
        .table(Table::new("purses", KeyAttribute::string("pk")))
        .entity(
            EntityText::new("Purse", "purses", single("{pk}"))
                .fields(&[("pk", "id"), ("coins", "int"), ("gold", "decimal?")])
                .versioned_and_wrapped(2),
        )
        .write(WriteText::new("find").action(ActionText::update("Purse").add(&["gold"])))
        .write(WriteText::new("pay_in").action(add()))
        .write(WriteText::new("pay_out").action(add().only_if("coins >= :amount")))
        .write(
            WriteText::new("pass")
                .action(add().named("from").only_if("coins >= :amount"))
                .action(add().named("to")),
        )
        .write(
            WriteText::new("throw_away").action(ActionText::delete("Purse").only_if("coins = 0")),
        );
    Schema::resolve(text).unwrap()
});

struct Purses {
    place: Place,
    store: Store,
}

impl Purses {
    async fn new() -> Self {
        let place = Place::new().await;
        let store = place.store(&SCHEMA).await;
        Purses { place, store }
    }

    /// An item with its number under the name it has in a version.
    async fn put(&self, pk: &str, version: i64, name: &str, number: i64) -> Item {
        let n = |number: i64| AttributeValue::N(number.to_string());
        let data = Item::from([(name.to_owned(), n(number))]);
        let item = Item::from([
            ("pk".to_owned(), AttributeValue::S(pk.to_owned())),
            ("data".to_owned(), AttributeValue::M(data)),
            ("data_version".to_owned(), n(version)),
            ("last_write".to_owned(), n(1_600_000_000_000)),
        ]);
        let put = self.place.client.put_item().table_name(self.table());
        put.set_item(Some(item.clone())).send().await.unwrap();
        item
    }

    fn table(&self) -> String {
        self.store.table_name(&SCHEMA.tables[0])
    }

    async fn stored(&self, pk: &str) -> Item {
        let get = self.place.client.get_item().table_name(self.table());
        let get = get.key("pk", AttributeValue::S(pk.to_owned()));
        let got = get.consistent_read(true).send().await.unwrap();
        got.item.unwrap()
    }

    async fn coins(&self, pk: &str) -> i64 {
        let purses = Repository::<Purse>::new(&self.store);
        let purse = purses.read_strong(&PurseKey(pk.to_owned())).await.unwrap();
        purse.unwrap().coins
    }

    async fn pay_in(&self, pk: &str, amount: i64) -> Result<Versioned<Purse>, Error> {
        let key = PurseKey(pk.to_owned());
        let write = SCHEMA.write("pay_in");
        self.store
            .apply::<Purse, _>(write, &key, Values::new(), Add(amount))
            .await
    }

    async fn pay_out(&self, pk: &str, amount: i64) -> Result<Versioned<Purse>, Error> {
        let key = PurseKey(pk.to_owned());
        let params = Values::new().with("amount", &amount);
        let write = SCHEMA.write("pay_out");
        self.store
            .apply::<Purse, _>(write, &key, params, Add(-amount))
            .await
    }

    async fn pass(&self, from: &str, to: &str, amount: i64) -> Result<(), Failure> {
        let keys = TransactKeys::new()
            .key::<Purse, _>("from", &PurseKey(from.to_owned()))
            .key::<Purse, _>("to", &PurseKey(to.to_owned()));
        let params = Values::new().with("amount", &amount);
        let inputs = |_: &Seen| -> Result<Inputs, Failure> {
            Ok(Inputs::new()
                .change("from", Add(-amount).changes())
                .change("to", Add(amount).changes()))
        };
        let write = SCHEMA.write("pass");
        self.store.transact(write, keys, params, inputs).await?;
        Ok(())
    }

    async fn throw_away(&self, pk: &str) -> Result<Versioned<Purse>, Error> {
        let key = PurseKey(pk.to_owned());
        let write = SCHEMA.write("throw_away");
        self.store.remove::<Purse>(write, &key, Values::new()).await
    }
}

fn refused() -> Error {
    Error::Refused {
        entity: "Purse".to_owned(),
    }
}

#[tokio::test]
async fn an_addition_finds_its_number_in_an_older_shape() {
    let purses = Purses::new().await;
    purses.put("old", 1, "sum", 5).await;
    let after = purses.pay_in("old", 3).await.unwrap();
    assert_eq!((after.coins, after.data_version), (8, 2));
    let stored = purses.stored("old").await;
    let data = Item::from([("coins".to_owned(), AttributeValue::N("8".to_owned()))]);
    assert_eq!(stored["data"], AttributeValue::M(data));
    assert_eq!(stored["data_version"], AttributeValue::N("2".to_owned()));
}

#[tokio::test]
async fn a_condition_looks_at_the_present_shape_of_an_older_item() {
    let purses = Purses::new().await;
    purses.put("old", 1, "sum", 5).await;
    assert_eq!(purses.pay_out("old", 6).await, Err(refused()));
    assert_eq!(purses.throw_away("old").await, Err(refused()));
    assert_eq!(purses.coins("old").await, 5);
    assert_eq!(purses.pay_out("old", 5).await.unwrap().coins, 0);
    purses.put("empty", 1, "sum", 0).await;
    assert_eq!(purses.throw_away("empty").await.unwrap().coins, 0);
}

#[tokio::test]
async fn a_transaction_brings_the_items_it_adds_to_up_to_date() {
    let purses = Purses::new().await;
    purses.put("old", 1, "sum", 5).await;
    purses.put("older", 1, "sum", 1).await;
    let Err(Failure::Refused(refusal)) = purses.pass("old", "older", 6).await else {
        panic!("it was not refused");
    };
    let Some(Refused {
        why,
        seen: Some(seen),
    }) = refusal.of::<Purse>("from")
    else {
        panic!("{refusal:?}");
    };
    assert_eq!((why, seen.coins), (Why::Condition, 5));
    purses.pass("old", "older", 4).await.unwrap();
    let coins = (purses.coins("old").await, purses.coins("older").await);
    assert_eq!(coins, (1, 5));
    purses.pass("older", "old", 5).await.unwrap();
    let coins = (purses.coins("old").await, purses.coins("older").await);
    assert_eq!(coins, (6, 0));
}

#[tokio::test]
async fn a_newer_shape_is_not_added_to() {
    let purses = Purses::new().await;
    purses.put("present", 2, "coins", 5).await;
    let newer = purses.put("new", 3, "pence", 500).await;
    let error = Error::NewerVersion {
        entity: "Purse".to_owned(),
        found: 3,
        known: 2,
    };
    assert_eq!(purses.pay_in("new", 1).await, Err(error.clone()));
    let passed = purses.pass("present", "new", 1).await;
    assert_eq!(passed, Err(Failure::Error(error)));
    assert_eq!(purses.stored("new").await, newer);
    assert_eq!(purses.coins("present").await, 5);
}

#[tokio::test]
async fn a_number_never_leaves_the_range_of_its_type() {
    let purses = Purses::new().await;
    purses.put("full", 2, "coins", i64::MAX - 1).await;
    purses.put("old", 1, "sum", i64::MAX - 1).await;
    for pk in ["full", "old"] {
        assert_eq!(purses.pay_in(pk, 2).await, Err(refused()), "{pk}");
        assert_eq!(purses.pay_in(pk, 1).await.unwrap().coins, i64::MAX);
        assert_eq!(purses.pay_in(pk, i64::MAX).await, Err(refused()));
        assert_eq!(purses.pay_in(pk, i64::MIN).await.unwrap().coins, -1);
        assert_eq!(purses.pay_in(pk, i64::MIN).await, Err(refused()));
    }
}

/// A decimal is added to by the store alone: the library, where it has to read first, says so instead of taking it for nothing.
#[tokio::test]
async fn a_fraction_is_never_taken_for_nothing() {
    let purses = Purses::new().await;
    let find = async |pk: &str| {
        let key = PurseKey(pk.to_owned());
        let write = SCHEMA.write("find");
        let found = purses
            .store
            .apply::<Purse, _>(write, &key, Values::new(), Find(2));
        found.await
    };
    for (pk, version, name) in [("present", 2, "coins"), ("old", 1, "sum")] {
        let mut item = purses.put(pk, version, name, 1).await;
        let Some(AttributeValue::M(data)) = item.get_mut("data") else {
            panic!("{item:?}");
        };
        data.insert("gold".to_owned(), AttributeValue::N("1.5".to_owned()));
        let put = purses.place.client.put_item().table_name(purses.table());
        put.set_item(Some(item)).send().await.unwrap();
    }
    let after = find("present").await.unwrap();
    assert_eq!(after.gold, Some("3.5".parse().unwrap()));
    let before = purses.stored("old").await;
    let refused = find("old").await;
    let Err(Error::Invalid { field, .. }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(field, "gold");
    assert_eq!(purses.stored("old").await, before);
}
