//! The embedded DynamoDB: a data directory, and the AWS SDK speaking to it without a socket.
//!
//! Services use [`aws_sdk_dynamodb::Client`] and nothing else. [`Engine`] hands them one whose "network" is a function
//! call: the bytes are those that would go to AWS, so moving to Amazon DynamoDB is configuration.
//!
//! ```
//! use aws_sdk_dynamodb::types::{
//!     AttributeDefinition, AttributeValue, BillingMode, KeySchemaElement, KeyType, ScalarAttributeType,
//! };
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let engine = tablewright_local::Engine::temporary()?;
//! let dynamodb = engine.dynamodb();
//! dynamodb
//!     .create_table()
//!     .table_name("notes")
//!     .billing_mode(BillingMode::PayPerRequest)
//!     .key_schema(KeySchemaElement::builder().attribute_name("id").key_type(KeyType::Hash).build()?)
//!     .attribute_definitions(
//!         AttributeDefinition::builder().attribute_name("id").attribute_type(ScalarAttributeType::S).build()?,
//!     )
//!     .send()
//!     .await?;
//! dynamodb.put_item().table_name("notes").item("id", AttributeValue::S("1".into())).send().await?;
//!
//! let found = dynamodb.get_item().table_name("notes").key("id", AttributeValue::S("1".into())).send().await?;
//! assert!(found.item.is_some());
//! # Ok(())
//! # }
//! ```

//!
//! [`connect`] makes the same clients for whatever [`Endpoint`] the environment names: the embedded engine, Amazon
//! DynamoDB, or an address. [`serve`] puts the engine behind a socket for other programs; `tablewright local` does.
//!
//! The page `docs/local.md` tells what differs from Amazon DynamoDB.

mod connection;
mod connector;
mod crc32;
mod endpoint;
mod engine;
mod http;
mod lock;
mod reply;
mod store;
mod upkeep;

pub use connection::{ConnectError, Connection, aws_settings, connect};
pub use endpoint::{DEFAULT_DIRECTORY, ENDPOINT_VARIABLE, Endpoint, EndpointError};
pub use engine::{Engine, Held, OpenError};
pub use http::serve;
pub use lock::Holder;
pub use reply::Reply;
pub use store::StoreError;
