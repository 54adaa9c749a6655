//! What was answered.

use http::HeaderMap;
use serde_json::{Value, json};

/// What was answered.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body as it came.
    pub text: String,
    /// The body as JSON; null where it is none.
    pub body: Value,
}

impl Reply {
    /// It has this status.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text);
        self
    }

    /// It is a problem of this status and type.
    #[track_caller]
    pub fn problem(self, status: u16, slug: &str) -> Self {
        let told = self.expect(status);
        assert_eq!(
            told.header("content-type"),
            Some("application/problem+json"),
            "{}",
            told.text
        );
        assert_eq!(
            told.body["type"],
            json!(format!("/problems/{slug}")),
            "{}",
            told.text
        );
        told
    }

    /// The problem names this field, and says why.
    #[track_caller]
    pub fn about(self, field: &str) -> Self {
        let errors = self.body["errors"].as_array();
        let error = errors.and_then(|all| all.iter().find(|error| error["field"] == field));
        let error = error.unwrap_or_else(|| panic!("nothing about {field}: {}", self.text));
        assert!(!error["reason"].as_str().unwrap().is_empty());
        self
    }

    /// A header, if it is there.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// The version of what was answered.
    #[track_caller]
    pub fn etag(&self) -> &str {
        self.header("etag").unwrap()
    }

    /// A text of the body, which has it.
    #[track_caller]
    pub fn text_of(&self, field: &str) -> &str {
        let text = self.body[field].as_str();
        text.unwrap_or_else(|| panic!("no {field}: {}", self.text))
    }
}
