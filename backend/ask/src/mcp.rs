//! `ask mcp`: a server of the Model Context Protocol over stdio, by which a language model asks people.
//!
//! It is a client of the service as every agent is: it has a key, and no table. What it writes to its output is the protocol and nothing
//! else.

mod answers;
mod arguments;
mod server;
mod service;
mod tools;

use std::fmt;
use std::io;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;
use tokio::fs::File;

use self::server::Server;
use self::service::Service;

/// Where the service is, unless `ASK_A_HUMAN_BASE_URL` says otherwise.
const USUAL_ADDRESS: &str = "http://127.0.0.1:8083";

/// Why the server ends before its client does.
#[derive(Debug)]
pub enum ServeError {
    /// `ASK_A_HUMAN_BASE_URL` is no address of the web.
    Address(String),
    /// The standard streams cannot be used.
    Streams(io::Error),
    /// What came first was not the protocol.
    Beginning(Box<ServerInitializeError>),
    /// The server failed.
    Failed(tokio::task::JoinError),
}

/// Serves on the standard streams until the input ends, with the settings `ASK_A_HUMAN_BASE_URL` and `ASK_A_HUMAN_KEY` of the environment.
///
/// # Errors
/// [`ServeError`]
pub async fn serve() -> Result<(), ServeError> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let address = variable("ASK_A_HUMAN_BASE_URL");
    let address = address.unwrap_or_else(|| USUAL_ADDRESS.to_owned());
    let service = Service::at(&address, variable("ASK_A_HUMAN_KEY"));
    let service = service.ok_or(ServeError::Address(address))?;
    let streams = standard_streams().map_err(ServeError::Streams)?;
    let running = Server::new(service).serve(streams).await;
    let running = running.map_err(|error| ServeError::Beginning(Box::new(error)))?;
    running.waiting().await.map_err(ServeError::Failed)?;
    Ok(())
}

/// Input and output as files. The standard streams of tokio are a feature of it that nothing else here needs, and which would build
/// everything that is on tokio once more for this program.
fn standard_streams() -> io::Result<(File, File)> {
    #[cfg(unix)]
    let (input, output) = {
        use std::os::fd::AsFd as _;
        let input = io::stdin().as_fd().try_clone_to_owned()?;
        (input, io::stdout().as_fd().try_clone_to_owned()?)
    };
    #[cfg(windows)]
    let (input, output) = {
        use std::os::windows::io::AsHandle as _;
        let input = io::stdin().as_handle().try_clone_to_owned()?;
        (input, io::stdout().as_handle().try_clone_to_owned()?)
    };
    let file = |stream| File::from_std(std::fs::File::from(stream));
    Ok((file(input), file(output)))
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServeError::Address(address) => write!(
                f,
                "ASK_A_HUMAN_BASE_URL is `{address}`, and must begin with http:// or https://"
            ),
            ServeError::Streams(error) => write!(f, "the standard streams: {error}"),
            ServeError::Beginning(error) => {
                write!(
                    f,
                    "the client does not begin as the Model Context Protocol does: {error}"
                )
            }
            ServeError::Failed(error) => write!(f, "the server failed: {error}"),
        }
    }
}

impl std::error::Error for ServeError {}
