//! A bank of its own for every test.

use std::cell::Cell;

use accounts::model::AccountData;
use accounts::{Bank, Order, RequestId};
use tablewright::{Clock, Store, Ulid};
use tablewright_local::Engine;

/// A bank on an engine that is gone afterwards.
pub(crate) async fn bank() -> Bank {
    let engine = Engine::temporary().unwrap();
    bank_in(&Store::new(engine.dynamodb())).await
}

pub(crate) async fn bank_in(store: &Store) -> Bank {
    let bank = Bank::new(store);
    bank.repositories().create_tables().await.unwrap();
    bank
}

/// Opens accounts, each with so much.
pub(crate) async fn open(bank: &Bank, pks: &[&str], balance: i64) {
    for pk in pks {
        let id = request(&format!("open-{pk}"));
        bank.open(&id, account(pk, balance)).await.unwrap();
    }
}

pub(crate) fn account(pk: &str, balance: i64) -> AccountData {
    AccountData {
        pk: pk.to_owned(),
        name: format!("Account {pk}"),
        balance,
    }
}

pub(crate) fn request(id: &str) -> RequestId {
    RequestId::new("test", id)
}

pub(crate) fn order(source: &str, target: &str, amount: i64) -> Order {
    Order {
        transfer_id: Ulid::new(),
        source: source.to_owned(),
        target: target.to_owned(),
        amount,
        note: None,
    }
}

pub(crate) async fn balance(bank: &Bank, pk: &str) -> i64 {
    bank.account(pk).await.unwrap().balance
}

/// A clock that stands still.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StandingAt(pub(crate) i64);

impl Clock for StandingAt {
    fn now_millis(&self) -> i64 {
        self.0
    }
}

/// Numbers that look like chance and are the same in every run.
pub(crate) struct Dice(Cell<u64>);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Dice(Cell::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1))
    }

    /// From 0 up to, and without, `end`.
    pub(crate) fn below(&self, end: usize) -> usize {
        let mut state = self.0.get();
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        self.0.set(state);
        usize::try_from(state % end as u64).unwrap()
    }

    /// Two different ones.
    pub(crate) fn pair<'p>(&self, of: &[&'p str]) -> (&'p str, &'p str) {
        let first = self.below(of.len());
        let second = (first + 1 + self.below(of.len() - 1)) % of.len();
        (of[first], of[second])
    }
}
