//! Money goes from one account to another in one transaction, with a record of it.

use tablewright::{Failed, Refused, Ulid, Why};

use crate::bank::{Bank, BankError};
use crate::model::{
    Account, AccountKey, Transfer, TransferInput, TransferKey, TransferPayee, TransferPayer,
    TransferRefused,
};

/// What is to be paid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// Made by the one who orders, and the same when the order is repeated.
    pub transfer_id: Ulid,
    /// The account that pays.
    pub source: String,
    /// The account that is paid.
    pub target: String,
    /// How much, at least 1.
    pub amount: i64,
    /// What it is for, at most 200 characters.
    pub note: Option<String>,
}

impl Bank {
    /// Pays from one account to another, all or nothing. An order that was carried out before is answered with the transfer it made.
    ///
    /// # Errors
    /// [`BankError::InvalidAmount`], [`BankError::SameAccount`], [`BankError::NoSuchAccount`], [`BankError::NotEnough`] in the account
    /// that pays, [`BankError::TooMuch`] in the one that is paid, [`BankError::KeyReused`] if the id is of another transfer;
    /// [`BankError::Conflict`] when others kept changing the accounts.
    pub async fn transfer(&self, order: &Order) -> Result<Transfer, BankError> {
        if order.amount < 1 {
            return Err(BankError::InvalidAmount {
                amount: order.amount,
            });
        }
        if order.source == order.target {
            return Err(BankError::SameAccount);
        }
        let (payer, payee) = (
            AccountKey::new(&order.source),
            AccountKey::new(&order.target),
        );
        let input = TransferInput {
            payer: TransferPayer {
                add_balance: -order.amount,
            },
            payee: TransferPayee {
                add_balance: order.amount,
            },
            transfer: Transfer {
                transfer_id: order.transfer_id,
                source: order.source.clone(),
                target: order.target.clone(),
                amount: order.amount,
                note: order.note.clone(),
                at: self.now(),
            },
        };
        let paid = self
            .repositories
            .transfer(&payer, &payee, order.amount, &input)
            .await;
        match paid {
            Ok(()) => Ok(input.transfer),
            Err(Failed::Refused(refused)) => match self.made_before(order).await? {
                Some(transfer) => Ok(transfer),
                None => Err(why_not(order, *refused)),
            },
            Err(Failed::Error(error)) => Err(error.into()),
        }
    }

    /// The transfer an order made before. The accounts may have been emptied or closed since, so it is looked for whatever was refused.
    async fn made_before(&self, order: &Order) -> Result<Option<Transfer>, BankError> {
        let transfers = self.repositories.transfers.items();
        let key = TransferKey::new(order.transfer_id);
        let Some(transfer) = transfers.read_strong(&key).await? else {
            return Ok(None);
        };
        let same = transfer.source == order.source
            && transfer.target == order.target
            && transfer.amount == order.amount
            && transfer.note == order.note;
        if same {
            Ok(Some(transfer.data))
        } else {
            Err(BankError::KeyReused)
        }
    }
}

fn why_not(order: &Order, refused: TransferRefused) -> BankError {
    let absent = |refused: &Option<Refused<Account>>| {
        let why = refused.as_ref().map(|refused| &refused.why);
        why == Some(&Why::NotFound)
    };
    let balance = |refused: Option<Refused<Account>>| refused?.seen.map(|seen| seen.balance);
    if absent(&refused.payer) {
        let pk = order.source.clone();
        return BankError::NoSuchAccount { pk };
    }
    if absent(&refused.payee) {
        let pk = order.target.clone();
        return BankError::NoSuchAccount { pk };
    }
    if let Some(balance) = balance(refused.payer).filter(|balance| *balance < order.amount) {
        return BankError::NotEnough { balance };
    }
    let full = |balance: &i64| balance.checked_add(order.amount).is_none();
    match balance(refused.payee).filter(full) {
        Some(balance) => BankError::TooMuch { balance },
        None => BankError::Conflict,
    }
}
