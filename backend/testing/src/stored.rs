//! What is in the tables.

use aws_sdk_dynamodb::Client;
use tablewright::{Changed, Entity};

/// All items of an entity, read strongly.
pub async fn stored<T: Entity>(client: &Client) -> Vec<T::Stored> {
    let table = &T::descriptor().table.name;
    let pages = client.scan().table_name(table);
    let mut pages = pages.consistent_read(true).into_paginator().send();
    let mut stored = Vec::new();
    while let Some(page) = pages.next().await {
        for item in page.unwrap().items() {
            let new = tablewright::changed::<T::Stored>(table, None, Some(item));
            if let Some(Changed::Inserted(found)) = new.unwrap() {
                stored.push(found);
            }
        }
    }
    stored
}
