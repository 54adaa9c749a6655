//! Point-in-time recovery.

use aws_sdk_dynamodb::types::PointInTimeRecoverySpecification;
use tablewright_descriptor::Table;

use super::ask::{UNKNOWN_OPERATION, says};
use crate::Store;

/// Point-in-time recovery, where the endpoint has it: an embedded engine is recovered from copies of its folder.
pub(super) async fn switch_recovery_on(store: &Store, table: &Table, done: &mut Vec<String>) {
    if !table.recovery {
        return;
    }
    let name = store.table_name(table);
    let request = store
        .client()
        .describe_continuous_backups()
        .table_name(&name);
    let sent = store.reading("DescribeContinuousBackups", || request.clone().send());
    let found = match sent.await {
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
    let request = store
        .client()
        .update_continuous_backups()
        .table_name(&name)
        .point_in_time_recovery_specification(specification);
    // To switch it on twice is to switch it on.
    let sent = store.reading("UpdateContinuousBackups", || request.clone().send());
    match sent.await {
        Ok(_) => done.push("switched point-in-time recovery on".to_owned()),
        Err(error) => {
            tracing::warn!(table = name, %error, "point-in-time recovery could not be switched on")
        }
    }
}
