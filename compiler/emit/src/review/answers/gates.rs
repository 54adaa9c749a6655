//! The gates of the phase: what had to be there, what is there, and who agrees. (S3-7, S3-8, S3-54, S3-57)

use tablewright_check::{Group, RULES};
use tablewright_plan::Answer as Plan;

use super::super::{Answer, Evidence, Named, SECTIONS, State};
use super::patterns;
use crate::charts::MAIN;
use crate::markdown::{and, code, count, count_of, number};
use crate::request::Request;

pub(crate) fn charts(evidence: &Evidence<'_>) -> Answer {
    let indexes = evidence.design().indexes().count();
    let says = match indexes {
        0 => String::from("has the primary keys; there are no indexes"),
        1 => String::from("has the primary keys; the index has a chart of its own beside it"),
        some => format!("has the primary keys; {some} indexes have a chart each beside it"),
    };
    evidence.document("charts", MAIN, &says)
}

pub(crate) fn index_charts(evidence: &Evidence<'_>) -> Answer {
    let names = crate::charts::chart_names(evidence.model());
    if names.is_empty() {
        return Answer::holds("There are no indexes.", [Named::Declared]);
    }
    let links: Vec<String> = names
        .iter()
        .map(|name| evidence.links().link(&code(name), "charts", name))
        .collect();
    match evidence.links().has("charts") {
        true => Answer::holds(
            format!("{}.", crate::markdown::listed(&links)),
            [Named::Document("charts")],
        ),
        false => evidence.document("charts", "", ""),
    }
}

pub(crate) fn pattern_table(evidence: &Evidence<'_>) -> Answer {
    let all = count(evidence.model().accesses.len(), "pattern");
    evidence
        .document(
            "patterns",
            "",
            &format!("has {all} with request, key condition and parameters"),
        )
        .and(evidence.rules(&["no-answer"]))
}

pub(crate) fn validated(evidence: &Evidence<'_>) -> Answer {
    let verdict = evidence.verdict();
    let rules = RULES.iter().map(|rule| Named::Rule(rule.name));
    let looked = format!("{} rules looked at the model", number(RULES.len() as u64));
    if !verdict.findings.is_empty() {
        let found = count(verdict.findings.len(), "finding");
        return Answer::fails(
            format!("{looked}, and there is something to see to: {found}, [below](#findings)."),
            rules,
        );
    }
    let words = match verdict.allowed.len() {
        0 => format!("{looked} and found nothing."),
        some => format!(
            "{looked} and found nothing but what the model allows, [{}](#allowed).",
            count_of(some, "finding", "findings")
        ),
    };
    Answer::holds(words, rules)
}

pub(crate) fn first_phase(_: &Evidence<'_>) -> Answer {
    Answer::people("For the technical lead and the product owner.")
}

pub(crate) fn erd(evidence: &Evidence<'_>) -> Answer {
    let drawn = match evidence.links().to("diagrams", "") {
        Some(target) => {
            format!("The model draws [this one]({target}#entities-and-relationships). ")
        }
        None => String::new(),
    };
    Answer::people(format!("{drawn}Is anything missing in it?"))
}

pub(crate) fn all_patterns(evidence: &Evidence<'_>) -> Answer {
    let accesses = &evidence.model().accesses;
    let silent: Vec<&str> = accesses
        .iter()
        .filter(|access| access.ask.is_none())
        .map(|access| access.name.as_str())
        .collect();
    match (accesses.len(), silent.is_empty()) {
        (0, _) => Answer::fails("The model has no patterns yet.", [Named::Declared]),
        (1, true) => Answer::holds(
            "The one pattern of the model says what it is for.",
            [Named::Declared],
        ),
        (all, true) => Answer::holds(
            format!(
                "All {all} patterns of the model say in words what they are for. Whether these are all is asked [in the peer review](#peer-review)."
            ),
            [Named::Declared],
        ),
        (_, false) => Answer::fails(
            format!(
                "Without words for people ({}): {}.",
                code("ask"),
                patterns(evidence, &silent)
            ),
            [Named::Declared],
        ),
    }
}

pub(crate) fn stakeholders(_: &Evidence<'_>) -> Answer {
    Answer::people("For the stakeholders.")
}

pub(crate) fn engineer(_: &Evidence<'_>) -> Answer {
    Answer::people(
        "Are the facts right: sizes, rates, how many of each? Is every [allowance](#allowed) true?",
    )
}

pub(crate) fn member(_: &Evidence<'_>) -> Answer {
    Answer::people(
        "Are these all the questions that were written down, and does each mean what was meant?",
    )
}

pub(crate) fn stranger(_: &Evidence<'_>) -> Answer {
    Answer::people(
        "Can you tell from the charts alone where an item lies and how it is found? What will be asked next year, and which key would answer it?",
    )
}

/// The six deliverables, by the keys of what generates them.
const DELIVERABLES: &[(&str, &str)] = &[
    ("charts", "the entity charts"),
    ("relationships", "the relationship decisions"),
    ("typescript", "the entity schemas"),
    ("patterns", "the access patterns"),
    ("review", "this review"),
];

pub(crate) fn deliverables(evidence: &Evidence<'_>) -> Answer {
    let named = DELIVERABLES.iter().map(|(key, _)| Named::Document(key));
    let missing: Vec<String> = DELIVERABLES
        .iter()
        .filter(|(key, _)| !evidence.links().has(key))
        .map(|(key, what)| format!("{what} ({})", code(key)))
        .collect();
    match missing.is_empty() {
        true => {
            let overview = evidence.links().link("all of them", "charts", "README.md");
            Answer::holds(
                format!(
                    "They are generated, and {} keeps them true: {overview}.",
                    code("tablewright generate --check")
                ),
                named,
            )
        }
        false => Answer::fails(format!("Not generated yet: {}.", and(&missing)), named),
    }
}

pub(crate) fn charts_validated(evidence: &Evidence<'_>) -> Answer {
    let about_charts: Vec<&'static str> = RULES
        .iter()
        .filter(|rule| matches!(rule.group, Group::Keys | Group::Indexes))
        .map(|rule| rule.name)
        .collect();
    let answer = evidence.rules(&about_charts);
    match answer.state {
        State::Holds => Answer::holds(
            format!(
                "The {} rules about keys and indexes find nothing that is not allowed.",
                about_charts.len()
            ),
            answer.evidence,
        ),
        _ => answer,
    }
}

pub(crate) fn table_filled(evidence: &Evidence<'_>) -> Answer {
    let model = evidence.model();
    let mut unknown = Vec::new();
    for (access, plan) in evidence.design().patterns() {
        let request = Request::of(model, access, plan);
        let known = request.cost.is_some_and(|cost| cost.units.is_some());
        if !known || matches!(plan.answer, Plan::Nothing(_)) {
            unknown.push(access.name.as_str());
        }
    }
    let named = [Named::Document("patterns")];
    if !unknown.is_empty() {
        return Answer::fails(
            format!(
                "The planned cost is not known of {}.",
                patterns(evidence, &unknown)
            ),
            named,
        );
    }
    let measured = match evidence.proof() {
        Some(_) => "",
        None => " The column of measured costs waits for a proof.",
    };
    evidence
        .document("patterns", "", "lacks nothing that the method asks for")
        .and(Answer::holds(
            format!("Every planned cost is known.{measured}"),
            named,
        ))
}

/// The lines of a section that are not for people, and do not hold.
fn not_settled(evidence: &Evidence<'_>) -> Vec<&'static str> {
    let before = SECTIONS
        .iter()
        .take_while(|section| section.title != "Moving to Phase 3");
    before
        .flat_map(|section| section.lines)
        .filter(|line| (line.answer)(evidence).state == State::Fails)
        .map(|line| line.text)
        .collect()
}

pub(crate) fn passed(evidence: &Evidence<'_>) -> Answer {
    let open = not_settled(evidence);
    match open.is_empty() {
        true => Answer::holds(
            "Every line above that is not for people is settled.",
            [Named::Document("review")],
        ),
        false => {
            let quoted: Vec<String> = open.iter().map(|line| format!("*{line}*")).collect();
            Answer::fails(
                format!("Not settled: {}.", and(&quoted)),
                [Named::Document("review")],
            )
        }
    }
}

pub(crate) fn peers_done(evidence: &Evidence<'_>) -> Answer {
    let peers = SECTIONS
        .iter()
        .find(|section| section.title == "Peer Review");
    let lines = peers.map_or(&[][..], |section| section.lines);
    let signed = lines
        .iter()
        .filter(|line| evidence.is_signed(line.text))
        .count();
    let words = match signed == lines.len() {
        true => format!("All {signed} have signed for this design."),
        false => format!(
            "{} of the {} {} signed [above](#peer-review) for this design.",
            match signed {
                0 => String::from("None"),
                some => some.to_string(),
            },
            lines.len(),
            if signed > 1 { "have" } else { "has" }
        ),
    };
    Answer::if_so(signed == lines.len(), words, [Named::People])
}

pub(crate) fn consensus(_: &Evidence<'_>) -> Answer {
    Answer::people("For the team.")
}
