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
        let tried = StdListener::bind((Ipv4Addr::LOCALHOST, service.port));
        let whose = format!("{name}, `port` of [up.services.{name}]");
        tried.map_err(|why| failed(service.port, &whose, why))?;
    }
    Ok(())
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
