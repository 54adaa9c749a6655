//! The records of a shard that were read and have not come to an end: those of one line one after another, those of different lines at the same time.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use tokio::task::JoinSet;

use crate::attempt::{Ended, Work};
use crate::going::Going;
use crate::handler::Handler;
use crate::lanes::Lanes;
use crate::record::Came;
use crate::rest::{Before, Lingering, Rests};
use crate::source::{Position, ShardId};

/// Records that were read and have not come to an end. What has is forgotten at once, however long something before it takes.
#[derive(Debug)]
pub(crate) struct Window<H> {
    work: Arc<Work<H>>,
    going: Arc<Going>,
    lanes: Arc<Lanes>,
    /// By their order in the shard.
    open: BTreeMap<u64, Open>,
    /// A line that is here has one record under way, or held; these come after it.
    lines: HashMap<String, VecDeque<u64>>,
    /// Lines of which records wait in shards before this one, each with its first here: none is under way.
    held: HashMap<String, u64>,
    before: Before,
    /// When the shard was read to its end, and children may begin: who is told which lines have come to their ends.
    lingering: Option<Arc<Lingering>>,
    running: JoinSet<(u64, Ended)>,
    next: u64,
    /// From where one would read on after the last that came.
    last: Option<Position>,
}

/// A record that has not come to an end.
#[derive(Debug)]
struct Open {
    came: Came,
    line: String,
    /// From where it was read: up to there all is handled when it is the oldest.
    after: Option<Position>,
}

impl<H: Handler> Window<H> {
    pub(crate) fn new(work: &Arc<Work<H>>, going: &Arc<Going>, before: &Before) -> Self {
        Window {
            work: Arc::clone(work),
            going: Arc::clone(going),
            lanes: Arc::new(Lanes::new(&work.options, before)),
            open: BTreeMap::new(),
            lines: HashMap::new(),
            held: HashMap::new(),
            before: before.clone(),
            lingering: None,
            running: JoinSet::new(),
            next: 0,
            last: None,
        }
    }

    /// Begins with records, in the order in which they are in the shard.
    pub(crate) fn push(&mut self, records: Vec<Came>) {
        for came in records {
            let number = self.next;
            self.next += 1;
            let line = match &came {
                Came::Record(record) => self.work.line(record),
                // Nobody knows which item it is of.
                Came::Unreadable(unreadable) => unreadable.event_id.clone(),
                Came::Lost(_) => String::from("lost"),
            };
            let after = self.last.clone();
            self.last = came.position().or(self.last.take());
            let open = Open {
                came,
                line: line.clone(),
                after,
            };
            self.open.insert(number, open);
            match self.lines.get_mut(&line) {
                Some(waiting) => waiting.push_back(number),
                None => {
                    self.lines.insert(line.clone(), VecDeque::new());
                    match self.before.holds(&line) {
                        true => drop(self.held.insert(line, number)),
                        false => self.begin(number),
                    }
                }
            }
        }
    }

    /// Begins with what no longer waits for shards before this one.
    pub(crate) fn release(&mut self) {
        let before = &self.before;
        let free = self.held.extract_if(|line, _| !before.holds(line));
        let free: Vec<u64> = free.map(|(_, number)| number).collect();
        for number in free {
            self.begin(number);
        }
    }

    /// The shard was read to its end: its children need not wait for the whole of it any more.
    pub(crate) fn linger(&mut self, rests: &Arc<Rests>, id: &ShardId) -> Arc<Lingering> {
        let open = self.lines.keys().cloned().collect();
        let lingering = rests.linger(id, open, &self.lanes, &self.before);
        let lingering = Arc::new(lingering);
        self.lingering = Some(Arc::clone(&lingering));
        lingering
    }

    fn begin(&mut self, number: u64) {
        let Some(open) = self.open.get(&number) else {
            return;
        };
        let came = open.came.clone();
        let (work, going) = (Arc::clone(&self.work), Arc::clone(&self.going));
        let lanes = Arc::clone(&self.lanes);
        self.running
            .spawn(async move { (number, work.through(&came, &going, &lanes).await) });
    }

    /// Waits until a record has come to an end or was left, and begins with the next of its line.
    pub(crate) async fn one_ends(&mut self) {
        match self.running.join_next().await {
            Some(Ok((number, Ended::Handled | Ended::Dead))) => self.end(number),
            // It and all after it are for whoever reads the shard next.
            Some(Ok((_, Ended::Left))) => self.going.leave(),
            // Handlers that panic have failed, and nobody else does.
            Some(Err(error)) => {
                tracing::error!(consumer = %self.work.consumer, %error, "an attempt broke off");
                self.going.leave();
            }
            None => {}
        }
    }

    fn end(&mut self, number: u64) {
        self.lanes.count();
        let Some(open) = self.open.remove(&number) else {
            return;
        };
        let next = self.lines.get_mut(&open.line).and_then(VecDeque::pop_front);
        match next {
            Some(next) => self.begin(next),
            None => {
                self.lines.remove(&open.line);
                if let Some(lingering) = &self.lingering {
                    lingering.close(&open.line);
                }
            }
        }
    }

    /// From where whoever reads the shard next reads on: all before that came to an end.
    pub(crate) fn reached(&self) -> Option<&Position> {
        match self.open.first_key_value() {
            Some((_, oldest)) => oldest.after.as_ref(),
            None => self.last.as_ref(),
        }
    }

    /// When the oldest happened that has not come to an end.
    pub(crate) fn oldest(&self) -> Option<i64> {
        let oldest = self.open.first_key_value();
        oldest.map(|(_, oldest)| oldest.came.happened())
    }

    /// Whether more may come. What comes after a loss does when that is told.
    pub(crate) fn has_room(&self) -> bool {
        !self.tells_of_a_loss() && self.open.len() < self.work.options.ahead.max(1)
    }

    pub(crate) fn tells_of_a_loss(&self) -> bool {
        let last = self.open.last_key_value();
        last.is_some_and(|(_, last)| last.came.is_lost())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    pub(crate) fn is_running(&self) -> bool {
        !self.running.is_empty()
    }

    /// How many have come to an end.
    pub(crate) fn ended(&self) -> u64 {
        self.lanes.ended()
    }
}
