//! What a form or an address says.

use std::collections::BTreeMap;

use http::Uri;

use crate::problem::{Kind, Problem};
use crate::request::{NO_TEXT, is_text};

/// What a form or an address says. What is empty was not said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Form(BTreeMap<String, String>);

impl Form {
    /// What an address says after its question mark.
    pub fn in_query(uri: &Uri) -> Self {
        Form::in_body(uri.query().unwrap_or_default().as_bytes())
    }

    /// What the body of a form says.
    pub fn in_body(body: &[u8]) -> Self {
        let pairs = form_urlencoded::parse(body).into_owned();
        Form(pairs.filter(|(_, value)| !value.is_empty()).collect())
    }

    /// What the body of a form says, or an address after its question mark, if it is text.
    ///
    /// # Errors
    /// 400 when it is not UTF-8, or a `%` begins no escape: it would be read as another text.
    pub fn of_text(said: &[u8]) -> Result<Self, Problem> {
        match is_text(said) {
            true => Ok(Form::in_body(said)),
            false => Err(Problem::new(Kind::MALFORMED).field("form", NO_TEXT)),
        }
    }

    /// The same, but for what is said under a name.
    #[must_use]
    pub fn without(&self, name: &str) -> Self {
        let mut said = self.0.clone();
        said.remove(name);
        Form(said)
    }

    /// What is said under a name.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_empty_was_not_said() {
        let said = Form::in_body(b"title=a+b%26c&due=&x");
        assert_eq!(said.text("title"), Some("a b&c"));
        assert_eq!((said.text("due"), said.text("x")), (None, None));
        assert_eq!(
            Form::of_text(b"title=%C3%A9").unwrap().text("title"),
            Some("é")
        );
        for bad in ["title=%E9", "title=%zz", "title=100%", "title=%4"] {
            assert_eq!(Form::of_text(bad.as_bytes()).unwrap_err().status(), 400);
        }
        let asked = Form::in_query(&Uri::from_static("/page/tasks?status=OPEN"));
        assert_eq!(asked.text("status"), Some("OPEN"));
    }
}
