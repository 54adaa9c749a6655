//! Why a service does not serve.

use std::net::SocketAddr;
use std::{fmt, io};

/// Why a service does not serve.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// It cannot listen there.
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why.
        why: io::Error,
    },
    /// The system failed.
    Io(io::Error),
    /// The process runs under AWS Lambda, and is built without the feature `lambda`.
    NotBuiltForLambda,
    /// The process runs under AWS Lambda, where the development issuer has no place.
    NoIssuerUnderLambda,
    /// The runtime of AWS Lambda failed.
    Lambda(String),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServeError::Listen { address, why } if why.kind() == io::ErrorKind::AddrInUse => {
                write!(
                    f,
                    "{address} is in use; another port is chosen with PORT, and any free one with PORT=0"
                )
            }
            ServeError::Listen { address, why } => write!(f, "cannot listen on {address}: {why}"),
            ServeError::Io(why) => write!(f, "the server failed: {why}"),
            ServeError::NotBuiltForLambda => f.write_str(
                "AWS_LAMBDA_RUNTIME_API is set, and the program was built without the feature `lambda`: build it with --features lambda",
            ),
            ServeError::NoIssuerUnderLambda => {
                f.write_str("issuer: it must be set under AWS Lambda, since the development issuer is for loopback only")
            }
            ServeError::Lambda(why) => write!(f, "the runtime of AWS Lambda failed: {why}"),
        }
    }
}

impl std::error::Error for ServeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ServeError::Listen { why, .. } | ServeError::Io(why) => Some(why),
            _ => None,
        }
    }
}
