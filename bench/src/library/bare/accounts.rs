//! Accounts by hand.

use accounts::model::{Account, AccountData, Transfer, TransferInput};
use anyhow::{bail, ensure};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::types::{
    AttributeValue, Put, ReturnConsumedCapacity, ReturnValuesOnConditionCheckFailure,
    TransactWriteItem, Update,
};
use tablewright::Versioned;
use tablewright_keys::shard_of;

use super::{Item, now_millis, number, take_number, take_optional_text, take_text, text};

pub(crate) async fn create_account(
    client: &Client,
    account: AccountData,
) -> anyhow::Result<Account> {
    let last_write = now_millis()?;
    let shard = shard_of(&account.pk, 4);
    let data = Item::from([
        ("name".into(), text(&account.name)),
        ("balance".into(), number(account.balance)),
    ]);
    let sent = client
        .put_item()
        .table_name("accounts")
        .item("pk", text(&account.pk))
        .item("ByNamePK", text(format!("ACCOUNTS#{shard}")))
        .item("ByNameSK", text(format!("{}#{}", account.name, account.pk)))
        .item("data", AttributeValue::M(data))
        .item("data_version", number(2))
        .item("last_write", number(last_write))
        .condition_expression("attribute_not_exists(pk)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .return_consumed_capacity(ReturnConsumedCapacity::Total)
        .send()
        .await?;
    std::hint::black_box(sent.consumed_capacity);
    Ok(Versioned {
        data: account,
        data_version: 2,
        last_write,
    })
}

pub(crate) async fn account(client: &Client, pk: &str) -> anyhow::Result<Option<Account>> {
    let found = client
        .get_item()
        .table_name("accounts")
        .key("pk", text(pk))
        .consistent_read(false)
        .return_consumed_capacity(ReturnConsumedCapacity::Total)
        .send()
        .await?;
    std::hint::black_box(found.consumed_capacity);
    let Some(item) = found.item else {
        return Ok(None);
    };
    let (mut item, mut data) = wrapped(item, 2)?;
    Ok(Some(Versioned {
        data_version: 2,
        last_write: take_number(&item, "last_write")?,
        data: AccountData {
            pk: take_text(&mut item, "pk")?,
            name: take_text(&mut data, "name")?,
            balance: take_number(&data, "balance")?,
        },
    }))
}

/// A page of what an account has paid, the latest first, and the key it ends with.
pub(crate) async fn paid(
    client: &Client,
    source: &str,
    limit: i32,
) -> anyhow::Result<(Vec<Versioned<Transfer>>, Option<Item>)> {
    let found = client
        .query()
        .table_name("transfers")
        .index_name("BySource")
        .key_condition_expression("#source = :source")
        .expression_attribute_names("#source", "source")
        .expression_attribute_values(":source", text(source))
        .scan_index_forward(false)
        .limit(limit)
        .return_consumed_capacity(ReturnConsumedCapacity::Total)
        .send()
        .await?;
    std::hint::black_box(found.consumed_capacity);
    let items = found.items.unwrap_or_default();
    let paid = items.into_iter().map(from_item);
    Ok((paid.collect::<Result<_, _>>()?, found.last_evaluated_key))
}

fn from_item(item: Item) -> anyhow::Result<Versioned<Transfer>> {
    let (mut item, mut data) = wrapped(item, 1)?;
    Ok(Versioned {
        data_version: 1,
        last_write: take_number(&item, "last_write")?,
        data: Transfer {
            transfer_id: take_text(&mut item, "transfer_id")?.parse()?,
            source: take_text(&mut item, "source")?,
            target: take_text(&mut item, "target")?,
            amount: take_number(&data, "amount")?,
            note: take_optional_text(&mut data, "note"),
            at: take_text(&mut data, "at")?.parse()?,
        },
    })
}

/// An item of the version one knows, and what is in its `data`.
fn wrapped(mut item: Item, version: i64) -> anyhow::Result<(Item, Item)> {
    let found = take_number(&item, "data_version")?;
    ensure!(found == version, "an item of version {found}");
    match item.remove("data") {
        Some(AttributeValue::M(data)) => Ok((item, data)),
        _ => bail!("no data"),
    }
}

pub(crate) async fn transfer(
    client: &Client,
    payer: &str,
    payee: &str,
    amount: i64,
    input: &TransferInput,
) -> anyhow::Result<()> {
    let balance = |pk: &str, by: i64| {
        Update::builder()
            .table_name("accounts")
            .key("pk", text(pk))
            .update_expression(
                "SET #data.balance = if_not_exists(#data.balance, :zero) + :by, last_write = last_write + :one",
            )
            .expression_attribute_names("#data", "data")
            .expression_attribute_values(":zero", number(0))
            .expression_attribute_values(":by", number(by))
            .expression_attribute_values(":one", number(1))
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
    };
    let from = balance(payer, input.payer.add_balance)
        .condition_expression("attribute_exists(pk) AND #data.balance >= :amount")
        .expression_attribute_values(":amount", number(amount))
        .build()?;
    let to = balance(payee, input.payee.add_balance)
        .condition_expression("attribute_exists(pk)")
        .build()?;
    let sent = client
        .transact_write_items()
        .transact_items(TransactWriteItem::builder().update(from).build())
        .transact_items(TransactWriteItem::builder().update(to).build())
        .transact_items(
            TransactWriteItem::builder()
                .put(new_transfer(input)?)
                .build(),
        )
        .return_consumed_capacity(ReturnConsumedCapacity::Total)
        .send()
        .await?;
    std::hint::black_box(sent.consumed_capacity);
    Ok(())
}

fn new_transfer(input: &TransferInput) -> anyhow::Result<Put> {
    let transfer = &input.transfer;
    let id = transfer.transfer_id.to_string();
    let at = transfer.at.to_string();
    let order = format!("{at}#{id}");
    let mut data = Item::from([
        ("amount".into(), number(transfer.amount)),
        ("at".into(), text(at)),
    ]);
    if let Some(note) = &transfer.note {
        data.insert("note".into(), text(note));
    }
    let put = Put::builder()
        .table_name("transfers")
        .item("transfer_id", text(id))
        .item("source", text(&transfer.source))
        .item("target", text(&transfer.target))
        .item("BySourceSK", text(&order))
        .item("ByTargetSK", text(order))
        .item("data", AttributeValue::M(data))
        .item("data_version", number(1))
        .item("last_write", number(now_millis()?))
        .condition_expression("attribute_not_exists(transfer_id)")
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .build()?;
    Ok(put)
}
