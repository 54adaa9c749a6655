//! The ports, looked at before anything starts.

use std::fmt;
use std::io;
use std::net::{Ipv4Addr, TcpListener as StdListener};

use tokio::net::TcpListener;

use crate::{Plan, UpError};

/// Whose a port is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PortOf {
    /// That of the front page.
    Front,
    /// That of the engine.
    Engine,
    /// That of a service, by its name.
    Service(String),
}

impl PortOf {
    /// Where another port is chosen, in words that follow "choose another".
    #[must_use]
    pub fn is_chosen_by(&self) -> String {
        let in_the_file = match self {
            PortOf::Front => {
                return String::from(
                    "with `--port`, with the variable PORT, or by `port` of [up] in tablewright.toml",
                );
            }
            PortOf::Engine => String::from("`engine` of [up]"),
            PortOf::Service(name) => format!("`port` of [up.services.{name}]"),
        };
        format!("by {in_the_file} in tablewright.toml")
    }
}

impl fmt::Display for PortOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PortOf::Front => f.write_str("the front page"),
            PortOf::Engine => f.write_str("the engine"),
            PortOf::Service(name) => f.write_str(name),
        }
    }
}

/// Listens on a port of this machine.
pub(crate) async fn listen(port: u16, whose: PortOf) -> Result<TcpListener, UpError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await;
    listener.map_err(|why| failed(port, whose, why))
}

/// Whether every service could have its port.
pub(crate) fn are_free(plan: &Plan) -> Result<(), UpError> {
    for (name, service) in plan.in_order() {
        is_free(name, service.port)?;
    }
    Ok(())
}

/// Whether a service could have its port.
pub(crate) fn is_free(service: &str, port: u16) -> Result<(), UpError> {
    let tried = StdListener::bind((Ipv4Addr::LOCALHOST, port));
    let whose = PortOf::Service(service.to_owned());
    tried.map(drop).map_err(|why| failed(port, whose, why))
}

pub(crate) fn failed(port: u16, whose: PortOf, why: io::Error) -> UpError {
    match why.kind() {
        io::ErrorKind::AddrInUse => UpError::PortTaken { port, whose },
        _ => UpError::NoPort { port, whose, why },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_that_cannot_be_had_is_told_with_who_wants_it() {
        let denied = || io::Error::from(io::ErrorKind::PermissionDenied);
        for (whose, told) in [
            (PortOf::Front, "the front page cannot listen on port 81: "),
            (PortOf::Engine, "the engine cannot listen on port 81: "),
            (
                PortOf::Service(String::from("todo")),
                "todo cannot listen on port 81: ",
            ),
        ] {
            let error = failed(81, whose, denied()).to_string();
            assert!(error.starts_with(told), "{error}");
        }
    }
}
