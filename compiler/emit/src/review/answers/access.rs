//! Access patterns. (S3-48)

use std::collections::BTreeMap;

use tablewright_model::model::Request;
use tablewright_plan::{Answer as Plan, Via};

use super::super::{Answer, Evidence, Named};
use super::{as_evidence, patterns};
use crate::markdown::{and, capitalised, code, count, number};

/// What each pattern is answered by, and how often.
fn operations_of(evidence: &Evidence<'_>) -> BTreeMap<&'static str, Vec<String>> {
    let mut by: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    for (access, plan) in evidence.design().patterns() {
        let operation = match &plan.answer {
            Plan::Read(read) => read.operation.as_str(),
            Plan::Write(write) => write.operation.as_str(),
            Plan::ByHand(hand) => hand.request.as_str(),
            Plan::Nothing(_) => continue,
        };
        by.entry(operation)
            .or_default()
            .push(access.name.value.clone());
    }
    by
}

fn scans(evidence: &Evidence<'_>) -> Vec<String> {
    let mut by = operations_of(evidence);
    by.remove(Request::Scan.as_str()).unwrap_or_default()
}

pub(crate) fn no_scan(evidence: &Evidence<'_>) -> Answer {
    none_scans(evidence, &["scan"])
}

fn none_scans(evidence: &Evidence<'_>, rules: &[&'static str]) -> Answer {
    let scans = scans(evidence);
    let names: Vec<&str> = scans.iter().map(String::as_str).collect();
    let all = evidence.model().accesses.len();
    let words = match (names.len(), all) {
        (0, 0) => String::from("There are no patterns yet."),
        (0, 1) => String::from("The one pattern is no Scan."),
        (0, _) => format!("None of the {all} patterns is a Scan."),
        (1, _) => format!("{} is a Scan.", patterns(evidence, &names)),
        _ => format!("{} are Scans.", patterns(evidence, &names)),
    };
    let mut named = as_evidence(&names);
    named.push(Named::Declared);
    Answer::if_so(names.is_empty(), words, named).and(evidence.rules(rules))
}

pub(crate) fn operations(evidence: &Evidence<'_>) -> Answer {
    let by = operations_of(evidence);
    let told: Vec<String> = by
        .iter()
        .map(|(operation, names)| format!("{} {}", code(operation), number(names.len() as u64)))
        .collect();
    let words = match told.is_empty() {
        true => String::from("There are no patterns yet."),
        false => format!("Requests by number of patterns: {}.", and(&told)),
    };
    Answer::holds(words, [Named::Declared]).and(evidence.rules(&[
        "scan",
        "no-answer",
        "get-on-index",
    ]))
}

pub(crate) fn filters(evidence: &Evidence<'_>) -> Answer {
    let filtered: Vec<(&str, Option<f64>)> = evidence
        .design()
        .patterns()
        .filter_map(|(access, plan)| match &plan.answer {
            Plan::Read(read) if !read.filter.is_empty() && read.page.is_some() => {
                Some((access.name.as_str(), access.keeps))
            }
            _ => None,
        })
        .collect();
    let names: Vec<&str> = filtered.iter().map(|(name, _)| *name).collect();
    let words = match filtered.is_empty() {
        true => String::from("No pattern selects by a filter."),
        false => {
            let told: Vec<String> = filtered
                .iter()
                .map(|(name, keeps)| {
                    let name = evidence.links().pattern(name);
                    match keeps {
                        Some(keeps) => {
                            format!("{name} (keeps {}% of what it reads)", keeps * 100.0)
                        }
                        None => name,
                    }
                })
                .collect();
            format!(
                "After the key has selected, a filter leaves something out in {}.",
                and(&told)
            )
        }
    };
    Answer::holds(words, as_evidence(&names))
        .and(evidence.rules(&["filter-selects", "limit-before-filter"]))
}

pub(crate) fn parameters(evidence: &Evidence<'_>) -> Answer {
    let all = count(evidence.model().accesses.len(), "pattern");
    evidence.document(
        "patterns",
        "",
        &format!("has what the caller gives for {all}"),
    )
}

pub(crate) fn serial(evidence: &Evidence<'_>) -> Answer {
    let twice: Vec<&str> = evidence
        .design()
        .patterns()
        .filter(|(_, plan)| matches!(&plan.answer, Plan::Read(read) if matches!(read.via, Via::Guard(_))))
        .map(|(access, _)| access.name.as_str())
        .collect();
    let words = match twice.is_empty() {
        true => String::from("No read needs the answer of another."),
        false => format!(
            "Only {} {} two requests in turn: the guard, then the item it names.",
            patterns(evidence, &twice),
            if twice.len() == 1 { "makes" } else { "make" }
        ),
    };
    Answer::holds(words, as_evidence(&twice))
        .and(Answer::holds("", [Named::Declared]))
        .and(evidence.rules(&["serial-reads", "not-projected"]))
}

pub(crate) fn scan_and_filter(evidence: &Evidence<'_>) -> Answer {
    none_scans(evidence, &["scan", "filter-selects"])
}

pub(crate) fn planned(evidence: &Evidence<'_>) -> Answer {
    let all = evidence.model().accesses.len();
    let unanswered: Vec<&str> = evidence
        .design()
        .patterns()
        .filter(|(_, plan)| matches!(plan.answer, Plan::Nothing(_)))
        .map(|(access, _)| access.name.as_str())
        .collect();
    let words = match unanswered.is_empty() {
        true => capitalised(&format!(
            "{} planned before there is code for {}.",
            if all == 1 {
                String::from("1 pattern is")
            } else {
                format!("{} are", count(all, "pattern"))
            },
            if all == 1 { "it" } else { "them" }
        )),
        false => format!("Without a plan: {}.", patterns(evidence, &unanswered)),
    };
    Answer::if_so(unanswered.is_empty(), words, [Named::Declared])
        .and(evidence.rules(&["no-answer"]))
}
