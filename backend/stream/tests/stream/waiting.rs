//! What waits holds up nothing but its own item, and nobody who is told to stop.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tablewright_stream::model::Stream;
use tablewright_stream::{DeadLetters, Did, Failure, Handler, Record, Turn};
use tokio::sync::Semaphore;

use crate::stand_in::StandIn;
use crate::support::{Notebook, World, quick, title, until};

/// Something that is down for some.
#[derive(Debug, Clone, Default)]
struct Outage {
    is_over: Arc<AtomicBool>,
    /// The titles that were tried in vain.
    tried: Arc<Mutex<BTreeSet<String>>>,
    came: Notebook,
}

impl Outage {
    /// A handler that cannot handle titles with this beginning until it is over.
    fn handler(&self, beginning: &'static str) -> impl Handler + use<> {
        let outage = self.clone();
        move |record: Arc<Record>| {
            let outage = outage.clone();
            async move {
                let title = title(&record).unwrap_or_default();
                let is_over = outage.is_over.load(Ordering::SeqCst);
                if title.starts_with(beginning) && !is_over {
                    outage.tried.lock().unwrap().insert(title);
                    return Err(Failure::World(String::from("down")));
                }
                outage.came.note(record);
                Ok(())
            }
        }
    }

    fn tried(&self) -> usize {
        self.tried.lock().unwrap().len()
    }

    /// The titles that came, each once.
    fn came(&self) -> BTreeSet<String> {
        self.came.titles().into_iter().collect()
    }
}

/// Far more than there are lanes wait, and what is written afterwards comes all the same; nothing is lost when the reader stops meanwhile, and the order of each item holds.
#[tokio::test(flavor = "multi_thread")]
async fn what_waits_holds_up_no_other_item() {
    let world = World::new().await;
    let mut options = quick();
    options.lanes = 2;
    let outage = Outage::default();
    let mut stuck = Vec::new();
    for number in 0..10 {
        stuck.push(world.write("ada", &format!("stuck {number}")).await);
    }
    let running = world.start("reader", options, outage.handler("stuck"));
    until(|| outage.tried() == 10).await;
    for task in &stuck {
        world.rename(task, &format!("after {}", task.title)).await;
    }
    for number in 0..30 {
        world.write("bob", &format!("free {number}")).await;
    }
    until(|| outage.came().len() == 30).await;
    assert!(outage.came().iter().all(|title| title.starts_with("free")));
    running.stop().await;

    let running = world.start("reader", options, outage.handler("stuck"));
    outage.is_over.store(true, Ordering::SeqCst);
    until(|| outage.came().len() == 50).await;
    running.stop().await;
    let titles = outage.came.titles();
    let place = |wanted: &str| titles.iter().position(|title| title == wanted).unwrap();
    for task in &stuck {
        assert!(place(&task.title) < place(&format!("after {}", task.title)));
    }
    let letters = DeadLetters::new(&world.store).of("reader").all().collect();
    assert!(letters.await.unwrap().is_empty());
}

/// When more wait than there are places for, they keep the lanes, by turns: others come through more slowly, and do come.
#[tokio::test(flavor = "multi_thread")]
async fn those_who_wait_take_turns_with_the_others() {
    let world = World::new().await;
    let mut options = quick();
    (options.lanes, options.aside) = (1, 0);
    let outage = Outage::default();
    for number in 0..5 {
        world.write("ada", &format!("stuck {number}")).await;
    }
    let running = world.start("reader", options, outage.handler("stuck"));
    until(|| outage.tried() == 5).await;
    for number in 0..5 {
        world.write("bob", &format!("free {number}")).await;
    }
    until(|| outage.came().len() == 5).await;
    outage.is_over.store(true, Ordering::SeqCst);
    until(|| outage.came().len() == 10).await;
    running.stop().await;
}

/// One that the world seems to be against while many others come through is at fault itself: after a crash all of them would come again.
#[tokio::test(flavor = "multi_thread")]
async fn one_past_which_many_came_is_a_dead_letter() {
    let world = World::new().await;
    let mut options = quick();
    options.passed = 10;
    let outage = Outage::default();
    world.write("ada", "stuck").await;
    let running = world.start("reader", options, outage.handler("stuck"));
    until(|| outage.tried() == 1).await;
    for number in 0..30 {
        world.write("bob", &format!("free {number}")).await;
    }
    let dead = DeadLetters::new(&world.store);
    while dead.of("reader").all().collect().await.unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    until(|| outage.came().len() == 30).await;
    running.stop().await;
}

/// A handler that lets titles with this beginning wait for their turn.
struct InTurns<H>(H, &'static str, Arc<Semaphore>);

impl<H: Handler> Handler for InTurns<H> {
    async fn handle(&self, record: Arc<Record>) -> Result<(), Failure> {
        self.0.handle(record).await
    }

    async fn turn(&self, record: Arc<Record>) -> Turn {
        match title(&record).unwrap_or_default().starts_with(self.1) {
            true => Turn::holding(Arc::clone(&self.2).acquire_owned().await.unwrap()),
            false => Turn::default(),
        }
    }
}

/// Waiting for one's turn is no attempt and takes neither a lane nor a place aside; a turn lasts until the record has come to an end, and who is told to stop waits for none.
#[tokio::test(flavor = "multi_thread")]
async fn what_waits_for_its_turn_holds_up_nobody_and_never_dies_of_it() {
    let world = World::new().await;
    let mut options = quick();
    (options.lanes, options.aside, options.attempts) = (1, 1, 1);
    let outage = Outage::default();
    for number in 0..10 {
        world.write("ada", &format!("stuck {number}")).await;
    }
    let turns = Arc::new(Semaphore::new(1));
    let handler = || InTurns(outage.handler("stuck"), "stuck", Arc::clone(&turns));
    let running = world.start("reader", options, handler());
    until(|| outage.tried() == 1).await;
    for number in 0..30 {
        world.write("bob", &format!("free {number}")).await;
    }
    until(|| outage.came().len() == 30).await;
    assert_eq!(outage.tried(), 1, "the others had no turn");
    running.stop().await;
    assert_eq!(turns.available_permits(), 1);

    let running = world.start("reader", options, handler());
    outage.is_over.store(true, Ordering::SeqCst);
    until(|| outage.came().len() == 40).await;
    running.stop().await;
    let letters = DeadLetters::new(&world.store).of("reader").all().collect();
    assert!(letters.await.unwrap().is_empty());
}

/// A handler of an outage for which many records mean nothing.
struct Choosy<H>(H);

impl<H: Handler> Handler for Choosy<H> {
    async fn handle(&self, record: Arc<Record>) -> Result<(), Failure> {
        self.attempt(record).await.map(drop)
    }

    async fn attempt(&self, record: Arc<Record>) -> Result<Did, Failure> {
        let means_something = title(&record).unwrap_or_default().starts_with("free");
        let did = self.0.attempt(record).await?;
        Ok(if means_something { did } else { Did::Nothing })
    }
}

/// During an outage much may come by that does not need what is down. It does not show that the outage is over.
#[tokio::test(flavor = "multi_thread")]
async fn what_means_nothing_to_a_handler_is_no_proof_against_one_that_waits() {
    let world = World::new().await;
    let mut options = quick();
    (options.passed, options.longest_wait) = (10, Duration::from_millis(20));
    let outage = Outage::default();
    world.write("ada", "stuck").await;
    let running = world.start("reader", options, Choosy(outage.handler("stuck")));
    until(|| outage.tried() == 1).await;
    for number in 0..30 {
        world.write("bob", &format!("nothing {number}")).await;
    }
    until(|| outage.came().len() == 30).await;
    // An attempt that began after the last of them, and another that follows upon its failure.
    for _ in 0..2 {
        outage.tried.lock().unwrap().clear();
        until(|| outage.tried() == 1).await;
    }
    let dead = DeadLetters::new(&world.store);
    let letters = async || dead.of("reader").all().collect().await.unwrap().len();
    assert_eq!(letters().await, 0);
    for number in 0..30 {
        world.write("bob", &format!("free {number}")).await;
    }
    while letters().await == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    running.stop().await;
}

/// A wish to try a dead letter again that meets the world: it has its outcome after some attempts, whoever is told to stop does not wait for it, and the wish is there until then.
#[tokio::test(flavor = "multi_thread")]
async fn a_replay_hears_that_it_is_to_stop_and_is_not_forgotten() {
    let world = World::new().await;
    let mut options = quick();
    options.passed = 0;
    let outage = Outage::default();
    world.write("ada", "stuck").await;
    let running = world.start("reader", options, outage.handler("stuck"));
    until(|| outage.tried() == 1).await;
    let dead = DeadLetters::new(&world.store);
    let letters = async || dead.of("reader").all().collect().await.unwrap();
    while letters().await.is_empty() {
        world.write("bob", "free").await;
    }
    let letter = letters().await.remove(0);

    dead.ask_again("reader", &letter.event_id).await.unwrap();
    while letters().await[0].attempts < letter.attempts + i64::from(options.attempts) {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    running.stop().await;
    let asked = async || {
        let replays = Stream::new(&world.store).replays.replays("reader");
        replays.all().collect().await.unwrap().len()
    };
    assert_eq!(asked().await, 0, "it had its outcome");

    // It would wait for an hour.
    (options.first_wait, options.longest_wait) =
        (Duration::from_secs(3600), Duration::from_secs(3600));
    dead.ask_again("reader", &letter.event_id).await.unwrap();
    outage.tried.lock().unwrap().clear();
    let running = world.start("reader", options, outage.handler("stuck"));
    until(|| outage.tried() == 1).await;
    // Meanwhile everything else goes on.
    world.write("bob", "meanwhile").await;
    until(|| outage.came().contains("meanwhile")).await;
    running.stop().await;
    assert_eq!(asked().await, 1, "whoever comes next tries it");

    outage.is_over.store(true, Ordering::SeqCst);
    let running = world.start("reader", quick(), outage.handler("stuck"));
    until(|| outage.came().contains("stuck")).await;
    while !letters().await.is_empty() || asked().await > 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    running.stop().await;
}

/// An attempt that does not end is broken off when it is time to stop, and comes again.
#[tokio::test(flavor = "multi_thread")]
async fn stopping_does_not_wait_for_an_attempt_that_does_not_end() {
    let world = World::new().await;
    world.write("ada", "endless").await;
    let mut options = quick();
    options.grace = Duration::from_millis(50);
    let begun = Arc::new(AtomicBool::new(false));
    let begins = Arc::clone(&begun);
    let running = world.start("reader", options, move |_: Arc<Record>| {
        begins.store(true, Ordering::SeqCst);
        std::future::pending::<Result<(), Failure>>()
    });
    until(|| begun.load(Ordering::SeqCst)).await;
    running.stop().await;
    let notebook = Notebook::default();
    let running = world.start("reader", quick(), notebook.handler());
    notebook.has(1).await;
    running.stop().await;
    assert_eq!(notebook.titles(), ["endless"]);
}

/// A lease that ran out while its process was busy, and that nobody has taken: what was left meanwhile is taken up again.
#[tokio::test(flavor = "multi_thread")]
async fn who_was_silent_for_too_long_and_not_succeeded_goes_on() {
    let world = World::new().await;
    for number in 0..5 {
        world.write("ada", &number.to_string()).await;
    }
    let notebook = Notebook::default();
    let (store, engine, book) = (world.store.clone(), world.engine.clone(), notebook.clone());
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    // The whole thread of its only worker is busy: it neither handles nor renews.
    let silent = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async move {
            let was_busy = AtomicBool::new(false);
            let handler = move |record: Arc<Record>| {
                if !was_busy.swap(true, Ordering::SeqCst) {
                    std::thread::sleep(Duration::from_millis(1500));
                }
                book.note(record);
                async { Ok::<(), Failure>(()) }
            };
            let mut options = quick();
            options.lanes = 1;
            let table = &<todo::model::Task as tablewright::Entity>::descriptor().table;
            let consumer = tablewright_stream::Consumer::new(
                "reader",
                &store,
                engine.streams(),
                table,
                options,
                handler,
            );
            let stopped = async { stopped.await.unwrap_or(()) };
            consumer.run(stopped).await.unwrap();
        });
    });
    let all: BTreeSet<String> = (0..5).map(|number| number.to_string()).collect();
    until(|| notebook.titles().into_iter().collect::<BTreeSet<_>>() == all).await;
    stop.send(()).unwrap();
    tokio::task::spawn_blocking(|| silent.join().unwrap())
        .await
        .unwrap();
}

/// A value of a kind that did not exist when this was written.
#[tokio::test(flavor = "multi_thread")]
async fn a_record_that_cannot_be_read_is_a_dead_letter_and_the_next_one_comes() {
    let world = World::new().await;
    let stand_in = StandIn::new();
    stand_in.shard("a", None);
    stand_in.put("a", "1");
    stand_in.put_strange("a", "2");
    stand_in.put("a", "3");
    let notebook = Notebook::default();
    let running = world.start_on("reader", quick(), stand_in.client(), notebook.handler());
    notebook.has(2).await;
    let dead = DeadLetters::new(&world.store);
    let letters = loop {
        let letters = dead.of("reader").all().collect().await.unwrap();
        if !letters.is_empty() {
            break letters;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    running.stop().await;
    assert_eq!(letters[0].event_id, "2");
    assert!(letters[0].error.contains("cannot be read"), "{letters:?}");
    assert!(dead.record("reader", "2").await.is_err());
    dead.forget("reader", "2").await.unwrap();
    let leases = Stream::new(&world.store).leases.leases("reader");
    let lease = leases.all().collect().await.unwrap().remove(0);
    assert_eq!(lease.after.as_deref(), Some("3"), "it went on past it");
}
