//! Access patterns. (S3-48)

use std::collections::BTreeMap;

use tablewright_model::model::{ActionKind, EntityId, Relationship, Request, Verb};
use tablewright_plan::{Answer as Plan, Operation, Via};

use super::super::{Answer, Evidence, Named};
use super::{as_evidence, patterns};
use crate::markdown::{and, capitalised, code, count, number, or, percent};

/// What each read, or each write, is answered by, and how often.
fn operations_of(evidence: &Evidence<'_>, reads: bool) -> BTreeMap<&'static str, Vec<String>> {
    let mut by: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    let patterns = evidence.design().patterns();
    for (access, plan) in patterns.filter(|(access, _)| access.verb.is_read() == reads) {
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
    let mut by = operations_of(evidence, true);
    by.remove(Request::Scan.as_str()).unwrap_or_default()
}

pub(crate) fn no_scan(evidence: &Evidence<'_>) -> Answer {
    none_scans(evidence, &["scan"])
}

/// As [`no_scan`], of the code: of which the model knows the patterns and the policies made of them.
pub(crate) fn no_scan_in_code(evidence: &Evidence<'_>) -> Answer {
    let beside = "A program that reads a table whole beside them, as to make a data lake anew, is not seen here, and is allowed to by no policy of this model.";
    no_scan(evidence).and(Answer::holds(beside, [Named::Declared]))
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
    let told = |reads: bool, one: &str| {
        let by = operations_of(evidence, reads);
        let each = by.iter().map(|(operation, names)| {
            format!("{} by {}", number(names.len() as u64), code(operation))
        });
        let all: usize = by.values().map(Vec::len).sum();
        let verb = if all == 1 { "is" } else { "are" };
        let each: Vec<String> = each.collect();
        (all > 0).then(|| format!("{} {verb} answered: {}.", count(all, one), and(&each)))
    };
    let told: Vec<String> = [told(true, "read"), told(false, "write")]
        .into_iter()
        .flatten()
        .collect();
    let words = match told.is_empty() {
        true => String::from("There are no patterns yet."),
        false => told.join(" "),
    };
    Answer::holds(words, [Named::Declared]).and(evidence.rules(&[
        "scan",
        "no-answer",
        "get-on-index",
    ]))
}

pub(crate) fn filters(evidence: &Evidence<'_>) -> Answer {
    let mut filtered = Vec::new();
    let mut refined = Vec::new();
    let mut searched = Vec::new();
    for (access, plan) in evidence.design().patterns() {
        let Plan::Read(read) = &plan.answer else {
            continue;
        };
        let name = access.name.as_str();
        if !read.filter.is_empty() && read.operation == Operation::Query {
            filtered.push((name, access.keeps));
        }
        if !read.refine.is_empty() {
            refined.push(name);
        }
        if let Verb::Search { .. } = access.verb {
            searched.push(name);
        }
    }
    let mut words = Vec::new();
    if !filtered.is_empty() {
        let told = filtered.iter().map(|(name, keeps)| {
            let name = evidence.links().pattern(name);
            match keeps {
                Some(keeps) => format!("{name} (keeps {} of what it reads)", percent(*keeps)),
                None => name,
            }
        });
        let told: Vec<String> = told.collect();
        words.push(format!(
            "Of what the key selects, a filter leaves something out in {}.",
            and(&told)
        ));
    }
    if !refined.is_empty() {
        words.push(format!(
            "In {} the caller may ask for less than the key selects, and what does not fit is read and left out.",
            patterns(evidence, &refined)
        ));
    }
    if !searched.is_empty() {
        let (look, cost) = match searched.len() {
            1 => ("looks", "it costs"),
            _ => ("look", "they cost"),
        };
        words.push(format!(
            "{} {look} for words in all that the key selects, and {cost} what is read, not what is found.",
            patterns(evidence, &searched)
        ));
    }
    let names: Vec<&str> = filtered.iter().map(|(name, _)| *name).collect();
    let mut named = as_evidence(&[names, refined, searched].concat());
    named.dedup();
    if words.is_empty() {
        words.push(String::from(
            "No pattern has a filter: what a key selects is what is given.",
        ));
    }
    Answer::holds(words.join(" "), named)
        .and(Answer::holds("", [Named::Declared]))
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
    let followed: Vec<Followed<'_>> = evidence
        .model()
        .relationships
        .iter()
        .filter_map(|one| followed(evidence, one))
        .collect();
    let rules = evidence.rules(&["serial-reads", "not-projected"]);
    let mut words = Vec::new();
    if !twice.is_empty() {
        words.push(format!(
            "{} {} two requests in turn: the guard, then the item it names.",
            patterns(evidence, &twice),
            if twice.len() == 1 { "makes" } else { "make" }
        ));
    }
    if twice.is_empty() && followed.is_empty() {
        words.push(String::from("No read needs the answer of another."));
    }
    let answer = Answer::holds(words.join(" "), as_evidence(&twice))
        .and(Answer::holds("", [Named::Declared]));
    followed
        .into_iter()
        .fold(answer, |answer, one| {
            let words = format!(
                "{} {} links of {}; what they lead to is a second request, by {} for a whole page and never one for each row. Is that good enough?",
                patterns(evidence, &one.links),
                if one.links.len() == 1 { "gives" } else { "give" },
                code(one.relationship),
                or(&one.ends.iter().map(|name| evidence.links().pattern(name)).collect::<Vec<_>>())
            );
            let mut people = Answer::people(words);
            people.evidence.extend(as_evidence(&one.links));
            people.evidence.extend(as_evidence(&one.ends));
            answer.and(people)
        })
        .and(rules)
}

/// A relationship that is followed in two steps.
struct Followed<'e> {
    relationship: &'e str,
    /// The reads that give only its links.
    links: Vec<&'e str>,
    /// The reads of what the links lead to.
    ends: Vec<&'e str>,
}

/// Whether a relationship of links is followed in two steps: some reads give the links alone, and others take the ids in them.
fn followed<'e>(evidence: &'e Evidence<'_>, one: &'e Relationship) -> Option<Followed<'e>> {
    let link = one.through.as_ref()?.id;
    let sides: Vec<EntityId> = [Some(&one.from), one.to.as_ref()]
        .into_iter()
        .flatten()
        .map(|side| side.id)
        .collect();
    let (mut links, mut ends) = (Vec::new(), Vec::new());
    for (access, plan) in evidence.design().patterns() {
        let Plan::Read(read) = &plan.answer else {
            continue;
        };
        let name = access.name.as_str();
        match &access.verb {
            Verb::List(_) if read.entities == [link] => links.push(name),
            Verb::Batch(action)
                if action.kind == ActionKind::Get && sides.contains(&action.entity.id) =>
            {
                ends.push(name);
            }
            _ => {}
        }
    }
    (!links.is_empty() && !ends.is_empty()).then(|| Followed {
        relationship: one.name.as_str(),
        links,
        ends,
    })
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
