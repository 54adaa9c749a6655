//! The consumers of one program.

use std::pin::Pin;
use std::time::Duration;

use aws_sdk_dynamodbstreams::Client;
use tablewright::Store;
use tablewright::descriptor::Table;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::consumer::Consumer;
use crate::handler::Handler;
use crate::options::Options;

/// Where changes are read, and how.
#[derive(Debug, Clone)]
pub struct Following {
    /// The change streams of the tables.
    pub streams: Client,
    /// How they are read.
    pub options: Options,
}

/// Those who work beside a server until they are told to stop: consumers, and what is looked after from time to time.
#[derive(Debug)]
#[must_use = "consumers run until they are stopped"]
pub struct Consumers {
    tell: watch::Sender<bool>,
    running: JoinSet<()>,
}

impl Default for Consumers {
    fn default() -> Self {
        Consumers::none()
    }
}

impl Consumers {
    /// Nobody yet.
    pub fn none() -> Self {
        Consumers {
            tell: watch::Sender::new(false),
            running: JoinSet::new(),
        }
    }

    /// One more, under a name of its own. What cannot be reached when it begins is tried again.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn follow(
        &mut self,
        name: &'static str,
        store: &Store,
        table: &'static Table,
        following: &Following,
        handler: impl Handler,
    ) {
        let streams = following.streams.clone();
        let consumer = Consumer::new(name, store, streams, table, following.options, handler);
        let stop = self.told();
        self.running.spawn(consumer.run_when_possible(stop));
    }

    /// Somebody who works until `stop`, which they are given, is ready.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn beside<W, F>(&mut self, work: W)
    where
        W: FnOnce(Pin<Box<dyn Future<Output = ()> + Send>>) -> F,
        F: Future<Output = ()> + Send + 'static,
    {
        let stop = Box::pin(self.told());
        self.running.spawn(work(stop));
    }

    /// Does something at once, and again whenever so long has passed since it was done.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn every<W, F>(&mut self, pause: Duration, work: W)
    where
        W: Fn() -> F + Send + 'static,
        F: Future<Output = ()> + Send,
    {
        let stop = self.told();
        self.running.spawn(async move {
            let mut stop = std::pin::pin!(stop);
            loop {
                work().await;
                tokio::select! {
                    () = &mut stop => return,
                    () = tokio::time::sleep(pause) => {}
                }
            }
        });
    }

    fn told(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut told = self.tell.subscribe();
        async move {
            // Whoever could tell is gone: that is an end as well.
            let _ = told.wait_for(|told| *told).await;
        }
    }

    /// Lets all finish what they have begun.
    pub async fn stop(mut self) {
        self.tell.send_replace(true);
        while let Some(ended) = self.running.join_next().await {
            if let Err(error) = ended {
                tracing::error!(%error, "a consumer broke");
            }
        }
    }
}
