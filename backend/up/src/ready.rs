//! Whether a service can do its work.

use std::time::Duration;

use tablewright_http::Client;

/// How often it is asked.
const EVERY: Duration = Duration::from_millis(50);

/// How long it may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A client that does not wait long for anybody on this machine.
pub(crate) fn client() -> Client {
    Client::new(Duration::from_secs(2), 64 * 1024)
}

/// Whether the service at an address says that it is ready.
pub(crate) async fn is_ready(client: &Client, url: &str) -> bool {
    let asked = client.get(&format!("{url}/health/ready")).await;
    asked.is_ok_and(|answer| (200..300).contains(&answer.status))
}

/// Returns when it is; false when it took too long.
pub(crate) async fn wait(client: &Client, url: &str) -> bool {
    let wait = async {
        while !is_ready(client, url).await {
            tokio::time::sleep(EVERY).await;
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.is_ok()
}
