//! Nobody gets in without a good token, and nobody sees what is another's.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::Method;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};
use tablewright_service::{DevelopmentIssuer, Person};

use crate::support::{Api, Asks as _, Made as _};

/// Every operation of the API, from its own description.
async fn operations(api: &Api, id: &str) -> Vec<(Method, String)> {
    let document = api
        .bearer(None)
        .get("~/openapi.json")
        .await
        .expect(200)
        .body;
    let mut operations = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods
            .as_object()
            .unwrap()
            .keys()
            .filter(|name| ["get", "put", "post", "patch", "delete"].contains(&name.as_str()))
        {
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
            operations.push((method, format!("~{}", path.replace("{task_id}", id))));
        }
    }
    operations
}

fn with_claims(
    good: &str,
    key: &EncodingKey,
    algorithm: Algorithm,
    change: impl Fn(&mut Value),
) -> String {
    let mut parts = good.split('.');
    let read = |part: &str| {
        serde_json::from_slice::<Value>(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
    };
    let (head, mut claims) = (read(parts.next().unwrap()), read(parts.next().unwrap()));
    change(&mut claims);
    let mut header = Header::new(algorithm);
    header.kid = head["kid"].as_str().map(str::to_owned);
    encode(&header, &claims, key).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_route_is_open_to_a_token_that_is_not_good() {
    let api = Api::start().await;
    let ada = api.person("ada");
    ada.put("/users/me", json!({})).await.expect(201);
    let id = ada.task(json!({ "title": "secret" })).await;
    let good = ada.token.clone().unwrap();
    let der = std::fs::read_to_string(api.keys().join(tablewright_service::KEY_FILE)).unwrap();
    let der = URL_SAFE_NO_PAD.decode(der.trim()).unwrap();
    let key = EncodingKey::from_ed_der(&der);
    let claims = |change: &dyn Fn(&mut Value)| with_claims(&good, &key, Algorithm::EdDSA, change);
    let elsewhere = tempfile::tempdir().unwrap();
    let foreign = DevelopmentIssuer::open(elsewhere.path()).unwrap();
    let person = Person {
        sub: "ada".into(),
        ..Person::default()
    };
    let foreign = foreign.token(&person, std::time::Duration::from_secs(3600));
    let jwks = api
        .bearer(None)
        .get("~/.well-known/jwks.json")
        .await
        .expect(200)
        .body;
    let public = URL_SAFE_NO_PAD
        .decode(jwks["keys"][0]["x"].as_str().unwrap())
        .unwrap();
    let (head, rest) = good.split_once('.').unwrap();
    let (body, signature) = rest.split_once('.').unwrap();
    let none = |word: &str| {
        format!(
            "{}.{body}.",
            URL_SAFE_NO_PAD.encode(json!({ "alg": word, "typ": "JWT" }).to_string())
        )
    };
    let bad = [
        ("no token", None),
        ("an empty one", Some(String::new())),
        ("no token at all", Some("x".into())),
        (
            "expired",
            Some(claims(&|claims| claims["exp"] = json!(1_000_000))),
        ),
        (
            "without an end",
            Some(claims(&|claims| claims["exp"] = Value::Null)),
        ),
        (
            "not yet good",
            Some(claims(&|claims| claims["nbf"] = json!(4_000_000_000_u64))),
        ),
        (
            "of another issuer",
            Some(claims(&|claims| {
                claims["iss"] = json!("https://example.org")
            })),
        ),
        ("signed by another key", Some(foreign)),
        (
            "for somebody else",
            Some(claims(&|claims| claims["aud"] = json!("others"))),
        ),
        (
            "without an audience",
            Some(claims(&|claims| claims["aud"] = Value::Null)),
        ),
        (
            "without a subject",
            Some(claims(&|claims| claims["sub"] = json!(""))),
        ),
        ("without a signature", Some(format!("{head}.{body}."))),
        ("alg none", Some(none("none"))),
        ("alg nOnE", Some(none("nOnE"))),
        (
            "a public key as secret",
            Some(with_claims(
                &good,
                &EncodingKey::from_secret(&public),
                Algorithm::HS256,
                |_| {},
            )),
        ),
        (
            "changed claims",
            Some(format!(
                "{head}.{}.{signature}",
                URL_SAFE_NO_PAD.encode(json!({ "sub": "ada" }).to_string())
            )),
        ),
    ];
    let operations = operations(&api, &id).await;
    assert!(operations.len() >= 12, "{operations:?}");
    for (how, token) in bad {
        let somebody = api.bearer(token);
        for (method, path) in &operations {
            let body = (*method != Method::GET)
                .then(|| json!({ "title": "stolen", "status": "completed", "filter": {} }));
            let reply = somebody
                .send(method.clone(), path, body, &[("idempotency-key", "k")])
                .await;
            assert_eq!(reply.status, 401, "{how}: {method} {path}: {}", reply.text);
            let reply = reply.problem(401, "unauthenticated");
            assert!(
                reply
                    .header("www-authenticate")
                    .unwrap()
                    .starts_with("Bearer"),
                "{how}"
            );
            assert!(!reply.text.contains("secret"), "{how}");
        }
    }
    // The good one is still good, and nothing has changed.
    let task = ada.get(&format!("/tasks/{id}")).await.expect(200);
    assert_eq!(
        (&task.body["title"], &task.body["status"]),
        (&json!("secret"), &json!("pending"))
    );
    ada.get("/users/me").await.expect(200);
}

/// S0-9: the task of another is not there: not forbidden, not shown, not changed.
#[tokio::test]
async fn what_is_anothers_is_not_there() {
    let api = Api::start().await;
    let (ada, bob) = (api.person("ada"), api.person("bob"));
    let made = ada.post("/tasks", json!({ "title": "secret", "category": "c", "priority": "high", "due_date": "2020-01-01" })).await.expect(201);
    let path = format!("/tasks/{}", made.id());
    let etag = [("if-match", made.etag())];
    bob.get(&path).await.problem(404, "not-found");
    for headers in [&[][..], &etag[..]] {
        bob.send(Method::PUT, &path, Some(json!({ "title": "x" })), headers)
            .await
            .problem(404, "not-found");
        bob.send(Method::PATCH, &path, Some(json!({ "title": "x" })), headers)
            .await
            .problem(404, "not-found");
        bob.send(Method::DELETE, &path, None, headers)
            .await
            .problem(404, "not-found");
    }
    for list in [
        "/tasks",
        "/tasks?status=pending",
        "/tasks?priority=high",
        "/tasks?category=c",
        "/tasks?overdue=true",
        "/tasks?sort=due_date",
        "/tasks/search?q=secret",
    ] {
        assert_eq!(bob.titles(list).await.len(), 0, "{list}");
    }
    let named = bob
        .get(&format!("/tasks?ids={}", made.id()))
        .await
        .expect(200);
    assert_eq!(named.body["items"], json!([]));
    bob.post(
        "/tasks/bulk/status",
        json!({ "status": "completed", "filter": {} }),
    )
    .await
    .expect(200);
    bob.send(Method::POST, "/tasks/bulk/delete-completed", None, &[])
        .await
        .expect(200);
    let task = ada.get(&path).await.expect(200);
    assert_eq!(task.body, made.body);
    api.agrees().await;
}
