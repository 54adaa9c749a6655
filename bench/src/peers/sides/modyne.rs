//! The bank with modyne, as its documentation has it written: one table, keys by hand, conditions as text.

use anyhow::Context;
use aws_sdk_dynamodb::Client;
use modyne::model::TransactWrite;
use modyne::{
    Aggregate, Entity, EntityDef, EntityExt, ProjectionExt, QueryInput, QueryInputExt, Table, expr,
    keys,
};
use serde::{Deserialize, Serialize};
use tablewright::{Timestamp, Ulid};
use tablewright_keys::shard_of;

use super::{BALANCE, Side};
use crate::peers::bank::table;
use crate::peers::client::PAGE;

pub(in crate::peers) struct Modyne {
    client: Client,
    table: String,
}

impl Modyne {
    pub(in crate::peers) fn new(client: Client) -> Modyne {
        let table = table(Self::NAME);
        Modyne { client, table }
    }
}

impl Table for Modyne {
    type PrimaryKey = keys::Primary;
    type IndexKeys = (keys::Gsi1, keys::Gsi2);

    fn table_name(&self) -> &str {
        &self.table
    }

    fn client(&self) -> &Client {
        &self.client
    }
}

#[derive(Debug, EntityDef, Serialize, Deserialize)]
struct Account {
    id: String,
    name: String,
    balance: i64,
    last_write: i64,
}

impl Entity for Account {
    type KeyInput<'a> = &'a str;
    type Table = Modyne;
    type IndexKeys = keys::Gsi1;

    fn primary_key(id: &str) -> keys::Primary {
        keys::Primary {
            hash: format!("ACCOUNT#{id}"),
            range: String::from("ACCOUNT"),
        }
    }

    fn full_key(&self) -> keys::FullKey<keys::Primary, keys::Gsi1> {
        keys::FullKey {
            primary: Self::primary_key(&self.id),
            indexes: keys::Gsi1 {
                hash: format!("ACCOUNTS#{}", shard_of(&self.id, 4)),
                range: format!("{}#{}", self.name, self.id),
            },
        }
    }
}

#[derive(Debug, EntityDef, Serialize, Deserialize)]
struct Transfer {
    id: String,
    source: String,
    target: String,
    amount: i64,
    note: Option<String>,
    at: String,
    last_write: i64,
}

impl Entity for Transfer {
    type KeyInput<'a> = &'a str;
    type Table = Modyne;
    type IndexKeys = (keys::Gsi1, keys::Gsi2);

    fn primary_key(id: &str) -> keys::Primary {
        keys::Primary {
            hash: format!("TRANSFER#{id}"),
            range: String::from("TRANSFER"),
        }
    }

    fn full_key(&self) -> keys::FullKey<keys::Primary, (keys::Gsi1, keys::Gsi2)> {
        let order = format!("{}#{}", self.at, self.id);
        let source = keys::Gsi1 {
            hash: format!("SOURCE#{}", self.source),
            range: order.clone(),
        };
        let target = keys::Gsi2 {
            hash: format!("TARGET#{}", self.target),
            range: order,
        };
        keys::FullKey {
            primary: Self::primary_key(&self.id),
            indexes: (source, target),
        }
    }
}

struct Paid<'a> {
    source: &'a str,
}

impl QueryInput for Paid<'_> {
    const SCAN_INDEX_FORWARD: bool = false;
    type Index = keys::Gsi1;
    type Aggregate = Vec<Transfer>;

    fn key_condition(&self) -> expr::KeyCondition<keys::Gsi1> {
        expr::KeyCondition::in_partition(format!("SOURCE#{}", self.source))
    }
}

impl Side for Modyne {
    const NAME: &'static str = "modyne";

    async fn create(&self, id: String) -> anyhow::Result<()> {
        let account = Account {
            id,
            name: String::from("Lovelace"),
            balance: BALANCE,
            last_write: Timestamp::now().millis(),
        };
        account.create().execute(self).await?;
        Ok(())
    }

    async fn balance(&self, id: &str) -> anyhow::Result<i64> {
        let found = Account::get(id).execute(self).await?.item;
        let account = Account::from_item(found.context("the account is there")?)?;
        Ok(account.balance)
    }

    async fn page(&self, source: &str) -> anyhow::Result<usize> {
        let limit = u32::try_from(PAGE)?;
        let found = Paid { source }.query().limit(limit).execute(self).await?;
        let mut paid = Vec::<Transfer>::default();
        paid.reduce(found.items.unwrap_or_default())?;
        Ok(paid.len())
    }

    async fn transfer(&self, source: &str, target: &str) -> anyhow::Result<()> {
        let transfer = Transfer {
            id: Ulid::new().to_string(),
            source: source.to_owned(),
            target: target.to_owned(),
            amount: 1,
            note: Some(String::from("for the plumber")),
            at: Timestamp::now().to_string(),
            last_write: Timestamp::now().millis(),
        };
        let by = |amount: i64| {
            expr::Update::new("SET #balance = #balance + :by, #last = :now")
                .name("#balance", "balance")
                .name("#last", "last_write")
                .value(":by", amount)
                .value(":now", transfer.last_write)
        };
        let enough = expr::Condition::new("#balance >= :amount")
            .name("#balance", "balance")
            .value(":amount", transfer.amount);
        let there = expr::Condition::new("attribute_exists(#key)").name("#key", "PK");
        let payer = Account::update(source).expression(by(-transfer.amount));
        let payee = Account::update(target).expression(by(transfer.amount));
        TransactWrite::new()
            .operation(payer.condition(enough))
            .operation(payee.condition(there))
            .operation(transfer.create())
            .execute(self)
            .await?;
        Ok(())
    }
}
