//! The settings of the service, and what is said of those that cannot be used.

use ask::model::Ask;
use ask::{ABOUT, App, SETTINGS, Signer, Telling, service_on};
use tablewright::Store;
use tablewright_local::Engine;
use tablewright_service::{Secret, Settings, Sources};

use crate::support::WEB_APP;

/// The page of documentation has the settings there are. `TABLEWRIGHT_BLESS=1` writes them anew: read the diff.
#[test]
fn the_settings_are_documented() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/ask.md");
    tablewright_testing::has_the_settings(page, SETTINGS);
}

fn telling(name: &str, value: &str) -> Result<Telling, String> {
    let sources = Sources::none()
        .variable("TABLEWRIGHT_ENDPOINT", "temporary")
        .variable(name, value);
    let settings = Settings::from_sources(&ABOUT, SETTINGS, &sources);
    let telling = settings.and_then(|settings| Telling::of(&settings));
    telling.map_err(|error| error.to_string())
}

#[test]
fn credentials_that_cannot_be_used_are_told_without_showing_them() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("key.json");
    let named = file.to_str().unwrap();
    let missing = telling("TABLEWRIGHT_FCM_CREDENTIALS", named).unwrap_err();
    assert!(missing.contains("fcm_credentials"), "{missing}");
    assert!(missing.contains("cannot be read"), "{missing}");
    let key = r#"{"project_id": "p", "client_email": "e", "private_key": "s3cret", "token_uri": "https://t.example.org"}"#;
    std::fs::write(&file, key).unwrap();
    let no_key = telling("TABLEWRIGHT_FCM_CREDENTIALS", named).unwrap_err();
    assert!(no_key.contains("`private_key` is no RSA key"), "{no_key}");
    assert!(!no_key.contains("s3cret"), "{no_key}");
}

#[test]
fn what_is_sent_to_firebase_is_sent_encrypted() {
    let plain = telling("TABLEWRIGHT_FCM_ENDPOINT", "http://fcm.example.org").unwrap_err();
    assert!(plain.contains("it is not https"), "{plain}");
    telling("TABLEWRIGHT_FCM_ENDPOINT", "https://fcm.example.org").unwrap();
    let seldom = telling("TABLEWRIGHT_SWEEP_EVERY", "2m").unwrap_err();
    assert!(seldom.contains("sweep_every"), "{seldom}");
}

/// What is wrong with the words of a web app, if anything.
async fn web_app(variables: &[(&str, &str)]) -> Result<(), String> {
    let engine = Engine::temporary().unwrap();
    let ask = Ask::new(&Store::new(engine.dynamodb()));
    let app = App::new(ask, Signer::new(&Secret::new("a secret for tests")));
    let keys = tempfile::tempdir().unwrap();
    let mut sources = Sources::none()
        .variable("TABLEWRIGHT_ENDPOINT", "temporary")
        .variable("TABLEWRIGHT_ISSUER_KEYS", keys.path().to_str().unwrap());
    for (name, value) in variables {
        sources = sources.variable(name, *value);
    }
    let settings = Settings::from_sources(&ABOUT, SETTINGS, &sources);
    let settings = settings.map_err(|error| error.to_string())?;
    let service = service_on(settings, app).await;
    service.map(drop).map_err(|error| error.to_string())
}

#[tokio::test]
async fn the_words_of_a_web_app_are_said_together() {
    web_app(&[]).await.unwrap();
    web_app(&WEB_APP).await.unwrap();
    for (left_out, (name, _)) in WEB_APP.iter().enumerate() {
        let mut said = WEB_APP.to_vec();
        said.remove(left_out);
        let told = web_app(&said).await.unwrap_err();
        let setting = name.trim_start_matches("TABLEWRIGHT_").to_lowercase();
        assert!(
            told.contains(&format!("{setting}: it is missing")),
            "{told}"
        );
    }
    for (name, wrong) in [
        ("TABLEWRIGHT_FCM_PROJECT", "a project"),
        ("TABLEWRIGHT_FCM_APP", "1:2:web:\""),
        ("TABLEWRIGHT_FCM_API_KEY", ""),
        ("TABLEWRIGHT_FCM_VAPID_KEY", "BAAA"),
        ("TABLEWRIGHT_FCM_INSTALLATIONS", "http://fis.example.org"),
        ("TABLEWRIGHT_FCM_REGISTRATIONS", "*"),
    ] {
        let mut said = WEB_APP.to_vec();
        said.retain(|(other, _)| *other != name);
        said.push((name, wrong));
        let told = web_app(&said).await;
        let setting = name.trim_start_matches("TABLEWRIGHT_").to_lowercase();
        assert!(told.is_err_and(|told| told.contains(&setting)), "{setting}");
    }
}

#[test]
fn the_page_of_links_is_an_address() {
    for wrong in ["ask.example.org", "javascript:alert(1)", "https://", "/"] {
        let told = telling("TABLEWRIGHT_PAGE_URL", wrong).unwrap_err();
        assert!(told.contains("page_url"), "{told}");
    }
    telling("TABLEWRIGHT_PAGE_URL", "https://ask.example.org").unwrap();
    telling("TABLEWRIGHT_PAGE_URL", "http://house.local:8083").unwrap();
}
