//! When a person opened a question: a text that is given with the question and comes back with the answer, so that how long somebody took
//! is known by the clock of the service, whatever they say.

use tablewright::{Timestamp, Uuid};
use tablewright_service::Problem;

use crate::signed::Signer;
use crate::who::Human;

const PURPOSE: &str = "opened";

/// How long one takes at most: no question is open for longer.
const LONGEST_MS: i64 = 86_400_000;

/// The text of a question that a person opens now.
pub(crate) fn opened(signer: &Signer, question_id: Uuid, human: &Human, now: Timestamp) -> String {
    let mut bytes = about(question_id, human);
    bytes.extend_from_slice(&now.millis().to_be_bytes());
    signer.sign(PURPOSE, &bytes)
}

/// How long ago the person opened the question, in milliseconds.
///
/// # Errors
/// 422 when the text was not given to this person with this question.
pub(crate) fn since_opened(
    signer: &Signer,
    text: &str,
    question_id: Uuid,
    human: &Human,
    now: Timestamp,
) -> Result<i64, Problem> {
    let millis = moment(signer, text, question_id, human);
    let millis = millis.ok_or_else(|| {
        Problem::invalid(
            "opened",
            "it was not given to this person with this question",
        )
    })?;
    // The clocks of two processes differ a little.
    Ok((now.millis() - millis).clamp(0, LONGEST_MS))
}

fn moment(signer: &Signer, text: &str, question_id: Uuid, human: &Human) -> Option<i64> {
    let bytes = signer.opened(PURPOSE, text)?;
    let millis = bytes.strip_prefix(about(question_id, human).as_slice())?;
    Some(i64::from_be_bytes(millis.try_into().ok()?))
}

fn about(question_id: Uuid, human: &Human) -> Vec<u8> {
    [question_id.as_bytes(), human.fingerprint_hash.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use tablewright_service::Secret;

    use super::*;

    #[test]
    fn it_is_good_for_one_person_and_one_question() {
        let signer = Signer::new(&Secret::new("a secret"));
        let human = |name: &str| Human {
            fingerprint_hash: name.to_owned(),
        };
        let (ada, bob) = (human("ada"), human("bob"));
        let (question, other) = (Uuid::from_u128(1), Uuid::from_u128(2));
        let at = |millis| Timestamp::from_millis(millis).unwrap();
        let text = opened(&signer, question, &ada, at(1_000_000));
        let since = |text: &str, question, human, now| {
            since_opened(&signer, text, question, human, at(now)).ok()
        };
        assert_eq!(since(&text, question, &ada, 1_002_500), Some(2500));
        assert_eq!(since(&text, question, &ada, 999_000), Some(0));
        assert_eq!(since(&text, question, &ada, 900_000_000), Some(LONGEST_MS));
        assert_eq!(since(&text, other, &ada, 1_002_500), None);
        assert_eq!(since(&text, question, &bob, 1_002_500), None);
        let longer = human("ada with more");
        assert_eq!(since(&text, question, &longer, 1_002_500), None);
        let as_person = signer.sign("person", &about(question, &ada));
        for made_up in ["", "AAAA", &text[1..], &as_person] {
            assert_eq!(since(made_up, question, &ada, 1_002_500), None);
        }
    }
}
