//! What comes about in its own time.

use std::time::Duration;

/// Waits for something that must become true.
pub async fn until(mut holds: impl FnMut() -> bool) {
    let waited = tokio::time::timeout(Duration::from_secs(60), async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
    waited.await.expect("it became true");
}
