//! The bank by calls of the SDK, on the tables of generated code.

use anyhow::Context;
use aws_sdk_dynamodb::Client;

use super::{BALANCE, Side};
use crate::library::{bare_account, bare_create_account, bare_paid, bare_transfer, samples};
use crate::peers::client::PAGE;

pub(in crate::peers) struct Bare {
    client: Client,
}

impl Bare {
    pub(in crate::peers) fn new(client: Client) -> Bare {
        Bare { client }
    }
}

impl Side for Bare {
    const NAME: &'static str = "bare";

    async fn create(&self, id: String) -> anyhow::Result<()> {
        bare_create_account(&self.client, samples::account(id, BALANCE)).await?;
        Ok(())
    }

    async fn balance(&self, id: &str) -> anyhow::Result<i64> {
        let found = bare_account(&self.client, id).await?;
        Ok(found.context("the account is there")?.data.balance)
    }

    async fn page(&self, source: &str) -> anyhow::Result<usize> {
        let (paid, _) = bare_paid(&self.client, source, i32::try_from(PAGE)?).await?;
        Ok(paid.len())
    }

    async fn transfer(&self, source: &str, target: &str) -> anyhow::Result<()> {
        let input = samples::transfer(source, target)?;
        bare_transfer(&self.client, source, target, 1, &input).await
    }
}
