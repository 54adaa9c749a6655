//! The SDK over a way of one's own.

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_smithy_runtime_api::client::http::HttpClient;

/// The SDK that sends over `way`. It insists on an address and a signature; nobody looks at them.
pub fn client_over(way: impl HttpClient + 'static) -> Client {
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new("local"))
        .credentials_provider(Credentials::new("local", "local", None, None, "test"))
        .endpoint_url("http://test.invalid")
        .http_client(way);
    Client::from_conf(config.build())
}
