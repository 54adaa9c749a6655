//! The page on which people browse the API. Everything it needs is served from here.

use crate::html::escaped;

/// RapiDoc as published, compressed; its licence is beside it.
pub(crate) const BUNDLE: &[u8] = include_bytes!("../../vendor/rapidoc/rapidoc-min.js.gz");

/// The page.
pub(crate) fn docs(title: &str) -> String {
    let title = escaped(title);
    format!(
        "<!doctype html>
<html lang=\"en\">
<meta charset=\"utf-8\">
<meta name=\"viewport\" content=\"width=device-width\">
<title>{title}</title>
<link rel=\"icon\" href=\"data:,\">
<script type=\"module\" src=\"/docs/rapidoc-min.js\"></script>
<rapi-doc spec-url=\"/openapi.json\" heading-text=\"{title}\" render-style=\"read\" load-fonts=\"false\" allow-server-selection=\"false\" show-header=\"false\" schema-description-expanded=\"true\"></rapi-doc>
"
    )
}
