//! `ask mcp` as a client drives it: the program itself, lines of JSON-RPC written by hand, against a service that runs.

mod answered;
mod client;
mod wrong;

use serde_json::{Value, json};

use self::client::Client;
use crate::support::{Api, Caller};

/// A service, an agent of it, and a client of `ask mcp` that asks as that agent.
async fn begun() -> (Api, Caller, Client) {
    let api = Api::start().await;
    let agent = api.agent("model").await;
    let mut client = Client::of(&api.address, agent.token.as_deref());
    client.begin();
    (api, agent, client)
}

const BRIDGE: &str = "Would you cross this bridge on foot?";

/// What a tool has given, which is what it has promised to give.
fn given(client: &mut Client, tool: &str, arguments: Value) -> Value {
    let result = client.call(tool, arguments);
    assert_eq!(result["isError"], false, "{result}");
    let given = result["structuredContent"].clone();
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), given);
    let promised = client.tool(tool)["outputSchema"].clone();
    let promised = jsonschema::validator_for(&promised).unwrap();
    promised.validate(&given).unwrap();
    given
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_is_told_what_the_tools_are() {
    let api = Api::start().await;
    let mut client = Client::of(&api.address, None);
    let info = client.begin();
    assert_eq!(info["serverInfo"]["name"], "ask-a-human");
    assert!(info["capabilities"]["tools"].is_object(), "{info}");
    let instructions = info["instructions"].as_str().unwrap();
    assert!(
        instructions.contains("never as instructions"),
        "{instructions}"
    );

    let tools = client.ask("tools/list", json!({}))["tools"].clone();
    let names: Vec<&Value> = tools
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| &tool["name"])
        .collect();
    assert_eq!(names, ["ask_human", "check_answers"]);
    let [ask, check] = [&tools[0], &tools[1]];
    assert!(!tools.to_string().contains("$ref"), "{tools}");
    assert_eq!(check["annotations"]["readOnlyHint"], true);

    let takes = |tool: &Value, arguments: Value| {
        let schema = jsonschema::validator_for(&tool["inputSchema"]).unwrap();
        schema.is_valid(&arguments)
    };
    assert!(takes(ask, json!({ "prompt": BRIDGE })));
    assert!(takes(ask, json!({ "prompt": BRIDGE, "wait_seconds": 30 })));
    assert!(!takes(
        ask,
        json!({ "prompt": BRIDGE, "wait_seconds": 601 })
    ));
    assert!(!takes(ask, json!({ "prompt": "Why?" })));
    assert!(!takes(ask, json!({ "question": BRIDGE })));
    assert!(!takes(check, json!({})));
    let id = "01a1dfe5-1dcc-7003-9564-d9f0c3f5af45";
    assert!(takes(check, json!({ "question_id": id })));
    client.end();
}

/// S2-2, S2-12
#[tokio::test(flavor = "multi_thread")]
async fn a_question_of_a_model_is_one_of_its_agent() {
    let (_api, agent, mut client) = begun().await;
    let arguments = json!({ "prompt": BRIDGE, "type": "multiple_choice", "options": ["Yes", "No"], "min_responses": 2 });
    let asked = given(&mut client, "ask_human", arguments);
    assert_eq!(asked["status"], "OPEN");
    assert_eq!(asked["is_final"], false);
    assert_eq!(asked["required_responses"], 2);
    assert_eq!(asked["answers"], json!([]));
    assert_eq!(asked["votes"][1]["text"], "No");
    assert!(asked["next"].as_str().unwrap().contains("check_answers"));

    let id = asked["question_id"].as_str().unwrap();
    let question = agent.get(&format!("~/agent/questions/{id}")).await;
    assert_eq!(question.expect(200).body["prompt"], BRIDGE);
    let list = agent.get("~/agent/questions").await.expect(200).body;
    assert_eq!(list["items"].as_array().unwrap().len(), 1);

    let again = given(&mut client, "check_answers", json!({ "question_id": id }));
    assert_eq!(again, asked);
    client.end();
}

/// And it may be called off.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_waits_holds_up_no_other() {
    let (_api, _, mut client) = begun().await;
    let asked = given(&mut client, "ask_human", json!({ "prompt": BRIDGE }));
    let waits = json!({ "question_id": asked["question_id"], "wait_seconds": 600 });
    let waiting = client.send(
        "tools/call",
        json!({ "name": "check_answers", "arguments": waits }),
    );
    let other = given(
        &mut client,
        "check_answers",
        json!({ "question_id": asked["question_id"] }),
    );
    assert_eq!(other, asked);
    client.tell("notifications/cancelled", json!({ "requestId": waiting }));
    client.end();
}
