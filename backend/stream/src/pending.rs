//! What was read of a shard and has not come to an end: records that come one by one, or together.

use std::sync::Arc;

use crate::attempt::Work;
use crate::batches::Batches;
use crate::going::Going;
use crate::handler::Handler;
use crate::record::Came;
use crate::rest::{Before, Lingering, Rests};
use crate::source::{Position, ShardId};
use crate::window::Window;

/// What was read of a shard and has not come to an end.
#[derive(Debug)]
pub(crate) enum Pending<H> {
    /// One by one.
    Each(Window<H>),
    /// As many together as the handler takes.
    Together(Batches<H>),
}

impl<H: Handler> Pending<H> {
    pub(crate) fn new(
        work: &Arc<Work<H>>,
        going: &Arc<Going>,
        id: &ShardId,
        before: &Before,
    ) -> Self {
        match work.handler.takes() {
            None => Pending::Each(Window::new(work, going, before)),
            Some(takes) => Pending::Together(Batches::new(work, going, id, takes)),
        }
    }

    /// More records, in the order in which they are in the shard.
    pub(crate) fn push(&mut self, records: Vec<Came>) {
        match self {
            Pending::Each(window) => window.push(records),
            Pending::Together(batches) => batches.push(records),
        }
    }

    /// Begins with what no longer waits for shards before this one.
    pub(crate) fn release(&mut self) {
        match self {
            Pending::Each(window) => window.release(),
            Pending::Together(_) => {}
        }
    }

    /// Lets the children of the shard begin; none where they must wait for the whole of it, since all of it comes one after another.
    pub(crate) fn linger(&mut self, rests: &Arc<Rests>, id: &ShardId) -> Option<Arc<Lingering>> {
        match self {
            Pending::Each(window) => Some(window.linger(rests, id)),
            Pending::Together(_) => None,
        }
    }

    /// Whether the children of the shard must wait until it is told that changes are lost.
    pub(crate) fn tells_of_a_loss(&self) -> bool {
        match self {
            Pending::Each(window) => window.tells_of_a_loss(),
            Pending::Together(_) => false,
        }
    }

    /// Waits until something has come to an end, was left or begins.
    pub(crate) async fn one_ends(&mut self) {
        match self {
            Pending::Each(window) => window.one_ends().await,
            Pending::Together(batches) => batches.one_ends().await,
        }
    }

    /// From where whoever reads the shard next reads on: all before that came to an end.
    pub(crate) fn reached(&self) -> Option<&Position> {
        match self {
            Pending::Each(window) => window.reached(),
            Pending::Together(batches) => batches.reached(),
        }
    }

    /// When the oldest happened that has not come to an end.
    pub(crate) fn oldest(&self) -> Option<i64> {
        match self {
            Pending::Each(window) => window.oldest(),
            Pending::Together(batches) => batches.oldest(),
        }
    }

    /// Whether more may come.
    pub(crate) fn has_room(&self) -> bool {
        match self {
            Pending::Each(window) => window.has_room(),
            Pending::Together(batches) => batches.has_room(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Pending::Each(window) => window.is_empty(),
            Pending::Together(batches) => batches.is_empty(),
        }
    }

    pub(crate) fn is_running(&self) -> bool {
        match self {
            Pending::Each(window) => window.is_running(),
            Pending::Together(batches) => batches.is_running(),
        }
    }

    /// Whether something waits for others and then begins.
    pub(crate) fn begins(&self) -> bool {
        match self {
            Pending::Each(_) => false,
            Pending::Together(batches) => !batches.is_empty(),
        }
    }

    /// How many have come to an end.
    pub(crate) fn ended(&self) -> u64 {
        match self {
            Pending::Each(window) => window.ended(),
            Pending::Together(batches) => batches.ended(),
        }
    }
}
