//! The bank as `tablewright generate` has written it.

use accounts::model::{AccountKey, Accounts};
use anyhow::Context;
use aws_sdk_dynamodb::Client;
use tablewright::Store;

use super::{BALANCE, Side};
use crate::library::samples;
use crate::peers::client::PAGE;

pub(in crate::peers) struct Generated {
    accounts: Accounts,
}

impl Generated {
    pub(in crate::peers) fn new(client: Client) -> Generated {
        Generated {
            accounts: Accounts::new(&Store::new(client)),
        }
    }
}

impl Side for Generated {
    const NAME: &'static str = "generated";

    async fn create(&self, id: String) -> anyhow::Result<()> {
        let account = samples::account(id, BALANCE);
        self.accounts.accounts.insert(account, None).await?;
        Ok(())
    }

    async fn balance(&self, id: &str) -> anyhow::Result<i64> {
        let found = self.accounts.accounts.read(id).await?;
        Ok(found.context("the account is there")?.data.balance)
    }

    async fn page(&self, source: &str) -> anyhow::Result<usize> {
        let paid = self.accounts.transfers.transfers_from(source);
        Ok(paid.limit(u32::try_from(PAGE)?).page().await?.items.len())
    }

    async fn transfer(&self, source: &str, target: &str) -> anyhow::Result<()> {
        let (payer, payee) = (AccountKey::new(source), AccountKey::new(target));
        let input = samples::transfer(source, target)?;
        self.accounts.transfer(&payer, &payee, 1, &input).await?;
        Ok(())
    }
}
