//! A lake that follows its tables.

use std::pin::pin;
use std::time::{Duration, Instant};

use tablewright::Store;
use tablewright_stream::{Consumer, Streams};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::error::LakeError;
use crate::lake::Lake;
use crate::model::LakeModel;
use crate::options::LakeOptions;
use crate::place::Place;
use crate::writer::Writer;

/// How often it is looked whether something was written.
const GLANCE: Duration = Duration::from_secs(1);

/// When silver was looked after.
#[derive(Debug, Default)]
struct Looks {
    last: Option<Instant>,
    /// How many files had been written then.
    written: u64,
    /// When there was something to apply.
    applied: Option<Instant>,
    /// All was well, and nobody could say as of when: nothing had been read.
    lacks_a_moment: bool,
}

impl Looks {
    fn begin(&mut self, written: u64) {
        let now = Instant::now();
        self.last = Some(now);
        if written != self.written {
            self.written = written;
            self.applied = Some(now);
        }
    }

    /// Returns when it is time, and fails when somebody else writes the lake: after `merge_every`, or at once for the first change after as long a silence. So silver is soon right where little happens, and where much does it is not written more often.
    async fn next(&self, lake: &Lake, store: &Store) -> Result<(), LakeError> {
        let every = lake.inner.options.merge_every;
        let is_over = |at: Option<Instant>| at.is_none_or(|at| at.elapsed() >= every);
        while !is_over(self.last) && (lake.written() == self.written || !is_over(self.applied)) {
            if self.lacks_a_moment && lake.reached(store.now_millis()).is_some() {
                return Ok(());
            }
            tokio::time::sleep(every.min(GLANCE)).await;
            lake.tell_behind(store);
            match lake.stay().await {
                Err(held @ LakeError::Held { .. }) => return Err(held),
                Err(error) => tracing::warn!(%error, "the lake cannot be reached"),
                Ok(()) => {}
            }
        }
        Ok(())
    }
}

impl Lake {
    /// Follows the change streams of all tables of the model until `stop`: writes bronze, keeps silver up to date, and puts together the files of days that are over. What cannot be reached meanwhile is tried again, and
    /// logged. In the end what is in bronze is applied.
    ///
    /// # Errors
    /// [`LakeError::Held`] when somebody else has begun to write it, since this process gave no sign of life for long: it slept, or reached the bucket no more.
    pub async fn follow(
        &self,
        store: &Store,
        streams: Streams,
        stop: impl Future<Output = ()>,
    ) -> Result<(), LakeError> {
        let mut stop = pin!(stop);
        while let Err(error) = self.recognise(store).await {
            if matches!(error, LakeError::Held { .. }) {
                return Err(error);
            }
            tracing::warn!(%error, "it cannot be said yet what the lake has");
            tokio::select! {
                () = &mut stop => return Ok(()),
                () = tokio::time::sleep(GLANCE) => {}
            }
        }
        let (tell, told) = watch::channel(false);
        let mut running = JoinSet::new();
        let mut readers = Vec::new();
        for table in &self.inner.model.tables {
            let name = self.identity().consumer_of(table);
            let (streams, options) = (streams.clone(), self.inner.options.stream);
            let writer = Writer::new(self, table, store);
            let consumer = Consumer::new(name, store, streams, table, options, writer);
            readers.push(consumer.progress());
            let mut told = told.clone();
            running.spawn(async move {
                let stop = async {
                    // Whoever could tell is gone: that is an end as well.
                    let _ = told.wait_for(|told| *told).await;
                };
                consumer.run_when_possible(stop).await;
            });
        }
        self.is_told_by(readers);
        let mut refined = None;
        let mut looks = Looks::default();
        let lost = loop {
            looks.begin(self.written());
            let looked = self.look_after_all(store, &mut refined).await;
            looks.lacks_a_moment = looked.is_whole && looked.as_of.is_none();
            if let Err(error) = self.note_that_it_follows(store, looked).await {
                tracing::warn!(%error, "the lake cannot be reached");
            }
            tokio::select! {
                () = &mut stop => break None,
                next = looks.next(self, store) => if let Err(held) = next {
                    break Some(held);
                },
            }
        };
        tell.send_replace(true);
        while let Some(ended) = running.join_next().await {
            if let Err(error) = ended {
                tracing::error!(%error, "a consumer of the lake broke");
            }
        }
        if let Some(held) = lost {
            return Err(held);
        }
        let looked = self.look_after_all(store, &mut refined).await;
        if let Err(error) = self.note_that_it_stopped(store, looked).await {
            tracing::warn!(%error, "the lake cannot be reached");
        }
        Ok(())
    }

    /// Opens a lake as soon as nobody else writes it, and follows until `stop`: for a service of which several processes run.
    pub async fn open_and_follow(
        place: Place,
        model: LakeModel,
        options: LakeOptions,
        store: &Store,
        streams: Streams,
        stop: impl Future<Output = ()>,
    ) {
        let mut stop = pin!(stop);
        let mut told = false;
        loop {
            let opened = tokio::select! {
                () = &mut stop => return,
                opened = Lake::open(&place, model.clone(), options) => opened,
            };
            match opened {
                Ok(lake) => match lake.follow(store, streams.clone(), &mut stop).await {
                    Ok(()) => return lake.close().await,
                    Err(error) => tracing::warn!(%error, "the lake was lost"),
                },
                Err(LakeError::Held { folder }) if !told => {
                    told = true;
                    tracing::info!(%folder, "another process writes the lake; this one waits");
                }
                Err(LakeError::Held { .. }) => {}
                Err(error) => tracing::error!(%error, "the lake cannot be opened yet"),
            }
            tokio::select! {
                () = &mut stop => return,
                () = tokio::time::sleep(options.merge_every) => {}
            }
        }
    }
}
