//! A request that is repeated has one effect and one answer: the answer is stored in the transaction that has the effect.

use std::fmt::Write as _;

use aws_lc_rs::digest::{SHA256, digest};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tablewright::Error;

use crate::bank::{Bank, BankError};
use crate::model::{AccountData, AccountRequest};

/// How long an answer is kept, in seconds. A repetition after that is a new request.
const KEPT: i64 = 24 * 60 * 60;

/// Which request of which caller. Callers do not share ids.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RequestId {
    /// Who asks.
    pub caller: String,
    /// What the caller calls this request, 1 to 255 characters; the same when it is repeated.
    pub id: String,
}

impl RequestId {
    /// The request of a caller.
    pub fn new(caller: impl Into<String>, id: impl Into<String>) -> Self {
        RequestId {
            caller: caller.into(),
            id: id.into(),
        }
    }
}

/// What is asked: all that makes one request another.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Asked<'a> {
    Open(&'a AccountData),
    Rename { pk: &'a str, name: &'a str },
    Deposit { pk: &'a str, amount: i64 },
    Withdraw { pk: &'a str, amount: i64 },
}

impl Asked<'_> {
    /// SHA-256 in hexadecimal, of a form that does not change.
    pub(super) fn hash(&self) -> String {
        let mut hash = String::with_capacity(64);
        for byte in digest(&SHA256, json(self).as_bytes()).as_ref() {
            write!(hash, "{byte:02x}").expect("a string takes all that is written to it");
        }
        hash
    }

    /// What a service would answer with.
    fn http_status_code(&self) -> i64 {
        match self {
            Asked::Open(_) => 201,
            Asked::Rename { .. } | Asked::Deposit { .. } | Asked::Withdraw { .. } => 200,
        }
    }
}

impl Bank {
    /// The record of a request, to be written with its effect.
    pub(super) fn claim(
        &self,
        request: &RequestId,
        asked: &Asked<'_>,
        answer: &impl Serialize,
    ) -> AccountRequest {
        let now = self.now();
        AccountRequest {
            caller: request.caller.clone(),
            request_id: request.id.clone(),
            request_hash: asked.hash(),
            response_data: json(answer),
            http_status_code: asked.http_status_code(),
            created_at: now,
            expires_at: now.seconds() + KEPT,
        }
    }
}

/// The answer that was given before.
pub(super) fn replayed<A: DeserializeOwned>(record: &AccountRequest) -> Result<A, BankError> {
    serde_json::from_str(&record.response_data).map_err(|error| {
        BankError::Store(Error::Unreadable {
            entity: "AccountRequest".to_owned(),
            why: error.to_string(),
        })
    })
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("texts, numbers and moments are JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_request_differs_from_another_in_all_that_is_asked() {
        let account = |name: &str, balance| AccountData {
            pk: "a".to_owned(),
            name: name.to_owned(),
            balance,
        };
        let asked = [
            Asked::Open(&account("Ada", 1)).hash(),
            Asked::Open(&account("Ada", 2)).hash(),
            Asked::Open(&account("Bob", 1)).hash(),
            Asked::Rename {
                pk: "a",
                name: "Ada",
            }
            .hash(),
            Asked::Deposit { pk: "a", amount: 1 }.hash(),
            Asked::Deposit { pk: "b", amount: 1 }.hash(),
            Asked::Withdraw { pk: "a", amount: 1 }.hash(),
        ];
        for (position, hash) in asked.iter().enumerate() {
            assert_eq!(hash.len(), 64);
            assert!(!asked[..position].contains(hash));
        }
        // Of `{"deposit":{"pk":"a","amount":1}}`. Records of yesterday are compared with it: it must not change.
        assert_eq!(
            asked[4],
            "96f9413124fd561cc1b38d9b210cde5e0093eeda36612380f8413a78eb5ed8a8"
        );
    }
}
