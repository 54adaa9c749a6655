//! What goes wrong is told in words, to the model where it can do something about it.

use serde_json::{Value, json};

use super::client::Client;
use super::{BRIDGE, begun};
use crate::support::Api;

/// What a tool complains of.
fn complaint(client: &mut Client, tool: &str, arguments: Value) -> String {
    let result = client.call(tool, arguments);
    assert_eq!(result["isError"], true, "{result}");
    assert!(result.get("structuredContent").is_none(), "{result}");
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_arguments_are_told_and_nothing_is_asked() {
    let (_api, agent, mut client) = begun().await;
    for (arguments, named) in [
        (json!({}), "prompt"),
        (json!({ "prompt": "Why?" }), "prompt"),
        (json!({ "prompt": 12 }), "prompt"),
        (
            json!({ "prompt": BRIDGE, "type": "multiple_choice" }),
            "options",
        ),
        (json!({ "prompt": BRIDGE, "min_responses": 51 }), "51"),
        (json!({ "prompt": BRIDGE, "colour": "red" }), "colour"),
        (json!({ "prompt": BRIDGE, "wait_seconds": 601 }), "600"),
        (
            json!({ "prompt": BRIDGE, "wait_seconds": -1 }),
            "wait_seconds",
        ),
        (
            json!({ "prompt": BRIDGE, "wait_seconds": "long" }),
            "wait_seconds",
        ),
    ] {
        let told = complaint(&mut client, "ask_human", arguments.clone());
        // 51 is more than there may be: the field or the number is named.
        let field = named == "51" && told.contains("min_responses");
        assert!(field || told.contains(named), "{arguments}: {told}");
    }
    let unknown = "01a1dfe5-1dcc-7003-9564-d9f0c3f5af45";
    for (arguments, named) in [
        (json!({}), "question_id"),
        (json!({ "question_id": "../human/questions" }), "UUID"),
        (
            json!({ "question_id": unknown, "wait_seconds": 601 }),
            "600",
        ),
        (json!({ "question_id": unknown, "until": 1 }), "until"),
        (json!({ "question_id": unknown }), "There is no such thing"),
    ] {
        let told = complaint(&mut client, "check_answers", arguments.clone());
        assert!(told.contains(named), "{arguments}: {told}");
    }
    let list = agent.get("~/agent/questions").await.expect(200);
    assert_eq!(list.body["items"], json!([]));
    client.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_the_protocol_is_refused_and_the_next_request_is_answered() {
    let (_api, _, mut client) = begun().await;
    let unknown_tool = client.send("tools/call", json!({ "name": "ask_everybody" }));
    let refused = client.answer(unknown_tool);
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let unknown_method = client.send("people/list", json!({}));
    let refused = client.answer(unknown_method);
    assert_eq!(refused["error"]["code"], -32601, "{refused}");
    client.write("this is no JSON");
    let list = client.ask("tools/list", json!({}));
    assert_eq!(list["tools"].as_array().unwrap().len(), 2);
    client.end();
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_good_key_the_model_is_told_what_is_missing() {
    let api = Api::start().await;
    for (key, named) in [(None, "ask key add"), (Some("aah_wrong"), "is not good")] {
        let mut client = Client::of(&api.address, key);
        client.begin();
        let told = complaint(&mut client, "ask_human", json!({ "prompt": BRIDGE }));
        assert!(
            told.contains("ASK_A_HUMAN_KEY") && told.contains(named),
            "{told}"
        );
        client.end();
    }
}

#[test]
fn a_service_that_is_away_is_told() {
    // Free a moment ago, and nobody listens there.
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let mut client = Client::of(&address, Some("aah_some"));
    client.begin();
    let told = complaint(&mut client, "ask_human", json!({ "prompt": BRIDGE }));
    assert!(told.contains("cannot be reached"), "{told}");
    client.end();
}

#[test]
fn an_address_that_is_none_ends_it_with_a_reason() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_ask"))
        .arg("mcp")
        .env("ASK_A_HUMAN_BASE_URL", "ask.example.org")
        .output()
        .unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("must begin with http://"), "{told}");
    assert!(!output.status.success() && output.stdout.is_empty());
}
