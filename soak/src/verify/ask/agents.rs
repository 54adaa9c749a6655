//! Every agent is told of each of its questions that is over.

use std::collections::{BTreeMap, BTreeSet};

use ask::model::{Question, QuestionStatus};
use tablewright::Versioned;

use super::Heard;
use crate::receiver::Taken;
use crate::verdicts::Verdicts;

/// A question whose time was over in the last seconds of the service may be marked too late for its agent to be told.
const TOLD_WITHIN: i64 = 60;

/// Of what: the agent, the question, and the kind of the event.
type Of = (String, String, String);

pub(super) fn are_told(
    questions: &[Versioned<Question>],
    heard: Heard<'_>,
    verdicts: &mut Verdicts,
) {
    let (mut must, mut may) = (BTreeSet::new(), BTreeSet::new());
    for question in questions {
        let (kind, for_certain) = match question.status {
            QuestionStatus::Closed => ("QuestionClosed", true),
            QuestionStatus::Expired => (
                "QuestionExpired",
                question.expires_at < heard.until - TOLD_WITHIN,
            ),
            _ => continue,
        };
        let of = (
            question.agent_id.clone(),
            question.question_id.to_string(),
            kind.to_owned(),
        );
        if for_certain {
            must.insert(of.clone());
        }
        may.insert(of);
    }
    let Heard {
        agents, strange, ..
    } = heard;
    let (faults, again) = compared(&must, &may, agents);
    let what =
        "every agent was told of each of its questions that is over, signed, and of no other";
    let note = format!(
        "{} events, {} of them for certain; {again} came again, as the same event",
        agents.len() - again,
        must.len()
    );
    verdicts.hold("ask", what, note, [faults, strange].concat());
}

/// What is wrong, and how many events came again: at least once is promised.
fn compared(must: &BTreeSet<Of>, may: &BTreeSet<Of>, told: &[Taken]) -> (Vec<String>, usize) {
    let mut faults = Vec::new();
    let mut events: BTreeMap<Of, &str> = BTreeMap::new();
    let mut again = 0;
    for Taken {
        event,
        agent,
        kind,
        question,
    } in told
    {
        let of = (agent.clone(), question.clone(), kind.clone());
        if !may.contains(&of) {
            faults.push(format!("{of:?} was told and did not happen"));
        }
        match events.insert(of.clone(), event) {
            None => {}
            Some(before) if before == event => again += 1,
            Some(before) => faults.push(format!("{of:?} was told as {before} and as {event}")),
        }
    }
    let missing = must.iter().filter(|of| !events.contains_key(*of));
    faults.extend(missing.map(|of| format!("{of:?} was not told")));
    (faults, again)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_may_come_again_and_none_may_be_lost_or_made_up() {
        let of = |question: &str| {
            (
                String::from("a"),
                question.to_owned(),
                String::from("QuestionClosed"),
            )
        };
        let told = |event: &str, question: &str| Taken {
            event: event.to_owned(),
            agent: String::from("a"),
            kind: String::from("QuestionClosed"),
            question: question.to_owned(),
        };
        let must = BTreeSet::from([of("1"), of("2")]);
        let all = [told("e1", "1"), told("e2", "2"), told("e1", "1")];
        assert_eq!(compared(&must, &must, &all), (Vec::new(), 1));
        let wrong = [told("e1", "1"), told("e3", "1"), told("e4", "3")];
        let (faults, again) = compared(&must, &must, &wrong);
        assert_eq!((faults.len(), again), (3, 0), "{faults:?}");
    }
}
