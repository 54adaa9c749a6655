//! What is left of shards that were read to their ends: records that wait. Their children begin all the same, in the same process, and only what is of the same line waits for them.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use crate::lanes::Lanes;
use crate::source::ShardId;

/// How often it is looked whether nobody depends on a rest any more.
const STEP: Duration = Duration::from_millis(20);

/// The rests of a consumer in this process.
#[derive(Debug)]
pub(crate) struct Rests {
    all: Mutex<HashMap<ShardId, Arc<Rest>>>,
    changed: watch::Sender<()>,
}

/// What is left of one shard.
#[derive(Debug)]
pub(crate) struct Rest {
    state: Mutex<State>,
    /// Where what is done after it is counted, for those that still wait.
    lanes: Arc<Lanes>,
    /// What was left before it.
    before: Before,
}

#[derive(Debug)]
struct State {
    /// The lines that have records which have not come to an end.
    open: HashSet<String>,
    fate: Fate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// Records wait.
    Open,
    /// All has come to an end, and that is written down.
    Over,
    /// Whoever reads the shard next begins again.
    Left,
}

/// A rest, for the reader of its shard. It is left when this is dropped, unless it is over.
#[derive(Debug)]
pub(crate) struct Lingering {
    id: ShardId,
    rest: Arc<Rest>,
    rests: Arc<Rests>,
}

/// What must be over before a shard: its parents, and theirs.
#[derive(Debug, Clone)]
pub(crate) struct Before {
    rests: Vec<Arc<Rest>>,
    changed: watch::Receiver<()>,
}

impl Default for Rests {
    fn default() -> Self {
        Rests {
            all: Mutex::default(),
            changed: watch::Sender::new(()),
        }
    }
}

impl Rests {
    /// The shards of which something is left, as they are now.
    pub(crate) fn now(&self) -> HashMap<ShardId, Arc<Rest>> {
        held(&self.all).clone()
    }

    /// What must be over before a shard with these parents, of what is left.
    pub(crate) fn before(
        &self,
        rests: &HashMap<ShardId, Arc<Rest>>,
        parents: &[ShardId],
    ) -> Before {
        let mut before = Before {
            rests: Vec::new(),
            changed: self.changed.subscribe(),
        };
        for parent in parents.iter().filter_map(|parent| rests.get(parent)) {
            before.rests.push(Arc::clone(parent));
            let earlier = parent.before.rests.iter().cloned();
            before.rests.extend(earlier);
        }
        before
    }

    /// From now on children of a shard may begin.
    pub(crate) fn linger(
        self: &Arc<Self>,
        id: &ShardId,
        open: HashSet<String>,
        lanes: &Arc<Lanes>,
        before: &Before,
    ) -> Lingering {
        let rest = Arc::new(Rest {
            state: Mutex::new(State {
                open,
                fate: Fate::Open,
            }),
            lanes: Arc::clone(lanes),
            before: before.clone(),
        });
        held(&self.all).insert(id.clone(), Arc::clone(&rest));
        Lingering {
            id: id.clone(),
            rest,
            rests: Arc::clone(self),
        }
    }
}

impl Lingering {
    /// All records of a line have come to an end.
    pub(crate) fn close(&self, line: &str) {
        held(&self.rest.state).open.remove(line);
        self.rests.changed.send_replace(());
    }

    /// All has come to an end, and that is written down.
    pub(crate) fn over(&self) {
        self.becomes(Fate::Over);
    }

    /// The shard is for whoever reads it next, and so are those after it.
    pub(crate) fn leave(&self) {
        self.becomes(Fate::Left);
    }

    fn becomes(&self, fate: Fate) {
        let mut state = held(&self.rest.state);
        if state.fate == Fate::Open {
            state.fate = fate;
        }
        drop(state);
        held(&self.rests.all).remove(&self.id);
        self.rests.changed.send_replace(());
    }

    /// Waits until no shard after it is read by this process.
    pub(crate) async fn is_alone(&self) {
        while self.has_children() {
            tokio::time::sleep(STEP).await;
        }
    }

    /// Whether a shard after it may be read by this process.
    pub(crate) fn has_children(&self) -> bool {
        // One is ours, and one that of all rests.
        let ours = 1 + usize::from(held(&self.rests.all).contains_key(&self.id));
        Arc::strong_count(&self.rest) > ours
    }
}

impl Drop for Lingering {
    fn drop(&mut self) {
        self.leave();
    }
}

impl Before {
    /// Whether records of a line still wait.
    pub(crate) fn holds(&self, line: &str) -> bool {
        let mut rests = self.rests.iter();
        rests.any(|rest| held(&rest.state).open.contains(line))
    }

    /// Whether all has come to an end.
    pub(crate) fn is_over(&self) -> bool {
        let mut rests = self.rests.iter();
        rests.all(|rest| held(&rest.state).fate == Fate::Over)
    }

    /// Whether somebody else begins again with what was left.
    pub(crate) fn is_left(&self) -> bool {
        let mut rests = self.rests.iter();
        rests.any(|rest| held(&rest.state).fate == Fate::Left)
    }

    /// Something was done for a record after these: whoever waits for the world meanwhile is told so.
    pub(crate) fn pass(&self) {
        for rest in &self.rests {
            rest.lanes.one_passed();
        }
    }

    /// Waits until something may have changed.
    pub(crate) async fn changed(&mut self) {
        if self.changed.changed().await.is_err() {
            // Nobody is left who could change it.
            std::future::pending::<()>().await;
        }
    }
}

/// What is in it is whole, whatever happened to whoever held it.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
