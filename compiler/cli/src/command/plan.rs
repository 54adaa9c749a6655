//! `tablewright plan`: how each access pattern is answered.

use serde_json::{Value, json};
use tablewright_check::report::{self, Findings, text};
use tablewright_model::{Model, suggest};
use tablewright_plan::{Answer, Plan, plan};

use crate::Outcome;
use crate::arguments::{PlanArguments, PlanFormat};
use crate::error::Failure;
use crate::input::{self, Input};
use crate::output::Output;

pub(crate) fn run(arguments: &PlanArguments, output: &mut Output) -> Result<Outcome, Failure> {
    let inputs = input::read(arguments.model.as_slice())?;
    let models = match parse(inputs) {
        Ok(models) => models,
        Err(broken) => {
            match arguments.format {
                PlanFormat::Text => {
                    for findings in &broken {
                        output.print(&text::render(findings, output.style()))?;
                    }
                }
                PlanFormat::Json => output.print(&report::json::render(&broken))?,
            }
            return Ok(Outcome::Findings);
        }
    };
    let mut planned: Vec<(&Model, Vec<Plan>)> =
        models.iter().map(|model| (model, plan(model))).collect();
    if let Some(pattern) = &arguments.pattern {
        keep_only(pattern, &mut planned)?;
    }
    output.print(&match arguments.format {
        PlanFormat::Text => as_text(&planned, output),
        PlanFormat::Json => as_json(&planned),
    })?;
    let mut plans = planned.iter().flat_map(|(_, plans)| plans);
    Ok(Outcome::findings_if(
        plans.any(|plan| matches!(plan.answer, Answer::Nothing(_))),
    ))
}

/// Every model, or the faults of those that have some.
fn parse(inputs: Vec<Input>) -> Result<Vec<Model>, Vec<Findings>> {
    let mut models = Vec::new();
    let mut broken = Vec::new();
    for input in inputs {
        match tablewright_model::parse(input.file.text()) {
            Ok(model) => models.push(model),
            Err(faults) => broken.push(Findings::new(input.file, faults)),
        }
    }
    if broken.is_empty() {
        Ok(models)
    } else {
        Err(broken)
    }
}

fn keep_only(pattern: &str, planned: &mut Vec<(&Model, Vec<Plan>)>) -> Result<(), Failure> {
    let names = planned
        .iter()
        .flat_map(|(_, plans)| plans)
        .map(|plan| plan.pattern.as_str());
    let near = suggest::nearest(pattern, names).map(str::to_owned);
    for (_, plans) in planned.iter_mut() {
        plans.retain(|plan| plan.pattern == pattern);
    }
    planned.retain(|(_, plans)| !plans.is_empty());
    if planned.is_empty() {
        return Err(Failure::NoSuchPattern {
            name: pattern.to_owned(),
            near,
        });
    }
    Ok(())
}

/// The plans with an empty line between them; where there are several models, each under its name.
fn as_text(planned: &[(&Model, Vec<Plan>)], output: &Output) -> String {
    let mut parts = Vec::new();
    for (model, plans) in planned {
        if planned.len() > 1 {
            parts.push(format!("{}\n", output.bold(&format!("# {}", model.name))));
        }
        parts.extend(plans.iter().map(|plan| plan.to_text(model)));
    }
    parts.join("\n")
}

/// `{"patterns": [{"model": …, "pattern": …, …}]}`
fn as_json(planned: &[(&Model, Vec<Plan>)]) -> String {
    let patterns: Vec<Value> = planned
        .iter()
        .flat_map(|(model, plans)| {
            plans.iter().map(|plan| {
                let mut value = plan.to_json(model);
                value["model"] = json!(model.name.as_str());
                value
            })
        })
        .collect();
    format!("{:#}\n", json!({ "patterns": patterns }))
}
