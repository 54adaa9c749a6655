//! What Firebase answers, and what is to be done about it.
//!
//! <https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode>

use serde::Deserialize;
use tablewright_http::Answer;

use crate::NotSent;

/// How much of what Firebase says is passed on, in characters.
const LONGEST: usize = 200;

#[derive(Deserialize, Default)]
struct Told {
    #[serde(default)]
    error: Fault,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Fault {
    message: String,
    status: String,
    details: Vec<Detail>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Detail {
    error_code: Option<String>,
    field_violations: Vec<Violation>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Violation {
    field: String,
}

/// Whether we are to come with another access token. A 401 about the keys of another service, by which Firebase reaches the device, is not about ours.
pub(crate) fn is_about_us(answer: &Answer) -> bool {
    answer.status == 401 && told(answer).code() != Some("THIRD_PARTY_AUTH_ERROR")
}

/// What became of a notification.
pub(crate) fn judged(answer: &Answer) -> Result<(), NotSent> {
    if (200..300).contains(&answer.status) {
        return Ok(());
    }
    let told = told(answer);
    let why = told.in_words(answer.status);
    Err(match (answer.status, told.code()) {
        // A 404 without this code is an endpoint or a project that is not there: the devices are.
        (_, Some("UNREGISTERED")) => NotSent::Unregistered(why),
        (_, Some("SENDER_ID_MISMATCH")) => NotSent::OfAnotherProject(why),
        (400, Some("INVALID_ARGUMENT")) if told.is_of_the_token() => NotSent::Unregistered(why),
        (_, Some("THIRD_PARTY_AUTH_ERROR")) => NotSent::Refused(why),
        // No room, no service, or not for us: who we are can be mended, and the next device is no better off.
        (401 | 403 | 404 | 408 | 429 | 500.., _) => NotSent::Later {
            why,
            after: answer.retry_after,
        },
        _ => NotSent::Refused(why),
    })
}

fn told(answer: &Answer) -> Fault {
    let told: Option<Told> = serde_json::from_slice(&answer.body).ok();
    told.unwrap_or_default().error
}

impl Fault {
    /// Firebase's own name for it.
    fn code(&self) -> Option<&str> {
        self.details
            .iter()
            .find_map(|detail| detail.error_code.as_deref())
    }

    /// Whether it is the token of the device that is wrong, and not the rest of the message.
    fn is_of_the_token(&self) -> bool {
        let mut fields = self.details.iter().flat_map(|one| &one.field_violations);
        match fields.clone().next() {
            Some(_) => fields.any(|violation| violation.field == "message.token"),
            None => self.message.contains("registration token"),
        }
    }

    fn in_words(&self, status: u16) -> String {
        let code = self.code().unwrap_or(&self.status);
        let message: String = self.message.chars().take(LONGEST).collect();
        match (code, message.as_str()) {
            ("", "") => format!("Firebase answered with status {status}"),
            (code, message) => {
                format!("Firebase answered with status {status}, {code}: {message}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::*;

    fn answer(status: u16, body: &Value) -> Answer {
        Answer {
            status,
            body: body.to_string().into_bytes(),
            retry_after: None,
        }
    }

    fn error(status: u16, message: &str, details: Value) -> Answer {
        answer(
            status,
            &json!({ "error": { "code": status, "message": message, "status": "S", "details": details } }),
        )
    }

    fn fcm(code: &str) -> Value {
        json!({ "@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": code })
    }

    fn bad(field: &str) -> Value {
        json!({
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            "fieldViolations": [{ "field": field, "description": "wrong" }],
        })
    }

    fn outcome(answer: &Answer) -> &'static str {
        match judged(answer) {
            Ok(()) => "sent",
            Err(NotSent::Unregistered(_)) => "unregistered",
            Err(NotSent::Later { .. }) => "later",
            Err(NotSent::Refused(_)) => "refused",
            Err(NotSent::Unanswered(_)) => "unanswered",
            Err(NotSent::OfAnotherProject(_)) => "of another project",
        }
    }

    /// The codes of Firebase's documentation, and the answers that were seen of it.
    #[test]
    fn every_answer_has_its_consequence() {
        let invalid = "Request contains an invalid argument.";
        let token = "The registration token is not a valid FCM registration token";
        let table = [
            (
                answer(200, &json!({ "name": "projects/p/messages/1" })),
                "sent",
            ),
            (
                error(
                    404,
                    "Requested entity was not found.",
                    json!([fcm("UNREGISTERED")]),
                ),
                "unregistered",
            ),
            (
                error(403, "SenderId mismatch", json!([fcm("SENDER_ID_MISMATCH")])),
                "of another project",
            ),
            (
                error(400, token, json!([fcm("INVALID_ARGUMENT")])),
                "unregistered",
            ),
            (
                error(
                    400,
                    invalid,
                    json!([fcm("INVALID_ARGUMENT"), bad("message.token")]),
                ),
                "unregistered",
            ),
            (
                error(
                    400,
                    invalid,
                    json!([fcm("INVALID_ARGUMENT"), bad("message.data")]),
                ),
                "refused",
            ),
            (
                error(400, invalid, json!([fcm("INVALID_ARGUMENT")])),
                "refused",
            ),
            (error(400, invalid, json!([])), "refused"),
            (error(429, "Quota", json!([fcm("QUOTA_EXCEEDED")])), "later"),
            (
                error(503, "Unavailable", json!([fcm("UNAVAILABLE")])),
                "later",
            ),
            (error(500, "Internal", json!([fcm("INTERNAL")])), "later"),
            (answer(502, &json!("<!DOCTYPE html>")), "later"),
            (
                error(401, "Auth", json!([fcm("THIRD_PARTY_AUTH_ERROR")])),
                "refused",
            ),
            (error(401, "Expired", json!([])), "later"),
            (error(403, "Permission denied", json!([])), "later"),
            (error(404, "No such project", json!([])), "later"),
            (answer(302, &json!(null)), "refused"),
            (answer(418, &json!({ "error": "text" })), "refused"),
        ];
        for (answer, expected) in &table {
            let body = String::from_utf8_lossy(&answer.body);
            assert_eq!(outcome(answer), *expected, "{} {body}", answer.status);
        }
    }

    #[test]
    fn another_token_is_asked_for_only_where_ours_is_meant() {
        assert!(is_about_us(&error(401, "Expired", json!([]))));
        let others = json!([fcm("THIRD_PARTY_AUTH_ERROR")]);
        assert!(!is_about_us(&error(401, "Auth", others)));
        assert!(!is_about_us(&error(403, "Permission denied", json!([]))));
    }

    #[test]
    fn how_long_to_wait_is_passed_on() {
        let mut quota = error(429, "Quota", json!([fcm("QUOTA_EXCEEDED")]));
        quota.retry_after = Some(Duration::from_secs(7));
        let Err(NotSent::Later { why, after }) = judged(&quota) else {
            panic!("it may be sent later");
        };
        assert_eq!(after, Some(Duration::from_secs(7)));
        assert_eq!(
            why,
            "Firebase answered with status 429, QUOTA_EXCEEDED: Quota"
        );
    }
}
