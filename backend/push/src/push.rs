//! A notification, and the message it becomes.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde_json::{Value, json};

/// The longest time a service keeps a notification for a device that is away: four weeks.
const LONGEST: Duration = Duration::from_secs(28 * 24 * 3600);

/// A notification to one device.
#[derive(Clone, PartialEq, Eq)]
pub struct Push {
    /// What it is known by.
    pub id: String,
    /// The token of the device.
    pub token: String,
    /// What is shown first.
    pub title: String,
    /// What it says.
    pub body: String,
    /// What is shown in its place: a device shows one of each tag.
    pub tag: String,
    /// What opens when somebody touches it.
    pub link: Option<String>,
    /// What programs read. The link is added as `url`.
    pub data: BTreeMap<String, String>,
    /// For how long it is worth something.
    pub good_for: Duration,
}

impl Push {
    /// As HTTP v1 takes it.
    pub(crate) fn message(&self) -> Value {
        let seconds = self.good_for.min(LONGEST).as_secs();
        let mut webpush = json!({
            "headers": { "TTL": seconds.to_string(), "Urgency": "normal" },
            "notification": { "title": self.title, "body": self.body, "tag": self.tag },
        });
        let mut data = self.data.clone();
        if let Some(link) = &self.link {
            data.insert(String::from("url"), link.clone());
            // Firebase refuses any other.
            if link.starts_with("https://") {
                webpush["fcm_options"] = json!({ "link": link });
            }
        }
        json!({ "message": {
            "token": self.token,
            "notification": { "title": self.title, "body": self.body },
            "android": { "ttl": format!("{seconds}s"), "notification": { "tag": self.tag } },
            "webpush": webpush,
            "data": data,
        } })
    }
}

/// Without the token: whoever has it and the credentials can write to the device.
impl fmt::Debug for Push {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Push")
            .field("id", &self.id)
            .field("title", &self.title)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn push() -> Push {
        Push {
            id: String::from("q1.ada"),
            token: String::from("a-device"),
            title: String::from("A question for you"),
            body: String::from("Would you cross this bridge?"),
            tag: String::from("q1"),
            link: Some(String::from("https://ask.example.org/questions/q1")),
            data: BTreeMap::from([(String::from("question_id"), String::from("q1"))]),
            good_for: Duration::from_secs(3600),
        }
    }

    #[test]
    fn a_message_is_as_firebase_takes_it() {
        assert_eq!(
            push().message(),
            json!({ "message": {
                "token": "a-device",
                "notification": { "title": "A question for you", "body": "Would you cross this bridge?" },
                "android": { "ttl": "3600s", "notification": { "tag": "q1" } },
                "webpush": {
                    "headers": { "TTL": "3600", "Urgency": "normal" },
                    "notification": { "title": "A question for you", "body": "Would you cross this bridge?", "tag": "q1" },
                    "fcm_options": { "link": "https://ask.example.org/questions/q1" },
                },
                "data": { "question_id": "q1", "url": "https://ask.example.org/questions/q1" },
            } })
        );
    }

    #[test]
    fn a_link_that_firebase_would_refuse_is_left_to_the_program() {
        let mut push = push();
        push.link = Some(String::from("http://127.0.0.1:8083/questions/q1"));
        push.good_for = Duration::MAX;
        let message = push.message();
        assert_eq!(message["message"]["webpush"]["fcm_options"], Value::Null);
        assert_eq!(
            message["message"]["data"]["url"],
            "http://127.0.0.1:8083/questions/q1"
        );
        assert_eq!(message["message"]["webpush"]["headers"]["TTL"], "2419200");
    }

    #[test]
    fn the_token_of_a_device_is_not_shown() {
        assert!(!format!("{:?}", push()).contains("a-device"));
    }
}
