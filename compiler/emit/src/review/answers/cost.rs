//! Cost and performance. (S3-50, S3-52)

use tablewright_model::model::{Strategy, UnitKind};

use super::super::{Answer, Evidence, Named, State};
use super::{access, as_evidence, indexes, patterns};
use crate::markdown::{and, code, count, listed, number, text, units};
use crate::proof::{KeptProof, Measured};

pub(crate) fn overloading(evidence: &Evidence<'_>) -> Answer {
    const RULES: &[&str] = &["index-per-pattern", "duplicate-index", "unused-index"];
    indexes::within_quota(evidence).and(evidence.rules(RULES))
}

pub(crate) fn storage(evidence: &Evidence<'_>) -> Answer {
    let normalised: Vec<String> = evidence
        .model()
        .relationships
        .iter()
        .filter(|one| {
            let strategy = one.strategy.as_ref().map(|strategy| strategy.value);
            strategy == Some(Strategy::Normalisation)
        })
        .map(|one| code(one.name.as_str()))
        .collect();
    let words = match normalised.is_empty() {
        true => String::from(
            "No relationship is normalised, and every index holds what its patterns read.",
        ),
        false => format!("Stored by id alone: {}.", listed(&normalised)),
    };
    let rules = evidence.rules(&["not-projected", "serial-reads"]);
    match normalised.is_empty() {
        true => Answer::holds(words, [Named::Declared]).and(rules),
        false => Answer::people(format!("{words} Is the second request worth it?")).and(rules),
    }
}

pub(crate) fn denormalised(evidence: &Evidence<'_>) -> Answer {
    let model = evidence.model();
    let counters: Vec<String> = model
        .entities
        .iter()
        .filter(|entity| !entity.counters.is_empty())
        .map(|entity| {
            let names: Vec<String> = entity
                .counters
                .iter()
                .map(|one| code(one.name.as_str()))
                .collect();
            format!("{} in {}", and(&names), entity.name)
        })
        .collect();
    let mut words = String::new();
    if !counters.is_empty() {
        words.push_str(&format!(
            "Counts are kept in the transaction that changes them: {}. ",
            listed(&counters)
        ));
    }
    let copied: Vec<String> = model
        .entities
        .iter()
        .flat_map(|entity| entity.copies.iter().map(move |one| (entity, one)))
        .map(|(entity, one)| {
            let kept = match (one.snapshot, one.refreshed_by.is_empty()) {
                (true, _) => String::from("as it was then"),
                (false, true) => String::from("never refreshed"),
                (false, false) => {
                    let names = one.refreshed_by.iter().map(|name| name.as_str());
                    let names: Vec<&str> = names.collect();
                    format!("refreshed by {}", patterns(evidence, &names))
                }
            };
            let (field, of) = (code(one.field.0.as_str()), code(one.of.as_str()));
            format!("{field} of {} repeats {of}, {kept}", entity.name)
        })
        .collect();
    if !copied.is_empty() {
        words.push_str(&format!("{}. ", copied.join("; ")));
    }
    words.push_str(&match model
        .tables
        .iter()
        .map(|table| table.indexes.len())
        .sum::<usize>()
    {
        0 => String::from("No index copies anything."),
        some => format!(
            "{} what {} read, and DynamoDB keeps the copies.",
            if some == 1 {
                String::from("1 index copies")
            } else {
                format!(
                    "{} copy",
                    crate::markdown::count_of(some, "index", "indexes")
                )
            },
            if some == 1 {
                "its patterns"
            } else {
                "their patterns"
            }
        ),
    });
    Answer::holds(words, [Named::Declared]).and(evidence.rules(&["loose-counter", "stale-copy"]))
}

pub(crate) fn no_full_scans(evidence: &Evidence<'_>) -> Answer {
    let answer = access::no_scan(evidence);
    let Some(proof) = evidence.proof() else {
        return answer.and(Answer {
            state: State::Holds,
            words: vec![format!(
                "That no cost grows with the table is not measured yet: {} does that.",
                code("tablewright prove --keep")
            )],
            evidence: vec![Named::Declared],
        });
    };
    let failed: Vec<&str> = proof
        .patterns
        .iter()
        .filter(|(_, measured)| !measured.pass)
        .map(|(name, _)| name.as_str())
        .collect();
    let unmeasured: Vec<&str> = evidence
        .model()
        .accesses
        .iter()
        .map(|access| access.name.as_str())
        .filter(|name| !proof.patterns.contains_key(*name))
        .collect();
    let measured = evidence.model().accesses.len() - unmeasured.len();
    let mut named = as_evidence(&failed);
    named.push(Named::Proof);
    let words = match failed.is_empty() {
        false => format!("The proof failed for {}.", patterns(evidence, &failed)),
        true => measured_in_both(evidence, proof, measured),
    };
    let words = match unmeasured.is_empty() {
        true => words,
        false => format!(
            "{words} Not measured yet: {}.",
            patterns(evidence, &unmeasured)
        ),
    };
    answer.and(Answer::if_so(failed.is_empty(), words, named))
}

/// What patterns cost in both tables, and of those that cost more in the larger one why.
fn measured_in_both(evidence: &Evidence<'_>, proof: &KeptProof, measured: usize) -> String {
    let grew: Vec<(&str, &Measured)> = proof
        .patterns
        .iter()
        .filter(|(_, measured)| measured.grew())
        .map(|(name, measured)| (name.as_str(), measured))
        .collect();
    let same = measured.saturating_sub(grew.len());
    let at = proof.sizes().map_or_else(String::new, |(small, large)| {
        format!(" at {} and {} items", number(small), number(large))
    });
    let mut words = match (same, grew.len()) {
        (1, 0) => format!("Measured{at}: the one pattern costs no more in the larger one."),
        (all, 0) => format!(
            "Measured{at}: each of {} costs no more in the larger one.",
            count(all, "pattern")
        ),
        (0, _) => format!("Measured{at}."),
        (same, _) => format!(
            "Measured{at}: {same} of {} cost no more in the larger one.",
            count(measured, "pattern")
        ),
    };
    let of_kind = |kind: &str| -> Vec<&str> {
        let of = |one: &&(&str, &Measured)| one.1.growth.iter().any(|one| one.kind == kind);
        grew.iter().filter(of).map(|(name, _)| *name).collect()
    };
    for (kind, one, several) in GREW {
        let names = of_kind(kind);
        let why = match names.len() {
            0 => continue,
            1 => one,
            _ => several,
        };
        words.push_str(&format!(" {} {why}.", patterns(evidence, &names)));
    }
    // Of what has no words of its own, the reason is told with its numbers: what is counted by reading has no page.
    let has_words = |kind: &str| GREW.iter().any(|(known, ..)| *known == kind);
    for (name, measured) in &grew {
        let others = measured.growth.iter();
        for growth in others.filter(|growth| !has_words(&growth.kind)) {
            words.push_str(&format!(
                " {} costs more in the larger one, {} → {}: {}.",
                evidence.links().pattern(name),
                growth.rcu_small,
                units(growth.rcu_large, UnitKind::Read),
                text(&growth.because)
            ));
        }
    }
    let silent = grew
        .iter()
        .filter(|(_, measured)| measured.growth.is_empty());
    let silent: Vec<&str> = silent.map(|(name, _)| *name).collect();
    if !silent.is_empty() {
        words.push_str(&format!(
            " More in the larger one, and the proof does not say why: {}.",
            patterns(evidence, &silent)
        ));
    }
    words
}

/// What excuses those that cost more in the larger table, of one pattern and of several.
const GREW: [(&str, &str, &str); 5] = [
    (
        "more-to-give",
        "has more to give in the larger one, and costs no more than is planned for a page",
        "have more to give in the larger one, and cost no more than is planned for a page",
    ),
    (
        "more-to-give-unplanned",
        "has more to give in the larger one, and what a page costs at most cannot be planned from what is declared",
        "have more to give in the larger one, and what a page costs at most cannot be planned from what is declared",
    ),
    (
        "more-to-find",
        "finds more in the larger one, and writes as much more",
        "find more in the larger one, and write as much more",
    ),
    (
        "somebody-new",
        "was also asked about somebody of whom the smaller one has nothing",
        "were also asked about somebody of whom the smaller one has nothing",
    ),
    (
        "looks-at-more",
        "looks at more in the larger one where a caller wants little of all there is, and at no more than the model says",
        "look at more in the larger one where a caller wants little of all there is, and at no more than the model says",
    ),
];
