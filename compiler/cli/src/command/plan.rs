//! `tablewright plan`: how each access pattern is answered.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tablewright_check::report::{self, Findings, text};
use tablewright_model::{Model, Severity, suggest};
use tablewright_plan::bill::{Bill, Comparison, Prices, lend_load};
use tablewright_plan::{Answer, Plan, plan};

use crate::Outcome;
use crate::arguments::{PlanArguments, PlanFormat};
use crate::error::{Failure, is_standard_input, shown};
use crate::input::{self, Input};
use crate::output::Output;

pub(crate) fn run(arguments: &PlanArguments, output: &mut Output) -> Result<Outcome, Failure> {
    let named = arguments.model.iter().chain(&arguments.against);
    if named.filter(|path| is_standard_input(path)).count() > 1 {
        return Err(Failure::StandardInputTwice);
    }
    let Some(models) = models(arguments.model.as_slice(), arguments.format, output)? else {
        return Ok(Outcome::Findings);
    };
    let outcome = if let Some(other) = &arguments.against {
        against(&models, other, arguments, output)?
    } else if arguments.cost {
        cost(&models, arguments, output)?
    } else {
        requests(&models, arguments, output)?
    };
    Ok(match tell_errors(&models, output) {
        true => Outcome::Findings,
        false => outcome,
    })
}

/// Says which models have errors, whose plans are not to be relied on. Whether there are any.
fn tell_errors(models: &[Model], output: &mut Output) -> bool {
    let mut found = false;
    for model in models {
        let findings = tablewright_check::check(model);
        let errors = findings
            .iter()
            .filter(|one| one.severity == Severity::Error);
        let told = match errors.count() {
            0 => continue,
            1 => "an error".to_owned(),
            several => format!("{several} errors"),
        };
        found = true;
        output.print_beside(&format!(
            "{} has {told}: `tablewright check` tells what is wrong\n",
            model.name
        ));
    }
    found
}

/// How each pattern is answered.
fn requests(
    models: &[Model],
    arguments: &PlanArguments,
    output: &mut Output,
) -> Result<Outcome, Failure> {
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

/// The models; none when one has faults, which are shown.
fn models(
    names: &[PathBuf],
    format: PlanFormat,
    output: &mut Output,
) -> Result<Option<Vec<Model>>, Failure> {
    let broken = match parse(input::read(names)?) {
        Ok(models) => return Ok(Some(models)),
        Err(broken) => broken,
    };
    match format {
        PlanFormat::Text => {
            for findings in &broken {
                output.print(&text::render(findings, output.style()))?;
            }
        }
        PlanFormat::Json => output.print(&report::json::render(&broken))?,
    }
    Ok(None)
}

/// What a month of each model costs.
fn cost(
    models: &[Model],
    arguments: &PlanArguments,
    output: &mut Output,
) -> Result<Outcome, Failure> {
    let prices = prices(arguments)?;
    let plans: Vec<Vec<Plan>> = models.iter().map(plan).collect();
    let bills: Vec<Bill> = models
        .iter()
        .zip(&plans)
        .map(|(model, plans)| Bill::of(model, plans, &prices))
        .collect();
    output.print(&match arguments.format {
        PlanFormat::Text => {
            let texts: Vec<String> = bills.iter().map(Bill::to_text).collect();
            texts.join("\n")
        }
        PlanFormat::Json => {
            let bills: Vec<Value> = bills.iter().map(Bill::to_json).collect();
            format!("{:#}\n", json!({ "models": bills }))
        }
    })?;
    let mut plans = plans.iter().flatten();
    Ok(Outcome::findings_if(
        plans.any(|plan| matches!(plan.answer, Answer::Nothing(_))),
    ))
}

/// What each model costs beside another under the same load.
fn against(
    models: &[Model],
    other: &PathBuf,
    arguments: &PlanArguments,
    output: &mut Output,
) -> Result<Outcome, Failure> {
    let prices = prices(arguments)?;
    let others = self::models(std::slice::from_ref(other), arguments.format, output)?;
    let Some(others) = others else {
        return Ok(Outcome::Findings);
    };
    let mut texts = Vec::new();
    let mut values = Vec::new();
    let mut unanswered = false;
    for model in models {
        for other in &others {
            let mut other = other.clone();
            lend_load(model, &mut other);
            let comparison = Comparison::of(model, &other, &prices);
            unanswered |= !comparison.unanswered().is_empty();
            texts.push(comparison.to_text());
            values.push(comparison.to_json());
        }
    }
    output.print(&match arguments.format {
        PlanFormat::Text => texts.join("\n"),
        PlanFormat::Json => format!("{:#}\n", json!({ "comparisons": values })),
    })?;
    Ok(Outcome::findings_if(unanswered))
}

/// The prices of the file that is named, or those that come along.
fn prices(arguments: &PlanArguments) -> Result<Prices, Failure> {
    let Some(path) = &arguments.prices else {
        return Ok(Prices::built_in());
    };
    let name = shown(path);
    let text = fs::read_to_string(path).map_err(Failure::unreadable(&name))?;
    Prices::parse(&text).map_err(|why| Failure::Prices { file: name, why })
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
