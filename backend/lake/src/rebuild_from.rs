//! Silver from exports of the tables, with the changes on top that bronze has since.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use tablewright::descriptor::Table;
use tablewright::{Error, Store};

use crate::error::LakeError;
use crate::export::Export;
use crate::lake::Lake;
use crate::model::LakeEntity;
use crate::name::stream_of;
use crate::rebuild::Rebuilt;
use crate::state::State;
use crate::workshop::{Finished, Parts, sorted};

/// DynamoDB tells about when a change happened. What happened so shortly before an export is applied again, which makes no difference: the latest change of an item wins.
const ABOUT: i64 = 5 * 60 * 1000;

/// An export, the table it is of, and the stream that has.
struct Source<'e> {
    export: &'e Export,
    table: &'static Table,
    stream: String,
}

impl Lake {
    /// Makes silver of the entities of some tables from a full export of each, without reading the tables, and applies what bronze has since. It is what following every change would have given.
    ///
    /// # Errors
    /// [`LakeError::Export`] when an export cannot be read, is of another table, or bronze has not every change since it was made; [`LakeError`]. Then nothing has changed.
    pub async fn rebuild_from(
        &self,
        store: &Store,
        exports: &[Export],
    ) -> Result<Vec<Rebuilt>, LakeError> {
        let rebuilding = async {
            self.be_sure().await?;
            let _alone = self.inner.upkeep.lock().await;
            let mut sources: Vec<Source<'_>> = Vec::new();
            for export in exports {
                let source = self.source_of(store, export).await?;
                let table = &source.table.name;
                if sources.iter().any(|known| known.table.name == *table) {
                    return Err(export.refused(format!("another is of {table} too: name one")));
                }
                sources.push(source);
            }
            let mut made = Vec::new();
            for source in &sources {
                made.extend(self.made_from(source).await?);
            }
            // All that has to be read was read.
            let mut rebuilt = Vec::new();
            for (entity, parts, state) in made {
                rebuilt.push(self.publish(&entity, parts, state).await?);
                tracing::info!(entity = %entity.name(), "silver was made from an export");
            }
            Ok(rebuilt)
        };
        self.staying(rebuilding).await
    }

    /// The table of an export, if the lake has all that happened to it since.
    async fn source_of<'e>(
        &self,
        store: &Store,
        export: &'e Export,
    ) -> Result<Source<'e>, LakeError> {
        let own = |table: &&&'static Table| store.table_name(table) == export.table();
        let Some(table) = self.inner.model.tables.iter().find(own) else {
            let names = self.inner.model.tables.iter();
            let names: Vec<String> = names.map(|table| store.table_name(table)).collect();
            return Err(export.refused(format!(
                "it is of the table {}, and the lake of {} follows {}",
                export.table(),
                self.inner.model.name,
                names.join(", ")
            )));
        };
        let described = store.client().describe_table();
        let described = described.table_name(export.table()).send().await;
        let described = described.map_err(|error| Error::of_request(&error))?.table;
        let told = described.as_ref();
        export.is_of(
            told.and_then(|table| table.table_arn()),
            told.and_then(|table| table.table_id()),
        )?;
        let stream = told.and_then(|table| table.latest_stream_arn());
        let stream = stream.map_or_else(String::new, stream_of);
        self.has_all_since(export, &stream)?;
        Ok(Source {
            export,
            table,
            stream,
        })
    }

    /// Whether no change is missing between an export and what is in bronze, or will be.
    fn has_all_since(&self, export: &Export, stream: &str) -> Result<(), LakeError> {
        const AGAIN: &str = "Make another export, or rebuild from the table, without `--export`";
        let at = moment(export.at());
        if let Some(began) = began(stream).filter(|began| export.at() < *began) {
            let began = moment(began);
            return Err(export.refused(format!(
                "it is of {at}, and the table tells its changes since {began}: what happened between is in no file. {AGAIN}"
            )));
        }
        let identity = self.identity();
        let whole = identity.unbroken_since;
        if !self.has_followed_since(export) {
            let last = identity.followed.filter(|_| identity.is_followed);
            return match last.filter(|last| export.at() - ABOUT < *last) {
                // Who was cut off may have changes from after the export, and lack some from before: those undo these.
                Some(last) => Err(export.refused(format!(
                    "it is of {at}, and who followed the table was last heard of at {}: which changes the lake has of that time is not known. Let it be followed again until it is up to date, or make another export",
                    moment(last)
                ))),
                // All that the lake has is in the export, and what happened since is still to come.
                None => Ok(()),
            };
        }
        if whole.is_some_and(|whole| whole <= export.at() - ABOUT) {
            return Ok(());
        }
        let since = whole.map_or_else(
            || String::from("it is not known since when the lake has every change"),
            |whole| format!("the lake has every change since {} only", moment(whole)),
        );
        Err(export.refused(format!("it is of {at}, and {since}. {AGAIN}")))
    }

    fn has_followed_since(&self, export: &Export) -> bool {
        let followed = self.identity().followed;
        followed.is_some_and(|followed| export.at() < followed)
    }

    /// The parts of the entities of a table, and what is to be known of them.
    async fn made_from(
        &self,
        source: &Source<'_>,
    ) -> Result<Vec<(Arc<LakeEntity>, Vec<Finished>, State)>, LakeError> {
        let own = |entity: &Arc<LakeEntity>| entity.entity.table.name == source.table.name;
        let mut entities = self.followed();
        entities.retain(own);
        let (export, table) = (source.export, source.table);
        let begun = self.begun(&entities, &source.stream, export.at());
        let model = self.inner.model.clone();
        let see = move |made: Vec<Parts>, items| sorted(&model, table, items, made);
        let empty = self.empty_parts(&entities)?;
        let made = export.each_items(empty, see).await?;
        let mut all = Vec::new();
        for ((entity, parts), state) in entities.into_iter().zip(made).zip(begun) {
            let finished = tokio::task::spawn_blocking(move || parts.finish()).await??;
            let made = match self.has_followed_since(export) {
                true => self.brought_up(&entity, finished, state, export).await?,
                // All that bronze has is in the export.
                false => (finished, state),
            };
            all.push((entity, made.0, made.1));
        }
        Ok(all)
    }

    /// Parts of an export with all that bronze has since.
    async fn brought_up(
        &self,
        entity: &Arc<LakeEntity>,
        mut parts: Vec<Finished>,
        mut state: State,
        export: &Export,
    ) -> Result<(Vec<Finished>, State), LakeError> {
        let reached = std::mem::take(&mut state.up_to);
        let from = export.at() - ABOUT;
        while let Some(news) = self.news(entity, &mut state, Some(from)).await? {
            for (part, since) in news {
                let old = parts.remove(part);
                let renewing = Arc::clone(entity);
                let renewed =
                    tokio::task::spawn_blocking(move || old.renewed(&renewing, part, &since));
                parts.insert(part, renewed.await??);
            }
        }
        // What was passed over is in the export.
        for (origin, last) in reached {
            let known = state.up_to.entry(origin).or_default();
            if *known < last {
                *known = last;
            }
        }
        Ok((parts, state))
    }
}

/// When a stream was turned on, by its name; none when that is no moment.
fn began(stream: &str) -> Option<i64> {
    let began = DateTime::strptime("%Y%m%dT%H%M%S%3f", stream).ok()?;
    let began = began.to_zoned(TimeZone::UTC).ok()?;
    Some(began.timestamp().as_millisecond())
}

fn moment(millis: i64) -> String {
    let moment = Timestamp::from_millisecond(millis).unwrap_or_default();
    format!("{moment:.0}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_named_by_when_it_began() {
        let address = "arn:aws:dynamodb:eu:1:table/t/stream/2026-11-15T12:00:01.250";
        assert_eq!(began(&stream_of(address)), Some(1_794_744_001_250));
        assert_eq!(began(""), None);
        assert_eq!(began("other"), None);
    }
}
