//! Many callers at once: no money is made, none is lost, and no account goes below zero.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use accounts::BankError;
use tokio::task::JoinSet;

use crate::books;
use crate::support::{Dice, balance, bank, open, order, request};

const ACCOUNTS: [&str; 5] = ["a", "b", "c", "d", "e"];

/// C4-16, C4-17
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn payments_of_many_callers_keep_the_books() {
    let bank = bank().await;
    open(&bank, &ACCOUNTS, 50).await;
    let ended = Arc::new(AtomicBool::new(false));
    let watcher = tokio::spawn({
        let (bank, ended) = (bank.clone(), Arc::clone(&ended));
        async move {
            while !ended.load(Ordering::SeqCst) {
                for pk in ACCOUNTS {
                    assert!(balance(&bank, pk).await >= 0);
                }
            }
        }
    });
    let mut callers = JoinSet::new();
    for caller in 0..32 {
        let bank = bank.clone();
        callers.spawn(async move {
            let dice = Dice::new(caller + 1);
            let mut withdrawn = 0;
            for number in 0..20 {
                let (source, target) = dice.pair(&ACCOUNTS);
                let amount = 1 + dice.below(40) as i64;
                let refused = if dice.below(6) == 0 {
                    let id = request(&format!("{caller}-{number}"));
                    let paid = bank.withdraw(&id, source, amount).await;
                    paid.map(|receipt| withdrawn += receipt.amount).err()
                } else {
                    let paid = bank.transfer(&order(source, target, amount)).await;
                    paid.map(drop).err()
                };
                match refused {
                    None | Some(BankError::Conflict) => {}
                    Some(BankError::NotEnough { balance }) => {
                        assert!((0..amount).contains(&balance));
                    }
                    Some(error) => panic!("{error}"),
                }
            }
            withdrawn
        });
    }
    let withdrawn: i64 = callers.join_all().await.into_iter().sum();
    ended.store(true, Ordering::SeqCst);
    watcher.await.unwrap();

    let books = books::of(&bank).await;
    assert!(books.balances.values().all(|balance| *balance >= 0));
    let sum: i64 = books.balances.values().sum();
    assert_eq!(sum, 5 * 50 - withdrawn);
    let moved: i64 = books.moved.values().sum();
    assert_eq!(moved, 0);
    assert!(!books.transfers.is_empty());
}

/// C4-16
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_deposit_that_is_sent_many_times_at_once_happens_once() {
    let bank = bank().await;
    open(&bank, &["a"], 1).await;
    let mut senders = JoinSet::new();
    for _ in 0..64 {
        let bank = bank.clone();
        senders.spawn(async move { bank.deposit(&request("1"), "a", 5).await.unwrap() });
    }
    let receipts = senders.join_all().await;
    assert!(receipts.iter().all(|receipt| *receipt == receipts[0]));
    assert_eq!(balance(&bank, "a").await, 6);
}

/// C4-16
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_transfer_that_is_sent_many_times_at_once_happens_once() {
    let bank = bank().await;
    open(&bank, &["a", "b"], 5).await;
    let order = order("a", "b", 5);
    let mut senders = JoinSet::new();
    for _ in 0..16 {
        let (bank, order) = (bank.clone(), order.clone());
        senders.spawn(async move { bank.transfer(&order).await.unwrap() });
    }
    let transfers = senders.join_all().await;
    assert!(transfers.iter().all(|transfer| *transfer == transfers[0]));
    assert_eq!(
        (balance(&bank, "a").await, balance(&bank, "b").await),
        (0, 10)
    );
}
