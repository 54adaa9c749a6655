//! Money paid in and paid out: additions, which hold whatever other writers do at the same time.

use serde::{Deserialize, Serialize};
use tablewright::{Claim as _, Error, Once, Timestamp};

use crate::bank::error::about;
use crate::bank::once::{Asked, RequestId, replayed};
use crate::bank::{Bank, BankError};
use crate::model::{Account, AccountKey, AccountRequest, Deposit, Withdraw};

/// The answer to a payment. It says nothing of the balance: the payment is an addition, made without looking, and the answer is stored
/// with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The account.
    pub pk: String,
    /// What was paid, at least 1.
    pub amount: i64,
    /// When.
    pub at: Timestamp,
}

impl Bank {
    /// Money is paid into an account.
    ///
    /// # Errors
    /// [`BankError::InvalidAmount`], [`BankError::NoSuchAccount`], [`BankError::TooMuch`], [`BankError::KeyReused`].
    pub async fn deposit(
        &self,
        request: &RequestId,
        pk: &str,
        amount: i64,
    ) -> Result<Receipt, BankError> {
        let receipt = self.receipt(pk, amount)?;
        let claim = self.claim(request, &Asked::Deposit { pk, amount }, &receipt);
        let patch = Deposit {
            add_balance: amount,
        };
        let accounts = &self.repositories.accounts;
        let paid = accounts
            .deposit(&AccountKey::new(pk), patch, Some(claim.clone()))
            .await;
        let why_not = |balance: i64| {
            let fits = balance.checked_add(amount).is_some();
            (!fits).then_some(BankError::TooMuch { balance })
        };
        self.paid(receipt, &claim, paid, why_not).await
    }

    /// Money is paid out of an account, if there is enough.
    ///
    /// # Errors
    /// [`BankError::InvalidAmount`], [`BankError::NoSuchAccount`], [`BankError::NotEnough`], [`BankError::KeyReused`];
    /// [`BankError::Conflict`] if there was not enough and now there is.
    pub async fn withdraw(
        &self,
        request: &RequestId,
        pk: &str,
        amount: i64,
    ) -> Result<Receipt, BankError> {
        let receipt = self.receipt(pk, amount)?;
        let claim = self.claim(request, &Asked::Withdraw { pk, amount }, &receipt);
        let patch = Withdraw {
            add_balance: -amount,
        };
        let accounts = &self.repositories.accounts;
        let paid = accounts
            .withdraw(&AccountKey::new(pk), amount, patch, Some(claim.clone()))
            .await;
        let why_not = |balance: i64| (balance < amount).then_some(BankError::NotEnough { balance });
        self.paid(receipt, &claim, paid, why_not).await
    }

    fn receipt(&self, pk: &str, amount: i64) -> Result<Receipt, BankError> {
        if amount < 1 {
            return Err(BankError::InvalidAmount { amount });
        }
        Ok(Receipt {
            pk: pk.to_owned(),
            amount,
            at: self.now(),
        })
    }

    /// What became of a payment. `why_not` says of a balance why it was refused.
    async fn paid(
        &self,
        receipt: Receipt,
        claim: &AccountRequest,
        paid: Result<Once<Account, AccountRequest>, Error>,
        why_not: impl Fn(i64) -> Option<BankError>,
    ) -> Result<Receipt, BankError> {
        match paid {
            Ok(Once::Done(_)) => Ok(receipt),
            Ok(Once::Before(record)) => replayed(&record),
            Err(Error::Refused { .. }) => {
                // What is there now is not always what was refused.
                let now = self.account(&receipt.pk).await?;
                Err(why_not(now.balance).unwrap_or(BankError::Conflict))
            }
            Err(Error::NotFound { .. }) => {
                // Either it never was, or it was emptied and closed between the payment and its answer.
                let requests = &self.repositories.account_requests;
                match requests.answer(&claim.caller, &claim.request_id).await? {
                    Some(record) if claim.same_request(&record) => replayed(&record),
                    _ => Err(BankError::NoSuchAccount { pk: receipt.pk }),
                }
            }
            Err(error) => Err(about(&receipt.pk, error)),
        }
    }
}
