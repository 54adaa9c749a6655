//! Transactions: all or none, and each action says why not.

use accounts::model::{AccountKey, Transfer, TransferInput, TransferPayee, TransferPayer};
use tablewright::{Change, Error, Failed, Timestamp, Ulid, Why};
use tokio::task::JoinSet;

use crate::support::{account, accounts};

pub(crate) fn transfer(source: &str, target: &str, amount: i64) -> TransferInput {
    TransferInput {
        payer: TransferPayer {
            add_balance: -amount,
        },
        payee: TransferPayee {
            add_balance: amount,
        },
        transfer: Transfer {
            transfer_id: Ulid::new(),
            source: source.to_owned(),
            target: target.to_owned(),
            amount,
            note: None,
            at: Timestamp::now(),
        },
    }
}

/// C4-16: never negative, never lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn money_is_never_lost_and_never_made() {
    let (_place, accounts) = accounts().await;
    for pk in ["a", "b", "c"] {
        accounts
            .accounts
            .items()
            .insert(account(pk, 100))
            .await
            .unwrap();
    }
    let mut payments = JoinSet::new();
    for number in 0..90_usize {
        let accounts = accounts.clone();
        payments.spawn(async move {
            let names = ["a", "b", "c"];
            let (from, to) = (names[number % 3], names[(number + 1 + number / 3 % 2) % 3]);
            let amount = 30;
            let (payer, payee) = (AccountKey::new(from), AccountKey::new(to));
            match accounts
                .transfer(&payer, &payee, amount, &transfer(from, to, amount))
                .await
            {
                Ok(()) => 1_usize,
                Err(Failed::Refused(refused)) => {
                    let payer = refused.payer.unwrap();
                    assert_eq!(payer.why, Why::Condition);
                    assert!(payer.seen.unwrap().balance < amount);
                    0
                }
                Err(Failed::Error(error)) => panic!("{error}"),
            }
        });
    }
    let done: usize = payments.join_all().await.into_iter().sum();
    let mut sum = 0;
    let mut recorded = 0;
    for pk in ["a", "b", "c"] {
        let account = accounts.accounts.read_strong(pk).await.unwrap().unwrap();
        assert!(account.balance >= 0);
        sum += account.balance;
        recorded += accounts
            .transfers
            .transfers_from(pk)
            .all()
            .collect()
            .await
            .unwrap()
            .len();
    }
    assert_eq!(sum, 300);
    assert_eq!(recorded, done);
}

#[tokio::test]
async fn each_action_says_why_it_was_refused_with_the_item_there_is() {
    let (_place, accounts) = accounts().await;
    accounts
        .accounts
        .items()
        .insert(account("poor", 5))
        .await
        .unwrap();
    let (poor, nobody) = (AccountKey::new("poor"), AccountKey::new("nobody"));
    let input = transfer("poor", "nobody", 10);
    let Err(Failed::Refused(refused)) = accounts.transfer(&poor, &nobody, 10, &input).await else {
        panic!("it was not refused");
    };
    let payer = refused.payer.unwrap();
    assert_eq!(
        (payer.why, payer.seen.unwrap().balance),
        (Why::Condition, 5)
    );
    let payee = refused.payee.unwrap();
    assert_eq!((payee.why, payee.seen), (Why::NotFound, None));
    assert_eq!(refused.transfer, None);

    accounts
        .accounts
        .items()
        .insert(account("rich", 1000))
        .await
        .unwrap();
    let rich = AccountKey::new("rich");
    accounts
        .transfer(&rich, &poor, 10, &transfer("rich", "poor", 10))
        .await
        .unwrap();
    let input = transfer("rich", "poor", 10);
    accounts.transfer(&rich, &poor, 10, &input).await.unwrap();
    let Err(Failed::Refused(refused)) = accounts.transfer(&rich, &poor, 10, &input).await else {
        panic!("it was not refused");
    };
    let transfer = refused.transfer.unwrap();
    assert_eq!(
        transfer.why,
        Why::Exists,
        "the transfer's id makes a repetition harmless"
    );
    assert_eq!(transfer.seen.unwrap().data, input.transfer);
    let poor = accounts
        .accounts
        .read_strong("poor")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(poor.balance, 25);
}

/// A transaction takes an item once: what two actions do to one is refused, and not left to the store.
#[tokio::test]
async fn two_actions_on_one_item_are_refused_before_they_are_sent() {
    let (_place, accounts) = accounts().await;
    let items = accounts.accounts.items();
    let before = items.insert(account("a", 100)).await.unwrap();
    let a = AccountKey::new("a");
    let input = transfer("a", "a", 30);
    let outcome = accounts.transfer(&a, &a, 30, &input).await;
    assert!(
        matches!(outcome, Err(Failed::Error(Error::Invalid { .. }))),
        "{outcome:?}"
    );
    assert_eq!(items.read_strong(&a).await.unwrap(), Some(before));
    let recorded = accounts.transfers.transfers_from("a").count().await;
    assert_eq!(recorded, Ok(0));
}

/// A patch that says only a part of an index key leaves the rest of it as it was.
#[tokio::test]
async fn a_patch_in_part_keeps_the_index_key_whole() {
    let (place, corners) = crate::corners::corners().await;
    let bin = crate::corners::Bin {
        bin: "x".to_owned(),
        hall: "a".to_owned(),
        row: "1".to_owned(),
    };
    corners.bins.items().insert(bin).await.unwrap();
    let input = crate::corners::MoveBinInput {
        bin: crate::corners::MoveBinBin {
            row: Change::Set("2".to_owned()),
            ..Default::default()
        },
        shelf: crate::corners::shelf(0),
    };
    let key = crate::corners::BinKey::new("x");
    corners.move_bin(&key, &input).await.unwrap();
    let item = crate::corners::stored(&place, &corners, "BIN#x", "METADATA")
        .await
        .unwrap();
    assert_eq!(item["BoxPK"], crate::corners::text("HALL#a"));
    assert_eq!(item["GSI1SK"], crate::corners::text("ROW#2#x"));
}
