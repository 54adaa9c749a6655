//! A network that fails: what was done is recognised, what was not is done, and what nobody can know is told.

use std::time::Duration;

use accounts::model::{AccountKey, Accounts, Deposit, SCHEMA};
use ask::model::{Ask, LimitWindowKey, UseWindow};
use serde_json::json;
use tablewright::descriptor::Schema;
use tablewright::{Error, Patience, Store, tables};
use tablewright_local::Engine;

use crate::faulty::{Fault, Faulty};
use crate::support::account;
use crate::transactions::transfer;

/// A store with the tables of a schema, on a network that fails as it is told.
pub(crate) async fn faulty_store(schema: &Schema) -> (Faulty, Store) {
    let faulty = Faulty::new();
    let patience = Patience {
        attempts: 4,
        first_wait: Duration::from_micros(10),
        longest_wait: Duration::from_micros(50),
        meetings: 4,
        reapply: 1,
    };
    let store = Store::builder(faulty.client()).patience(patience).build();
    tables::bring_up_to_date(&store, schema).await.unwrap();
    (faulty, store)
}

async fn faulty() -> (Faulty, Accounts) {
    let (faulty, store) = faulty_store(&SCHEMA).await;
    (faulty, Accounts::new(&store))
}

async fn balance(accounts: &Accounts, pk: &str) -> Option<i64> {
    let account = accounts.accounts.read_strong(pk).await.unwrap();
    account.map(|account| account.balance)
}

#[tokio::test]
async fn throttled_requests_are_sent_again_and_given_up_at_last() {
    let (faulty, accounts) = faulty().await;
    faulty.plan("PutItem", [Fault::Throttle, Fault::Throttle]);
    accounts
        .accounts
        .items()
        .insert(account("a", 1))
        .await
        .unwrap();
    assert_eq!(faulty.sent("PutItem"), 3);
    faulty.plan(
        "GetItem",
        [Fault::Throttle, Fault::LoseRequest, Fault::ServerError],
    );
    assert_eq!(balance(&accounts, "a").await, Some(1));
    faulty.plan(
        "PutItem",
        [
            Fault::Throttle,
            Fault::Throttle,
            Fault::Throttle,
            Fault::Throttle,
        ],
    );
    let given_up = accounts.accounts.items().insert(account("b", 1)).await;
    assert_eq!(given_up, Err(Error::Throttled));
    assert_eq!(faulty.sent("PutItem"), 4);
    assert_eq!(balance(&accounts, "b").await, None);
}

/// C4-6: the second attempt meets what the first one wrote.
#[tokio::test]
async fn a_write_whose_answer_was_lost_is_recognised() {
    let (faulty, accounts) = faulty().await;
    let key = AccountKey::new("a");
    for lost in [Fault::LoseAnswer, Fault::ServerError, Fault::LoseRequest] {
        faulty.plan("PutItem", [lost]);
        let inserted = accounts
            .accounts
            .items()
            .insert(account("a", 1))
            .await
            .unwrap();
        assert_eq!(faulty.sent("PutItem"), 2);
        faulty.plan("UpdateItem", [Fault::LoseAnswer]);
        let updated = accounts
            .accounts
            .items()
            .update(&key, |data| data.balance += 1)
            .await
            .unwrap();
        assert_eq!(faulty.sent("UpdateItem"), 2);
        assert_eq!(updated.balance, 2);
        assert_eq!(
            accounts.accounts.items().read_strong(&key).await.unwrap(),
            Some(updated.clone())
        );
        assert!(updated.last_write > inserted.last_write);
        faulty.plan("DeleteItem", [Fault::LoseAnswer]);
        accounts.accounts.items().delete(&updated).await.unwrap();
        assert_eq!(balance(&accounts, "a").await, None);
    }
}

/// Another writer came after the write whose answer was lost: to apply the change again could be to apply it twice.
#[tokio::test]
async fn a_write_nobody_can_know_of_is_uncertain_and_not_done_twice() {
    let (faulty, accounts) = faulty().await;
    accounts
        .accounts
        .items()
        .insert(account("a", 1))
        .await
        .unwrap();
    let other = |engine: &tablewright_local::Engine| {
        let body = r##"{"TableName":"accounts","Key":{"pk":{"S":"a"}},
            "UpdateExpression":"SET #d.balance = #d.balance + :n, last_write = last_write + :one",
            "ExpressionAttributeNames":{"#d":"data"},
            "ExpressionAttributeValues":{":n":{"N":"10"},":one":{"N":"1"}}}"##;
        assert_eq!(engine.dispatch("UpdateItem", body.as_bytes()).status, 200);
    };
    faulty.plan(
        "UpdateItem",
        [Fault::LoseAnswer, Fault::After(Box::new(other))],
    );
    let key = AccountKey::new("a");
    let outcome = accounts
        .accounts
        .items()
        .update(&key, |data| data.balance += 1)
        .await;
    assert!(
        matches!(outcome, Err(Error::Uncertain { .. })),
        "{outcome:?}"
    );
    assert_eq!(
        balance(&accounts, "a").await,
        Some(12),
        "once, and the other's"
    );
}

/// An addition cannot be told from another: it is not sent again.
#[tokio::test]
async fn an_addition_whose_answer_was_lost_is_uncertain() {
    let (faulty, accounts) = faulty().await;
    accounts
        .accounts
        .items()
        .insert(account("a", 1))
        .await
        .unwrap();
    faulty.plan("UpdateItem", [Fault::LoseAnswer]);
    let patch = Deposit { add_balance: 5 };
    let outcome = accounts
        .accounts
        .deposit(&AccountKey::new("a"), patch, None)
        .await;
    assert!(
        matches!(outcome, Err(Error::Uncertain { .. })),
        "{outcome:?}"
    );
    assert_eq!(faulty.sent("UpdateItem"), 1);
    assert_eq!(balance(&accounts, "a").await, Some(6));
}

/// A transaction has a token, by which DynamoDB knows it again.
#[tokio::test]
async fn a_transaction_whose_answer_was_lost_happens_once() {
    let (faulty, accounts) = faulty().await;
    for pk in ["a", "b"] {
        accounts
            .accounts
            .items()
            .insert(account(pk, 100))
            .await
            .unwrap();
    }
    let (a, b) = (AccountKey::new("a"), AccountKey::new("b"));
    faulty.plan(
        "TransactWriteItems",
        [Fault::LoseAnswer, Fault::ServerError],
    );
    accounts
        .transfer(&a, &b, 30, &transfer("a", "b", 30))
        .await
        .unwrap();
    assert_eq!(faulty.sent("TransactWriteItems"), 3);
    assert_eq!(balance(&accounts, "a").await, Some(70));
    assert_eq!(balance(&accounts, "b").await, Some(130));
}

#[tokio::test]
async fn a_transaction_that_met_another_is_sent_again() {
    let (faulty, accounts) = faulty().await;
    for pk in ["a", "b"] {
        accounts
            .accounts
            .items()
            .insert(account(pk, 100))
            .await
            .unwrap();
    }
    let met = r#"{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"met",
        "CancellationReasons":[{"Code":"None"},{"Code":"TransactionConflict","Message":"met"},{"Code":"None"}]}"#;
    faulty.plan("TransactWriteItems", [Fault::Answer(400, met)]);
    let (a, b) = (AccountKey::new("a"), AccountKey::new("b"));
    accounts
        .transfer(&a, &b, 30, &transfer("a", "b", 30))
        .await
        .unwrap();
    assert_eq!(faulty.sent("TransactWriteItems"), 2);
    let refused = r#"{"__type":"com.amazon.coral.validate#ValidationException","message":"no"}"#;
    faulty.plan("TransactWriteItems", [Fault::Answer(400, refused)]);
    let outcome = accounts.transfer(&a, &b, 30, &transfer("a", "b", 30)).await;
    let told = format!("{outcome:?}");
    assert!(told.contains("ValidationException"), "{told}");
    assert_eq!(faulty.sent("TransactWriteItems"), 1);
    assert_eq!(balance(&accounts, "a").await, Some(70));
}

/// DynamoDB can be reached, and nothing was done: it is a conflict, as with any other who was faster.
#[tokio::test]
async fn a_transaction_that_always_meets_another_is_a_conflict() {
    let (faulty, accounts) = faulty().await;
    for pk in ["a", "b"] {
        let inserted = accounts.accounts.items().insert(account(pk, 100)).await;
        inserted.unwrap();
    }
    let met = r#"{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","Message":"met",
        "CancellationReasons":[{"Code":"None"},{"Code":"TransactionConflict","Message":"met"},{"Code":"None"}]}"#;
    faulty.plan(
        "TransactWriteItems",
        (0..100).map(|_| Fault::Answer(400, met)),
    );
    let (a, b) = (AccountKey::new("a"), AccountKey::new("b"));
    let outcome = accounts.transfer(&a, &b, 30, &transfer("a", "b", 30)).await;
    let told = format!("{outcome:?}");
    assert!(told.contains("Conflict"), "{told}");
    assert!(faulty.sent("TransactWriteItems") > 1, "it was tried again");
    assert_eq!(balance(&accounts, "a").await, Some(100));
}

/// C4-16
#[tokio::test]
async fn keys_that_were_left_unprocessed_are_asked_for_again() {
    let (faulty, accounts) = faulty().await;
    for pk in ["a", "b"] {
        accounts
            .accounts
            .items()
            .insert(account(pk, 1))
            .await
            .unwrap();
    }
    let left = r#"{"Responses":{"accounts":[]},"UnprocessedKeys":{"accounts":{"Keys":[{"pk":{"S":"a"}},{"pk":{"S":"b"}}]}}}"#;
    faulty.plan(
        "BatchGetItem",
        [Fault::Answer(200, left), Fault::Answer(200, left)],
    );
    let keys = [AccountKey::new("a"), AccountKey::new("b")];
    let found = accounts.accounts.read_many(&keys).await.unwrap();
    assert!(found.iter().all(Option::is_some));
    assert_eq!(faulty.sent("BatchGetItem"), 3);
    faulty.plan("BatchGetItem", (0..4).map(|_| Fault::Answer(200, left)));
    assert_eq!(
        accounts.accounts.read_many(&keys).await,
        Err(Error::Throttled)
    );
}

/// A change is refused since there is no item, and then there is one: the refusal is not taken for one by the condition.
#[tokio::test]
async fn an_item_that_comes_with_the_refusal_is_judged_by_itself() {
    let (faulty, store) = faulty_store(&ask::model::SCHEMA).await;
    let windows = Ask::new(&store).limit_windows;
    let begun = |engine: &Engine| {
        let number = |number: &str| json!({ "N": number });
        let item = json!({ "subject": { "S": "ada" }, "window_start": number("3600"), "uses": number("1"), "purge_at": number("9999999999") });
        let body = json!({ "TableName": "aah-limits", "Item": item });
        assert_eq!(
            engine
                .dispatch("PutItem", body.to_string().as_bytes())
                .status,
            200
        );
    };
    faulty.plan("GetItem", [Fault::After(Box::new(begun))]);
    let once = || UseWindow { add_uses: 1 };
    let key = LimitWindowKey::new("ada", 3600);
    let used = windows.use_window(&key, 2, once()).await.unwrap();
    assert_eq!((used.uses, faulty.sent("UpdateItem")), (2, 2));
    let refused = windows.use_window(&key, 2, once()).await;
    assert!(matches!(refused, Err(Error::Refused { .. })), "{refused:?}");
    let absent = LimitWindowKey::new("bob", 3600);
    let refused = windows.use_window(&absent, 2, once()).await;
    assert!(
        matches!(refused, Err(Error::NotFound { .. })),
        "{refused:?}"
    );
}
