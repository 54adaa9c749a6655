//! The pages problems point to.

use std::fmt::Write as _;

use super::Kind;
use crate::html::{document, escaped};

/// All kinds of problems.
pub(crate) fn page(title: &str, kinds: &[Kind]) -> String {
    let mut rows = String::new();
    for kind in kinds {
        let Kind {
            slug,
            status,
            title,
            ..
        } = kind;
        let title = escaped(title);
        writeln!(
            rows,
            "<tr><td>{status}</td><td><a href=\"/problems/{slug}\">{slug}</a></td><td>{title}</td></tr>"
        )
        .expect("a string takes all that is written to it");
    }
    let body =
        format!("<p>What <code>type</code> a problem can have.</p>\n<table>\n{rows}</table>");
    document(&format!("Problems of {title}"), &body)
}

/// One kind of problem.
pub(crate) fn page_of(kind: &Kind) -> String {
    // What stands between backticks in our texts is code.
    let mut about = String::new();
    for (position, part) in escaped(kind.about).split('`').enumerate() {
        let (open, close) = match position % 2 {
            0 => ("", ""),
            _ => ("<code>", "</code>"),
        };
        about.push_str(&format!("{open}{part}{close}"));
    }
    let body = format!(
        "<p>{about}</p>\n<p>Status {}. <a href=\"/problems\">All problems</a></p>",
        kind.status
    );
    document(kind.title, &body)
}
