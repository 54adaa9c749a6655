//! The pages of the kit.

use crate::started::Started;

#[tokio::test(flavor = "multi_thread")]
async fn the_page_of_the_api_loads_nothing_from_elsewhere() {
    let app = Started::usual().await;
    let page = app.get("/docs").send().await;
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    let text = page.text();
    assert!(text.contains("spec-url=\"/openapi.json\""));
    assert!(
        !text.contains("http://") && !text.contains("https://"),
        "{text}"
    );
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("script-src 'self'") && policy.contains("connect-src 'self'"));

    let bundle = app.get("/docs/rapidoc-min.js").send().await;
    assert_eq!(bundle.header("content-type"), Some("text/javascript"));
    assert_eq!(bundle.header("content-encoding"), Some("gzip"));
    assert_eq!(bundle.body[..2], [0x1f, 0x8b]);
    assert!(bundle.body.len() > 100_000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_has_pages_of_its_own() {
    let app = Started::usual().await;
    let page = app.get("/").send().await;
    assert_eq!((page.status, page.text().as_str()), (200, "<p>notes"));
}
