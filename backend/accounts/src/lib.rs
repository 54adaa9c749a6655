//! Accounts with a balance, and transfers between them: versioned repositories made real, and the example to copy.
//!
//! There is a table for each entity, described in `models/accounts.toml`. From it come [`model`], with a repository for each entity and
//! a method for each access pattern, and the snapshots of what is stored in `backend/schema/accounts/`. Written by hand is the rest:
//!
//! * [`Bank`]: the rules. It uses the generated repositories alone, so it knows no key, no expression and no attribute, and it turns
//!   what they refuse into the words of its own domain, [`BankError`].
//! * `migrations`: how items of older shapes become items of the present one.
//! * `tests/`: the rules one by one, many callers at once, a process that is killed, and an item of every version there ever was.
//!
//! ```
//! use accounts::model::AccountData;
//! use accounts::{Bank, BankError, Order, RequestId};
//! use tablewright::Ulid;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let engine = tablewright_local::Engine::temporary()?;
//! let bank = Bank::new(&tablewright::Store::new(engine.dynamodb()));
//! bank.repositories().create_tables().await?;
//!
//! let account = |pk: &str, name: &str| AccountData { pk: pk.into(), name: name.into(), balance: 0 };
//! bank.open(&RequestId::new("desk", "1"), account("ada", "Ada Lovelace")).await?;
//! bank.open(&RequestId::new("desk", "2"), account("bob", "Bob Babbage")).await?;
//!
//! // The answer got lost, and the request is sent again: it has one effect, and one answer.
//! let request = RequestId::new("desk", "3");
//! let receipt = bank.deposit(&request, "ada", 100).await?;
//! assert_eq!(bank.deposit(&request, "ada", 100).await?, receipt);
//! assert_eq!(bank.account("ada").await?.balance, 100);
//!
//! let order = Order { transfer_id: Ulid::new(), source: "ada".into(), target: "bob".into(), amount: 70, note: None };
//! bank.transfer(&order).await?;
//! let again = Order { transfer_id: Ulid::new(), ..order };
//! assert_eq!(bank.transfer(&again).await, Err(BankError::NotEnough { balance: 30 }));
//!
//! let paid = bank.transfers_from("ada").page().await?;
//! assert_eq!(paid.items[0].amount, 70);
//! # Ok(())
//! # }
//! ```

mod bank;
mod migrations;
#[rustfmt::skip] // generated
pub mod model;

pub use bank::{Bank, BankError, Order, Receipt, RequestId};
