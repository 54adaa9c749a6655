//! Tokens that are accepted, and every way in which one is not.

use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use crate::client::Reply;
use crate::issuer::{CLIENT, Signer, TestIssuer, unsigned};
use crate::started::{Started, sources_with};

const ME: &str = "/api/v1/me";

async fn started() -> (TestIssuer, Started) {
    let issuer = TestIssuer::start().await;
    let app = Started::with(sources_with(&issuer)).await;
    (issuer, app)
}

async fn ask(app: &Started, token: &str) -> Reply {
    app.send(app.get(ME).token(token)).await
}

/// It is refused as it should be, for this reason.
fn refused(reply: &Reply, why: &str) {
    let problem = reply.problem(401, "unauthenticated");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains(why), "{detail:?} is not {why:?}");
    assert!(
        reply
            .header("www-authenticate")
            .unwrap()
            .starts_with("Bearer")
    );
}

fn with(mut value: Value, name: &str, other: Value) -> Value {
    value[name] = other;
    value
}

fn without(mut value: Value, name: &str) -> Value {
    value.as_object_mut().unwrap().remove(name);
    value
}

#[tokio::test(flavor = "multi_thread")]
async fn a_good_token_says_who_asks() {
    let (issuer, app) = started().await;
    let mut claims = issuer.claims("ada");
    claims["email"] = json!("ada@example.org");
    claims["email_verified"] = json!("true");
    claims["name"] = json!("Ada");
    claims["cognito:groups"] = json!(["admins"]);
    let token = issuer.signer.sign(&issuer.signer.header(), &claims);
    let me = ask(&app, &token).await.json();
    let expected = json!({
        "sub": "ada", "email": "ada@example.org", "email_verified": true, "name": "Ada", "groups": ["admins"],
    });
    assert_eq!(me, expected);
    // Cognito's access tokens have no audience, but the client they are for.
    let access = without(issuer.claims("ada"), "aud");
    let access = with(
        with(access, "client_id", json!(CLIENT)),
        "token_use",
        json!("access"),
    );
    let several = with(issuer.claims("ada"), "aud", json!(["other", CLIENT]));
    for claims in [access, several] {
        let token = issuer.signer.sign(&issuer.signer.header(), &claims);
        assert_eq!(ask(&app, &token).await.status, 200, "{claims}");
    }
    // The scheme has no case.
    let lower = app
        .get(ME)
        .header("authorization", format!("bearer  {}", issuer.token("ada")));
    assert_eq!(app.send(lower).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn claims_that_are_not_good_are_refused() {
    let (issuer, app) = started().await;
    let now = jiff::Timestamp::now().as_second();
    let good = || issuer.claims("ada");
    let cases = [
        (with(good(), "exp", json!(now - 31)), "expired"),
        // A fraction of a second counts, and the moment of the end is past it.
        (with(good(), "exp", json!(now as f64 - 30.4)), "expired"),
        (with(good(), "exp", json!(now - 30)), "expired"),
        (with(good(), "exp", json!("never")), "lacks a claim"),
        (without(good(), "exp"), "lacks a claim"),
        (with(good(), "nbf", json!(now + 3600)), "not valid yet"),
        (
            with(good(), "iss", json!("http://127.0.0.1/other")),
            "another issuer",
        ),
        (
            with(good(), "iss", json!(issuer.name() + "/")),
            "another issuer",
        ),
        (without(good(), "iss"), "lacks a claim"),
        (with(good(), "aud", json!("other")), "somebody else"),
        (with(good(), "aud", json!([])), "somebody else"),
        (without(good(), "aud"), "somebody else"),
        (
            with(without(good(), "aud"), "client_id", json!("other")),
            "somebody else",
        ),
        // An audience that is named counts, whoever the client is.
        (
            with(
                with(good(), "aud", json!("other")),
                "client_id",
                json!(CLIENT),
            ),
            "somebody else",
        ),
        (with(good(), "token_use", json!("refresh")), "another use"),
        (with(good(), "sub", json!("")), "subject"),
        (with(good(), "sub", json!("a".repeat(129))), "subject"),
        (with(good(), "sub", json!("ada\nTASK")), "subject"),
        (with(good(), "sub", json!("ada#TASK")), "subject"),
        (with(good(), "sub", json!("adä")), "subject"),
        (with(good(), "sub", json!(7)), "cannot be read"),
        (without(good(), "sub"), "lacks a claim"),
    ];
    for (claims, why) in cases {
        let token = issuer.signer.sign(&issuer.signer.header(), &claims);
        refused(&ask(&app, &token).await, why);
    }
    // Clocks may be a little apart.
    for late in [json!(now - 5), json!(now as f64 - 4.5)] {
        let late = with(good(), "exp", late);
        let late = issuer.signer.sign(&issuer.signer.header(), &late);
        assert_eq!(ask(&app, &late).await.status, 200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn signatures_that_are_not_the_issuers_are_refused() {
    let (issuer, app) = started().await;
    let (signer, claims) = (&issuer.signer, issuer.claims("ada"));
    let header = signer.header();

    // Without a signature, in every spelling.
    for alg in ["none", "None", "NONE", "nOnE", ""] {
        let header = with(header.clone(), "alg", json!(alg));
        for end in [".", "", ".e30"] {
            let token = unsigned(&header, &claims) + end;
            refused(&ask(&app, &token).await, "token is none");
        }
    }
    // The public key taken for a secret, in every form it comes in.
    let der = signer.public_der();
    let lines = STANDARD.encode(&der);
    let pem = format!("-----BEGIN PUBLIC KEY-----\n{lines}\n-----END PUBLIC KEY-----\n");
    let modulus = signer.jwk()["n"].as_str().unwrap().to_owned();
    for secret in [
        &der[..],
        pem.as_bytes(),
        modulus.as_bytes(),
        signer.jwk().to_string().as_bytes(),
        b"",
    ] {
        for (alg, kind) in [("HS256", hmac::HMAC_SHA256), ("HS512", hmac::HMAC_SHA512)] {
            let signed = unsigned(&with(header.clone(), "alg", json!(alg)), &claims);
            let tag = hmac::sign(&hmac::Key::new(kind, secret), signed.as_bytes());
            let token = format!("{signed}.{}", URL_SAFE_NO_PAD.encode(tag));
            refused(&ask(&app, &token).await, "another algorithm");
        }
    }
    // The right key with another algorithm of its family.
    let other = signer.sign(&with(header.clone(), "alg", json!("RS512")), &claims);
    refused(&ask(&app, &other).await, "another algorithm");
    // Somebody's own key under the issuer's name for its own.
    let forger = Signer::new("first");
    refused(
        &ask(&app, &forger.sign(&header, &claims)).await,
        "signature",
    );
    // Somebody's own key in the token itself.
    let carried = with(header.clone(), "jwk", forger.jwk());
    refused(
        &ask(&app, &forger.sign(&carried, &claims)).await,
        "signature",
    );
    let elsewhere = with(header.clone(), "jku", json!("http://127.0.0.1:1/jwks.json"));
    refused(
        &ask(&app, &forger.sign(&elsewhere, &claims)).await,
        "signature",
    );
    // A key that is not there, or not named.
    let unknown = Signer::new("unknown");
    refused(
        &ask(&app, &unknown.sign(&unknown.header(), &claims)).await,
        "unknown key",
    );
    let nameless = signer.sign(&without(header.clone(), "kid"), &claims);
    refused(&ask(&app, &nameless).await, "does not name its key");
    // What must be understood, and is not.
    let critical = signer.sign(&with(header.clone(), "crit", json!(["b64"])), &claims);
    refused(&ask(&app, &critical).await, "do not know");
    // The claims exchanged under a good signature.
    let good = issuer.token("ada");
    let signature = good.rsplit('.').next().unwrap();
    let bob = unsigned(&header, &issuer.claims("bob"));
    refused(&ask(&app, &format!("{bob}.{signature}")).await, "signature");
    let cut = &good[..good.len() - 4];
    refused(&ask(&app, cut).await, "");
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_that_are_no_token_are_refused() {
    let (issuer, app) = started().await;
    let good = issuer.token("ada");
    let missing = app.send(app.get(ME)).await;
    refused(&missing, "no token");
    assert_eq!(missing.header("www-authenticate"), Some("Bearer"));
    for garbage in ["garbage", "a.b.c", "..", "é.é.é", &good.repeat(2)] {
        refused(&ask(&app, garbage).await, "");
    }
    for value in [
        "",
        "Bearer",
        "Bearer ",
        "Basic YWRhOmFkYQ==",
        &good,
        &format!("Bearer {good} x"),
        &format!("Token {good}"),
    ] {
        let reply = app.send(app.get(ME).header("Authorization", value)).await;
        refused(&reply, "not `Bearer TOKEN`");
    }
    // Two headers, of which another might have judged the other.
    let two = app.get(ME).token(&good).token(&good);
    refused(&app.send(two).await, "more than one");
    let two = app
        .get(ME)
        .token(&good)
        .header("Authorization", "Basic YWRhOmFkYQ==");
    refused(&app.send(two).await, "more than one");
    // A token elsewhere is none.
    let elsewhere = app
        .get(&format!("{ME}?access_token={good}"))
        .header("Cookie", format!("token={good}"));
    refused(&app.send(elsewhere).await, "no token");
}

#[tokio::test(flavor = "multi_thread")]
async fn routes_are_closed_also_where_a_handler_does_not_ask() {
    let (issuer, app) = started().await;
    refused(&app.send(app.get("/api/v1/careless")).await, "no token");
    let token = issuer.token("ada");
    let reply = app.send(app.get("/api/v1/careless").token(&token)).await;
    assert_eq!(reply.status, 200);
    // Open routes know who asks, take strangers, and do not take a bad token for none.
    assert_eq!(app.send(app.get("/hello")).await.json(), "stranger");
    assert_eq!(
        app.send(app.get("/hello").token(&token)).await.json(),
        "ada"
    );
    refused(
        &app.send(app.get("/hello").token("garbage")).await,
        "token is none",
    );
}
