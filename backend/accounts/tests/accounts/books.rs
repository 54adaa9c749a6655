//! All that is stored, read from the tables, and held against what the indexes show.

use std::collections::{BTreeMap, BTreeSet};

use accounts::Bank;
use accounts::model::{AccountData, Transfer};
use tablewright::{Entity, Stored, Ulid, Versioned, stored_from_item};

/// The tables as they are.
pub(crate) struct Books {
    /// What is in every account.
    pub(crate) balances: BTreeMap<String, i64>,
    /// Every transfer by its id.
    pub(crate) transfers: BTreeMap<Ulid, Transfer>,
    /// What every account got by transfers, less what it paid.
    pub(crate) moved: BTreeMap<String, i64>,
}

/// Reads the tables, and fails where an index shows something else.
pub(crate) async fn of(bank: &Bank) -> Books {
    let accounts: Vec<Versioned<AccountData>> = scan::<AccountData>(bank).await;
    let mut by_name = bank.accounts_by_name().all().collect().await.unwrap();
    by_name.sort_by(|a, b| a.pk.cmp(&b.pk));
    assert_eq!(accounts, by_name, "the index of names is the table");

    let transfers: Vec<Versioned<Transfer>> = scan::<Transfer>(bank).await;
    let (mut from, mut to) = (Vec::new(), Vec::new());
    let ends: BTreeSet<&str> = transfers
        .iter()
        .flat_map(|transfer| [transfer.source.as_str(), transfer.target.as_str()])
        .collect();
    for pk in ends {
        from.extend(bank.transfers_from(pk).all().collect().await.unwrap());
        to.extend(bank.transfers_to(pk).all().collect().await.unwrap());
    }
    from.sort_by_key(|transfer| transfer.transfer_id);
    to.sort_by_key(|transfer| transfer.transfer_id);
    assert_eq!(transfers, from, "the index of payers is the table");
    assert_eq!(transfers, to, "the index of payees is the table");

    let mut moved: BTreeMap<String, i64> = BTreeMap::new();
    for transfer in &transfers {
        *moved.entry(transfer.source.clone()).or_default() -= transfer.amount;
        *moved.entry(transfer.target.clone()).or_default() += transfer.amount;
    }
    let balance = |account: Versioned<AccountData>| (account.pk.clone(), account.balance);
    let transfer = |transfer: Versioned<Transfer>| (transfer.transfer_id, transfer.data);
    Books {
        balances: accounts.into_iter().map(balance).collect(),
        transfers: transfers.into_iter().map(transfer).collect(),
        moved,
    }
}

/// The items of an entity in its table, in the order of their keys. No pattern asks for it, and a service may not.
async fn scan<T: Entity>(bank: &Bank) -> Vec<T::Stored> {
    let store = bank.repositories().store();
    let mut pages = store
        .client()
        .scan()
        .table_name(store.table_name(&T::descriptor().table))
        .consistent_read(true)
        .into_paginator()
        .items()
        .send();
    let mut found = Vec::new();
    while let Some(item) = pages.next().await {
        found.push(stored_from_item::<T>(item.unwrap()).unwrap().unwrap());
    }
    let key = |stored: &T::Stored| format!("{:?}", stored.data().key());
    found.sort_by_key(key);
    found
}
