//! A table is there as a whole, or not at all.
//!
//! The engine notes a table, then makes what its items and its indexes are kept in, then turns its stream on. A process that is killed between two of these, or a disk that is full,
//! would leave a table that is said to be there and takes nothing, for ever. So what is being made is marked, and what is still marked when it should not be is taken away.

use dynoxide::Database;
use serde_json::json;

use super::tokens::Tokens;
use super::{Store, StoreError, operations};
use crate::Reply;

impl Store {
    /// Makes a table that is not there, and takes away what there is of it where that fails.
    pub(super) fn make_table(&self, database: &Database, table: &str, body: &[u8]) -> Reply {
        let begun = self.unmake(database, table).and_then(|()| {
            // One that is there is refused by the engine, and stays as it is.
            let is_new = self.describes(database, table) != 200;
            if is_new {
                self.maintenance().mark(table)?;
            }
            Ok(is_new)
        });
        let is_new = match begun {
            Ok(is_new) => is_new,
            Err(error) => return not_made(table, &error),
        };
        let reply = operations::answer(database, &self.tokens, "CreateTable", body);
        if !is_new {
            return reply;
        }
        if reply.status < 500 {
            match self.maintenance().unmark(table) {
                Ok(()) => return reply,
                Err(error) => tracing::error!(%error, table, "a new table cannot be noted"),
            }
        }
        let failed = match reply.status {
            200 => not_made(table, &"it cannot be noted"),
            _ => reply,
        };
        if let Err(error) = self.unmake(database, table) {
            tracing::error!(%error, table, "what was made of a table cannot be taken away yet");
        }
        failed
    }

    /// Takes away what a process before this one has made in part.
    pub(super) fn unmake_all(&self) -> Result<(), StoreError> {
        let marked = self.maintenance().marked()?;
        let database = self
            .database
            .read()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        for table in marked {
            tracing::warn!(table, "a table was not made to its end; it is taken away");
            self.unmake(&database, &table)?;
        }
        Ok(())
    }

    /// Takes away what was made of a table, if it is marked. One in which something is stored was made to its end, whatever the mark says.
    fn unmake(&self, database: &Database, table: &str) -> Result<(), StoreError> {
        let maintenance = self.maintenance();
        if !maintenance.marked()?.iter().any(|marked| marked == table) {
            return Ok(());
        }
        if !maintenance.has_items(table)? {
            let send = |operation: &str, body: serde_json::Value| {
                let tokens = Tokens::default();
                operations::answer(database, &tokens, operation, body.to_string().as_bytes())
            };
            if self.describes(database, table) == 200 {
                let unprotected = json!({ "TableName": table, "DeletionProtectionEnabled": false });
                send("UpdateTable", unprotected);
                let deleted = send("DeleteTable", json!({ "TableName": table }));
                if deleted.status != 200 {
                    return Err(StoreError(deleted.body));
                }
            }
        }
        Ok(maintenance.unmark(table)?)
    }

    fn describes(&self, database: &Database, table: &str) -> u16 {
        let body = json!({ "TableName": table }).to_string();
        operations::answer(database, &self.tokens, "DescribeTable", body.as_bytes()).status
    }
}

fn not_made(table: &str, why: &dyn std::fmt::Display) -> Reply {
    Reply::internal_error(&format!("the table {table} could not be made: {why}"))
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::super::{FILE, Store};

    const TABLE: &[u8] = br#"{
        "TableName": "things",
        "BillingMode": "PAY_PER_REQUEST",
        "DeletionProtectionEnabled": true,
        "AttributeDefinitions": [
            { "AttributeName": "id", "AttributeType": "S" },
            { "AttributeName": "kind", "AttributeType": "S" }
        ],
        "KeySchema": [{ "AttributeName": "id", "KeyType": "HASH" }],
        "GlobalSecondaryIndexes": [{
            "IndexName": "by_kind",
            "KeySchema": [{ "AttributeName": "kind", "KeyType": "HASH" }],
            "Projection": { "ProjectionType": "ALL" }
        }],
        "StreamSpecification": { "StreamEnabled": true, "StreamViewType": "KEYS_ONLY" }
    }"#;
    const NAME: &[u8] = br#"{"TableName":"things"}"#;
    const PUT: &[u8] = br#"{"TableName":"things","Item":{"id":{"S":"a"},"kind":{"S":"b"}}}"#;

    fn marks(disk: &Connection) -> i64 {
        let many = "SELECT count(*) FROM \"tablewright::making\"";
        disk.query_row(many, [], |row| row.get(0)).unwrap()
    }

    /// What a process leaves that is killed after the first step, and after the last but one.
    #[test]
    fn a_table_that_was_made_in_part_is_gone_when_the_folder_is_opened_again() {
        for lost in [
            "DROP TABLE \"things\"; DROP TABLE \"things::gsi::by_kind\"",
            "DROP TABLE \"things::gsi::by_kind\"",
            "UPDATE _tables SET stream_enabled = 0",
        ] {
            let folder = tempfile::tempdir().unwrap();
            let store = Store::open(folder.path()).unwrap();
            assert_eq!(store.dispatch("CreateTable", TABLE).status, 200);
            let disk = Connection::open(folder.path().join(FILE)).unwrap();
            assert_eq!(marks(&disk), 0);
            drop(store);
            disk.execute_batch(lost).unwrap();
            disk.execute_batch("INSERT INTO \"tablewright::making\" VALUES ('things')")
                .unwrap();

            let store = Store::open(folder.path()).unwrap();
            assert_eq!(store.dispatch("DescribeTable", NAME).status, 400);
            assert_eq!(marks(&disk), 0);
            assert_eq!(store.dispatch("CreateTable", TABLE).status, 200);
            let put = store.dispatch("PutItem", PUT);
            assert_eq!(put.status, 200, "{}", put.body);
        }
    }

    #[test]
    fn a_table_whose_making_fails_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let disk = Connection::open(folder.path().join(FILE)).unwrap();
        // What the second step of the engine does not get past.
        disk.execute_batch("CREATE TABLE \"things::gsi::by_kind\" (a)")
            .unwrap();
        assert_eq!(store.dispatch("CreateTable", TABLE).status, 500);
        assert_eq!(store.dispatch("DescribeTable", NAME).status, 400);
        assert_eq!(marks(&disk), 0);
        assert_eq!(store.dispatch("CreateTable", TABLE).status, 200);
        assert_eq!(store.dispatch("PutItem", PUT).status, 200);
    }

    #[test]
    fn a_table_that_is_there_or_refused_is_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path()).unwrap();
        let bad = br#"{"TableName":"things"}"#;
        assert_eq!(store.dispatch("CreateTable", bad).status, 400);
        assert_eq!(store.dispatch("CreateTable", TABLE).status, 200);
        assert_eq!(store.dispatch("PutItem", PUT).status, 200);
        assert_eq!(store.dispatch("CreateTable", TABLE).status, 400);
        let disk = Connection::open(folder.path().join(FILE)).unwrap();
        assert_eq!(marks(&disk), 0);
        // A mark that could not be taken away: what is stored is stored.
        disk.execute_batch("INSERT INTO \"tablewright::making\" VALUES ('things')")
            .unwrap();
        drop(store);
        let store = Store::open(folder.path()).unwrap();
        let found = store.dispatch("Scan", NAME);
        assert!(found.body.contains("\"Count\":1"), "{}", found.body);
        assert_eq!(marks(&disk), 0);
    }
}
