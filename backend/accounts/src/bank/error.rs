//! What the bank refuses, and why.

use std::fmt;

use tablewright::Error;

/// Why something was not done. Nothing of it was written, unless it is [`BankError::Store`] with [`Error::Uncertain`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum BankError {
    /// There is no such account.
    NoSuchAccount {
        /// Which.
        pk: String,
    },
    /// There is such an account already.
    AccountExists {
        /// Which.
        pk: String,
    },
    /// There is less in the account than is to be paid.
    NotEnough {
        /// What is in it.
        balance: i64,
    },
    /// With that amount there would be more in the account than an `i64` holds.
    TooMuch {
        /// What is in it.
        balance: i64,
    },
    /// An account cannot pay itself.
    SameAccount,
    /// An amount is at least 1; what is in a new account is at least 0.
    InvalidAmount {
        /// What was given.
        amount: i64,
    },
    /// The account is not empty and cannot be closed.
    NotEmpty {
        /// What is in it.
        balance: i64,
    },
    /// A value is none of its field: a name that is too long, a key with a character that is not allowed.
    Invalid {
        /// Of which field.
        field: String,
        /// Why.
        why: String,
    },
    /// The request's id, or the transfer's, was used before for something else.
    KeyReused,
    /// Others changed the account at the same time. The same request may succeed now.
    Conflict,
    /// The store failed.
    Store(Error),
}

impl From<Error> for BankError {
    fn from(error: Error) -> Self {
        match error {
            Error::Conflict { .. } => BankError::Conflict,
            Error::KeyReused { .. } => BankError::KeyReused,
            Error::Invalid { field, why, .. } => BankError::Invalid { field, why },
            error => BankError::Store(error),
        }
    }
}

/// What an error means that came from the repository of accounts.
pub(super) fn about(pk: &str, error: Error) -> BankError {
    let pk = pk.to_owned();
    match error {
        Error::NotFound { .. } => BankError::NoSuchAccount { pk },
        Error::Exists { .. } => BankError::AccountExists { pk },
        error => error.into(),
    }
}

impl fmt::Display for BankError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BankError::NoSuchAccount { pk } => write!(f, "there is no account {pk}"),
            BankError::AccountExists { pk } => write!(f, "there is an account {pk} already"),
            BankError::NotEnough { balance } => {
                write!(f, "there is not enough in the account: {balance}")
            }
            BankError::TooMuch { balance } => {
                write!(
                    f,
                    "the account cannot hold that much more: it has {balance}"
                )
            }
            BankError::SameAccount => f.write_str("an account cannot pay itself"),
            BankError::InvalidAmount { amount } => write!(f, "{amount} is no amount"),
            BankError::NotEmpty { balance } => {
                write!(f, "the account is not empty: it has {balance}")
            }
            BankError::Invalid { field, why } => write!(f, "{field}: {why}"),
            BankError::KeyReused => f.write_str("the id was used before for another request"),
            BankError::Conflict => f.write_str("others changed the account at the same time"),
            BankError::Store(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for BankError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            BankError::Store(error) => Some(error),
            _ => None,
        }
    }
}
