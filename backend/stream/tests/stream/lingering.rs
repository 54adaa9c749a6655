//! Shards that have ended, and of which records still wait: their children begin, and only what is of the same item waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tablewright_stream::model::{Lease, Stream};
use tablewright_stream::{Failure, Handler, Options, Record, Turn};

use crate::stand_in::StandIn;
use crate::support::{Notebook, World, quick, until};

/// The event that waits.
const WAITS: &str = "waits";

/// What it waits for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum For {
    Turn,
    World,
}

/// Writes down what comes, but for the event that waits until it need not any more.
#[derive(Clone)]
struct Waits {
    what_for: For,
    is_time: Arc<AtomicBool>,
    notebook: Notebook,
}

impl Waits {
    fn new(what_for: For) -> Self {
        Waits {
            what_for,
            is_time: Arc::default(),
            notebook: Notebook::default(),
        }
    }

    fn waits(&self, what_for: For, record: &Record) -> bool {
        self.what_for == what_for
            && record.event_id == WAITS
            && !self.is_time.load(Ordering::SeqCst)
    }

    fn came(&self) -> Vec<String> {
        let records = self.notebook.records();
        records.iter().map(|one| one.event_id.clone()).collect()
    }

    fn has(&self, event: &str) -> bool {
        self.came().iter().any(|came| came == event)
    }
}

impl Handler for Waits {
    async fn handle(&self, record: Arc<Record>) -> Result<(), Failure> {
        if self.waits(For::World, &record) {
            return Err(Failure::World(String::from("not yet")));
        }
        self.notebook.note(record);
        Ok(())
    }

    async fn turn(&self, record: Arc<Record>) -> Turn {
        while self.waits(For::Turn, &record) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Turn::default()
    }
}

/// The records of the stand-in are old.
fn patient() -> Options {
    let mut options = quick();
    options.oldest = Duration::from_secs(100 * 365 * 24 * 3600);
    options
}

/// Three generations: in the first a record waits, and in each of the others is one of the same item and one of another.
fn generations() -> StandIn {
    let stand_in = StandIn::new();
    stand_in.shard("parent", None);
    stand_in.put("parent", "before");
    stand_in.put("parent", WAITS);
    stand_in.put("parent", "after");
    stand_in.end("parent");
    for (shard, parent) in [("child", "parent"), ("grandchild", "child")] {
        stand_in.shard(shard, Some(parent));
        stand_in.put_of(shard, &format!("{shard} of the same"), WAITS);
        stand_in.put(shard, &format!("{shard} of another"));
    }
    stand_in.end("child");
    stand_in
}

async fn leases(world: &World) -> Vec<Lease> {
    let leases = Stream::new(&world.store).leases.leases("reader");
    let leases = leases.all().collect().await.unwrap();
    leases.into_iter().map(|lease| lease.data).collect()
}

/// What is of the same item came in its order, however often.
fn is_in_order(came: &[String]) {
    let of_the_same = [WAITS, "child of the same", "grandchild of the same"];
    let first = |event: &str| came.iter().position(|one| one == event);
    let places: Vec<Option<usize>> = of_the_same.iter().map(|event| first(event)).collect();
    assert!(places.is_sorted() && places[0].is_some(), "{came:?}");
}

async fn only_its_own_item_waits(what_for: For) {
    let (world, stand_in, handler) = (World::new().await, generations(), Waits::new(what_for));
    let running = world.start_on("reader", patient(), stand_in.client(), handler.clone());
    let others = [
        "before",
        "after",
        "child of another",
        "grandchild of another",
    ];
    until(|| others.iter().all(|event| handler.has(event))).await;
    assert_eq!(handler.came().len(), others.len(), "{:?}", handler.came());
    // Were this process to die, all would come again in its order: nothing is written down of what came after.
    for lease in leases(&world).await {
        assert!(!lease.ended, "{lease:?}");
        assert!(
            lease.shard == "parent" || lease.after.is_none(),
            "{lease:?}"
        );
    }
    handler.is_time.store(true, Ordering::SeqCst);
    until(|| handler.came().len() == 7).await;
    is_in_order(&handler.came());
    // Then each is written down as it always is.
    loop {
        let leases = leases(&world).await;
        let ended = leases.iter().filter(|lease| lease.ended);
        let mut ended: Vec<&str> = ended.map(|lease| lease.shard.as_str()).collect();
        ended.sort_unstable();
        let open = leases.iter().find(|lease| lease.shard == "grandchild");
        if ended == ["child", "parent"] && open.is_some_and(|lease| lease.after.is_some()) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    stand_in.put("grandchild", "later");
    until(|| handler.has("later")).await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_that_waits_for_its_turn_holds_up_no_child_of_its_shard() {
    only_its_own_item_waits(For::Turn).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_record_that_waits_for_the_world_holds_up_no_child_of_its_shard() {
    only_its_own_item_waits(For::World).await;
}

/// Whoever takes over, after a stop in order or a crash, begins with the parent: all of it comes again, in its order.
#[tokio::test(flavor = "multi_thread")]
async fn what_came_past_one_that_waits_comes_again_in_order() {
    let (world, stand_in) = (World::new().await, generations());
    let last = "grandchild of another";
    for is_killed in [false, true] {
        let handler = Waits::new(For::Turn);
        let running = world.start_on("reader", patient(), stand_in.client(), handler.clone());
        until(|| handler.has(last)).await;
        assert!(!handler.has("child of the same"));
        match is_killed {
            true => running.kill().await,
            false => running.stop().await,
        }
    }
    let handler = Waits::new(For::Turn);
    handler.is_time.store(true, Ordering::SeqCst);
    let running = world.start_on("reader", patient(), stand_in.client(), handler.clone());
    until(|| handler.has(last) && handler.has("grandchild of the same")).await;
    running.stop().await;
    is_in_order(&handler.came());
}

/// Of two processes the one that has the parent has its children until it is over; then they are shared.
#[tokio::test(flavor = "multi_thread")]
async fn children_are_read_by_who_has_the_parent_until_it_is_over() {
    let (world, stand_in) = (World::new().await, generations());
    let (one, other) = (Waits::new(For::Turn), Waits::new(For::Turn));
    let running = world.start_on("reader", patient(), stand_in.client(), one.clone());
    until(|| one.has("grandchild of another")).await;
    let second = world.start_on("reader", patient(), stand_in.client(), other.clone());
    // If it were read by both, the second would not wait for what waits in the first.
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(!one.has("child of the same") && !other.has("child of the same"));
    for handler in [&one, &other] {
        handler.is_time.store(true, Ordering::SeqCst);
    }
    until(|| one.has("grandchild of the same") || other.has("grandchild of the same")).await;
    running.stop().await;
    second.stop().await;
}
