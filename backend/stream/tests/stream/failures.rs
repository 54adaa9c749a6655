//! What a consumer cannot handle: it tries again, it waits, it gives up without holding up the others.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use tablewright::{Entity as _, Store};
use tablewright_local::Engine;
use tablewright_stream::{Consumer, DeadLetters, Failure, NotFound, Record};
use todo::model::{Task, Todo};

use crate::support::{Notebook, World, quick, task, title, until};

#[tokio::test(flavor = "multi_thread")]
async fn poison_becomes_a_dead_letter_and_is_handled_when_asked_for() {
    let world = World::new().await;
    let poisoned = world.write("ada", "poison").await;
    world.write("bob", "sound").await;
    world.rename(&poisoned, "cured").await;
    let (notebook, is_mended, tries) = (
        Notebook::default(),
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU32::new(0)),
    );
    let (book, mended, tried) = (notebook.clone(), Arc::clone(&is_mended), Arc::clone(&tries));
    let running = world.start("reader", quick(), move |record: Arc<Record>| {
        let (book, mended, tried) = (book.clone(), Arc::clone(&mended), Arc::clone(&tried));
        async move {
            if title(&record).as_deref() == Some("poison") && !mended.load(Ordering::SeqCst) {
                tried.fetch_add(1, Ordering::SeqCst);
                return Err(Failure::Record(String::from("it is bitter")));
            }
            book.note(record);
            Ok(())
        }
    });
    notebook.has(2).await;
    assert_eq!(tries.load(Ordering::SeqCst), 5);
    let mut others = notebook.titles();
    others.sort();
    assert_eq!(
        others,
        ["cured", "sound"],
        "the next ones came, also of the same item"
    );

    let dead = DeadLetters::new(&world.store);
    let letters = dead.of("reader").all().collect().await.unwrap();
    assert_eq!(letters.len(), 1);
    assert_eq!(
        (letters[0].error.as_str(), letters[0].attempts),
        ("it is bitter", 5)
    );
    let event = letters[0].event_id.clone();
    let record = dead.record("reader", &event).await.unwrap();
    assert_eq!(title(&record).as_deref(), Some("poison"));

    // Asked for in vain: it stays, and says what went wrong.
    dead.ask_again("reader", &event).await.unwrap();
    until(|| tries.load(Ordering::SeqCst) == 10).await;
    loop {
        let letters = dead.of("reader").all().collect().await.unwrap();
        assert_eq!(letters.len(), 1);
        if letters[0].attempts == 10 {
            break;
        }
    }
    is_mended.store(true, Ordering::SeqCst);
    dead.ask_again("reader", &event).await.unwrap();
    notebook.has(3).await;
    while !dead.of("reader").all().collect().await.unwrap().is_empty() {}
    running.stop().await;
    assert_eq!(
        notebook.records()[2].as_ref(),
        &record,
        "the same record, with the same event id"
    );
    assert_eq!(dead.record("reader", &event).await, Err(NotFound::NoLetter));
    assert_eq!(
        dead.ask_again("reader", &event).await,
        Err(NotFound::NoLetter)
    );
    assert_eq!(dead.forget("reader", &event).await, Err(NotFound::NoLetter));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_world_is_against_waits_and_is_not_lost() {
    let world = World::new().await;
    let one = world.write("ada", "0").await;
    for number in 1..4 {
        world.rename(&one, &number.to_string()).await;
    }
    let (is_up, tries, notebook) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU32::new(0)),
        Notebook::default(),
    );
    let (up, tried, book) = (Arc::clone(&is_up), Arc::clone(&tries), notebook.clone());
    let handler = move |record: Arc<Record>| {
        let (up, tried, book) = (Arc::clone(&up), Arc::clone(&tried), book.clone());
        async move {
            if !up.load(Ordering::SeqCst) {
                tried.fetch_add(1, Ordering::SeqCst);
                return Err(Failure::World(String::from("the mail server is down")));
            }
            book.note(record);
            Ok(())
        }
    };
    let running = world.start("mailer", quick(), handler);
    // Far more often than a record of its own fault is tried.
    until(|| tries.load(Ordering::SeqCst) > 20).await;
    is_up.store(true, Ordering::SeqCst);
    notebook.has(4).await;
    running.stop().await;
    assert_eq!(notebook.titles(), ["0", "1", "2", "3"]);
    let letters = DeadLetters::new(&world.store)
        .of("mailer")
        .all()
        .collect()
        .await
        .unwrap();
    assert!(letters.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handler_that_panics_has_failed_and_nothing_else_has() {
    let world = World::new().await;
    world.write("ada", "trap").await;
    world.write("bob", "sound").await;
    let notebook = Notebook::default();
    let book = notebook.clone();
    let running = world.start("reader", quick(), move |record: Arc<Record>| {
        let book = book.clone();
        async move {
            assert_ne!(title(&record).as_deref(), Some("trap"), "fell into it");
            book.note(record);
            Ok::<(), Failure>(())
        }
    });
    let dead = DeadLetters::new(&world.store);
    loop {
        // The table may not be there yet.
        let letters = dead.of("reader").all().collect().await.unwrap_or_default();
        if let Some(letter) = letters.first() {
            assert!(letter.error.contains("fell into it"), "{}", letter.error);
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    running.stop().await;
    assert_eq!(notebook.titles(), ["sound"]);
}

/// Whoever is told to stop leaves what cannot be handled, and the next one takes it up.
#[tokio::test(flavor = "multi_thread")]
async fn stopping_does_not_wait_for_the_world() {
    let world = World::new().await;
    world.write("ada", "stuck").await;
    let tries = Arc::new(AtomicU32::new(0));
    let tried = Arc::clone(&tries);
    let mut options = quick();
    options.longest_wait = std::time::Duration::from_secs(3600);
    options.first_wait = std::time::Duration::from_secs(3600);
    let running = world.start("reader", options, move |_: Arc<Record>| {
        tried.fetch_add(1, Ordering::SeqCst);
        async { Err(Failure::World(String::from("down"))) }
    });
    until(|| tries.load(Ordering::SeqCst) >= 1).await;
    running.stop().await;
    let notebook = Notebook::default();
    let running = world.start("reader", quick(), notebook.handler());
    notebook.has(1).await;
    running.stop().await;
}

/// Beside a service: what it needs may come later than itself, and it ends when it is told to, also before that.
#[tokio::test(flavor = "multi_thread")]
async fn a_consumer_that_cannot_begin_yet_begins_when_it_can() {
    let engine = Engine::temporary().unwrap();
    let store = Store::new(engine.dynamodb());
    let notebook = Notebook::default();
    let consumer = |name: &str| {
        let table = &Task::descriptor().table;
        let streams = engine.streams();
        Consumer::new(name, &store, streams, table, quick(), notebook.handler())
    };
    assert!(
        consumer("told").run(std::future::pending()).await.is_err(),
        "there is no table"
    );
    consumer("stopped")
        .run_when_possible(std::future::ready(()))
        .await;
    let running = tokio::spawn(consumer("reader").run_when_possible(std::future::pending()));
    let todo = Todo::new(&store);
    todo.create_tables().await.unwrap();
    todo.tasks.items().insert(task("ada", "one")).await.unwrap();
    notebook.has(1).await;
    running.abort();
    assert_eq!(notebook.titles(), ["one"]);
}
