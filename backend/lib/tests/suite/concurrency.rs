//! Many writers at once: nothing is lost, nothing is done twice.

use accounts::model::{AccountKey, Accounts};
use tablewright::{Error, Store};
use tokio::task::JoinSet;

use crate::support::{Place, SetClock, account, accounts};

/// 64 writers raise one number 100 times each. C4-1, C4-2, C4-17
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_update_succeeds_or_says_that_it_did_not() {
    let (_place, accounts) = accounts().await;
    let key = AccountKey::new("shared");
    accounts
        .accounts
        .items()
        .insert(account("shared", 0))
        .await
        .unwrap();
    let mut writers = JoinSet::new();
    for _ in 0..64 {
        let (accounts, key) = (accounts.clone(), key.clone());
        writers.spawn(async move {
            let mut successes = 0;
            for _ in 0..100 {
                match accounts
                    .accounts
                    .items()
                    .update(&key, |data| data.balance += 1)
                    .await
                {
                    Ok(_) => successes += 1,
                    Err(Error::Conflict { .. }) => {}
                    Err(error) => panic!("{error}"),
                }
            }
            successes
        });
    }
    let successes: i64 = writers.join_all().await.into_iter().sum();
    let after = accounts
        .accounts
        .read_strong("shared")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(after.balance, successes);
    assert!(successes >= 100, "somebody always wins: {successes}");
}

/// S4-4, C4-19
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_inserts_of_one_key_one_wins() {
    let (_place, accounts) = accounts().await;
    let mut writers = JoinSet::new();
    for writer in 0..64 {
        let accounts = accounts.clone();
        writers.spawn(async move {
            accounts
                .accounts
                .items()
                .insert(account("one", writer))
                .await
        });
    }
    let outcomes = writers.join_all().await;
    let winners: Vec<_> = outcomes.iter().flatten().collect();
    assert_eq!(winners.len(), 1);
    let losers = outcomes
        .iter()
        .filter(|outcome| matches!(outcome, Err(Error::Exists { .. })));
    assert_eq!(losers.count(), 63);
    let stored = accounts.accounts.read_strong("one").await.unwrap().unwrap();
    assert_eq!(stored, *winners[0]);
}

/// Two writers read the same state and write in the same millisecond: the second is told. C4-1
#[tokio::test]
async fn two_writers_in_one_millisecond_do_not_overwrite_each_other() {
    let place = Place::new().await;
    let clock = SetClock::at(1_700_000_000_000);
    let (store, accounts) = at_clock(&place, &clock).await;
    let first = accounts
        .accounts
        .items()
        .insert(account("a", 1))
        .await
        .unwrap();
    assert_eq!(first.last_write, 1_700_000_000_000);
    let mut mine = first.clone();
    mine.balance = 2;
    let mine = accounts.accounts.items().replace(mine).await.unwrap();
    assert_eq!(
        mine.last_write, 1_700_000_000_001,
        "a token is never given twice"
    );
    // A third writer with the oldest copy: with a plain clock its token would be the one there is.
    let mut theirs = first.clone();
    theirs.balance = 3;
    let conflict = accounts.accounts.items().replace(theirs).await;
    assert_eq!(
        conflict,
        Err(Error::Conflict {
            entity: "AccountData".to_owned()
        })
    );
    assert_eq!(store.now_millis(), 1_700_000_000_000);
    let stored = accounts.accounts.read_strong("a").await.unwrap().unwrap();
    assert_eq!(stored.balance, 2);
}

/// C4-1
#[tokio::test]
async fn a_clock_that_steps_back_loses_nothing() {
    let place = Place::new().await;
    let clock = SetClock::at(1_700_000_000_000);
    let (_, accounts) = at_clock(&place, &clock).await;
    let first = accounts
        .accounts
        .items()
        .insert(account("a", 1))
        .await
        .unwrap();
    clock.set(1_600_000_000_000);
    let second = accounts
        .accounts
        .items()
        .update(&AccountKey::new("a"), |data| data.balance += 1)
        .await
        .unwrap();
    assert_eq!(second.last_write, first.last_write + 1);
    let stale = accounts.accounts.items().delete(&first).await;
    assert_eq!(
        stale,
        Err(Error::Conflict {
            entity: "AccountData".to_owned()
        })
    );
    accounts.accounts.items().delete(&second).await.unwrap();
    let gone = accounts.accounts.items().delete(&second).await;
    assert_eq!(
        gone,
        Err(Error::NotFound {
            entity: "AccountData".to_owned()
        }),
        "absent is not changed"
    );
}

/// A change that lost is applied to what the winner left, not written over it. C4-2, S4-11
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_change_is_applied_again_to_what_another_writer_left() {
    let (_place, accounts) = accounts().await;
    let key = AccountKey::new("a");
    accounts
        .accounts
        .items()
        .insert(account("a", 10))
        .await
        .unwrap();
    let mut calls = 0;
    let (other, handle) = (accounts.clone(), tokio::runtime::Handle::current());
    let after = accounts
        .accounts
        .items()
        .update(&key, |data| {
            calls += 1;
            if calls == 1 {
                // Another writer comes in between the read and the write.
                let (other, key) = (other.clone(), key.clone());
                tokio::task::block_in_place(|| {
                    handle.block_on(async {
                        other
                            .accounts
                            .items()
                            .update(&key, |data| data.balance *= 2)
                            .await
                            .unwrap();
                    });
                });
            }
            data.balance += 1;
        })
        .await
        .unwrap();
    assert_eq!((calls, after.balance), (2, 21));
}

async fn at_clock(place: &Place, clock: &SetClock) -> (Store, Accounts) {
    place.store(&accounts::model::SCHEMA).await;
    let store = place.builder().clock(clock.clone()).build();
    let accounts = Accounts::new(&store);
    (store, accounts)
}
