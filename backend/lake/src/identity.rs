//! Which lake it is: so that each lake of a table gets every change, and one that has lost some is known.

use std::collections::BTreeMap;

use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt as _, PutPayload};
use serde::{Deserialize, Serialize};
use tablewright::descriptor::Table;

use crate::error::LakeError;

/// How much of the name of a table is in that of its consumer, which has at most 64 letters.
const TABLE: usize = 50;

/// How many letters an id has.
const ID: usize = 8;

/// Which lake it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    /// What no other lake is called.
    id: String,
    /// When it last followed its tables, in milliseconds since 1970; none when it never has.
    #[serde(default)]
    pub(crate) followed: Option<i64>,
    /// Whether somebody did until they were lost sight of; not when they have stopped.
    #[serde(default)]
    pub(crate) is_followed: bool,
    /// Up to when silver and gold were last found to have all that happened, in milliseconds since 1970.
    #[serde(default)]
    pub(crate) as_of: Option<i64>,
    /// Since when bronze has every change; none when it never followed, or of a lake from before this was noted.
    #[serde(default)]
    pub(crate) unbroken_since: Option<i64>,
    /// Up to when bronze has every change that was not known to be lost; 0 before anything was read, and none of a lake from before this was noted.
    #[serde(default)]
    whole_until: Option<i64>,
    /// When it was last seen that changes of a table are lost, which bronze will never have.
    #[serde(default)]
    lost: BTreeMap<String, i64>,
}

impl Identity {
    /// One that no lake has.
    pub(crate) fn new() -> Self {
        // The last letters are those that chance has made.
        let name = tablewright::Uuid::now_v7().simple().to_string();
        Identity {
            id: name.chars().skip(name.len() - ID).collect(),
            followed: None,
            is_followed: false,
            as_of: None,
            unbroken_since: None,
            whole_until: None,
            lost: BTreeMap::new(),
        }
    }

    /// Up to when bronze has every change; none when nobody ever followed.
    pub(crate) fn whole_until(&self) -> Option<i64> {
        self.whole_until.or(self.followed)
    }

    /// Bronze has every change up to a moment, or has read nothing yet.
    pub(crate) fn is_whole_until(&mut self, moment: Option<i64>) {
        self.whole_until = Some(self.whole_until().max(moment).unwrap_or(0));
    }

    /// Changes of a table are lost. What was made of it before is wrong.
    pub(crate) fn lose(&mut self, table: &str, now: i64) {
        let seen = self.lost.entry(table.to_owned()).or_default();
        *seen = now.max(*seen);
    }

    /// Whether changes of a table were lost that what was made of it at a moment may lack.
    pub(crate) fn has_lost_since(&self, table: &str, made: Option<i64>) -> bool {
        let lost = self.lost.get(table);
        lost.is_some_and(|lost| made.is_none_or(|made| made <= *lost))
    }

    fn path() -> Path {
        Path::from_iter(["_lake", "lake.json"])
    }

    /// That of a lake, for who only looks; none where there is none that can be read.
    pub(crate) async fn known(files: &dyn ObjectStore) -> Result<Option<Self>, LakeError> {
        let found = match files.get(&Identity::path()).await {
            Ok(found) => found.bytes().await?,
            Err(Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        Ok(serde_json::from_slice(&found).ok())
    }

    /// That of a lake; a new one where there is none, or none that can be read. Under a new one a lake is told again all that is kept, and passes over what it has.
    pub(crate) async fn of(files: &dyn ObjectStore) -> Result<Self, LakeError> {
        let known = Identity::known(files).await?;
        let is_fit = |known: &Identity| {
            known.id.len() == ID && known.id.chars().all(|c| c.is_ascii_alphanumeric())
        };
        if let Some(known) = known.filter(is_fit) {
            return Ok(known);
        }
        let new = Identity::new();
        new.write(files).await?;
        Ok(new)
    }

    pub(crate) async fn write(&self, files: &dyn ObjectStore) -> Result<(), LakeError> {
        let text = serde_json::to_vec_pretty(self);
        let text = text.map_err(|error| LakeError::damaged(&Identity::path(), error))?;
        files.put(&Identity::path(), PutPayload::from(text)).await?;
        Ok(())
    }

    /// The name of the consumer that follows a table for this lake.
    pub(crate) fn consumer_of(&self, table: &Table) -> String {
        let table: String = table.name.chars().take(TABLE).collect();
        format!("{table}-lake-{}", self.id)
    }
}

#[cfg(test)]
mod tests {
    use object_store::memory::InMemory;
    use tablewright::descriptor::KeyAttribute;

    use super::*;

    #[tokio::test]
    async fn a_lake_stays_who_it_is() {
        let files = InMemory::new();
        let first = Identity::of(&files).await.unwrap();
        assert_eq!(Identity::of(&files).await.unwrap(), first);
        assert_ne!(Identity::of(&InMemory::new()).await.unwrap(), first);
        let table = Table::new("t".repeat(255).as_str(), KeyAttribute::string("PK"));
        assert_eq!(first.consumer_of(&table).len(), 64);
        // What cannot be read is no reason to stop.
        for damaged in ["", "{}", r#"{"id":"../../up"}"#] {
            let damaged = PutPayload::from(damaged.as_bytes().to_vec());
            files.put(&Identity::path(), damaged).await.unwrap();
            let next = Identity::of(&files).await.unwrap();
            assert_ne!(next, first);
            assert_eq!(Identity::of(&files).await.unwrap(), next);
        }
    }
}
