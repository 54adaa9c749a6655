//! Every reply of a limited route says where one stands, whatever it is (S2-23, C2-19).

use ask::AgentSaid;
use http::Method;
use serde_json::{Value, json};
use tablewright_testing::Reply;

use crate::person::{Town, words};
use crate::support::question;

const NOON: &str = "2026-11-18T12:00:00.000Z";

/// The limit, what is left of it, and when it begins anew.
fn standing(reply: &Reply) -> [Option<&str>; 3] {
    [
        "x-ratelimit-limit",
        "x-ratelimit-remaining",
        "x-ratelimit-reset",
    ]
    .map(|name| reply.header(name))
}

#[tokio::test]
async fn an_agent_is_told_with_whatever_it_is_answered() {
    let town = Town::at(NOON).await;
    let said = AgentSaid {
        open_questions: Some(2),
        ..AgentSaid::default()
    };
    let agent = town.api.agent_with("few", said).await;
    let ask = async |key: &str, body: Value| {
        let headers = [("idempotency-key", key)];
        let path = "~/agent/questions";
        agent.send(Method::POST, path, Some(body), &headers).await
    };
    let left = |left: &'static str| [Some("60"), Some(left), Some("3600")];
    assert_eq!(
        standing(&ask("a", question()).await.expect(201)),
        left("59")
    );
    // What is told again, or refused, takes nothing, and says so.
    let again = ask("a", question()).await.expect(201);
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(standing(&again), left("59"));
    let other = json!({ "prompt": "Another question altogether" });
    let reused = ask("a", other.clone()).await.problem(422, "key-reused");
    assert_eq!(standing(&reused), left("59"));
    let invalid = ask("b", json!({ "prompt": "" })).await;
    assert_eq!(standing(&invalid.problem(422, "invalid")), left("59"));
    let malformed = ask("b", json!("a question")).await;
    assert!((400..500).contains(&malformed.status));
    assert_eq!(standing(&malformed), left("59"));
    assert_eq!(
        standing(&ask("c", other.clone()).await.expect(201)),
        left("58")
    );
    let full = ask("d", other).await.problem(403, "quota-exceeded");
    assert_eq!(standing(&full), left("58"));

    let left = |left: &'static str| [Some("600"), Some(left), Some("3600")];
    let missing = "~/agent/questions/01a1dfe5-1dcc-7003-9564-d9f0c3f5af45";
    let missing = agent.get(missing).await.problem(404, "not-found");
    assert_eq!(standing(&missing), left("599"));
    for wrong in [
        "~/agent/questions/none",
        "~/agent/questions?limit=0",
        "~/agent/questions?cursor=x",
    ] {
        let wrong = agent.get(wrong).await.expect(400);
        assert_eq!(standing(&wrong)[..2], left("599")[..2]);
    }
    // Whom nobody knows has no limit of their own.
    let nobody = town.api.nobody().get("~/agent/questions").await;
    assert_eq!(standing(&nobody.problem(401, "unauthenticated")), [None; 3]);
    // What has no limit says nothing.
    let admin = town.api.admin().get("~/admin/agents/few").await;
    assert_eq!(standing(&admin.expect(200)), [None; 3]);
}

#[tokio::test]
async fn a_person_is_told_with_whatever_they_are_answered() {
    let town = Town::at(NOON).await;
    let (ada, bob) = (town.somebody().await, town.somebody().await);
    let id = town.asks_for(1).await;
    let (opened, late) = (ada.opens(&id).await, bob.opens(&id).await);
    let minute = |left: &'static str| [Some("5"), Some(left), Some("60")];
    let answer = async |body: Value| ada.post("/responses", body).await;
    let nonsense = answer(json!({ "question_id": "none" })).await;
    assert!((400..500).contains(&nonsense.status));
    assert_eq!(standing(&nonsense), minute("5"));
    let blank = ada.responds(&id, &opened, json!({ "answer": " " })).await;
    assert_eq!(standing(&blank.problem(422, "invalid")), minute("5"));
    let given = ada.responds(&id, &opened, words(1)).await.expect(201);
    assert_eq!(standing(&given), minute("4"));
    let twice = ada.responds(&id, &opened, words(1)).await;
    assert_eq!(
        standing(&twice.problem(409, "already-answered")),
        minute("4")
    );
    let over = bob.responds(&id, &late, words(2)).await;
    assert_eq!(standing(&over.problem(410, "question-over")), minute("5"));

    // The hour is told where it is nearer to its end: the reads of this address, of which there was one.
    let reads = |left: &'static str| [Some("300"), Some(left), Some("3600")];
    let missing = "/questions/01a1dfe5-1dcc-7003-9564-d9f0c3f5af45";
    let missing = ada.get(missing).await.problem(404, "not-found");
    assert_eq!(standing(&missing), reads("298"));
    let wrong = ada.get("/leaderboard?period=monthly").await;
    assert_eq!(standing(&wrong.problem(400, "malformed")), reads("298"));
    let from = [("x-forwarded-for", "192.0.2.77")];
    let nobody = town.api.nobody();
    let unknown = nobody
        .send(Method::GET, "~/human/stats", None, &from)
        .await
        .problem(401, "unauthenticated");
    assert_eq!(standing(&unknown), reads("300"));
    let device = ada.post("/push/subscriptions", json!({ "fcm_token": "" }));
    assert_eq!(
        standing(&device.await.problem(422, "invalid")),
        [Some("10"), Some("10"), Some("3600")]
    );
}

/// Pages say it as well, whether they show what was asked for or why not.
#[tokio::test]
async fn pages_say_where_one_stands() {
    let town = Town::at(NOON).await;
    let id = town.asks_for(2).await;
    let ada = town.somebody().await;
    let from = [("x-forwarded-for", "192.0.2.78")];
    let nobody = town.api.nobody();
    let mut left = 300;
    let question = format!("/questions/{id}");
    let missing = "/questions/01a1dfe5-1dcc-7003-9564-d9f0c3f5af45";
    for (path, status) in [
        ("/", 200),
        (&*question, 200),
        (missing, 404),
        ("/skip", 303),
        ("/leaderboard", 200),
        ("/me", 200),
        ("/settings", 200),
    ] {
        let address = format!("~{path}");
        let page = nobody.send(Method::GET, &address, None, &from);
        let page = page.await.expect(status);
        left -= 1;
        let now_left = left.to_string();
        let told = [Some("300"), Some(&*now_left), Some("3600")];
        assert_eq!(standing(&page), told, "{path}");
    }
    let no_page = nobody
        .send(Method::GET, "~/thanks", None, &from)
        .await
        .expect(404);
    assert_eq!(standing(&no_page)[1], Some("293"));
    let opened = ada.opens(&id).await;
    let wrong = ada
        .sends(&question, &format!("opened={opened}&answer="))
        .await
        .expect(422);
    assert_eq!(standing(&wrong), [Some("5"), Some("5"), Some("60")]);
    let sent = ada
        .sends(&question, &format!("opened={opened}&answer=Porridge"))
        .await
        .expect(303);
    assert_eq!(standing(&sent), [Some("5"), Some("4"), Some("60")]);
    let subscribed = ada
        .sends("/settings/devices", "min_interval_minutes=30")
        .await
        .expect(303);
    assert_eq!(standing(&subscribed)[..2], [Some("10"), Some("9")]);
    let own = town.agent.get("~/page/agent/questions").await.expect(200);
    assert_eq!(standing(&own)[1], Some("999999"));
}

/// The description promises a 429 for what is limited: all of it says where one stands also when it is refused.
#[tokio::test]
async fn no_limited_route_is_forgotten() {
    let town = Town::at(NOON).await;
    let ada = town.somebody().await;
    let document = town.api.nobody().get("~/openapi.json").await;
    let document = document.expect(200).body;
    let mut limited = 0;
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let about = operation["responses"]["429"].to_string();
            let own = path.starts_with("/agent/") || path.starts_with("/human/");
            if !own || about == "null" {
                continue;
            }
            let who = match path.starts_with("/agent/") {
                true => &town.agent,
                false => &ada.caller,
            };
            let method: Method = method.to_uppercase().parse().unwrap();
            let target = format!("~{}?nonsense=1", path.replace(['{', '}'], ""));
            // Neither the path nor the body is what the route takes.
            let body = (method != Method::GET).then(|| json!(["nonsense"]));
            let reply = who.send(method.clone(), &target, body, &[]).await;
            assert!(
                standing(&reply).iter().all(Option::is_some),
                "{method} {path}: {} {:?}",
                reply.status,
                reply.headers
            );
            limited += 1;
        }
    }
    assert!(limited >= 11, "{limited}");
}
