//! What is switched on beside a table: TTL, and recovery.

use aws_sdk_dynamodb::types::{
    PointInTimeRecoverySpecification, TimeToLiveSpecification, TimeToLiveStatus,
};
use tablewright_descriptor::Table;

use super::sdk::invalid;
use super::{TableError, UNKNOWN_OPERATION, failed, says, without_ttl};
use crate::Store;

pub(super) async fn ttl(
    store: &Store,
    table: &Table,
    done: &mut Vec<String>,
) -> Result<(), TableError> {
    let Some(attribute) = &table.ttl else {
        return Ok(());
    };
    let name = store.table_name(table);
    let sent = store
        .client()
        .describe_time_to_live()
        .table_name(&name)
        .send()
        .await;
    let found = match sent {
        Ok(output) => output.time_to_live_description,
        Err(error) if says(&error, UNKNOWN_OPERATION) => {
            without_ttl(&name);
            return Ok(());
        }
        Err(error) => return Err(failed(&error)),
    };
    let status = found.as_ref().and_then(|found| found.time_to_live_status());
    if matches!(
        status,
        Some(TimeToLiveStatus::Enabled | TimeToLiveStatus::Enabling)
    ) {
        let is = found.as_ref().and_then(|found| found.attribute_name());
        if is == Some(attribute) {
            return Ok(());
        }
        return Err(TableError::WouldLose {
            table: name,
            reasons: vec![format!(
                "it deletes by {}, the model's attribute is {attribute}; switch TTL off by hand, and run this again an hour later",
                is.unwrap_or("another attribute")
            )],
        });
    }
    let specification = TimeToLiveSpecification::builder()
        .attribute_name(attribute)
        .enabled(true)
        .build()
        .map_err(invalid)?;
    let sent = store
        .client()
        .update_time_to_live()
        .table_name(&name)
        .time_to_live_specification(specification)
        .send()
        .await;
    match sent {
        Ok(_) => done.push(format!("switched TTL on, by {attribute}")),
        Err(error) if says(&error, UNKNOWN_OPERATION) => without_ttl(&name),
        Err(error) => return Err(failed(&error)),
    }
    Ok(())
}

/// Point-in-time recovery, where the endpoint has it: an embedded engine is recovered from copies of its folder.
pub(super) async fn recovery(store: &Store, table: &Table, done: &mut Vec<String>) {
    if !table.recovery {
        return;
    }
    let name = store.table_name(table);
    let found = store
        .client()
        .describe_continuous_backups()
        .table_name(&name)
        .send()
        .await;
    let found = match found {
        Ok(found) => found,
        Err(error) if says(&error, UNKNOWN_OPERATION) => return,
        Err(error) => {
            tracing::warn!(table = name, %error, "it is not known whether point-in-time recovery is on");
            return;
        }
    };
    let on = found
        .continuous_backups_description
        .and_then(|backups| backups.point_in_time_recovery_description)
        .and_then(|recovery| recovery.point_in_time_recovery_status)
        .is_some_and(|status| status.as_str() == "ENABLED");
    if on {
        return;
    }
    let Ok(specification) = PointInTimeRecoverySpecification::builder()
        .point_in_time_recovery_enabled(true)
        .build()
    else {
        return;
    };
    let sent = store
        .client()
        .update_continuous_backups()
        .table_name(&name)
        .point_in_time_recovery_specification(specification)
        .send()
        .await;
    match sent {
        Ok(_) => done.push("switched point-in-time recovery on".to_owned()),
        Err(error) => {
            tracing::warn!(table = name, %error, "point-in-time recovery could not be switched on")
        }
    }
}
