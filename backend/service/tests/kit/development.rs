//! The development issuer: its tokens, its key, and where it has no place.

use std::time::Duration;

use tablewright_service::{DevelopmentIssuer, IssuerError, KEY_FILE, Person, Settings, Sources};

use crate::app::ABOUT;
use crate::started::Started;

#[tokio::test(flavor = "multi_thread")]
async fn its_tokens_are_those_of_the_folder_and_its_key_is_published() {
    let app = Started::usual().await;
    let ada = Person {
        sub: String::from("ada"),
        email: Some(String::from("ada@example.org")),
        name: Some(String::from("Ada")),
        groups: vec![String::from("admins")],
    };
    let me = app
        .send(app.get("/api/v1/me").token(&app.token_of(&ada)))
        .await
        .json();
    assert_eq!(me["email"], "ada@example.org");
    assert_eq!(me["email_verified"], true);
    assert_eq!(me["groups"][0], "admins");

    let jwks = app.json("/.well-known/jwks.json").await;
    assert_eq!(jwks["keys"][0]["crv"], "Ed25519");
    assert_eq!(
        jwks["keys"][0].get("d"),
        None,
        "the private part stays where it is"
    );

    let other = tempfile::tempdir().unwrap();
    let other = DevelopmentIssuer::open(other.path()).unwrap();
    let foreign = other.token(&ada, Duration::from_secs(60));
    let reply = app.send(app.get("/api/v1/me").token(&foreign)).await;
    reply.problem(401, "unauthenticated");
    let expired = app.token_of(&ada);
    assert_eq!(
        app.send(app.get("/api/v1/me").token(&expired)).await.status,
        200
    );
}

#[test]
fn many_that_begin_at_once_have_one_key() {
    let folder = tempfile::tempdir().unwrap();
    let threads: Vec<_> = (0..16)
        .map(|_| {
            let folder = folder.path().join("new");
            std::thread::spawn(move || DevelopmentIssuer::open(&folder).unwrap().jwks())
        })
        .collect();
    let mut keys: Vec<String> = threads
        .into_iter()
        .map(|thread| thread.join().unwrap())
        .collect();
    keys.dedup();
    assert_eq!(keys.len(), 1);
    let files = std::fs::read_dir(folder.path().join("new"))
        .unwrap()
        .count();
    assert_eq!(files, 1, "nothing is left over");
}

#[test]
fn a_file_that_is_no_key_is_told_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(KEY_FILE), "my letters").unwrap();
    let refused = DevelopmentIssuer::open(folder.path()).unwrap_err();
    assert!(matches!(refused, IssuerError::NoKey { .. }), "{refused}");
    let kept = std::fs::read_to_string(folder.path().join(KEY_FILE)).unwrap();
    assert_eq!(kept, "my letters");
}

#[test]
fn a_service_that_others_can_reach_does_not_start_with_it() {
    for host in ["0.0.0.0", "::", "192.168.1.2", "[::ffff:10.0.0.1]"] {
        let sources = Sources::none().variable("TABLEWRIGHT_HOST", host);
        let refused = Settings::from_sources(&ABOUT, &[], &sources).unwrap_err();
        let told = refused.to_string();
        assert!(told.contains("issuer: it must be set"), "{told}");
        assert!(told.contains("loopback only"), "{told}");
    }
    for host in ["127.0.0.1", "127.9.9.9", "::1"] {
        let sources = Sources::none().variable("TABLEWRIGHT_HOST", host);
        let settings = Settings::from_sources(&ABOUT, &[], &sources).unwrap();
        assert!(settings.is_development());
    }
}
