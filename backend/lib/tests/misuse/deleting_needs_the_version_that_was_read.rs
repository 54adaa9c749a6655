// error[E0308]: mismatched types
use accounts::model::{AccountKey, Accounts};

async fn misuse(accounts: Accounts) {
    let _ = accounts.accounts.items().delete(&AccountKey::new("a")).await;
}

fn main() {}
