//! What a form or an address says.

use std::collections::BTreeMap;

use http::Uri;

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
        let asked = Form::in_query(&Uri::from_static("/page/tasks?status=OPEN"));
        assert_eq!(asked.text("status"), Some("OPEN"));
    }
}
