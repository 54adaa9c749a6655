//! What the lake remembers of the silver of an entity.

use std::collections::BTreeMap;

use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt as _, PutPayload};
use serde::{Deserialize, Serialize};

use crate::error::LakeError;
use crate::model::LakeEntity;
use crate::name::BronzeFile;

/// What the lake remembers of the silver of an entity.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    /// The columns the rows have.
    pub(crate) columns: String,
    /// The versions from which items could be brought into the present shape when it was made.
    pub(crate) migrated_from: Vec<u16>,
    /// How many rows each part has.
    pub(crate) rows: Vec<u64>,
    /// The stream its table had when it was made. None of a lake from before this was known: it is made anew.
    #[serde(default)]
    pub(crate) stream: Option<String>,
    /// Up to which change of each shard bronze is applied.
    pub(crate) up_to: BTreeMap<String, String>,
    /// Parts are being made anew from the table, and some may be newer than others; or they must be, since changes are missing.
    pub(crate) rebuilding: bool,
    /// The moment of the table it was made of, in milliseconds since 1970.
    #[serde(default)]
    pub(crate) made: Option<i64>,
}

impl State {
    fn path(entity: &str) -> Path {
        Path::from_iter(["_lake", "silver", &format!("{entity}.json")])
    }

    /// What is remembered. What cannot be read is as if nobody had noted it: silver is made anew.
    pub(crate) async fn read(
        files: &dyn ObjectStore,
        entity: &str,
    ) -> Result<Option<Self>, LakeError> {
        let path = State::path(entity);
        let found = match files.get(&path).await {
            Ok(found) => found.bytes().await?,
            Err(Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let state = serde_json::from_slice(&found);
        let damaged = |error: &serde_json::Error| tracing::warn!(%path, %error, "what the lake remembers of silver cannot be read");
        Ok(state.inspect_err(damaged).ok())
    }

    pub(crate) async fn write(
        &self,
        files: &dyn ObjectStore,
        entity: &str,
    ) -> Result<(), LakeError> {
        let path = State::path(entity);
        let text = serde_json::to_vec_pretty(self);
        let text = text.map_err(|error| LakeError::damaged(&path, error))?;
        files.put(&path, PutPayload::from(text)).await?;
        Ok(())
    }

    /// Whether changes can be applied to it: its rows are those of the model, in so many parts.
    pub(crate) fn is_current(&self, entity: &LakeEntity, parts: usize) -> bool {
        let migrated = entity.migrated_from();
        let migrates = |version: &u16| self.migrated_from.contains(version);
        !self.rebuilding
            && self.stream.is_some()
            && self.columns == columns(entity)
            && self.rows.len() == parts
            && migrated.iter().all(migrates)
    }

    /// Whether a file has changes that are to be applied. Those of another stream are not: of an earlier one they happened before the table was read, and what comes of a later one waits until it is read again.
    pub(crate) fn lacks(&self, file: &BronzeFile) -> bool {
        let applied = self.up_to.get(&file.origin.text());
        self.stream.as_ref() == Some(&file.origin.stream)
            && applied.is_none_or(|applied| *applied < file.last)
    }

    /// Whether a file has changes that are not applied yet.
    pub(crate) fn is_behind(&self, file: &BronzeFile) -> bool {
        self.lacks(file) || self.stream.as_ref() < Some(&file.origin.stream)
    }
}

/// The columns of an entity, what stands in them for fields that are missing, and the version of its shape, as a text that changes when they do.
pub(crate) fn columns(entity: &LakeEntity) -> String {
    let schema = entity.schema();
    let columns = schema.fields().iter();
    let columns: Vec<String> = columns
        .map(|field| {
            let own = entity.columns.iter();
            let mut own = own.filter(|column| column.name == *field.name());
            let default = own.next().and_then(|column| column.default.as_ref());
            let default = default.map_or_else(String::new, |default| format!(" = {default:?}"));
            format!("{}: {}{default}", field.name(), field.data_type())
        })
        .collect();
    let version = entity
        .entity
        .versioned
        .map_or(0, |versioned| versioned.data_version);
    format!("version {version}; {}", columns.join("; "))
}
