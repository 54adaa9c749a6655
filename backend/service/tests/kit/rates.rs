//! How often one caller may ask.

use crate::started::{Started, sources};

const ME: &str = "/api/v1/me";

/// So many requests that no machine is too slow to run into the limit.
const MANY: usize = 60;

async fn started() -> Started {
    let sources = sources().variable("TABLEWRIGHT_RATE", "1");
    Started::with(sources.variable("TABLEWRIGHT_BURST", "5")).await
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_asks_too_often_is_told_to_wait_and_others_are_not() {
    let app = started().await;
    let (ada, bob) = (app.token("ada"), app.token("bob"));
    let first = app.send(app.get(ME).token(&ada)).await;
    assert_eq!(first.header("ratelimit-limit"), Some("5"));
    assert_eq!(first.header("ratelimit-remaining"), Some("4"));
    assert_eq!(first.header("ratelimit-policy"), Some("\"caller\";q=5;w=5"));
    assert_eq!(first.header("ratelimit"), Some("\"caller\";r=4;t=1"));

    let asking = (0..MANY).map(|_| app.get(ME).token(&ada).send_owned());
    let replies = futures_util::future::join_all(asking).await;
    let refused: Vec<_> = replies.iter().filter(|reply| reply.status != 200).collect();
    assert!(refused.len() > MANY / 2, "{} refused", refused.len());
    for reply in refused {
        app.description.check("GET", ME, reply);
        let (field, reason) = reply.fault(429, "rate-limited");
        assert_eq!(field, "Authorization");
        assert!(reason.contains("5 at once, and 1 a second"), "{reason}");
        let wait: u64 = reply.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=MANY as u64).contains(&wait), "{wait}");
        assert_eq!(reply.header("ratelimit-remaining"), Some("0"));
    }
    assert_eq!(app.send(app.get(ME).token(&bob)).await.status, 200);
    // Whether it lives can always be asked.
    assert_eq!(app.get("/health/live").send().await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_tokens_do_not_make_a_stranger_somebody() {
    let app = started().await;
    let asking = (0..MANY).map(|number| {
        let ask = app
            .get(ME)
            .token(&format!("garbage {number}").replace(' ', "."));
        ask.send_owned()
    });
    let replies = futures_util::future::join_all(asking).await;
    let refused = replies.iter().filter(|reply| reply.status == 429).count();
    assert!(refused > MANY / 2, "{refused} refused");
    for reply in replies.iter().filter(|reply| reply.status == 429) {
        let (field, reason) = reply.fault(429, "rate-limited");
        assert_eq!(field, "Authorization");
        assert!(reason.contains("without an accepted token"), "{reason}");
    }
    assert!(
        replies
            .iter()
            .all(|reply| matches!(reply.status, 401 | 429))
    );
    // Strangers share an address, and callers do not share with them.
    let ada = app.token("ada");
    assert_eq!(app.send(app.get(ME).token(&ada)).await.status, 200);
}
