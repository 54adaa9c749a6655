//! The rules, one by one.

use accounts::{Bank, BankError, Order, RequestId};
use tablewright::{Error, Store, Ulid};
use tablewright_local::Engine;

use crate::support::{StandingAt, account, balance, bank, bank_in, open, order, request};

/// S4-4, S4-18
#[tokio::test]
async fn an_account_is_opened_once() {
    let bank = bank().await;
    let opened = bank.open(&request("1"), account("a", 5)).await.unwrap();
    assert_eq!(opened, account("a", 5));
    let again = bank.open(&request("2"), account("a", 9)).await;
    let pk = "a".to_owned();
    assert_eq!(again, Err(BankError::AccountExists { pk }));
    assert_eq!(balance(&bank, "a").await, 5);
}

#[tokio::test]
async fn an_account_is_opened_with_nothing_or_more() {
    let bank = bank().await;
    let opened = bank.open(&request("1"), account("a", -1)).await;
    assert_eq!(opened, Err(BankError::InvalidAmount { amount: -1 }));
    bank.open(&request("1"), account("a", 0)).await.unwrap();
    bank.open(&request("2"), account("b", i64::MAX))
        .await
        .unwrap();
    assert_eq!(balance(&bank, "b").await, i64::MAX);
}

#[tokio::test]
async fn a_value_that_is_none_of_its_field_is_named() {
    let bank = bank().await;
    let field = |outcome: Result<_, BankError>| match outcome {
        Err(BankError::Invalid { field, .. }) => field,
        other => panic!("{other:?}"),
    };
    let mut nameless = account("a", 0);
    nameless.name.clear();
    assert_eq!(field(bank.open(&request("1"), nameless).await), "name");
    let strange = account("a#b", 0);
    assert_eq!(field(bank.open(&request("1"), strange).await), "pk");
    let long = "n".repeat(101);
    open(&bank, &["a"], 0).await;
    assert_eq!(field(bank.rename(&request("2"), "a", &long).await), "name");
    let no_id = RequestId::new("test", "");
    let opened = bank.open(&no_id, account("b", 0)).await;
    assert_eq!(field(opened), "request_id");
}

#[tokio::test]
async fn what_is_paid_in_is_in_the_account_and_what_is_paid_out_is_not() {
    let bank = bank().await;
    open(&bank, &["a"], 10).await;
    let receipt = bank.deposit(&request("1"), "a", 7).await.unwrap();
    assert_eq!((receipt.pk.as_str(), receipt.amount), ("a", 7));
    assert_eq!(balance(&bank, "a").await, 17);
    bank.withdraw(&request("2"), "a", 17).await.unwrap();
    assert_eq!(balance(&bank, "a").await, 0);
}

/// C4-17
#[tokio::test]
async fn no_more_is_paid_out_than_there_is() {
    let bank = bank().await;
    open(&bank, &["a"], 10).await;
    let refused = bank.withdraw(&request("1"), "a", 11).await;
    assert_eq!(refused, Err(BankError::NotEnough { balance: 10 }));
    assert_eq!(balance(&bank, "a").await, 10);
    // What was refused binds nobody: the same request succeeds when there is enough.
    bank.deposit(&request("2"), "a", 1).await.unwrap();
    bank.withdraw(&request("1"), "a", 11).await.unwrap();
    assert_eq!(balance(&bank, "a").await, 0);
}

#[tokio::test]
async fn an_amount_is_at_least_one() {
    let bank = bank().await;
    open(&bank, &["a", "b"], 10).await;
    for amount in [0, -1, i64::MIN] {
        let refused = BankError::InvalidAmount { amount };
        let request = request("1");
        let paid = bank.deposit(&request, "a", amount).await;
        assert_eq!(paid, Err(refused.clone()));
        let paid = bank.withdraw(&request, "a", amount).await;
        assert_eq!(paid, Err(refused.clone()));
        let paid = bank.transfer(&order("a", "b", amount)).await;
        assert_eq!(paid, Err(refused));
    }
    assert_eq!(
        (balance(&bank, "a").await, balance(&bank, "b").await),
        (10, 10)
    );
}

#[tokio::test]
async fn no_account_holds_more_than_its_type() {
    let bank = bank().await;
    open(&bank, &["full"], i64::MAX - 1).await;
    open(&bank, &["a"], 10).await;
    let too_much = BankError::TooMuch {
        balance: i64::MAX - 1,
    };
    let paid = bank.deposit(&request("1"), "full", 2).await;
    assert_eq!(paid, Err(too_much.clone()));
    let paid = bank.transfer(&order("a", "full", 2)).await;
    assert_eq!(paid, Err(too_much));
    assert_eq!(balance(&bank, "a").await, 10);
    bank.deposit(&request("2"), "full", 1).await.unwrap();
    assert_eq!(balance(&bank, "full").await, i64::MAX);
    let all = bank.withdraw(&request("3"), "full", i64::MAX).await;
    all.unwrap();
    assert_eq!(balance(&bank, "full").await, 0);
}

#[tokio::test]
async fn an_account_that_is_not_there_is_named() {
    let bank = bank().await;
    open(&bank, &["a"], 10).await;
    let missing = BankError::NoSuchAccount { pk: "b".to_owned() };
    let request = request("1");
    assert_eq!(bank.account("b").await, Err(missing.clone()));
    let paid = bank.deposit(&request, "b", 1).await;
    assert_eq!(paid, Err(missing.clone()));
    let paid = bank.withdraw(&request, "b", 1).await;
    assert_eq!(paid, Err(missing.clone()));
    let renamed = bank.rename(&request, "b", "Bob").await;
    assert_eq!(renamed, Err(missing.clone()));
    assert_eq!(bank.close("b").await, Err(missing.clone()));
    for order in [order("a", "b", 1), order("b", "a", 1), order("b", "a", 100)] {
        assert_eq!(bank.transfer(&order).await, Err(missing.clone()));
    }
    assert_eq!(balance(&bank, "a").await, 10);
}

/// C4-16
#[tokio::test]
async fn a_transfer_is_all_or_nothing_and_is_written_down() {
    let bank = bank().await;
    open(&bank, &["a", "b"], 10).await;
    let order = Order {
        note: Some("rent".to_owned()),
        ..order("a", "b", 7)
    };
    let transfer = bank.transfer(&order).await.unwrap();
    assert_eq!(
        (balance(&bank, "a").await, balance(&bank, "b").await),
        (3, 17)
    );
    assert_eq!(transfer.note.as_deref(), Some("rent"));
    let refused = bank.transfer(&crate::support::order("a", "b", 4)).await;
    assert_eq!(refused, Err(BankError::NotEnough { balance: 3 }));
    let refused = bank.transfer(&crate::support::order("a", "a", 1)).await;
    assert_eq!(refused, Err(BankError::SameAccount));
    assert_eq!(
        (balance(&bank, "a").await, balance(&bank, "b").await),
        (3, 17)
    );

    let paid = bank.transfers_from("a").all().collect().await.unwrap();
    let got = bank.transfers_to("b").all().collect().await.unwrap();
    assert_eq!(paid, got);
    assert_eq!(paid.len(), 1);
    assert_eq!(paid[0].data, transfer);
    assert_eq!(bank.transfers_to("a").count().await.unwrap(), 0);
}

/// C4-16
#[tokio::test]
async fn a_transfer_that_is_repeated_is_answered_as_before() {
    let bank = bank().await;
    open(&bank, &["a"], 10).await;
    open(&bank, &["b"], 0).await;
    let order = order("a", "b", 10);
    let first = bank.transfer(&order).await.unwrap();
    // There is nothing left to pay with, and then not even the account.
    assert_eq!(bank.transfer(&order).await, Ok(first.clone()));
    bank.close("a").await.unwrap();
    assert_eq!(bank.transfer(&order).await, Ok(first));
    assert_eq!(balance(&bank, "b").await, 10);
    let other = Order {
        amount: 1,
        ..order.clone()
    };
    assert_eq!(bank.transfer(&other).await, Err(BankError::KeyReused));
    let other = Order {
        note: Some("rent".to_owned()),
        ..order
    };
    assert_eq!(bank.transfer(&other).await, Err(BankError::KeyReused));
}

#[tokio::test]
async fn the_latest_transfer_comes_first() {
    let engine = Engine::temporary().unwrap();
    let client = engine.dynamodb();
    let bank_at = |millis: i64| {
        let store = Store::builder(client.clone()).clock(StandingAt(millis));
        Bank::new(&store.build())
    };
    let bank = bank_in(&Store::new(client.clone())).await;
    open(&bank, &["a", "b"], 10).await;
    for (millis, amount) in [(2_000, 2), (3_000, 3), (1_000, 1)] {
        let paid = bank_at(millis).transfer(&order("a", "b", amount)).await;
        assert_eq!(paid.unwrap().at.millis(), millis);
    }
    let page = bank.transfers_from("a").limit(2).page().await.unwrap();
    let amounts: Vec<i64> = page.items.iter().map(|transfer| transfer.amount).collect();
    assert_eq!(amounts, [3, 2]);
    let rest = bank
        .transfers_from("a")
        .limit(2)
        .after(page.next.as_deref());
    assert_eq!(rest.page().await.unwrap().items[0].amount, 1);
}

/// S4-5, S4-6: by the token; the index follows.
#[tokio::test]
async fn accounts_are_listed_by_the_name_they_have() {
    let bank = bank().await;
    open(&bank, &["a", "b", "c"], 0).await;
    let renamed = bank.rename(&request("1"), "a", "Zoe").await.unwrap();
    assert_eq!((renamed.pk.as_str(), renamed.name.as_str()), ("a", "Zoe"));
    bank.close("b").await.unwrap();
    let all = bank.accounts_by_name().all().collect().await.unwrap();
    let all: Vec<&str> = all.iter().map(|account| account.name.as_str()).collect();
    assert_eq!(all, ["Account c", "Zoe"]);
}

#[tokio::test]
async fn only_an_empty_account_is_closed() {
    let bank = bank().await;
    open(&bank, &["a"], 3).await;
    let refused = bank.close("a").await;
    assert_eq!(refused, Err(BankError::NotEmpty { balance: 3 }));
    bank.withdraw(&request("1"), "a", 3).await.unwrap();
    let closed = bank.close("a").await.unwrap();
    assert_eq!(closed.data, account("a", 0));
    let pk = "a".to_owned();
    assert_eq!(bank.close("a").await, Err(BankError::NoSuchAccount { pk }));
}

/// C4-16
#[tokio::test]
async fn a_request_that_is_repeated_is_answered_as_before() {
    let bank = bank().await;
    let opened = bank.open(&request("1"), account("a", 5)).await.unwrap();
    let receipt = bank.deposit(&request("2"), "a", 7).await.unwrap();
    let renamed = bank.rename(&request("3"), "a", "Ada").await.unwrap();
    let paid_out = bank.withdraw(&request("4"), "a", 12).await.unwrap();
    assert_eq!((renamed.name.as_str(), renamed.balance), ("Ada", 12));
    // Once while the account is there, and once when it is gone.
    for closed in [false, true] {
        if closed {
            bank.close("a").await.unwrap();
        }
        let again = bank.open(&request("1"), account("a", 5)).await;
        assert_eq!(again, Ok(opened.clone()));
        let again = bank.deposit(&request("2"), "a", 7).await;
        assert_eq!(again, Ok(receipt.clone()));
        let again = bank.rename(&request("3"), "a", "Ada").await;
        assert_eq!(again, Ok(renamed.clone()));
        let again = bank.withdraw(&request("4"), "a", 12).await;
        assert_eq!(again, Ok(paid_out.clone()));
    }
    assert!(bank.account("a").await.is_err(), "nothing opened it again");
}

#[tokio::test]
async fn a_request_id_is_good_for_one_request_of_one_caller() {
    let bank = bank().await;
    open(&bank, &["a", "b"], 10).await;
    let id = request("1");
    bank.deposit(&id, "a", 1).await.unwrap();
    let reused = Err(BankError::KeyReused);
    assert_eq!(bank.deposit(&id, "a", 2).await, reused);
    assert_eq!(bank.deposit(&id, "b", 1).await, reused);
    assert_eq!(bank.withdraw(&id, "a", 1).await, reused);
    let renamed = bank.rename(&id, "a", "Ada").await;
    assert_eq!(renamed, Err(BankError::KeyReused));
    let opened = bank.open(&id, account("c", 0)).await;
    assert_eq!(opened, Err(BankError::KeyReused));
    assert_eq!(
        (balance(&bank, "a").await, balance(&bank, "b").await),
        (11, 10)
    );
    let other_caller = RequestId::new("other", "1");
    bank.deposit(&other_caller, "a", 1).await.unwrap();
    assert_eq!(balance(&bank, "a").await, 12);
}

#[tokio::test]
async fn an_answer_is_kept_for_a_day() {
    let engine = Engine::temporary().unwrap();
    let client = engine.dynamodb();
    let bank_at = |seconds: i64| {
        let clock = StandingAt(seconds * 1000);
        Bank::new(&Store::builder(client.clone()).clock(clock).build())
    };
    let day = 24 * 60 * 60;
    open(&bank_in(&Store::new(client.clone())).await, &["a"], 0).await;
    let first = bank_at(0).deposit(&request("1"), "a", 1).await.unwrap();
    let again = bank_at(day - 1).deposit(&request("1"), "a", 1).await;
    assert_eq!(again, Ok(first));
    assert_eq!(balance(&bank_at(0), "a").await, 1);
    bank_at(day).deposit(&request("1"), "a", 1).await.unwrap();
    assert_eq!(balance(&bank_at(0), "a").await, 2);
}

/// C4-18: a failure of the store is none of the bank's refusals.
#[tokio::test]
async fn a_store_that_fails_is_told_apart() {
    let engine = Engine::temporary().unwrap();
    let bank = Bank::new(&Store::new(engine.dynamodb()));
    let failed = bank.account("a").await;
    let Err(BankError::Store(Error::Backend { code, .. })) = failed else {
        panic!("{failed:?}");
    };
    assert_eq!(code, "ResourceNotFoundException");
    let order = Order {
        transfer_id: Ulid::new(),
        ..order("a", "b", 1)
    };
    let failed = bank.transfer(&order).await;
    assert!(matches!(failed, Err(BankError::Store(_))), "{failed:?}");
}
