//! What the service says of itself.

use serde_json::json;
use tablewright_service::{Settings, SettingsError, Sources};
use tasks::{ABOUT, SETTINGS};

use crate::support::Api;

#[tokio::test(flavor = "multi_thread")]
async fn the_api_describes_all_it_does() {
    let api = Api::start().await;
    let nobody = api.bearer(None);
    let document = nobody.get("~/openapi.json").await.expect(200).body;
    let paths = document["paths"].as_object().unwrap();
    let has: Vec<(String, Vec<&String>)> = paths
        .iter()
        .map(|(path, methods)| (path.clone(), methods.as_object().unwrap().keys().collect()))
        .collect();
    assert_eq!(
        json!(has),
        json!([
            ["/api/v1/mail/bounces", ["post"]],
            ["/api/v1/mail/undelivered", ["get"]],
            [
                "/api/v1/mail/undelivered/{event_id}/{user_id}/send",
                ["post"]
            ],
            ["/api/v1/mail/waiting", ["get"]],
            ["/api/v1/tasks", ["get", "post"]],
            ["/api/v1/tasks/{task_id}", ["delete", "get", "put"]],
            ["/api/v1/tasks/{task_id}/assign", ["post"]],
            ["/api/v1/tasks/{task_id}/assignments", ["get"]],
            ["/api/v1/tasks/{task_id}/assignments/{user_id}", ["delete"]],
            ["/api/v1/tasks/{task_id}/close", ["post"]],
            ["/api/v1/tasks/{task_id}/history", ["get"]],
            ["/api/v1/tasks/{task_id}/status", ["put"]],
            ["/api/v1/users", ["get"]],
            ["/api/v1/users/me", ["get"]],
            ["/api/v1/users/{user_id}/email", ["delete"]],
            ["/api/v1/users/{user_id}/status", ["put"]],
            ["/api/v1/users/{user_id}/tasks", ["get"]],
        ])
    );
    let for_people = paths.iter().filter(|(path, _)| !path.contains("/mail/"));
    for (path, methods) in for_people {
        for (method, operation) in methods.as_object().unwrap() {
            let responses = operation["responses"].as_object().unwrap();
            // Mails that come back are told by a service, not by a person.
            let refusals = match path.ends_with("/mail/bounces") {
                true => &["401"][..],
                false => &["401", "403"],
            };
            for status in refusals.iter().copied() {
                assert!(responses.contains_key(status), "{method} {path} {status}");
            }
        }
    }
    for kind in ["deactivated", "address-refused", "not-assignable"] {
        nobody.get(&format!("~/problems/{kind}")).await.expect(200);
    }
}

/// The page of documentation has the settings there are. `TABLEWRIGHT_BLESS=1` writes them anew: read the diff.
#[test]
fn the_settings_are_documented() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/tasks.md");
    tablewright_testing::has_the_settings(page, SETTINGS);
}

/// What is wrong with the address of a mail server is told, without the password in it.
#[test]
fn a_password_in_clear_is_refused_for_that_reason() {
    let url = "smtp://ada:s3cret@mail.example.org";
    let sources = Sources::none().variable("TABLEWRIGHT_SMTP_URL", url);
    let refused = Settings::from_sources(&ABOUT, SETTINGS, &sources).unwrap_err();
    let told = refused.to_string();
    assert!(told.contains("travel in clear"), "{told}");
    assert!(!told.contains("s3cret"), "{told}");
}

/// Whoever configures a service mends everything at once.
#[test]
fn what_cannot_be_used_is_told_all_together_and_secrets_are_not_shown() {
    let wrong = [
        ("port", "65536"),
        ("email_domains", "@"),
        ("smtp_url", "smtp://ada:s3cret"),
        ("mail_from", "nobody"),
        ("mail_stale", "1s"),
        ("page_url", "javascript:alert(1)"),
        ("bounce_token", "s3cret"),
        ("events_days", "0"),
        ("events_webhook", "http://example.org/hook whsec_s3cret"),
    ];
    let sources = wrong
        .iter()
        .fold(Sources::none(), |sources, (name, value)| {
            sources.variable(
                &format!("TABLEWRIGHT_{}", name.to_ascii_uppercase()),
                *value,
            )
        });
    let refused = Settings::from_sources(&ABOUT, SETTINGS, &sources).unwrap_err();
    let SettingsError::Refused(faults) = &refused else {
        panic!("{refused}");
    };
    for (name, _) in wrong {
        let faults = faults.iter().filter(|fault| fault.setting == name);
        assert_eq!(faults.count(), 1, "{name}: {refused}");
    }
    assert!(!refused.to_string().contains("s3cret"), "{refused}");
}
