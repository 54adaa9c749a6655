//! The records of a shard for a handler that takes many at once: some are being handled, the others wait until they are enough or have waited long enough.

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::attempt::{Ended, Work};
use crate::going::Going;
use crate::handler::{Handler, Shard, Takes};
use crate::record::Came;
use crate::source::{Position, ShardId};

/// The records of a shard for a handler that takes many at once.
#[derive(Debug)]
pub(crate) struct Batches<H> {
    work: Arc<Work<H>>,
    going: Arc<Going>,
    shard: Shard,
    takes: Takes,
    waiting: VecDeque<(Came, usize)>,
    /// What those that wait are in memory.
    bytes: usize,
    /// When those that wait are handled though they are not enough.
    due: Option<Instant>,
    running: JoinSet<Ended>,
    /// Of those being handled: when the oldest happened, from where one would read on after the last, and how many they are.
    taken: Option<(i64, Option<Position>, u64)>,
    reached: Option<Position>,
    ended: u64,
}

impl<H: Handler> Batches<H> {
    pub(crate) fn new(work: &Arc<Work<H>>, going: &Arc<Going>, id: &ShardId, takes: Takes) -> Self {
        Batches {
            work: Arc::clone(work),
            going: Arc::clone(going),
            shard: id.told(),
            takes,
            waiting: VecDeque::new(),
            bytes: 0,
            due: None,
            running: JoinSet::new(),
            taken: None,
            reached: None,
            ended: 0,
        }
    }

    pub(crate) fn push(&mut self, records: Vec<Came>) {
        for came in records {
            let weight = match &came {
                Came::Record(record) => record.weight(),
                Came::Unreadable(_) | Came::Lost(_) => 0,
            };
            self.bytes += weight;
            self.waiting.push_back((came, weight));
        }
        if !self.waiting.is_empty() && self.due.is_none() {
            self.due = Some(Instant::now() + self.takes.wait);
        }
    }

    /// Waits until those being handled have come to an end or were left; where there are none, until those that wait are due, and begins.
    pub(crate) async fn one_ends(&mut self) {
        if self.running.is_empty() {
            if let Some(due) = self.due.filter(|_| !self.is_enough()) {
                tokio::time::sleep_until(due).await;
            }
            self.begin();
            return;
        }
        match self.running.join_next().await {
            Some(Ok(Ended::Handled | Ended::Dead)) => {
                if let Some((_, last, many)) = self.taken.take() {
                    self.reached = last.or(self.reached.take());
                    self.ended += many;
                }
            }
            // It and all after it are for whoever reads the shard next.
            Some(Ok(Ended::Left)) => self.going.leave(),
            Some(Err(error)) => {
                tracing::error!(consumer = %self.work.consumer, %error, "an attempt broke off");
                self.going.leave();
            }
            None => {}
        }
    }

    fn is_enough(&self) -> bool {
        self.waiting.len() >= self.takes.many || self.bytes >= self.takes.bytes
    }

    fn begin(&mut self) {
        let mut taken = Vec::new();
        let mut bytes = 0;
        while taken.len() < self.takes.many.max(1) && bytes < self.takes.bytes.max(1) {
            // What was lost is told by itself, after what came before it.
            let is_one_more = |(came, _): &mut (Came, usize)| taken.is_empty() || !came.is_lost();
            let Some((came, weight)) = self.waiting.pop_front_if(is_one_more) else {
                break;
            };
            bytes += weight;
            let is_lost = came.is_lost();
            taken.push(came);
            if is_lost {
                break;
            }
        }
        self.bytes -= bytes;
        self.due = (!self.waiting.is_empty()).then(|| Instant::now() + self.takes.wait);
        let Some(oldest) = taken.first().map(Came::happened) else {
            return;
        };
        let last = taken.iter().rev().find_map(Came::position);
        self.taken = Some((oldest, last, taken.len() as u64));
        let (work, going) = (Arc::clone(&self.work), Arc::clone(&self.going));
        let shard = self.shard.clone();
        self.running
            .spawn(async move { work.all_through(&shard, &taken, &going).await });
    }

    pub(crate) fn reached(&self) -> Option<&Position> {
        self.reached.as_ref()
    }

    pub(crate) fn oldest(&self) -> Option<i64> {
        let taken = self.taken.as_ref().map(|(oldest, ..)| *oldest);
        taken.or_else(|| self.waiting.front().map(|(came, _)| came.happened()))
    }

    /// While some are handled, as many again may come.
    pub(crate) fn has_room(&self) -> bool {
        !self.is_enough()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.taken.is_none()
    }

    pub(crate) fn is_running(&self) -> bool {
        !self.running.is_empty()
    }

    pub(crate) fn ended(&self) -> u64 {
        self.ended
    }
}
