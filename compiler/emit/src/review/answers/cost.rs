//! Cost and performance. (S3-50, S3-52)

use tablewright_model::model::Strategy;

use super::super::{Answer, Evidence, Named, State};
use super::{access, as_evidence, indexes, patterns};
use crate::markdown::{and, code, count, listed, number};

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
    let words = match (failed.is_empty(), proof.sizes()) {
        (false, _) => format!("The proof failed for {}.", patterns(evidence, &failed)),
        (true, Some((small, large))) => format!(
            "Measured at {} and {} items: what {} costs follows its answer, and not the table.",
            number(small),
            number(large),
            match measured {
                1 => String::from("1 pattern"),
                all => format!("each of {}", count(all, "pattern")),
            }
        ),
        (true, None) => String::from("Measured: every cost follows its answer, and not the table."),
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
