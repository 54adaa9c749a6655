//! The names under which tables are followed, for the commands that show them.

use tablewright::descriptor::Table;
use tablewright::{Error, Store};

use crate::model::{Reader, Stream};

/// Writes down that a consumer of this name follows a table.
pub(crate) async fn sign_in(
    stream: &Stream,
    store: &Store,
    consumer: &str,
    table: &Table,
) -> Result<(), Error> {
    let reader = Reader {
        consumer: consumer.to_owned(),
        source: table.name.clone(),
        since: store.now_millis(),
    };
    match stream.readers.sign_in(reader).await {
        Ok(_) | Err(Error::Exists { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}
