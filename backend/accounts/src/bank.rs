//! The rules of accounts, on the generated repositories.

mod balance;
mod error;
mod once;
mod transfer;

use tablewright::{Error, Once, Query, Store, Timestamp, Versioned};

use crate::model::{
    Account, AccountData, AccountKey, AccountRequest, AccountRequestKey, Accounts, Rename, Transfer,
};
use error::about;
use once::{Asked, replayed};

pub use balance::Receipt;
pub use error::BankError;
pub use once::RequestId;
pub use transfer::Order;

/// What can be done with accounts. A copy is cheap.
///
/// No balance is ever negative, and none passes what an `i64` holds. A request is repeated with the same [`RequestId`], or the same
/// transfer id, until it is answered: it has its effect once, and every repetition gets the answer of the first.
#[derive(Debug, Clone)]
pub struct Bank {
    repositories: Accounts,
}

impl Bank {
    /// The bank in a store.
    pub fn new(store: &Store) -> Self {
        Bank {
            repositories: Accounts::new(store),
        }
    }

    /// The generated repositories it works with.
    pub fn repositories(&self) -> &Accounts {
        &self.repositories
    }

    /// What is in an account at this moment.
    ///
    /// # Errors
    /// [`BankError::NoSuchAccount`].
    pub async fn account(&self, pk: &str) -> Result<Account, BankError> {
        let found = self.repositories.accounts.read_strong(pk).await;
        let found = found.map_err(|error| about(pk, error))?;
        found.ok_or_else(|| BankError::NoSuchAccount { pk: pk.to_owned() })
    }

    /// All accounts by name, page by page. A change is seen a moment later.
    pub fn accounts_by_name(&self) -> Query<Account> {
        self.repositories.accounts.accounts_by_name()
    }

    /// What an account has paid, the latest first. A transfer is seen a moment later.
    pub fn transfers_from(&self, pk: &str) -> Query<Versioned<Transfer>> {
        self.repositories.transfers.transfers_from(pk)
    }

    /// What an account has been paid, the latest first. A transfer is seen a moment later.
    pub fn transfers_to(&self, pk: &str) -> Query<Versioned<Transfer>> {
        self.repositories.transfers.transfers_to(pk)
    }

    /// Opens an account, with nothing in it or with an amount. The answer is the account as it was opened.
    ///
    /// # Errors
    /// [`BankError::InvalidAmount`] below zero, [`BankError::AccountExists`], [`BankError::Invalid`], [`BankError::KeyReused`].
    pub async fn open(
        &self,
        request: &RequestId,
        account: AccountData,
    ) -> Result<AccountData, BankError> {
        if account.balance < 0 {
            return Err(BankError::InvalidAmount {
                amount: account.balance,
            });
        }
        let claim = self.claim(request, &Asked::Open(&account), &account);
        let accounts = &self.repositories.accounts;
        let opened = accounts.insert(account.clone(), Some(claim)).await;
        match opened.map_err(|error| about(&account.pk, error))? {
            Once::Done(opened) => Ok(opened.data),
            Once::Before(record) => replayed(&record),
        }
    }

    /// Gives an account another name. The answer is the account as it was at that moment.
    ///
    /// # Errors
    /// [`BankError::NoSuchAccount`], [`BankError::Invalid`], [`BankError::KeyReused`]; [`BankError::Conflict`] when others kept changing the account.
    pub async fn rename(
        &self,
        request: &RequestId,
        pk: &str,
        name: &str,
    ) -> Result<AccountData, BankError> {
        let asked = Asked::Rename { pk, name };
        let record = AccountRequestKey::new(&request.caller, &request.id);
        let hash = asked.hash();
        // The account is read before it is written. A repeated request may find it closed, and is answered all the same.
        let same = |earlier: &AccountRequest| earlier.request_hash == hash;
        let work = || {
            let key = AccountKey::new(pk);
            let patch = Rename {
                name: name.to_owned().into(),
            };
            async move {
                let accounts = &self.repositories.accounts;
                let change = |account: &Account| {
                    let mut renamed = account.data.clone();
                    patch.name.apply_to(&mut renamed.name);
                    let claim = self.claim(request, &asked, &renamed);
                    Ok::<_, Error>((patch.clone(), Some(claim)))
                };
                accounts.rename(&key, change).await
            }
        };
        let store = self.repositories.store();
        let renamed = store.once(&record, same, work).await;
        match renamed.map_err(|error| about(pk, error))? {
            Once::Done(renamed) => Ok(renamed.data),
            Once::Before(record) => replayed(&record),
        }
    }

    /// Closes an account that is empty, and gives what it was. Its transfers stay.
    ///
    /// # Errors
    /// [`BankError::NotEmpty`], [`BankError::NoSuchAccount`], also when it was closed before; [`BankError::Conflict`] when others kept
    /// changing it.
    pub async fn close(&self, pk: &str) -> Result<Account, BankError> {
        let key = AccountKey::new(pk);
        match self.repositories.accounts.delete(&key).await {
            Ok(closed) => Ok(closed),
            Err(Error::Refused { .. }) => Err(match self.account(pk).await?.balance {
                0 => BankError::Conflict,
                balance => BankError::NotEmpty { balance },
            }),
            Err(error) => Err(about(pk, error)),
        }
    }

    /// This moment by the store's clock; by the machine's if the store's is beyond the year 9999.
    fn now(&self) -> Timestamp {
        let now = self.repositories.store().now_millis();
        Timestamp::from_millis(now).unwrap_or_else(Timestamp::now)
    }
}
