//! Which stream a table has now. A table that is made again has another, and so has one whose stream was off for a time: what silver knew of it before is no longer so.

use std::collections::BTreeMap;

use tablewright::{Error, Store};

use crate::error::LakeError;
use crate::model::LakeModel;
use crate::name::stream_of;

/// The stream of each table, by the table's name in the model.
#[derive(Debug)]
pub(crate) enum Present {
    /// As the tables say.
    Asked(BTreeMap<String, String>),
    /// As events say, which may be late: there may be a later stream.
    Told(BTreeMap<String, String>),
}

impl Present {
    /// Asks all tables that are followed.
    pub(crate) async fn asked(model: &LakeModel, store: &Store) -> Result<Self, LakeError> {
        let mut streams = BTreeMap::new();
        for table in &model.tables {
            let described = store.client().describe_table();
            let described = described.table_name(store.table_name(table)).send().await;
            let described = described.map_err(|error| Error::of_request(&error))?;
            let stream = described.table.and_then(|table| table.latest_stream_arn);
            let stream = stream.map_or_else(String::new, |address| stream_of(&address));
            streams.insert(table.name.clone(), stream);
        }
        Ok(Present::Asked(streams))
    }

    /// The stream of a table; none when nobody knows.
    pub(crate) fn stream_of(&self, table: &str) -> Option<&str> {
        let (Present::Asked(streams) | Present::Told(streams)) = self;
        streams.get(table).map(String::as_str)
    }

    /// Whether what was made of the table when it had this stream is of the table there is now.
    pub(crate) fn is(&self, table: &str, known: Option<&str>) -> bool {
        match self {
            Present::Asked(streams) => streams.get(table).map(String::as_str) == known,
            Present::Told(streams) => streams.get(table).map(String::as_str) <= known,
        }
    }
}
