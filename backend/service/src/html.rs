//! The few plain pages the kit has.

/// A page, with a look that follows the reader's light or dark.
pub(crate) fn document(title: &str, body: &str) -> String {
    let title = escaped(title);
    format!(
        "<!doctype html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<title>{title}</title>
<style>:root{{color-scheme:light dark}}body{{font:1rem/1.5 system-ui;margin:2rem auto;max-width:46rem;padding:0 1rem}}td{{padding:.2rem 1rem .2rem 0}}</style>
<h1>{title}</h1>
{body}
"
    )
}

/// A text that is nothing but text in HTML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
