//! Keys come and go, and issuers are away at times.

use crate::issuer::{Signer, TestIssuer};
use crate::started::{Started, sources_with};

async fn status(app: &Started, token: &str) -> u16 {
    app.send(app.get("/api/v1/me").token(token)).await.status
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_key_is_known_at_once_and_an_old_one_is_forgotten() {
    let issuer = TestIssuer::start().await;
    let app = Started::with(sources_with(&issuer)).await;
    let (first, claims) = (issuer.token("ada"), issuer.claims("ada"));
    assert_eq!(status(&app, &first).await, 200);

    // Both are published for a while, then only the second.
    let second = Signer::new("second");
    issuer.publish(&[&issuer.signer, &second]);
    let new = second.sign(&second.header(), &claims);
    let before = issuer.reads();
    assert_eq!(status(&app, &new).await, 200);
    assert_eq!(issuer.reads(), before + 1, "one look was enough");
    assert_eq!(status(&app, &first).await, 200);
    assert_eq!(status(&app, &new).await, 200);
    assert_eq!(issuer.reads(), before + 1, "what is known is not asked for");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_is_taken_back_is_worth_nothing_after_the_next_look() {
    let issuer = TestIssuer::start().await;
    let app = Started::with(sources_with(&issuer)).await;
    let first = issuer.token("ada");
    assert_eq!(status(&app, &first).await, 200);
    let second = Signer::new("second");
    issuer.publish(&[&second]);
    // A token of the new key makes the service look.
    let new = second.sign(&second.header(), &issuer.claims("ada"));
    assert_eq!(status(&app, &new).await, 200);
    assert_eq!(status(&app, &first).await, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn invented_key_ids_do_not_make_the_service_ask_each_time() {
    let issuer = TestIssuer::start().await;
    let app = Started::with(sources_with(&issuer)).await;
    assert_eq!(status(&app, &issuer.token("ada")).await, 200);
    let before = issuer.reads();
    let forger = Signer::new("forged");
    let claims = issuer.claims("ada");
    let asking = (0..50).map(|number| {
        let mut header = forger.header();
        header["kid"] = format!("forged {number}").into();
        let token = forger.sign(&header, &claims);
        let ask = app.get("/api/v1/me").token(&token);
        async move { ask.send().await.status }
    });
    let statuses = futures_util::future::join_all(asking).await;
    assert!(statuses.iter().all(|status| *status == 401));
    assert!(
        issuer.reads() <= before + 1,
        "{} looks",
        issuer.reads() - before
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn known_keys_stay_while_the_issuer_is_away_or_talks_nonsense() {
    let issuer = TestIssuer::start().await;
    let app = Started::with(sources_with(&issuer)).await;
    let token = issuer.token("ada");
    assert_eq!(status(&app, &token).await, 200);
    issuer.set_up(false);
    let before = issuer.reads();
    let unknown = Signer::new("unknown");
    let unknown = unknown.sign(&unknown.header(), &issuer.claims("ada"));
    assert_eq!(status(&app, &unknown).await, 401);
    assert_eq!(issuer.reads(), before + 1, "it looked, in vain");
    assert_eq!(status(&app, &token).await, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_any_keys_nobody_is_refused_for_good() {
    let issuer = TestIssuer::start().await;
    issuer.publish_nonsense();
    let app = Started::with(sources_with(&issuer)).await;
    let reply = app
        .send(app.get("/api/v1/me").token(&issuer.token("ada")))
        .await;
    reply.problem(503, "unavailable");
    assert!(reply.header("retry-after").is_some());
    let health = app.get("/health/ready").send().await;
    assert_eq!(health.status, 503);
    assert_eq!(health.json()["checks"]["keys"], "failing");
    // As soon as it publishes keys, all is well.
    issuer.publish(&[&issuer.signer]);
    let token = issuer.token("ada");
    while status(&app, &token).await == 503 {
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    assert_eq!(status(&app, &token).await, 200);
}
