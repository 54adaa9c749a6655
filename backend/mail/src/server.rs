//! Which server sends, and how it is reached.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use lettre::transport::smtp::authentication::{Credentials, DEFAULT_MECHANISMS};
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::{Error, SMTP_PORT, SUBMISSION_PORT, SUBMISSIONS_PORT};
use percent_encoding::percent_decode_str;
use url::Url;

/// A server, and who we are to it.
pub(crate) struct Server {
    host: String,
    port: u16,
    security: Security,
    credentials: Option<Credentials>,
    name: ClientId,
}

/// From when on what is said is encrypted.
enum Security {
    /// Never.
    Plain,
    /// After the greeting, where the server can.
    Opportunistic(TlsParameters),
    /// After the greeting, or nothing is said.
    Required(TlsParameters),
    /// From the first byte.
    Wrapped(TlsParameters),
}

/// Why an address is of no server. It is not shown: it may have a password in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadServer(String);

impl fmt::Display for BadServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "no address of a mail server, as smtps://USER:PASSWORD@HOST or smtp://USER:PASSWORD@HOST:587?tls=required: {}",
            self.0
        )
    }
}

impl std::error::Error for BadServer {}

impl Server {
    pub(crate) fn of(address: &str) -> Result<Self, BadServer> {
        let bad = |why: &str| BadServer(why.to_owned());
        let url = Url::parse(address).map_err(|error| bad(&error.to_string()))?;
        let host = url.host_str().filter(|host| !host.is_empty());
        let host = host.ok_or_else(|| bad("it names no host"))?;
        let host = host.trim_matches(['[', ']']).to_owned();
        let tls = || {
            let tls = TlsParameters::new(host.clone());
            tls.map_err(|error| bad(&error.to_string()))
        };
        let asked = url.query_pairs().find(|(name, _)| name == "tls");
        let asked = asked.map(|(_, value)| value.into_owned());
        let (security, port) = match (url.scheme(), asked.as_deref()) {
            ("smtps", None) => (Security::Wrapped(tls()?), SUBMISSIONS_PORT),
            ("smtp", Some("required")) => (Security::Required(tls()?), SUBMISSION_PORT),
            ("smtp", Some("opportunistic")) => (Security::Opportunistic(tls()?), SUBMISSION_PORT),
            ("smtp", None) => (Security::Plain, SMTP_PORT),
            ("smtp" | "smtps", Some(_)) => {
                return Err(bad("`tls` is `required` or `opportunistic`, with smtp://"));
            }
            _ => return Err(bad("it begins with neither smtp:// nor smtps://")),
        };
        let text = |text: &str| {
            let decoded = percent_decode_str(text).decode_utf8();
            decoded
                .map(|text| text.into_owned())
                .map_err(|_| bad("user and password are not UTF-8"))
        };
        let credentials = match url.password() {
            Some(password) => Some(Credentials::new(text(url.username())?, text(password)?)),
            None if url.username().is_empty() => None,
            None => return Err(bad("there is a user and no password")),
        };
        let is_secret = matches!(security, Security::Required(_) | Security::Wrapped(_));
        if credentials.is_some() && !is_secret && !is_this_machine(&host) {
            return Err(bad(
                "the password would travel in clear: say smtps://, or `?tls=required`",
            ));
        }
        let name = url.path().trim_matches('/');
        Ok(Server {
            host,
            port: url.port().unwrap_or(port),
            security,
            credentials,
            name: match name {
                "" => ClientId::default(),
                name => ClientId::Domain(name.to_owned()),
            },
        })
    }

    /// A connection on which mails can be sent.
    pub(crate) async fn connect(&self, patience: Duration) -> Result<AsyncSmtpConnection, Error> {
        let wrapped = match &self.security {
            Security::Wrapped(tls) => Some(tls.clone()),
            _ => None,
        };
        let server = (self.host.as_str(), self.port);
        let mut connection =
            AsyncSmtpConnection::connect_tokio1(server, Some(patience), &self.name, wrapped, None)
                .await?;
        match &self.security {
            Security::Required(tls) => connection.starttls(tls.clone(), &self.name).await?,
            Security::Opportunistic(tls) if connection.can_starttls() => {
                connection.starttls(tls.clone(), &self.name).await?;
            }
            _ => {}
        }
        if let Some(credentials) = &self.credentials {
            connection.auth(DEFAULT_MECHANISMS, credentials).await?;
        }
        Ok(connection)
    }
}

/// Without the password.
impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

fn is_this_machine(host: &str) -> bool {
    let address: Result<IpAddr, _> = host.parse();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_says_how_the_server_is_reached() {
        for (address, reached) in [
            ("smtps://u:p@mail.example.org", "mail.example.org:465"),
            (
                "smtp://u:p%40ss@mail.example.org?tls=required",
                "mail.example.org:587",
            ),
            (
                "smtp://mail.example.org?tls=opportunistic",
                "mail.example.org:587",
            ),
            ("smtp://mail.example.org", "mail.example.org:25"),
            ("smtp://u:p@127.0.0.1:2525", "127.0.0.1:2525"),
            ("smtp://u:p@localhost", "localhost:25"),
            ("smtp://u:p@[::1]:2525", "::1:2525"),
        ] {
            let server = Server::of(address).unwrap();
            assert_eq!(format!("{server:?}"), reached, "{address}");
        }
    }

    /// A password leaves this machine encrypted, or not at all.
    #[test]
    fn a_password_is_not_said_in_clear() {
        for address in [
            "smtp://u:secret@mail.example.org",
            "smtp://u:secret@mail.example.org?tls=opportunistic",
            "smtp://u:secret@localhost.example.org",
            "smtp://u:secret@127.0.0.1.example.org",
            "smtp://u:secret@10.0.0.1",
        ] {
            let why = Server::of(address).unwrap_err().to_string();
            assert!(why.contains("in clear"), "{address}: {why}");
            assert!(!why.contains("secret"), "{why}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for address in [
            "",
            "mail.example.org",
            "http://mail.example.org",
            "smtp://u@mail.example.org?tls=required",
            "smtp://h?tls=maybe",
            "smtps://",
        ] {
            assert!(Server::of(address).is_err(), "{address}");
        }
    }
}
