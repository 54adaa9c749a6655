//! One shard, read by this process.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Instant;

use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use crate::attempt::Work;
use crate::fetch::{FIRST, Fetcher};
use crate::going::Going;
use crate::handler::Handler;
use crate::lease::{Held, Kept, NotKept};
use crate::pending::Pending;
use crate::progress::Mark;
use crate::record::Came;
use crate::rest::{Before, Lingering, Rests};
use crate::source::{Position, ShardId, Source};

/// After how many records it is written down how far all is handled, even if it is not time yet.
const MANY: u64 = 1000;

/// One shard, read by this process.
#[derive(Debug)]
pub(crate) struct ShardReader<H> {
    work: Arc<Work<H>>,
    source: Source,
    id: ShardId,
    going: Arc<Going>,
    stop: watch::Receiver<bool>,
    from: Position,
    since: Option<i64>,
    failing_since: Arc<AtomicI64>,
    nothing_since: Arc<AtomicI64>,
    /// When the last change happened that was read.
    read: Option<i64>,
    before: Before,
    rests: Arc<Rests>,
    /// When the shard was read to its end and records of it wait.
    lingering: Option<Arc<Lingering>>,
    /// Up to where all is handled as it is written down.
    written: Option<Position>,
    /// How many records had come to an end then.
    ended: u64,
}

/// Why a reader stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// The shard has been read to its end.
    Ended,
    /// Another process reads it now, or will.
    Gone,
    /// We were told to.
    Told,
}

impl<H: Handler> ShardReader<H> {
    pub(crate) fn new(
        work: Arc<Work<H>>,
        source: Source,
        id: ShardId,
        held: Held,
        (from, since): (Position, Option<i64>),
        (before, rests): (Before, Arc<Rests>),
        stop: watch::Receiver<bool>,
    ) -> Self {
        ShardReader {
            work,
            source,
            id,
            going: Arc::new(Going::new(held, stop.clone())),
            stop,
            from,
            since,
            failing_since: Arc::default(),
            nothing_since: Arc::default(),
            read: None,
            before,
            rests,
            lingering: None,
            written: None,
            ended: 0,
        }
    }

    /// Reads until there is a reason to stop, and lets go of the lease.
    pub(crate) async fn run(mut self) -> Stopped {
        let mut window = Pending::new(&self.work, &self.going, &self.id, &self.before);
        let stopped = self.read(&mut window).await;
        let reached = self.reached(&window);
        let reached = reached.as_ref();
        let last = match stopped {
            Stopped::Ended => self.going.held.end(reached).await,
            Stopped::Told | Stopped::Gone => self.going.held.release(reached).await,
        };
        if let (Stopped::Ended, Ok(()), Some(lingering)) = (stopped, &last, &self.lingering) {
            lingering.over();
        }
        // If it is unknown, whoever takes the shard reads again from the last checkpoint.
        if let Err(NotKept::Unknown(error)) = last {
            self.warn("a checkpoint could not be written", &error);
        }
        // Whoever reads it next tells how far behind it is.
        let now = self.work.store.now_millis();
        self.work.lag.note(&self.id, None, now);
        stopped
    }

    async fn read(&mut self, window: &mut Pending<H>) -> Stopped {
        let (to, mut records) = mpsc::channel(1);
        // It ends when this is dropped.
        let mut fetching = JoinSet::new();
        fetching.spawn(self.fetcher().run(to));
        let round = self.work.options.round();
        let mut signs = tokio::time::interval_at(tokio::time::Instant::now() + round, round);
        signs.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut is_last = false;
        let mut lingers_at = None;
        let mut leaving: Option<(Stopped, Instant)> = None;
        loop {
            self.tell_how_far(window);
            window.release();
            let reason = self.reason_to_leave();
            if let (None, Some(reason)) = (leaving, reason) {
                leaving = Some((reason, Instant::now() + self.work.options.grace));
                self.lingering.iter().for_each(|rest| rest.leave());
            }
            let has_children = self.lingering.as_ref();
            let has_children = has_children.is_some_and(|rest| rest.has_children());
            match leaving {
                // Whoever reads it next reads it before its children.
                Some((reason, _)) if !window.is_running() && !has_children => return reason,
                None if is_last && window.is_empty() && self.before.is_over() => {
                    return Stopped::Ended;
                }
                _ => {}
            }
            let grace = leaving.map(|(_, until)| until.saturating_duration_since(Instant::now()));
            tokio::select! {
                came = records.recv(), if leaving.is_none() && !is_last && window.has_room() => match came {
                    Some(came) => {
                        let last = came.iter().rev().find(|came| !came.is_lost());
                        self.read = last.map(Came::happened).or(self.read);
                        window.push(came);
                    }
                    None => {
                        is_last = true;
                        lingers_at = Some(tokio::time::Instant::now() + self.work.options.lease);
                    }
                },
                () = window.one_ends(), if window.is_running() || (leaving.is_none() && window.begins()) => {
                    let many = window.ended() - self.ended >= MANY;
                    if many || window.is_empty() {
                        self.give_a_sign(window).await;
                    }
                }
                _ = signs.tick() => self.give_a_sign(window).await,
                () = at(lingers_at), if leaving.is_none() => {
                    let waits = window.tells_of_a_loss();
                    lingers_at = waits.then(|| tokio::time::Instant::now() + round);
                    if !waits {
                        self.lingering = window.linger(&self.rests, &self.id);
                    }
                }
                () = self.before.changed(), if !self.before.is_over() => {}
                () = alone(self.lingering.as_deref()), if leaving.is_some() && has_children => {}
                _ = self.stop.changed(), if leaving.is_none() => {}
                // What was begun and does not end is broken off, as a crash would do it.
                () = tokio::time::sleep(grace.unwrap_or_default()), if grace.is_some() => {
                    return leaving.map_or(Stopped::Told, |(reason, _)| reason);
                }
            }
        }
    }

    fn fetcher(&self) -> Fetcher {
        Fetcher {
            consumer: self.work.consumer.clone(),
            options: self.work.options,
            store: self.work.store.clone(),
            source: self.source.clone(),
            id: self.id.clone(),
            from: self.from.clone(),
            since: self.since,
            failing_since: Arc::clone(&self.failing_since),
            nothing_since: Arc::clone(&self.nothing_since),
            empty: 0,
            iterator: None,
            most: FIRST,
            failures: 0,
        }
    }

    fn reason_to_leave(&self) -> Option<Stopped> {
        if self.before.is_left() {
            self.going.leave();
        }
        match (*self.stop.borrow(), self.going.waits()) {
            (true, _) => Some(Stopped::Told),
            (false, false) => Some(Stopped::Gone),
            (false, true) => None,
        }
    }

    fn tell_how_far(&self, window: &Pending<H>) {
        let failing_since = Some(self.failing_since.load(Ordering::Relaxed));
        let failing_since = failing_since.filter(|since| *since != 0);
        // While the shard cannot be read, nobody knows what waits in it: it is not older than this.
        let oldest = window.oldest().into_iter().chain(failing_since).min();
        let now = self.work.store.now_millis();
        self.work.lag.note(&self.id, oldest, now);
        let nothing_since = Some(self.nothing_since.load(Ordering::Acquire));
        let read = nothing_since.filter(|since| *since != 0).max(self.read);
        let waits = window.oldest().map(|oldest| oldest - 1);
        let mark = Mark {
            reached: read.map(|read| waits.map_or(read, |waits| waits.min(read))),
            waits_since: oldest,
        };
        self.work.progress.note(&self.id, mark);
    }

    /// How far all is handled. While records wait in shards before it, that is nowhere: should this process die, all of them come again, and what comes after them must too.
    fn reached(&self, window: &Pending<H>) -> Option<Position> {
        let reached = window.reached().filter(|_| self.before.is_over());
        reached.cloned()
    }

    /// Writes down how far all is handled, and that this process lives.
    async fn give_a_sign(&mut self, window: &Pending<H>) {
        let (reached, ended) = (self.reached(window), window.ended());
        let news = reached.as_ref().filter(|_| reached != self.written);
        match self.going.held.keep(news).await {
            Ok(kept) => {
                (self.written, self.ended) = (reached, ended);
                if kept == Kept::Wanted {
                    self.going.leave();
                }
            }
            Err(NotKept::Lost) => self.going.be_gone(),
            Err(NotKept::Unknown(error)) => self.warn("a checkpoint could not be written", &error),
        }
    }

    fn warn(&self, what: &str, error: &dyn std::error::Error) {
        tracing::warn!(consumer = %self.work.consumer, shard = %self.id.shard, %error, "{what}");
    }
}

async fn at(moment: Option<tokio::time::Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

async fn alone(lingering: Option<&Lingering>) {
    match lingering {
        Some(lingering) => lingering.is_alone().await,
        None => std::future::pending().await,
    }
}
