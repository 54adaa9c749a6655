//! Versions of things, as HTTP knows them.

use std::fmt;

use aws_lc_rs::digest::{SHA256, digest};
use axum::extract::FromRequestParts;
use http::request::Parts;
use http::{HeaderMap, HeaderName, header};
use serde::Serialize;
use serde_json::{Value, json};
use tablewright::Versioned;

use crate::api::{Input, Operation};
use crate::problem::{Kind, Problem};

/// The version of a thing: its lock token, which grows with every write, or what it looks like.
///
/// ```
/// use tablewright::Versioned;
/// use tablewright_service::ETag;
///
/// let task = Versioned { data: "Write", data_version: 1, last_write: 255 };
/// assert_eq!(ETag::of(&task).to_string(), "\"ff\"");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ETag(i64);

impl ETag {
    /// The version of an item.
    pub fn of<T>(item: &Versioned<T>) -> Self {
        ETag(item.last_write)
    }

    /// The version of what a caller sees: what looks the same is the same. It is known before it is written, so that an answer that is
    /// given again has the tag it had.
    ///
    /// # Errors
    /// When the value cannot be written as JSON.
    pub fn of_content(value: &impl Serialize) -> Result<Self, Problem> {
        let text = serde_json::to_vec(value).map_err(Problem::internal)?;
        let hash = digest(&SHA256, &text);
        let (first, _) = hash
            .as_ref()
            .split_first_chunk()
            .expect("a hash has 32 bytes");
        Ok(ETag(i64::from_be_bytes(*first)))
    }
}

impl fmt::Display for ETag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{:x}\"", self.0)
    }
}

/// The headers `If-Match` and `If-None-Match` of a request that writes: which versions a change is meant for, and which it is not.
/// Without them, any. `If-None-Match: *` means only what is not there yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IfMatch {
    one_of: Tags,
    none_of: Tags,
}

/// The header `If-None-Match`: which versions the caller has already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IfNoneMatch(Tags);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Tags {
    Absent,
    Any,
    Some(Vec<String>),
}

impl IfMatch {
    fn of(headers: &HeaderMap) -> Result<Self, Problem> {
        Ok(IfMatch {
            one_of: tags(headers, &header::IF_MATCH)?,
            none_of: tags(headers, &header::IF_NONE_MATCH)?,
        })
    }

    /// Whether the caller said which versions are meant.
    pub fn is_given(&self) -> bool {
        self.one_of != Tags::Absent || self.none_of != Tags::Absent
    }

    /// Refuses an item of another version. Call it in the change function, on what was read.
    ///
    /// # Errors
    /// 412 when the item is of none of the versions that are meant.
    pub fn check<T>(&self, item: &Versioned<T>) -> Result<(), Problem> {
        self.check_tag(ETag::of(item))
    }

    /// Refuses what has another tag, as [`IfMatch::check`] does.
    ///
    /// # Errors
    /// 412 when it is none of those that are meant.
    pub fn check_tag(&self, etag: ETag) -> Result<(), Problem> {
        let text = etag.to_string();
        let refused = |header: &str, why: &str| {
            Err(Problem::new(Kind::PRECONDITION_FAILED)
                .detail(format!("it is {text} now"))
                .field(header, why))
        };
        match &self.one_of {
            // A weak tag is equal to none here.
            Tags::Some(tags) if !tags.contains(&text) => {
                return refused("If-Match", "it is of another version");
            }
            Tags::Absent | Tags::Any | Tags::Some(_) => {}
        }
        match &self.none_of {
            Tags::Any => refused("If-None-Match", "it is there already"),
            tags if tags.has(etag) => refused("If-None-Match", "it is of this version"),
            _ => Ok(()),
        }
    }

    /// Refuses to change what is not there.
    ///
    /// # Errors
    /// 412 when versions are meant, since there is none.
    pub fn check_absent(&self) -> Result<(), Problem> {
        match &self.one_of {
            Tags::Absent => Ok(()),
            Tags::Any | Tags::Some(_) => Err(Problem::new(Kind::PRECONDITION_FAILED)
                .detail("it is not there")
                .field("If-Match", "there is no version of it")),
        }
    }
}

impl IfNoneMatch {
    /// Whether the caller has this version already, so that 304 will do.
    pub fn has<T>(&self, item: &Versioned<T>) -> bool {
        self.has_tag(ETag::of(item))
    }

    /// Whether the caller has what has this tag.
    pub fn has_tag(&self, etag: ETag) -> bool {
        self.0.has(etag)
    }
}

impl Tags {
    /// Whether a version is among them, compared weakly.
    fn has(&self, etag: ETag) -> bool {
        let etag = etag.to_string();
        match self {
            Tags::Absent => false,
            Tags::Any => true,
            Tags::Some(tags) => tags
                .iter()
                .any(|tag| *tag == etag || *tag == format!("W/{etag}")),
        }
    }
}

fn tags(headers: &HeaderMap, name: &HeaderName) -> Result<Tags, Problem> {
    let mut tags = Vec::new();
    for value in headers.get_all(name) {
        let bad = || {
            let why = "it is `*`, or tags in quotes as \"18f\" with commas between them";
            Problem::new(Kind::MALFORMED).field(display(name), why)
        };
        let value = value.to_str().map_err(|_| bad())?;
        if value.trim() == "*" {
            return Ok(Tags::Any);
        }
        for tag in value.split(',').map(str::trim) {
            let opaque = tag.strip_prefix("W/").unwrap_or(tag);
            let inner = opaque
                .strip_prefix('"')
                .and_then(|rest| rest.strip_suffix('"'));
            // Ours have no quotes and no commas in them, and others match nothing.
            if inner.is_none_or(|inner| inner.contains('"')) {
                return Err(bad());
            }
            tags.push(tag.to_owned());
        }
    }
    Ok(match tags.is_empty() {
        true => Tags::Absent,
        false => Tags::Some(tags),
    })
}

fn display(name: &HeaderName) -> &'static str {
    match *name {
        header::IF_MATCH => "If-Match",
        _ => "If-None-Match",
    }
}

impl<S: Sync> FromRequestParts<S> for IfMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        IfMatch::of(&parts.headers)
    }
}

impl<S: Sync> FromRequestParts<S> for IfNoneMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        tags(&parts.headers, &header::IF_NONE_MATCH).map(IfNoneMatch)
    }
}

/// `*`, or tags in quotes with commas between them: what [`tags`] reads. It has no example: whoever tries a route on `/docs` would send it, and be refused.
fn tags_in_words() -> Value {
    const TAG: &str = r#"(W/)?"[\t !#-+\--~]*""#;
    let pattern = format!(r"^\s*(\*|{TAG}(\s*,\s*{TAG})*)\s*$");
    json!({ "type": "string", "pattern": pattern })
}

impl Input for IfMatch {
    fn describe(operation: &mut Operation<'_>) {
        let about = "The version the change is meant for, as an `ETag` gave it, in its quotes; `*` for any.";
        operation.header("If-Match", about, tags_in_words());
        let about = "The versions the change is not meant for; `*` for any, so that only what is not there yet is written.";
        operation.header("If-None-Match", about, tags_in_words());
        operation.problem(&Kind::PRECONDITION_FAILED);
        operation.problem(&Kind::MALFORMED);
    }
}

impl Input for IfNoneMatch {
    fn describe(operation: &mut Operation<'_>) {
        let about = "The version the caller has, as an `ETag` gave it.";
        operation.header("If-None-Match", about, tags_in_words());
        operation.answer_empty(304, "The caller has this version already");
        operation.problem(&Kind::MALFORMED);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn if_match(values: &[&'static str]) -> Result<IfMatch, Problem> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::IF_MATCH, value.parse().unwrap());
        }
        IfMatch::of(&headers)
    }

    #[test]
    fn a_change_is_not_made_to_a_version_it_is_not_meant_for() {
        let item = Versioned {
            data: (),
            data_version: 1,
            last_write: 0x18f,
        };
        let unless = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.append(header::IF_NONE_MATCH, value.parse().unwrap());
            IfMatch::of(&headers).unwrap()
        };
        for refused in ["*", "\"18f\"", "W/\"18f\"", "\"1\", \"18f\""] {
            let problem = unless(refused).check(&item).unwrap_err();
            assert_eq!(problem.status(), 412, "{refused}");
            assert_eq!(problem.body().errors[0].field, "If-None-Match");
            assert!(unless(refused).is_given());
            assert!(unless(refused).check_absent().is_ok(), "{refused}");
        }
        assert!(unless("\"18e\"").check(&item).is_ok());
    }

    #[test]
    fn a_change_is_made_to_the_version_it_is_meant_for() {
        let item = Versioned {
            data: (),
            data_version: 1,
            last_write: 0x18f,
        };
        for meant in [
            &[][..],
            &["*"],
            &["\"18f\""],
            &["\"1\" , \"18f\""],
            &["\"1\"", "\"18f\""],
        ] {
            assert!(if_match(meant).unwrap().check(&item).is_ok(), "{meant:?}");
        }
        for other in [&["\"18e\""][..], &["W/\"18f\""], &["\"\""]] {
            let refused = if_match(other).unwrap().check(&item).unwrap_err();
            assert_eq!(refused.status(), 412, "{other:?}");
        }
        for nonsense in ["18f", "\"18f", "", "\"a\"b\"", "W/18f"] {
            assert_eq!(
                if_match(&[nonsense]).unwrap_err().status(),
                400,
                "{nonsense}"
            );
        }
        assert!(if_match(&[]).unwrap().check_absent().is_ok());
        assert_eq!(
            if_match(&["*"])
                .unwrap()
                .check_absent()
                .unwrap_err()
                .status(),
            412
        );
    }

    #[test]
    fn what_looks_the_same_has_the_same_tag() {
        let tag = |value| ETag::of_content(&value).unwrap();
        assert_eq!(tag(json!({ "a": 1 })), tag(json!({ "a": 1 })));
        assert_ne!(tag(json!({ "a": 1 })), tag(json!({ "a": 2 })));
        let meant: &'static str = Box::leak(tag(json!(1)).to_string().into_boxed_str());
        assert!(if_match(&[meant]).unwrap().check_tag(tag(json!(1))).is_ok());
        assert!(
            if_match(&[meant])
                .unwrap()
                .check_tag(tag(json!(2)))
                .is_err()
        );
    }

    #[test]
    fn what_a_caller_has_is_compared_weakly() {
        let item = Versioned {
            data: (),
            data_version: 1,
            last_write: 0x18f,
        };
        let has = |tags: Tags| IfNoneMatch(tags).has(&item);
        assert!(has(Tags::Some(vec![String::from("W/\"18f\"")])));
        assert!(has(Tags::Any));
        assert!(!has(Tags::Absent));
        assert!(!has(Tags::Some(vec![String::from("\"18e\"")])));
    }
}
