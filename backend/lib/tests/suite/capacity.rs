//! What calls cost is known to the caller.

use accounts::model::{AccountKey, Accounts};

use crate::support::{account, accounts};

/// S4-2, S4-3: an eventual read costs half.
#[tokio::test]
async fn a_meter_tells_what_was_used_through_it() {
    let (_place, accounts) = accounts().await;
    let (store, meter) = accounts.store().metered();
    let metered = Accounts::new(&store);
    metered
        .accounts
        .items()
        .insert(account("a", 1))
        .await
        .unwrap();
    let used = meter.take();
    assert_eq!(
        (used.requests, used.write_units, used.read_units),
        (1, 2.0, 0.0),
        "the table and one index"
    );
    metered.accounts.read("a").await.unwrap();
    assert_eq!(meter.take().read_units, 0.5);
    metered.accounts.read_strong("a").await.unwrap();
    assert_eq!(meter.take().read_units, 1.0);
    metered
        .accounts
        .items()
        .update(&AccountKey::new("a"), |data| data.balance += 1)
        .await
        .unwrap();
    let used = meter.take();
    assert_eq!(
        (used.requests, used.read_units, used.write_units),
        (2, 0.5, 2.0)
    );
    accounts.accounts.read("a").await.unwrap();
    assert_eq!(meter.used().requests, 0, "other stores have their own");
}
