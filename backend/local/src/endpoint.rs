//! Where the tables are.

use std::env::{self, VarError};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Where the tables are: in a directory, at Amazon, or behind an address.
///
/// ```
/// use tablewright_local::Endpoint;
///
/// assert_eq!("aws".parse(), Ok(Endpoint::Aws));
/// assert_eq!("embedded:data".parse(), Ok(Endpoint::Embedded("data".into())));
/// assert_eq!("http://127.0.0.1:8000".parse(), Ok(Endpoint::Url("http://127.0.0.1:8000".into())));
/// assert!("ebmedded:data".parse::<Endpoint>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Endpoint {
    /// `embedded:DIR`: the embedded engine on a data directory.
    Embedded(PathBuf),
    /// `temporary`: the embedded engine on a directory that is removed at the end.
    Temporary,
    /// `aws`: Amazon DynamoDB, with region and credentials as every AWS tool finds them.
    Aws,
    /// `http://…` or `https://…`: anything that speaks DynamoDB's protocol.
    Url(String),
}

/// The directory of the embedded engine, unless another is named.
pub const DEFAULT_DIRECTORY: &str = ".tablewright";

/// The environment variable that says where the tables are.
pub const ENDPOINT_VARIABLE: &str = "TABLEWRIGHT_ENDPOINT";

impl Endpoint {
    /// What `TABLEWRIGHT_ENDPOINT` says; `embedded:.tablewright` if it is not set.
    pub fn from_env() -> Result<Self, EndpointError> {
        match env::var(ENDPOINT_VARIABLE) {
            Ok(given) => given.parse(),
            Err(VarError::NotPresent) => Ok(Self::default()),
            Err(VarError::NotUnicode(_)) => Err(EndpointError::NotUtf8),
        }
    }

    /// Whether nobody but this machine or its network listens there, so that made-up credentials do.
    pub(crate) fn is_local(&self) -> bool {
        match self {
            Endpoint::Embedded(_) | Endpoint::Temporary => true,
            Endpoint::Aws => false,
            Endpoint::Url(url) => {
                let host = host(url).unwrap_or_default();
                url.starts_with("http://")
                    || host == "localhost"
                    || host == "[::1]"
                    || host.starts_with("127.")
            }
        }
    }
}

impl Default for Endpoint {
    fn default() -> Self {
        Endpoint::Embedded(PathBuf::from(DEFAULT_DIRECTORY))
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Endpoint::Embedded(directory) => write!(f, "embedded:{}", directory.display()),
            Endpoint::Temporary => f.write_str("temporary"),
            Endpoint::Aws => f.write_str("aws"),
            Endpoint::Url(url) => f.write_str(url),
        }
    }
}

/// Why a text names no endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndpointError {
    /// It has none of the forms.
    Unknown {
        /// What was given.
        given: String,
    },
    /// `embedded:` names no directory. It is refused, because an unset variable in a shell would lose data.
    NoDirectory,
    /// The address names no host.
    NoHost {
        /// What was given.
        given: String,
    },
    /// The environment variable is not UTF-8 text.
    NotUtf8,
}

impl fmt::Display for EndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EndpointError::Unknown { given } => write!(
                f,
                "`{given}` is no endpoint: it is embedded:DIR, temporary, aws, or an address as http://127.0.0.1:8000"
            ),
            EndpointError::NoDirectory => write!(
                f,
                "`embedded:` names no directory: write embedded:DIR, or `temporary` for data that may be lost"
            ),
            EndpointError::NoHost { given } => write!(f, "the address `{given}` names no host"),
            EndpointError::NotUtf8 => write!(f, "the endpoint is not UTF-8 text"),
        }
    }
}

impl std::error::Error for EndpointError {}

impl FromStr for Endpoint {
    type Err = EndpointError;

    fn from_str(given: &str) -> Result<Self, EndpointError> {
        if let Some(directory) = given.strip_prefix("embedded:") {
            return match directory {
                "" => Err(EndpointError::NoDirectory),
                _ => Ok(Endpoint::Embedded(PathBuf::from(directory))),
            };
        }
        let given_again = || given.to_owned();
        match given {
            "temporary" => Ok(Endpoint::Temporary),
            "aws" => Ok(Endpoint::Aws),
            _ if given.starts_with("http://") || given.starts_with("https://") => {
                match host(given) {
                    Some(_) => Ok(Endpoint::Url(given_again())),
                    None => Err(EndpointError::NoHost {
                        given: given_again(),
                    }),
                }
            }
            _ => Err(EndpointError::Unknown {
                given: given_again(),
            }),
        }
    }
}

/// The host of an address, without the port.
fn host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let authority = authority
        .rsplit_once('@')
        .map_or(authority, |(_, after)| after);
    let port_from = match authority.find(']') {
        Some(end) => end + 1,
        None => authority.find(':').unwrap_or(authority.len()),
    };
    let host = authority.get(..port_from)?;
    (!host.is_empty() && !host.contains(char::is_whitespace)).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_written_as_it_is_read() {
        for text in [
            "embedded:.tablewright",
            "embedded:/var/lib/a b",
            "temporary",
            "aws",
            "http://127.0.0.1:8000",
            "https://dynamodb.eu-central-1.amazonaws.com",
        ] {
            assert_eq!(
                text.parse::<Endpoint>().map(|e| e.to_string()),
                Ok(text.to_owned())
            );
        }
        assert_eq!(Endpoint::default().to_string(), "embedded:.tablewright");
    }

    #[test]
    fn anything_else_is_refused_with_what_to_write() {
        for (text, told) in [
            ("", "embedded:DIR"),
            ("AWS", "embedded:DIR"),
            ("localhost:8000", "http://127.0.0.1:8000"),
            ("ftp://localhost", "embedded:DIR"),
            ("embedded:", "names no directory"),
            ("http://", "names no host"),
            ("http://:8000", "names no host"),
            ("https:///path", "names no host"),
        ] {
            let error = text.parse::<Endpoint>().unwrap_err().to_string();
            assert!(error.contains(told), "{text}: {error}");
        }
    }

    #[test]
    fn local_addresses_are_told_from_others() {
        let local = |url: &str| url.parse::<Endpoint>().unwrap().is_local();
        assert!(local("http://dynamodb:8000"));
        assert!(local("https://localhost:8000/"));
        assert!(local("https://127.0.0.1"));
        assert!(local("https://[::1]:8000"));
        assert!(!local("https://dynamodb.eu-central-1.amazonaws.com"));
        assert!(!local("https://localhost.example.org"));
        assert!(!local("https://localhost@example.org"));
        assert!(!local("aws"));
    }
}
