//! The ports, looked at before anything starts.

use std::io;
use std::net::{Ipv4Addr, TcpListener as StdListener};

use tokio::net::TcpListener;

use crate::{Plan, UpError};

/// Listens on a port of this machine.
pub(crate) async fn listen(port: u16, whose: &str) -> Result<TcpListener, UpError> {
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
    let whose = format!("{service}, `port` of [up.services.{service}]");
    tried.map(drop).map_err(|why| failed(port, &whose, why))
}

pub(crate) fn failed(port: u16, whose: &str, why: io::Error) -> UpError {
    match why.kind() {
        io::ErrorKind::AddrInUse => UpError::PortTaken {
            port,
            whose: whose.to_owned(),
        },
        _ => UpError::Engine(io::Error::new(why.kind(), format!("port {port}: {why}"))),
    }
}
