//! What the pages weigh, over real HTTP.

use std::collections::BTreeSet;

use http::Method;
use serde_json::json;

use crate::support::{Api, Asks as _, Caller, Reply};

async fn loads(who: &Caller, path: &str) -> Reply {
    let headers = [("accept-encoding", "gzip, deflate, br")];
    let path = format!("~{path}");
    who.send(Method::GET, &path, None, &headers)
        .await
        .expect(200)
}

fn length(reply: &Reply) -> usize {
    reply.header("content-length").unwrap().parse().unwrap()
}

/// What a page loads.
fn parts(page: &str) -> BTreeSet<&str> {
    let after = |begin: &'static str| {
        page.split(begin)
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
    };
    let linked = after("href=\"")
        .filter(|path| path.starts_with("/page/") || path.ends_with(".webmanifest"));
    after("src=\"").chain(linked).collect()
}

/// Twenty of the longest prompts, all of characters that need four bytes and hardly compress.
#[tokio::test]
async fn a_feed_of_the_longest_prompts_is_under_100_kb_with_all_it_loads() {
    let api = Api::start().await;
    let agent = api.agent("ada").await;
    let mut seed: u32 = 7;
    let mut emoji = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from_u32(0x1F300 + (seed >> 16) % 700).unwrap()
    };
    for _ in 0..20 {
        let prompt: String = (0..2000).map(|_| emoji()).collect();
        agent.asks(json!({ "prompt": prompt })).await;
    }
    let nobody = api.nobody();
    let plain = nobody.get("~/").await.expect(200);
    assert_eq!(plain.header("content-encoding"), None);
    assert_eq!(plain.header("vary"), Some("accept-encoding"));
    assert_eq!(plain.text.matches("class=\"card question\"").count(), 20);
    let parts = parts(&plain.text);
    for part in [
        "/page/htmx.min.js",
        "/page/page.css",
        "/page/page.js",
        "/page/icon.svg",
    ] {
        assert!(parts.contains(part), "{part} is not among {parts:?}");
    }

    let page = loads(&nobody, "/").await;
    assert_eq!(page.header("content-encoding"), Some("gzip"));
    let mut received = length(&page);
    for part in parts {
        let part = loads(&nobody, part).await;
        if part.header("content-type") == Some("text/javascript") && length(&part) > 1024 {
            assert_eq!(part.header("content-encoding"), Some("gzip"));
        }
        received += length(&part);
    }
    assert!(received < 100_000, "{received} bytes are transferred");
}

/// Programs get what they ask for as it is.
#[tokio::test]
async fn the_api_is_not_compressed() {
    let api = Api::start().await;
    let agent = api.agent("ada").await;
    for _ in 0..10 {
        agent
            .asks(json!({ "prompt": "What is as long as it is?".repeat(20) }))
            .await;
    }
    let list = loads(&agent, "/agent/questions").await;
    assert!(length(&list) > 2000);
    assert_eq!(list.header("content-encoding"), None);
}
