//! What an account takes: policies of at most 6,144 characters, templates of at most 500 resources and 200 outputs.

use std::collections::BTreeSet;

use serde_json::Value;
use tablewright_emit::permissions::statements;
use tablewright_emit::{EmitError, cloudformation, iam};

use crate::infrastructure::model;

/// A policy as an account has it, with what is replaced in it.
fn deployed(value: &Value) -> Value {
    match value {
        Value::Object(members) => match members.get("Fn::Sub") {
            Some(text) => {
                let text = text.as_str().unwrap_or_default();
                Value::String(
                    text.replace("${AWS::Partition}", "aws-us-gov")
                        .replace("${AWS::Region}", "ap-southeast-1")
                        .replace("${AWS::AccountId}", "123456789012")
                        .replace("${TablePrefix}", "integration-")
                        .replace("${Tenant}", "${aws:PrincipalTag/tenant}"),
                )
            }
            None => members
                .iter()
                .map(|(name, value)| (name.clone(), deployed(value)))
                .collect(),
        },
        Value::Array(entries) => entries.iter().map(deployed).collect(),
        other => other.clone(),
    }
}

/// The statements of all policies of a template, each of which an account takes.
fn allowed(text: &str) -> Vec<Value> {
    let template = iam::template(&model(text), "it.toml").expect("it can be made");
    let template: Value = serde_json::from_str(&template).expect("it is JSON");
    let policies = template["Resources"].as_object().expect("policies");
    let mut all = Vec::new();
    for policy in policies.values() {
        let document = deployed(&policy["Properties"]["PolicyDocument"]);
        let length = document.to_string().len();
        assert!(length <= 6144, "{length} characters");
        all.extend(
            document["Statement"]
                .as_array()
                .cloned()
                .unwrap_or_default(),
        );
    }
    all
}

/// A table for each entity, and one pattern that gets one.
fn tables(count: usize) -> String {
    let tables: String = (0..count)
        .map(|n| {
            format!(
                "[table.a-table-of-some-service-{n}]\npartition_key = \"id\"\n[entity.E{n}]\ntable = \"a-table-of-some-service-{n}\"\nkey = {{ partition = \"{{id}}\" }}\nfields = {{ id = \"id\" }}\n[access.get_{n}]\nget = \"E{n}\"\nby = [\"id\"]\n"
            )
        })
        .collect();
    format!("[model]\nname = \"many\"\nprofile = \"table-per-entity\"\n{tables}")
}

#[test]
fn what_is_done_alike_to_many_tables_is_several_statements() {
    let text = tables(150);
    assert!(statements(&model(&text), "many").len() > 1);
    let mut resources = BTreeSet::new();
    for statement in allowed(&text) {
        assert_eq!(statement["Action"], serde_json::json!(["dynamodb:GetItem"]));
        for resource in statement["Resource"].as_array().expect("a list") {
            assert!(resources.insert(resource.to_string()), "{resource} twice");
        }
    }
    assert_eq!(resources.len(), 150);
}

/// One table of many entities of a tenant, and a transaction that touches several of them.
fn entities(count: usize) -> String {
    let mut text = String::from(
        "[model]\nname = \"many\"\ntenant = \"org\"\n[table.app]\npartition_key = \"PK\"\nsort_key = \"SK\"\ntype = \"Type\"\n",
    );
    for n in 0..count {
        text.push_str(&format!(
            "[entity.E{n}]\ntable = \"app\"\nkey = {{ partition = \"SOME_RATHER_LONG_PREFIX_{n}#{{org}}\", sort = \"E#{{id}}\" }}\nfields = {{ org = \"id\", id = \"ulid\" }}\n[access.make_{n}]\ncreate = \"E{n}\"\n"
        ));
    }
    let actions: Vec<String> = (0..20)
        .map(|n| format!("{{ create = \"E{}\" }}", n * count / 20))
        .collect();
    text.push_str(&format!(
        "[access.make_many]\ntransact = [{}]\n",
        actions.join(", ")
    ));
    text
}

#[test]
fn the_keys_of_one_pattern_stay_in_one_statement() {
    let text = entities(200);
    let all = statements(&model(&text), "many");
    let puts: Vec<_> = all
        .iter()
        .filter(|one| {
            one.actions
                .iter()
                .any(|action| action.as_str() == "PutItem")
        })
        .collect();
    assert!(puts.len() > 1);
    // Every key is in some statement, and all of the transaction's are in one.
    let keys: BTreeSet<&String> = puts.iter().flat_map(|one| &one.leading_keys).collect();
    assert_eq!(keys.len(), 200);
    let together = puts
        .iter()
        .find(|one| one.patterns.iter().any(|pattern| pattern == "make_many"))
        .expect("the transaction is allowed");
    for n in 0..20 {
        let key = format!("SOME_RATHER_LONG_PREFIX_{}#${{tenant}}", n * 10);
        assert!(together.leading_keys.contains(&key), "{key}");
    }
    assert!(!allowed(&text).is_empty());
}

#[test]
fn a_template_that_would_be_refused_is_told() {
    let refused = |text: &str| cloudformation::template(&model(text), "it.toml").unwrap_err();
    let error = refused(&tables(150));
    assert_eq!(
        error,
        EmitError::TooMany {
            of: "tables",
            what: "resources",
            found: 750,
            most: 500
        }
    );
    assert_eq!(
        error.to_string(),
        "the template of the tables would have 750 resources, and CloudFormation takes 500; divide the model into several, or deploy with the CDK from the export"
    );
    assert!(cloudformation::template(&model(&tables(50)), "it.toml").is_ok());
}

#[test]
fn a_policy_says_what_it_does_not_hold_apart() {
    let text = "[model]\nname = \"app\"\ntenant = \"user_id\"\n[table.app]\npartition_key = \"PK\"\nsort_key = \"SK\"\ntype = \"Type\"\n[entity.User]\ntable = \"app\"\nkey = { partition = \"USER#{user_id}\", sort = \"METADATA\" }\nunique.email = { partition = \"EMAIL#{email:lower}\", sort = \"METADATA\" }\nfields = { user_id = \"id\", email = \"email\" }\n[access.join]\ncreate = \"User\"\n";
    let described = |text: &str| {
        let template = iam::template(&model(text), "it.toml").expect("it can be made");
        let template: Value = serde_json::from_str(&template).expect("it is JSON");
        let policy = &template["Resources"]["AppPolicy"]["Properties"];
        policy["Description"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(
        described(text),
        "What the service app does. It holds a caller to the keys of its tenant, but not in those that are nobody's, which it may read and write whoever's they are: EMAIL#*"
    );
    let alone = text.replace(
        "unique.email = { partition = \"EMAIL#{email:lower}\", sort = \"METADATA\" }\n",
        "",
    );
    assert_eq!(described(&alone), "What the service app does");
}
