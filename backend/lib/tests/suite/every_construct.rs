//! The model that has every construct: what is generated for it compiles, and does what its patterns say.

use everything::*;
use tablewright::{Change, Error, Failed, Once, Refused, Repository, Timestamp, Ulid, Why};

use crate::support::Place;

/// What the compiler's golden test holds.
#[rustfmt::skip]
#[allow(dead_code, unreachable_pub, reason = "it is a module of a service, not of a test")]
#[path = "../../../../compiler/emit/tests/emit/everything.rs"]
mod everything;

mod migrations {
    pub(super) fn receipt_data() -> tablewright::Migrations {
        tablewright::Migrations::none()
    }
}

fn shop() -> Store {
    Store {
        store_id: "s".to_owned(),
        name: "Shop".to_owned(),
        r#type: StoreType::_24h,
        self_: "me".to_owned(),
        address: Some(Address {
            street: "Main".to_owned(),
            city: "Town".to_owned(),
            kind: AddressKind::Work,
        }),
        tags: [StoreTag::New].into(),
        hours: vec![Opening {
            weekday: OpeningWeekday::Tu,
            from: "08:00".to_owned(),
        }],
        extra: Some(serde_json::json!({ "parking": [1, 2] })),
        orders: 0,
        by_state_placed: 0,
        by_state_packed: 0,
        by_state_sent: 0,
    }
}

fn order(total: i64, state: OrderState) -> Order {
    Order {
        store_id: "s".to_owned(),
        order_id: Ulid::new(),
        buyer: "ada@example.com".to_owned(),
        state,
        total,
        discount: "0.25".parse().expect("a decimal"),
        paid: false,
        gift: true,
        lines: vec!["pen".to_owned()],
        notes: [("wrap".to_owned(), "red".to_owned())].into(),
        labels: Some(["fragile".to_owned()].into()),
        photo: None,
        token: "67e55044-10b1-426f-9247-bb680e5fe0c8"
            .parse()
            .expect("a UUID"),
        due: Some("2024-01-31".parse().expect("a day")),
        placed_at: Timestamp::now(),
        packed_at: None,
        sent_at: None,
        seen_at: None,
        ttl: None,
    }
}

/// A shop with three orders, two of them packed.
async fn opened() -> (Place, Everything, Vec<Order>) {
    let place = Place::new().await;
    let everything = Everything::new(&place.store(&SCHEMA).await);
    let opened = everything.stores.open_store(shop(), None).await;
    assert!(matches!(opened, Ok(Once::Done(stored)) if stored == shop()));
    let orders = vec![
        order(1, OrderState::Placed),
        order(2, OrderState::Packed),
        order(3, OrderState::Packed),
    ];
    for placed in everything.orders.place_orders(orders.clone()).await {
        assert!(placed.is_ok_and(|placed| orders.contains(&placed.data)));
    }
    (place, everything, orders)
}

/// S3-48: a page that is refined looks at as many items as the model says; one that is not is full.
#[tokio::test]
async fn a_refined_page_looks_at_as_many_as_the_model_says() {
    let (_place, everything, orders) = opened().await;
    let many: Vec<Order> = (0..150).map(|_| order(4, OrderState::Sent)).collect();
    for placed in everything.orders.place_orders(many).await {
        placed.unwrap();
    }
    let packed = OrderRefined {
        state: OrderState::Packed.into(),
        ..OrderRefined::default()
    };
    let query = || everything.orders.orders("s");
    assert_eq!(query().looks_at(), Some(60));
    // The latest 150 are sent: two pages and a half look at these, and find nothing.
    let (mut sizes, mut found, mut cursor) = (Vec::new(), Vec::new(), None);
    loop {
        let query = query().refined(&packed).after(cursor.as_deref());
        let page = query.page().await.unwrap();
        sizes.push(page.items.len());
        found.extend(page.items.into_iter().map(|order| order.data.order_id));
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(sizes, [0, 0, 2]);
    // Of one millisecond, the order of their ids is by chance.
    let mut latest = [&orders[1], &orders[2]];
    latest.sort_by_key(|order| std::cmp::Reverse(order.order_id));
    assert_eq!(found, latest.map(|order| order.order_id));
    let first = query().refined(&packed).first().await.unwrap().unwrap();
    assert_eq!(first.data, *latest[0]);
    let all = query().refined(&packed).all().collect().await.unwrap();
    assert_eq!(all.len(), 2);
    let unrefined = query().limit(150).page().await.unwrap();
    assert_eq!(unrefined.items.len(), 150);
}

#[tokio::test]
async fn every_kind_of_read_finds_what_it_asks_for() {
    let (_place, everything, orders) = opened().await;
    let all = &everything.orders;
    assert_eq!(all.count_orders("s").await.unwrap(), 3);
    assert_eq!(all.count_packed("s").await.unwrap(), 2);
    assert_eq!(all.count_of_buyer("ada@example.com").await.unwrap(), 3);

    let items = everything
        .stores
        .whole_store("s")
        .page()
        .await
        .unwrap()
        .items;
    let whole = WholeStore::from(items);
    assert_eq!(whole.store.unwrap().by_state_packed, 2);
    assert_eq!((whole.orders.len(), whole.receipts.len()), (3, 0));

    let refined = OrderRefined {
        state: OrderState::Packed.into(),
        labels: "fragile".to_owned().into(),
        ..OrderRefined::default()
    };
    let found = all.orders("s").refined(&refined).page().await.unwrap();
    let packed: Vec<Ulid> = found.items.iter().map(|order| order.order_id).collect();
    assert_eq!(packed.len(), 2);
    assert!(packed.is_sorted_by(|a, b| a > b), "the latest first");

    let (first, last) = (orders[0].placed_at, Timestamp::now());
    let found = all.orders_placed("ada@example.com", first, last, "pen");
    assert_eq!(found.page().await.unwrap().items.len(), 3);
    let found = all.orders_placed("ada@example.com", first, last, "ink");
    assert_eq!(found.page().await.unwrap().items.len(), 0);
    let found = all.order_totals("ada@example.com").page().await.unwrap();
    assert!(found.items.iter().all(|row| row.due.is_some() && !row.paid));
    let found = all.cheap_orders("s", 3).page().await.unwrap();
    assert_eq!(found.items.len(), 2);
    // Through an index that holds neither the type nor the version of an item.
    let found = all.packed_due("2024-02-01".parse().unwrap());
    let totals: Vec<i64> = found
        .page()
        .await
        .unwrap()
        .items
        .iter()
        .map(|row| row.total)
        .collect();
    assert!(
        totals.len() == 2 && totals.contains(&2) && totals.contains(&3),
        "{totals:?}"
    );
    let found = all.search_orders("s", "ADA").page().await.unwrap();
    assert_eq!(found.items.len(), 3);

    let keys = [
        OrderKey::new("s", orders[2].order_id),
        OrderKey::new("other", orders[2].order_id),
    ];
    let found = all.orders_by_ids(&keys).await.unwrap();
    assert_eq!(found[0].as_ref().map(|order| order.total), Some(3));
    assert_eq!(found[1], None);
    let later = "2999-01-01T00:00:00.000Z".parse().unwrap();
    assert_eq!(
        all.order("s", orders[0].order_id, later).await.unwrap(),
        None
    );
    assert_eq!(everything.settings.settings().await.unwrap(), None);
}

#[tokio::test]
async fn every_kind_of_batch_goes_through_its_items() {
    let (_place, everything, orders) = opened().await;
    let all = &everything.orders;
    let keys: Vec<OrderKey> = orders
        .iter()
        .map(|order| OrderKey::new("s", order.order_id))
        .collect();
    let ship = |_: &_| {
        Ok::<_, Error>(ShipMany {
            state: OrderState::Sent.into(),
            ..ShipMany::default()
        })
    };
    let shipped = all.ship_many(&keys, ship).await;
    let shipped: Vec<bool> = shipped.iter().map(Result::is_ok).collect();
    assert_eq!(shipped, [false, true, true], "only what is packed");
    let marked = all.mark_orders("s", |order| {
        assert!(order.gift);
        Ok::<_, Error>(MarkOrders {
            gift: Change::Set(false),
        })
    });
    assert_eq!(marked.await.unwrap().len(), 3);
    let deleted = all.delete_cheap_orders("s", 2).await.unwrap();
    assert_eq!(deleted.iter().filter(|one| one.is_ok()).count(), 2);
    let deleted = all.delete_many(&keys, 2).await;
    assert!(deleted.iter().all(Result::is_err));
    assert_eq!(all.delete_orders("s").await.unwrap(), 1);
    assert_eq!(all.count_orders("s").await.unwrap(), 0);
}

/// A service's own error.
#[derive(Debug)]
enum Problem {
    NotToday,
    Failed(Failed<PayRefused>),
}

impl From<Failed<PayRefused>> for Problem {
    fn from(failed: Failed<PayRefused>) -> Self {
        Problem::Failed(failed)
    }
}

#[tokio::test]
async fn a_transaction_tells_what_it_saw_and_what_was_refused() {
    let (_place, everything, orders) = opened().await;
    let shop = StoreKey::new("s");
    let key = OrderKey::new("s", orders[0].order_id);
    let input = |number: i64| PayInput {
        order: PayOrder {
            paid: true.into(),
            add_total: 5,
        },
        receipt: ReceiptData {
            store_id: "s".to_owned(),
            number,
            amount: 6,
        },
        claim: None,
    };
    let stopped = everything
        .pay(&shop, &key, "Shop", |_| Err(Problem::NotToday))
        .await;
    assert!(matches!(stopped, Err(Problem::NotToday)));
    let paid = everything.pay::<Problem>(&shop, &key, "Shop", |seen| {
        assert_eq!(seen.order.total, 1);
        Ok(input(1))
    });
    assert!(matches!(paid.await.unwrap(), Once::Done(())));
    let refused = everything
        .pay::<Problem>(&shop, &key, "Market", |_| Ok(input(2)))
        .await;
    let Err(Problem::Failed(Failed::Refused(refused))) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(refused.store.map(|store| store.why), Some(Why::Condition));
    let Some(Refused {
        why: Why::Condition,
        seen: Some(order),
    }) = refused.order
    else {
        panic!("{:?}", refused.order);
    };
    assert_eq!((order.total, order.paid), (6, true));
    assert_eq!(refused.receipt, None);
}

#[tokio::test]
async fn every_kind_of_change_keeps_what_it_does_not_say() {
    let (_place, everything, _) = opened().await;
    let rename = |_: &Store| {
        Ok::<_, Error>(RenameStore {
            name: Change::Set("Market".to_owned()),
            ..RenameStore::default()
        })
    };
    everything
        .stores
        .rename_store(&StoreKey::new("s"), rename)
        .await
        .unwrap();
    let found = everything
        .stores
        .store_by_name("MARKET")
        .await
        .unwrap()
        .unwrap();
    assert_eq!((found.r#type, found.orders), (StoreType::_24h, 3));
    assert_eq!(everything.stores.store_by_name("Shop").await.unwrap(), None);

    let prices = &everything.prices;
    let price = Price {
        sku: "a#b".to_owned(),
        valid_from: 5,
        cents: 3,
        uses: 0,
    };
    Repository::<Price>::new(everything.store())
        .insert(price)
        .await
        .unwrap();
    let key = PriceKey::new("a#b", 5);
    let raise = RaisePrice {
        add_cents: 1,
        add_uses: 1,
    };
    let raised = prices
        .raise_price(&key, 10, raise.clone(), None)
        .await
        .unwrap();
    assert!(matches!(raised, Once::Done(price) if price.cents == 4));
    assert!(
        prices.raise_price(&key, 3, raise, None).await.is_err(),
        "above the limit"
    );
    let change = Reprice {
        cents: 9.into(),
        add_uses: 1,
    };
    let repriced = prices.reprice(&key, change).await.unwrap();
    assert_eq!((repriced.cents, repriced.uses), (9, 2));
    assert_eq!(
        prices.prices_from("a#b", 5).page().await.unwrap().items,
        [repriced]
    );
    assert!(prices.delete_price(&key).await.is_err(), "it was used");
}
