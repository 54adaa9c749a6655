//! Who may ask: agents with keys, which admins make and revoke.

use ask::model::{Agent, ApiKey};
use serde_json::json;
use tablewright::Timestamp;

use crate::support::{Api, Asks as _, question};

#[tokio::test]
async fn an_admin_makes_an_agent_known_and_gives_it_a_key() {
    let api = Api::start().await;
    let admin = api.admin();
    let put = admin
        .put("~/admin/agents/ada", json!({ "name": "Ada" }))
        .await
        .expect(200);
    assert_eq!(put.body["questions_per_hour"], 60);
    let made = admin
        .post("~/admin/agents/ada/keys", json!({ "label": "laptop" }))
        .await
        .expect(201);
    let key = made.text_of("key").to_owned();
    assert!(key.starts_with("aah_") && key.len() > 40);
    let agent = api.nobody().bearing(Some(key.clone()));
    agent.asks(question()).await;
    // Only a hash of it is kept, and it is never shown again.
    let kept = api.stored::<ApiKey>().await;
    assert!(!format!("{kept:?}").contains(&key));
    let listed = admin.get("~/admin/agents/ada/keys").await.expect(200);
    assert!(!listed.text.contains(&key));
    assert_eq!(listed.body["items"][0]["label"], "laptop");
    let hash = listed.body["items"][0]["key_hash"]
        .as_str()
        .unwrap()
        .to_owned();
    for path in [hash.clone(), hash[..8].to_owned()] {
        admin
            .delete(&format!("~/admin/agents/ada/keys/{path}"))
            .await
            .expect(204);
    }
    agent
        .post("~/agent/questions", question())
        .await
        .problem(401, "unauthenticated");
    let listed = admin.get("~/admin/agents/ada/keys").await.expect(200);
    assert_eq!(listed.body["items"][0]["active"], false);
}

#[tokio::test]
async fn what_is_not_said_of_an_agent_stays() {
    let api = Api::start().await;
    let admin = api.admin();
    let put = async |said: serde_json::Value| admin.put("~/admin/agents/ada", said).await;
    put(json!({ "open_questions": 7, "webhook_url": "https://a.example/x" }))
        .await
        .expect(200);
    let first = put(json!({ "webhook_url": "https://b.example/x" }))
        .await
        .expect(200);
    let secret = first.text_of("webhook_secret").to_owned();
    assert!(secret.starts_with("whsec_"));
    let same = put(json!({ "name": "Ada", "webhook_url": "https://b.example/x" }))
        .await
        .expect(200);
    assert_eq!(same.body["webhook_secret"], json!(null), "it is shown once");
    assert_eq!(same.body["open_questions"], 7);
    let stored = api.stored::<Agent>().await;
    assert_eq!(stored[0].webhook_secret.as_deref(), Some(secret.as_str()));
    put(json!({ "webhook_url": "" })).await.expect(200);
    let stored = api.stored::<Agent>().await;
    assert_eq!(
        (&stored[0].webhook_url, &stored[0].webhook_secret),
        (&None, &None)
    );
    for (said, field) in [
        (json!({ "open_questions": 0 }), "open_questions"),
        (json!({ "polls_per_hour": 1_000_001 }), "polls_per_hour"),
        (json!({ "name": "" }), "name"),
        (json!({ "webhook_url": "http://a.example" }), "webhook_url"),
        (json!({ "webhook_url": "ftp://a.example" }), "webhook_url"),
        (json!({ "webhook_url": "https://" }), "webhook_url"),
        (
            json!({ "webhook_url": "https://me:secret@a.example/" }),
            "webhook_url",
        ),
        (json!({ "agent": 1 }), "agent"),
    ] {
        put(said).await.problem(422, "invalid").about(field);
    }
    assert_eq!(api.stored::<Agent>().await, stored);
}

#[tokio::test]
async fn only_admins_do_what_admins_do() {
    let api = Api::start().await;
    let agent = api.agent("ada").await;
    let member = api.in_group("Members");
    let nobody = api.nobody();
    let before = api.stored::<ApiKey>().await;
    for (who, status, kind) in [
        (&agent, 401, "unauthenticated"),
        (&nobody, 401, "unauthenticated"),
        (&member, 403, "forbidden"),
    ] {
        who.put("~/admin/agents/eve", json!({}))
            .await
            .problem(status, kind);
        who.post("~/admin/agents/ada/keys", json!({ "label": "x" }))
            .await
            .problem(status, kind);
        who.get("~/admin/agents/ada/keys")
            .await
            .problem(status, kind);
        who.delete("~/admin/agents/ada/keys/xxxxxxxx")
            .await
            .problem(status, kind);
    }
    assert_eq!(api.stored::<ApiKey>().await, before);
    let admin = api.admin();
    admin
        .get("~/admin/agents/eve/keys")
        .await
        .problem(404, "not-found");
    admin
        .post("~/admin/agents/eve/keys", json!({ "label": "x" }))
        .await
        .problem(404, "not-found");
    admin
        .delete("~/admin/agents/ada/keys/abc")
        .await
        .problem(404, "not-found");
    admin
        .put("~/admin/agents/a%20b", json!({}))
        .await
        .problem(400, "malformed");
}

#[tokio::test]
async fn what_is_no_key_of_an_agent_opens_nothing() {
    let api = Api::start().await;
    let agent = api.agent("ada").await;
    let id = agent.asks(question()).await;
    let person = String::from("aahp_AAAA");
    for token in [
        None,
        Some("aah_x".into()),
        Some("aah_".into()),
        Some(person),
        Some("x".repeat(500)),
    ] {
        let who = api.nobody().bearing(token.clone());
        who.post("~/agent/questions", question())
            .await
            .problem(401, "unauthenticated");
        who.get("~/agent/questions")
            .await
            .problem(401, "unauthenticated");
        who.get(&format!("~/agent/questions/{id}"))
            .await
            .problem(401, "unauthenticated");
    }
    api.admin()
        .get("~/agent/questions")
        .await
        .problem(401, "unauthenticated");
}

/// However many keys an agent has, each of them can be seen and revoked.
#[tokio::test]
async fn a_key_is_revoked_however_many_came_after_it() {
    let api = Api::start().await;
    let admin = api.admin();
    let first = api.agent("ada").await;
    let kept = api.stored::<ApiKey>().await.remove(0).data;
    for number in 0..110 {
        let later = kept.created_at.millis() + 1 + number;
        let another = ApiKey {
            key_hash: format!("another-key-{number:03}"),
            created_at: Timestamp::from_millis(later).unwrap(),
            ..kept.clone()
        };
        api.ask.api_keys.issue_key(another).await.unwrap();
    }
    let (mut listed, mut cursor) = (Vec::new(), String::new());
    loop {
        let path = format!("~/admin/agents/ada/keys?limit=50{cursor}");
        let page = admin.get(&path).await.expect(200).body;
        let hashes = page["items"].as_array().unwrap().iter();
        listed.extend(hashes.map(|key| key["key_hash"].as_str().unwrap().to_owned()));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!((listed.len(), listed.last()), (111, Some(&kept.key_hash)));
    first.get("~/agent/questions").await.expect(200);
    // It is another agent's only for who says so.
    api.agent("eve").await;
    let of = |agent: &str, hash: &str| format!("~/admin/agents/{agent}/keys/{hash}");
    admin
        .delete(&of("eve", &kept.key_hash))
        .await
        .problem(404, "not-found");
    admin.delete(&of("ada", &kept.key_hash)).await.expect(204);
    first
        .get("~/agent/questions")
        .await
        .problem(401, "unauthenticated");
    admin
        .delete(&of("ada", "another-key-"))
        .await
        .problem(422, "invalid")
        .about("key_hash");
    admin
        .delete(&of("ada", "another-key-000"))
        .await
        .expect(204);
    let revoked = api.stored::<ApiKey>().await.into_iter();
    assert_eq!(revoked.filter(|key| !key.active).count(), 2);
}

/// Every id that is taken can ask: what is counted of it fits, too.
#[tokio::test]
async fn the_longest_id_can_ask_and_a_longer_one_is_refused() {
    let api = Api::start().await;
    let admin = api.admin();
    let longest = "a".repeat(100);
    let put = format!("~/admin/agents/{longest}");
    admin.put(&put, json!({})).await.expect(200);
    let agent = api.agent(&longest).await;
    let id = agent.asks(question()).await;
    agent
        .get(&format!("~/agent/questions/{id}"))
        .await
        .expect(200);
    let longer = admin.put(&format!("{put}a"), json!({})).await;
    let longer = longer.problem(400, "malformed");
    assert!(longer.text.contains("1 to 100"), "{}", longer.text);
    assert_eq!(api.stored::<Agent>().await.len(), 1);

    // What is no letter of a path is written so that it is one.
    let odd = "~/admin/agents/a%2Fb%3Ac%40d";
    admin.put(odd, json!({})).await.expect(200);
    let made = admin
        .post(&format!("{odd}/keys"), json!({ "label": "x" }))
        .await;
    let made = made.expect(201);
    let location = made.header("location").unwrap();
    assert!(
        location.starts_with("/admin/agents/a%2Fb%3Ac%40d/keys/"),
        "{location}"
    );
    admin.delete(&format!("~{location}")).await.expect(204);
}

#[tokio::test]
async fn an_admin_sees_an_agent_without_its_secret() {
    let api = Api::start().await;
    let admin = api.admin();
    admin
        .get("~/admin/agents/ada")
        .await
        .problem(404, "not-found");
    let said = json!({ "name": "Ada", "webhook_url": "https://a.example/x", "polls_per_hour": 7 });
    let put = admin.put("~/admin/agents/ada", said).await.expect(200);
    let seen = admin.get("~/admin/agents/ada").await.expect(200);
    assert!(!seen.text.contains("whsec_"), "{}", seen.text);
    for field in ["name", "webhook_url", "polls_per_hour", "created_at"] {
        assert_eq!(seen.body[field], put.body[field]);
    }
    let member = api.in_group("Members");
    member
        .get("~/admin/agents/ada")
        .await
        .problem(403, "forbidden");
    api.nobody()
        .get("~/admin/agents/ada")
        .await
        .problem(401, "unauthenticated");
}
