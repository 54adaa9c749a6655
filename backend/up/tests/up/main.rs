//! Everything started and ended together, with services that are processes of this test program.
#![allow(clippy::unwrap_used, reason = "a test may fail where it stands")]
#![allow(clippy::print_stdout, reason = "a service says what it does")]

mod ground;

use std::fs;
use std::time::Duration;

use tablewright_up::{Demo, Told};

use self::ground::{Ground, free_port, key_of};

/// Not a test: the process that tests start as a service.
#[test]
#[ignore = "other tests start it"]
fn service() {
    ground::be_a_service();
}

#[tokio::test]
async fn everything_is_started_shown_once_and_ended_in_order() {
    let ground = Ground::new();
    let up = ground.up(&[("a", "")], Demo::AtFirst).await;
    up.everything_is_ready().await;
    let page = ground.get(&format!("{}/", ground.front())).await;
    assert!(page.contains("To show A"), "{page}");
    assert!(page.contains("ready</span>"), "{page}");
    let charts = format!("<a href=\"{}/charts\">Charts</a>", ground.service("a"));
    assert!(page.contains(&charts), "{page}");
    assert!(page.contains(">Insights</a>"), "{page}");
    let lake = ground.folder().join("data/lake");
    assert_eq!(
        ground.requests("a", &format!("lake {}.", lake.display())),
        1
    );
    assert!(ground.get(&ground.engine()).await.contains("DynamoDB"));
    let log = ground.get(&format!("{}/logs/a", ground.front())).await;
    assert!(log.contains("listens"), "{log}");
    assert_eq!(up.stop().await, Ok(()));
    assert!(ground.was_ended("a"), "it was asked to end, not killed");
    assert_eq!(ground.requests("a", "POST /things"), 1);
    ground.until_released().await;
    // The second start has its data: nothing is made to show again, and what is shown is known.
    let up = ground.up(&[("a", "")], Demo::AtFirst).await;
    let told = up.everything_is_ready().await;
    assert!(told.contains(&key_of(&ground.engine())), "{told}");
    assert_eq!(up.stop().await, Ok(()));
    assert_eq!(ground.requests("a", "POST /things"), 1);
}

#[tokio::test]
async fn a_port_or_a_folder_that_is_taken_is_named() {
    let ground = Ground::new();
    let taken = std::net::TcpListener::bind(("127.0.0.1", ground.port("a"))).unwrap();
    let error = ground.up(&[("a", "")], Demo::Never).await.fails().await;
    assert!(
        error.contains(&ground.port("a").to_string()) && error.ends_with("it is that of a"),
        "{error}"
    );
    drop(taken);
    ground.until_released().await;
    let held = ground.up(&[("a", "")], Demo::Never).await;
    held.everything_is_ready().await;
    let error = ground.up(&[("a", "")], Demo::Never).await.fails().await;
    assert!(error.contains("is in use by this process"), "{error}");
    // Logs, mails and notifications are written there also without the engine.
    let elsewhere = format!("http://127.0.0.1:{}", free_port());
    let error = ground.up_at(&elsewhere, Demo::Never).await.fails().await;
    assert!(error.contains("is in use by this process"), "{error}");
    assert_eq!(held.stop().await, Ok(()));
    ground.until_released().await;
    let held = ground.up_at(&elsewhere, Demo::Never).await;
    held.everything_is_ready().await;
    let error = ground.up(&[("a", "")], Demo::Never).await.fails().await;
    assert!(error.contains("is in use by this process"), "{error}");
    assert_eq!(held.stop().await, Ok(()));
}

/// A page of another site whose name leads to this machine sees no mails and no logs.
#[tokio::test]
async fn the_front_page_is_for_who_sits_at_this_machine() {
    let ground = Ground::new();
    let up = ground.up(&[("a", "")], Demo::Never).await;
    up.everything_is_ready().await;
    for (host, status) in [("localhost", "200 OK"), ("evil.example", "403 Forbidden")] {
        for path in ["/", "/mails", "/logs/a"] {
            let told = ground.asked_as(host, path).await;
            assert!(
                told.starts_with(&format!("HTTP/1.1 {status}")),
                "{host}{path}: {told}"
            );
        }
    }
    assert_eq!(up.stop().await, Ok(()));
}

#[tokio::test]
async fn a_service_that_cannot_start_ends_the_whole_with_its_last_words() {
    let ground = Ground::new();
    let services = [("a", ""), ("b", "fails")];
    let error = ground.up(&services, Demo::Never).await.fails().await;
    assert!(error.contains("b ended with status"), "{error}");
    assert!(error.contains("cannot do it today"), "{error}");
    assert!(ground.was_ended("a"));
    ground.until_released().await;
    let absent = "nowhere/program";
    let error = ground.up_with(absent, Demo::Never).await.fails().await;
    assert!(error.contains(absent), "{error}");
}

#[tokio::test]
async fn a_service_that_ends_is_started_again() {
    let ground = Ground::new();
    let up = ground.up(&[("a", "")], Demo::Never).await;
    up.everything_is_ready().await;
    let _ = ground.get(&format!("{}/crash", ground.service("a"))).await;
    up.is_told(|told| matches!(told, Told::Restarted { service, .. } if service == "a"))
        .await;
    ground.until_ready("a").await;
    assert_eq!(up.stop().await, Ok(()));
}

/// Between the look at the ports and the start of a service, and while one that ended is away.
#[tokio::test]
async fn a_port_that_is_taken_in_the_middle_is_named() {
    let ground = Ground::new();
    let place = ("127.0.0.1", ground.port("a"));
    let up = ground.up_built_by("sleep 3").await;
    up.is_told(|told| matches!(told, Told::Builds(_))).await;
    let taken = std::net::TcpListener::bind(place).unwrap();
    let error = up.fails().await;
    let named = format!("port {} is taken by another program", ground.port("a"));
    assert!(error.contains(&named), "{error}");
    drop(taken);
    ground.until_released().await;

    let up = ground.up(&[("a", "")], Demo::Never).await;
    up.everything_is_ready().await;
    let _ = ground.get(&format!("{}/crash", ground.service("a"))).await;
    let taken = loop {
        match std::net::TcpListener::bind(place) {
            Ok(taken) => break taken,
            Err(_) => tokio::time::sleep(Duration::from_millis(1)).await,
        }
    };
    up.is_told(|told| matches!(told, Told::Trouble(why) if why.contains(&named)))
        .await;
    drop(taken);
    ground.until_ready("a").await;
    assert_eq!(up.stop().await, Ok(()));
}

/// Ctrl-C comes when it likes.
#[tokio::test]
async fn it_can_be_ended_at_any_moment() {
    let ground = Ground::new();
    for after in [0, 5, 20, 60, 150, 400] {
        let up = ground.up(&[("a", ""), ("b", "")], Demo::AtFirst).await;
        tokio::time::sleep(Duration::from_millis(after)).await;
        assert_eq!(up.stop().await, Ok(()), "after {after} ms");
        ground.until_released().await;
        // Nobody holds a port.
        for port in [ground.port("a"), ground.port("b")] {
            std::net::TcpListener::bind(("127.0.0.1", port)).unwrap();
        }
    }
    let up = ground.up(&[("a", ""), ("b", "")], Demo::AtFirst).await;
    up.everything_is_ready().await;
    assert_eq!(up.stop().await, Ok(()));
}

#[tokio::test]
async fn what_is_wrong_with_the_demo_data_is_told_and_everything_runs() {
    let ground = Ground::new();
    fs::write(
        ground.folder().join("a.toml"),
        "[[request]]\nsend = \"POST /refused\"\n",
    )
    .unwrap();
    let up = ground.up(&[("a", "")], Demo::AtFirst).await;
    up.is_told(|told| matches!(told, Told::Trouble(why) if why.contains("request 1") && why.contains("422: no")))
        .await;
    up.everything_is_ready().await;
    assert_eq!(up.stop().await, Ok(()));
}

/// A run that was interrupted is the same run, on whichever day it goes on; one that is asked for afterwards is another.
#[tokio::test]
async fn demo_data_goes_on_where_it_was_interrupted_and_is_made_again_when_asked_for() {
    for next in [Demo::AtFirst, Demo::Now] {
        let ground = Ground::new();
        let script = "\
[[request]]
send = \"POST /things\"
keep = \"thing\"

[[request]]
send = \"POST /crash-once\"
body = { of = \"{thing.key}\", day = \"{today}\" }

[show]
agent = \"{thing.key}\"
";
        fs::write(ground.folder().join("a.toml"), script).unwrap();
        let up = ground.up(&[("a", "")], Demo::AtFirst).await;
        up.is_told(|told| matches!(told, Told::Trouble(why) if why.contains("request 2")))
            .await;
        assert_eq!(up.stop().await, Ok(()));
        ground.until_released().await;

        let up = ground.up(&[("a", "")], next).await;
        let told = up.everything_is_ready().await;
        assert!(told.contains(&key_of(&ground.engine())), "{told}");
        assert_eq!(up.stop().await, Ok(()));
        ground.until_released().await;
        let keys = ground.keys("a");
        assert_eq!(keys.len(), 3, "{keys:?}");
        assert_ne!(keys[0], keys[1]);
        assert_eq!(keys[1], keys[2], "it may have had its effect");

        let up = ground.up(&[("a", "")], Demo::Now).await;
        up.everything_is_ready().await;
        assert_eq!(up.stop().await, Ok(()));
        let again = ground.keys("a").split_off(3);
        assert_eq!(again.len(), 2, "{again:?}");
        assert!(again.iter().all(|key| !keys.contains(key)), "{again:?}");
    }
}

#[tokio::test]
async fn another_endpoint_is_not_written_into_unasked() {
    let ground = Ground::new();
    let elsewhere = format!("http://127.0.0.1:{}", free_port());
    let up = ground.up_at(&elsewhere, Demo::AtFirst).await;
    up.everything_is_ready().await;
    assert_eq!(ground.requests("a", "POST /things"), 0);
    assert!(ground.requests("a", &format!("endpoint {elsewhere}")) > 0);
    // The lake of the folder is of its engine.
    assert_eq!(ground.requests("a", "lake ."), 1);
    assert_eq!(up.stop().await, Ok(()));
    let up = ground.up_at(&elsewhere, Demo::Now).await;
    up.everything_is_ready().await;
    assert_eq!(ground.requests("a", "POST /things"), 1);
    assert_eq!(up.stop().await, Ok(()));
}

/// What belongs to the tables of one DynamoDB is not taken for that of another, in whichever order they are used.
#[tokio::test]
async fn each_endpoint_has_its_own_demo_data_mails_and_notifications() {
    let ground = Ground::new();
    let [elsewhere, further] = [(); 2].map(|()| format!("http://127.0.0.1:{}", free_port()));
    let keys = [&elsewhere, &ground.engine(), &further].map(|endpoint| key_of(endpoint));
    let are_known = async |up: &ground::Up, own: &[&String]| {
        let told = up.everything_is_ready().await;
        for key in &keys {
            assert_eq!(told.contains(key), own.contains(&key), "{key} in {told}");
        }
    };
    let are_shown = async |endpoint: &str| {
        let page = ground.get(&ground.front()).await;
        assert!(page.contains("Mails (1)"), "{page}");
        for letters in ["mails", "notifications"] {
            let page = format!("{}/{letters}", ground.front());
            let page = ground.get(&page).await;
            assert_eq!(page.matches("of http:").count(), 1, "{page}");
            assert!(page.contains(&format!("of {endpoint}.")), "{page}");
        }
    };
    let up = ground.up_at(&elsewhere, Demo::Now).await;
    are_known(&up, &[&keys[0]]).await;
    are_shown(&elsewhere).await;
    let page = ground.get(&ground.front()).await;
    assert!(!page.contains("lake"), "there is none: {page}");
    assert!(!page.contains("Insights"), "they are of the lake: {page}");
    assert!(page.contains(">Charts</a>"), "{page}");
    assert_eq!(up.stop().await, Ok(()));

    // It is the first start on the engine all the same.
    let up = ground.up(&[("a", "")], Demo::AtFirst).await;
    are_known(&up, &[&keys[1]]).await;
    assert_eq!(ground.requests("a", "POST /things"), 2);
    are_shown(&ground.engine()).await;
    assert_eq!(up.stop().await, Ok(()));
    ground.until_released().await;

    let up = ground.up_at(&elsewhere, Demo::AtFirst).await;
    are_known(&up, &[&keys[0]]).await;
    are_shown(&elsewhere).await;
    assert_eq!(up.stop().await, Ok(()));
    let up = ground.up_at(&further, Demo::AtFirst).await;
    are_known(&up, &[]).await;
    are_shown(&further).await;
    assert_eq!(up.stop().await, Ok(()));
    assert_eq!(ground.requests("a", "POST /things"), 2);
}

#[tokio::test]
async fn what_is_not_built_is_not_started() {
    let ground = Ground::new();
    let error = ground.up_built_by("false").await.fails().await;
    assert!(error.contains("`false` failed"), "{error}");
    ground.until_released().await;
    let absent = "there-is-no-such-program";
    let error = ground.up_built_by(absent).await.fails().await;
    assert!(error.contains(absent), "{error}");
    assert!(!ground.was_ended("a"), "it was not started");
}
