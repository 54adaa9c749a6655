//! What each service may do, as a CloudFormation template of managed policies.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use tablewright_model::Model;
use tablewright_model::model::Table;

use crate::EmitError;
use crate::cloudformation::{
    LogicalIds, are_few_enough, description, pretty, sub, table_name, table_prefix,
};
use crate::permissions::{Resource, Statement, TENANT, statements};

/// What a managed policy takes, its spaces not counted.
const MOST_CHARACTERS: usize = 6_144;

/// Room is left for what is replaced in an ARN by something longer.
const LONGEST_POLICY: usize = 5_500;

/// What the description of a policy takes.
const LONGEST_DESCRIPTION: usize = 1_000;

/// What stands for the tenant unless the deployer says otherwise: the tag of the session.
const TENANT_TAG: &str = "${aws:PrincipalTag/tenant}";

/// The template of the policies: one for each service, and one for whoever reads the stream of a table.
///
/// # Errors
/// [`EmitError::NoTables`], [`EmitError::NothingAsked`], [`EmitError::SameName`] for services whose names differ only in characters
/// CloudFormation does not take, [`EmitError::TooLong`] and [`EmitError::TooMany`] for what an account does not take.
pub fn template(model: &Model, source: &str) -> Result<String, EmitError> {
    if model.tables.is_empty() {
        return Err(EmitError::NoTables);
    }
    let mut resources = Map::new();
    let mut outputs = Map::new();
    let mut ids = LogicalIds::default();
    let mut add = |id: String, description: String, statements: &[Value]| {
        outputs.insert(
            format!("{id}Arn"),
            json!({ "Description": description, "Value": { "Ref": id } }),
        );
        resources.insert(id, policy(&description, statements));
    };
    let mut has_tenant = false;
    for service in model.services() {
        let statements = statements(model, service);
        let mut keys = statements.iter().flat_map(|one| &one.leading_keys);
        has_tenant |= keys.any(|key| key.contains(TENANT));
        let does = does(service, &statements);
        let statements: Vec<Value> = statements.iter().map(allowed).collect();
        let longest = statements.iter().map(|one| one.to_string().len()).max();
        if longest.is_some_and(|longest| longest > MOST_CHARACTERS) {
            return Err(EmitError::TooLong {
                service: service.to_owned(),
            });
        }
        let parts = split(&statements);
        for (number, part) in parts.iter().enumerate() {
            let suffix = match number {
                0 => String::new(),
                more => (more + 1).to_string(),
            };
            let what = format!("the policy of the service `{service}`");
            let id = ids.take(&[service, "Policy", &suffix], &what)?;
            add(id, does.clone(), part);
        }
    }
    for table in model.tables.iter().filter(|table| table.stream.is_some()) {
        let name = table.name.as_str();
        let what = format!("the policy of the stream of `{name}`");
        let id = ids.take(&[name, "StreamPolicy"], &what)?;
        add(id, format!("Reading the stream of {name}"), &stream(table));
    }
    if resources.is_empty() {
        return Err(EmitError::NothingAsked);
    }
    are_few_enough("policies", &resources, &outputs)?;
    let mut parameters = json!({ "TablePrefix": table_prefix(model) });
    if has_tenant {
        parameters["Tenant"] = json!({
            "Type": "String",
            "Default": TENANT_TAG,
            "Description": "What stands for the tenant in a key: a policy variable, or * for a program that acts for all of them.",
        });
    }
    let template = json!({
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": description("The policies", model, source),
        "Parameters": parameters,
        "Resources": resources,
        "Outputs": outputs,
    });
    Ok(pretty(&template))
}

/// What a policy is for. What it does not hold apart is said where it is read.
fn does(service: &str, statements: &[Statement]) -> String {
    let keys: BTreeSet<&str> = statements
        .iter()
        .flat_map(|one| &one.leading_keys)
        .map(String::as_str)
        .collect();
    let (of_tenant, of_nobody): (Vec<&str>, Vec<&str>) =
        keys.into_iter().partition(|key| key.contains(TENANT));
    let mut text = format!("What the service {service} does");
    if !of_tenant.is_empty() && !of_nobody.is_empty() {
        text.push_str(&format!(
            ". It holds a caller to the keys of its tenant, but not in those that are nobody's, which it may read and write whoever's they are: {}",
            of_nobody.join(", ")
        ));
    }
    match text.char_indices().nth(LONGEST_DESCRIPTION - 1) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

fn policy(description: &str, statements: &[Value]) -> Value {
    json!({
        "Type": "AWS::IAM::ManagedPolicy",
        "Properties": {
            "Description": description,
            "PolicyDocument": { "Version": "2012-10-17", "Statement": statements },
        },
    })
}

/// As many statements to a policy as it has room for.
fn split(statements: &[Value]) -> Vec<Vec<Value>> {
    let mut parts: Vec<Vec<Value>> = Vec::new();
    let mut room = 0;
    for statement in statements {
        let length = statement.to_string().len();
        match parts.last_mut() {
            Some(part) if length <= room => part.push(statement.clone()),
            _ => {
                parts.push(vec![statement.clone()]);
                room = LONGEST_POLICY;
            }
        }
        room = room.saturating_sub(length);
    }
    parts
}

fn allowed(statement: &Statement) -> Value {
    let actions = statement.actions.iter();
    let actions: Vec<String> = actions
        .map(|action| format!("dynamodb:{}", action.as_str()))
        .collect();
    let resources: Vec<Value> = statement.resources.iter().map(arn).collect();
    let mut allowed = json!({ "Effect": "Allow", "Action": actions, "Resource": resources });
    if !statement.leading_keys.is_empty() {
        let keys: Vec<Value> = statement
            .leading_keys
            .iter()
            .map(|key| leading(key))
            .collect();
        allowed["Condition"] = json!({
            "ForAllValues:StringLike": { "dynamodb:LeadingKeys": keys },
            // Of no keys, all are like these.
            "Null": { "dynamodb:LeadingKeys": "false" },
        });
    }
    allowed
}

/// A key as a policy compares it, with the deployer's word for the tenant.
fn leading(key: &str) -> Value {
    let text = key
        .replace("${*}", "${!*}")
        .replace("${?}", "${!?}")
        .replace(TENANT, "${Tenant}");
    match text.contains("${") {
        true => sub(text),
        false => text.into(),
    }
}

fn arn(resource: &Resource) -> Value {
    let index = resource.index.iter();
    let index: String = index.map(|index| format!("/index/{index}")).collect();
    sub(format!("{}{index}", arn_of(&resource.table)))
}

fn arn_of(table: &str) -> String {
    let table = table_name(table);
    format!("arn:${{AWS::Partition}}:dynamodb:${{AWS::Region}}:${{AWS::AccountId}}:table/{table}")
}

/// A stream is named by the time it was made: its table tells it. Listing finds it too, and cannot be held to one table.
fn stream(table: &Table) -> Vec<Value> {
    let streams = sub(format!("{}/stream/*", arn_of(table.name.as_str())));
    vec![
        json!({
            "Effect": "Allow",
            "Action": ["dynamodb:DescribeTable"],
            "Resource": [sub(arn_of(table.name.as_str()))],
        }),
        json!({
            "Effect": "Allow",
            "Action": ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"],
            "Resource": [streams],
        }),
        json!({ "Effect": "Allow", "Action": ["dynamodb:ListStreams"], "Resource": ["*"] }),
    ]
}
