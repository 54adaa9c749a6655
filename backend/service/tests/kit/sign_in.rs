//! People sign in at the issuer: the code of a page becomes a token, or words.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use tablewright_service::Sources;

use crate::client::{Ask, Reply};
use crate::codes::{Codes, Mood};
use crate::issuer::{CLIENT, TestIssuer};
use crate::process::Process;
use crate::started::{Started, sources, sources_with};

const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const PAGE: &str = "https://notes.example/";

fn with_client(issuer: &TestIssuer) -> Sources {
    sources_with(issuer).variable("TABLEWRIGHT_SIGN_IN_CLIENT", CLIENT)
}

fn hand(app: &Started, code: &str, verifier: &str, page: &str) -> Ask {
    let body = json!({ "code": code, "code_verifier": verifier, "redirect_uri": page });
    app.ask("POST", "/page/sign-in").json(&body)
}

/// Signs in as a page does, with a good code.
async fn sign_in(app: &Started, codes: &Codes) -> Reply {
    let code = codes.code(VERIFIER, PAGE);
    hand(app, &code, VERIFIER, PAGE).send().await
}

async fn who(app: &Started, reply: &Reply) -> Value {
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(reply.header("cache-control"), Some("no-store"));
    let token = reply.json()["token"].as_str().unwrap().to_owned();
    app.get("/api/v1/me").token(&token).send().await.json()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_becomes_the_token_that_is_for_the_service() {
    let (issuer, codes) = Codes::issuer("ada").await;
    let app = Started::with(with_client(&issuer)).await;
    let begin = app.json("/page/sign-in").await;
    assert_eq!(
        begin,
        json!({
            "authorization_endpoint": format!("{}/authorize", issuer.name()), "client_id": CLIENT,
            "scope": "openid email profile", "issuer": issuer.name(),
        })
    );
    let script = app.get("/page/sign-in.js").send().await;
    assert_eq!(script.header("content-type"), Some("text/javascript"));

    // The service is the client: the id token.
    let reply = sign_in(&app, &codes).await;
    assert_eq!(reply.json()["token"], codes.tokens()["id_token"]);
    assert_eq!(who(&app, &reply).await["sub"], "ada");
    assert_eq!(codes.asked.load(Ordering::SeqCst), 1, "it was asked once");

    // The service is somebody else: the access token.
    let sources = with_client(&issuer).variable("TABLEWRIGHT_AUDIENCE", "notes-api");
    let app = Started::with(sources).await;
    let reply = sign_in(&app, &codes).await;
    assert_eq!(reply.json()["token"], codes.tokens()["access_token"]);
    assert_eq!(who(&app, &reply).await["sub"], "ada");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_is_good_once_and_for_the_page_that_began() {
    let (issuer, codes) = Codes::issuer("ada").await;
    let app = Started::with(with_client(&issuer)).await;
    let other = VERIFIER.replace('d', "e");
    let code = codes.code(VERIFIER, PAGE);
    let twice = hand(&app, &code, VERIFIER, PAGE);
    assert_eq!(twice.send().await.status, 200);
    let stolen = hand(&app, &codes.code(VERIFIER, PAGE), &other, PAGE);
    let elsewhere = codes.code(VERIFIER, PAGE);
    let elsewhere = hand(&app, &elsewhere, VERIFIER, "https://evil.example/");
    let invented = hand(&app, "invented", VERIFIER, PAGE);
    for ask in [twice, stolen, elsewhere, invented] {
        let problem = ask.send().await.problem(403, "sign-in-refused");
        let detail = problem["detail"].as_str().unwrap();
        assert!(detail.contains("the code of the issuer"), "{detail}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_code_is_not_passed_on() {
    let (issuer, codes) = Codes::issuer("ada").await;
    codes.is(Mood::Says(500, String::from("it was passed on")));
    let app = Started::with(with_client(&issuer)).await;
    let long = "a".repeat(129);
    for (field, ask) in [
        ("code", hand(&app, "", VERIFIER, PAGE)),
        ("code", hand(&app, "a\nb", VERIFIER, PAGE)),
        ("code_verifier", hand(&app, "code", "short", PAGE)),
        ("code_verifier", hand(&app, "code", &long, PAGE)),
        ("redirect_uri", hand(&app, "code", VERIFIER, "")),
    ] {
        assert_eq!(ask.send().await.fault(422, "invalid").0, field);
    }
    let form = app.ask("POST", "/page/sign-in").body("code=code");
    form.send().await.problem(415, "unsupported-media-type");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_issuer_refuses_is_told_in_words() {
    let (issuer, codes) = Codes::issuer("ada").await;
    let app = Started::with(with_client(&issuer)).await;
    let refuses = json!({ "error": "invalid_client", "error_description": "No such\u{7} client." });
    codes.is(Mood::Says(401, refuses.to_string()));
    let problem = sign_in(&app, &codes).await.problem(403, "sign-in-refused");
    let detail = problem["detail"].as_str().unwrap();
    assert!(
        detail.contains("its settings must be corrected"),
        "{detail}"
    );
    assert!(detail.contains("“No such client.”"), "{detail}");

    // It gives a token, and not one for this service.
    let mut claims = issuer.claims("ada");
    claims["aud"] = "somebody else".into();
    let foreign = issuer.signer.sign(&issuer.signer.header(), &claims);
    codes.is(Mood::Gives(json!({ "id_token": foreign })));
    let problem = sign_in(&app, &codes).await.problem(403, "sign-in-refused");
    let detail = problem["detail"].as_str().unwrap();
    assert!(
        detail.contains("the token is for somebody else"),
        "{detail}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issuer_that_talks_nonsense_or_nothing_is_away() {
    let (issuer, codes) = Codes::issuer("ada").await;
    let app = Started::with(with_client(&issuer)).await;
    for mood in [
        Mood::Says(200, String::from("<html>")),
        Mood::Says(200, String::from("{}")),
        Mood::Says(200, String::from(r#"{"id_token": 7}"#)),
        Mood::Says(302, String::new()),
        Mood::Says(400, String::from("no")),
        Mood::Says(502, String::from(r#"{"error": "invalid_grant"}"#)),
        Mood::Says(200, " ".repeat(300 * 1024)),
        Mood::Sleeps,
    ] {
        codes.is(mood.clone());
        let reply = sign_in(&app, &codes).await;
        let problem = reply.problem(503, "unavailable");
        assert!(problem["detail"].as_str().unwrap().contains("issuer"));
        assert!(reply.header("retry-after").is_some(), "{mood:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_issuer_says_of_itself_is_not_believed() {
    let (issuer, codes) = Codes::issuer("ada").await;
    let good = codes.document.lock().unwrap().clone();
    codes.document.lock().unwrap()["issuer"] = "https://evil.example".into();
    let app = Started::with(with_client(&issuer)).await;
    let refused = app.get("/page/sign-in").send().await;
    refused.problem(503, "unavailable");
    sign_in(&app, &codes).await.problem(503, "unavailable");
    // As soon as it says what is right, people sign in, without a new start.
    *codes.document.lock().unwrap() = good;
    while app.get("/page/sign-in").send().await.status == 503 {
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    let reply = sign_in(&app, &codes).await;
    assert_eq!(who(&app, &reply).await["sub"], "ada");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_client_there_is_nothing_to_sign_in_at() {
    let (issuer, codes) = Codes::issuer("ada").await;
    for sources in [sources_with(&issuer), sources()] {
        let app = Started::with(sources).await;
        for path in ["/page/sign-in", "/page/sign-in.js"] {
            app.get(path).send().await.problem(404, "not-found");
        }
        sign_in(&app, &codes).await.problem(404, "not-found");
    }
    assert_eq!(codes.asked.load(Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_codes_and_tokens_is_logged() {
    let (issuer, codes) = Codes::issuer("ada").await;
    let mut process = Process::start(&[
        ("TABLEWRIGHT_ISSUER", &issuer.name()),
        ("TABLEWRIGHT_AUDIENCE", CLIENT),
        ("TABLEWRIGHT_SIGN_IN_CLIENT", CLIENT),
        ("TABLEWRIGHT_LOG", "debug"),
    ]);
    let begun = process.line_with("Notes is at http://");
    let address = begun["address"].as_str().unwrap().parse().unwrap();
    let token = codes.tokens()["id_token"].as_str().unwrap().to_owned();
    let (_, signature) = token.rsplit_once('.').unwrap();
    let echoed = json!({ "error": "invalid_grant", "error_description": format!("no {token}") });
    let nonsense = format!("\"{token}\"");
    let (gives, refuses) = (
        Mood::Gives(codes.tokens()),
        Mood::Says(400, echoed.to_string()),
    );
    let mut statuses = Vec::new();
    for mood in [gives, refuses, Mood::Says(200, nonsense)] {
        codes.is(mood);
        let code = codes.code(VERIFIER, PAGE);
        let body = json!({ "code": code, "code_verifier": VERIFIER, "redirect_uri": PAGE });
        let ask = Ask::new(address, "POST", "/page/sign-in").json(&body);
        let reply = ask.header("X-Request-Id", "last").send().await;
        statuses.push(reply.status);
        let address_bar = format!("/?code={code}&state=a-state");
        Ask::new(address, "GET", &address_bar).send().await;
    }
    assert_eq!(statuses, [200, 403, 503]);
    let log = process.log_until_ended();
    assert!(
        log.contains("/page/sign-in") && log.contains("the issuer says invalid_grant"),
        "{log}"
    );
    for secret in [signature, VERIFIER, "code-0", "code-1", "code-2", "a-state"] {
        assert!(!log.contains(secret), "{secret} is in {log}");
    }
}
