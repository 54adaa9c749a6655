//! The tables of a model as a CloudFormation template.
//!
//! What it makes is what `create_tables()` makes on the embedded engine, and what only an account has: recovery, encryption, capacity
//! that scales. Whoever deploys it chooses a prefix of the names and the billing; the rest is the model's.

mod logical_ids;
mod scaling;
mod table;

use serde_json::{Map, Value, json};
use tablewright_model::Model;
use tablewright_model::model::{Billing, Table};

pub(crate) use logical_ids::{LogicalIds, logical_id};
pub(crate) use table::{letter, view};

use crate::EmitError;

/// The longest name of a table.
const LONGEST_NAME: usize = 255;

/// The template of a model's tables.
///
/// # Errors
/// [`EmitError::NoTables`], [`EmitError::SameName`] or [`EmitError::BadName`] where names differ only in characters CloudFormation does
/// not take, and [`EmitError::TooMany`].
pub fn template(model: &Model, source: &str) -> Result<String, EmitError> {
    if model.tables.is_empty() {
        return Err(EmitError::NoTables);
    }
    let mut resources = Map::new();
    let mut outputs = Map::new();
    let mut ids = LogicalIds::default();
    for table in &model.tables {
        let name = &table.name;
        let id = ids.take(&[name.as_str()], &format!("the table `{name}`"))?;
        resources.insert(id.clone(), table::resource(table));
        outputs.extend(table::outputs(table, &id));
    }
    for table in &model.tables {
        scaling::add(table, &mut ids, &mut resources)?;
    }
    are_few_enough("tables", &resources, &outputs)?;
    let template = json!({
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": description("The tables", model, source),
        "Parameters": {
            "TablePrefix": table_prefix(model),
            "Billing": {
                "Type": "String",
                "Default": "as-modelled",
                "AllowedValues": ["as-modelled", "on-demand", "provisioned"],
                "Description": "How capacity is paid: as the model says, by request, or by the hour with units that scale.",
            },
        },
        "Conditions": conditions(model),
        "Resources": resources,
        "Outputs": outputs,
    });
    Ok(pretty(&template))
}

/// What stands before every table's name, so that one account can have them twice.
pub(crate) fn table_prefix(model: &Model) -> Value {
    let names = model.tables.iter().map(|table| table.name.value.len());
    let room = LONGEST_NAME.saturating_sub(names.max().unwrap_or(0));
    json!({
        "Type": "String",
        "Default": "",
        "AllowedPattern": "[a-zA-Z0-9_.-]*",
        "MaxLength": room,
        "Description": "What stands before every table's name: the environment, as in `sandbox-`.",
    })
}

/// CloudFormation takes so many resources and outputs to a template, and no more.
pub(crate) fn are_few_enough(
    of: &'static str,
    resources: &Map<String, Value>,
    outputs: &Map<String, Value>,
) -> Result<(), EmitError> {
    for (what, found, most) in [
        ("resources", resources.len(), 500),
        ("outputs", outputs.len(), 200),
    ] {
        if found > most {
            return Err(EmitError::TooMany {
                of,
                what,
                found,
                most,
            });
        }
    }
    Ok(())
}

/// Where it comes from: who reads it in an account must know what to change.
pub(crate) fn description(what: &str, model: &Model, source: &str) -> String {
    const LONGEST: usize = 1024;
    let text = format!(
        "{what} of {}, generated from {source}: change that instead.",
        model.name
    );
    text[..text.floor_char_boundary(LONGEST)].to_owned()
}

/// Formatted, with a line end at the end.
pub(crate) fn pretty(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Text in which `${TablePrefix}` and the like are replaced.
pub(crate) fn sub(text: impl Into<String>) -> Value {
    json!({ "Fn::Sub": text.into() })
}

/// A table's name in this account.
pub(crate) fn table_name(table: &str) -> String {
    format!("${{TablePrefix}}{table}")
}

/// The condition under which a table is provisioned.
fn is_provisioned(table: &Table) -> &'static str {
    match table.billing {
        Billing::OnDemand => "EverythingIsProvisioned",
        Billing::Provisioned => "NotEverythingIsOnDemand",
    }
}

/// Those that some table needs: a condition nothing uses is an error.
fn conditions(model: &Model) -> Map<String, Value> {
    let billing = |word: &str| json!({ "Fn::Equals": [{ "Ref": "Billing" }, word] });
    let tables = model.tables.iter();
    tables
        .map(|table| match table.billing {
            Billing::OnDemand => billing("provisioned"),
            Billing::Provisioned => json!({ "Fn::Not": [billing("on-demand")] }),
        })
        .zip(model.tables.iter().map(is_provisioned))
        .map(|(condition, name)| (name.to_owned(), condition))
        .collect()
}
