//! Tasks by their words.

use serde_json::json;

use crate::support::{Api, Asks as _};

/// S0-35, C0-12: in title and description, whatever case and accents are, in the caller's tasks only.
#[tokio::test]
async fn words_are_found_whatever_their_case_and_accents() {
    let api = Api::start().await;
    let (ada, bob) = (api.person("ada"), api.person("bob"));
    ada.task(json!({ "title": "Café in ZÜRICH", "description": "with Ångström" }))
        .await;
    ada.task(json!({ "title": "Buy milk" })).await;
    ada.task(json!({ "title": "Œuvre in der Hauptstraße", "description": "Łódź, ΟΔΟΣ" }))
        .await;
    ada.task(json!({ "title": "दान देना" })).await;
    bob.task(json!({ "title": "Café of somebody else" })).await;
    for (words, found) in [
        ("cafe", 1),
        ("CAF%C3%89", 1),
        ("cafe%CC%81", 1),
        ("zurich+angstrom", 1),
        ("HAUPTSTRASSE+oeuvre", 1),
        ("lodz+%CE%BF%CE%B4%CE%BF%CF%82", 1),
        // A vowel sign is no accent: दान is found, दिन is another word.
        ("%E0%A4%A6%E0%A4%BE%E0%A4%A8", 1),
        ("%E0%A4%A6%E0%A4%BF%E0%A4%A8", 0),
        ("milk", 1),
        ("mil", 1),
        ("milk+cafe", 0),
        ("somebody", 0),
        ("%23", 0),
    ] {
        assert_eq!(
            ada.titles(&format!("/tasks/search?q={words}")).await.len(),
            found,
            "{words}"
        );
    }
    for (query, field) in [
        ("", "q"),
        ("q=", "q"),
        ("q=%20", "q"),
        ("q=a%00", "q"),
        ("q=a&limit=0", "limit"),
        ("q=a&limit=101", "limit"),
        ("q=a&words=b", "words"),
    ] {
        ada.get(&format!("/tasks/search?{query}"))
            .await
            .problem(400, "malformed")
            .about(field);
    }
}

/// S0-23, C0-6: also a search gives full pages, the newest first.
#[tokio::test]
async fn a_search_has_full_pages() {
    let api = Api::start().await;
    let ada = api.person("ada");
    for number in 0..60 {
        let word = if number % 3 == 0 { "needle" } else { "hay" };
        ada.task(json!({ "title": format!("{word} {number}") }))
            .await;
    }
    let titles = ada.titles("/tasks/search?q=NEEDLE").await;
    assert_eq!(titles.len(), 20);
    assert_eq!(
        (titles[0].as_str(), titles[19].as_str()),
        ("needle 57", "needle 0")
    );
}
