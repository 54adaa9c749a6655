//! A service and what it starts, as a group of processes of its own.
//!
//! What a terminal sends to everything in front of it, as Ctrl-C, does not reach that group: `up` alone hears of it, and ends the services in order.

use tokio::process::{Child, Command};

/// Lets the process that is started lead a group.
pub(crate) fn lead(command: &mut Command) {
    #[cfg(unix)]
    command.process_group(0);
    #[cfg(not(unix))]
    let _ = command;
}

/// Asks the whole group to end; elsewhere than on Unix a closed input is all that asks.
pub(crate) fn ask_to_end(leader: &Child) {
    #[cfg(unix)]
    send(leader, rustix::process::Signal::TERM);
    #[cfg(not(unix))]
    let _ = leader;
}

/// Ends the whole group.
pub(crate) fn kill(leader: &mut Child) {
    #[cfg(unix)]
    send(leader, rustix::process::Signal::KILL);
    // What cannot be killed has ended.
    let _ = leader.start_kill();
}

#[cfg(unix)]
fn send(leader: &Child, signal: rustix::process::Signal) {
    // Without an id it was waited for, and its number may be that of somebody else.
    let group = leader
        .id()
        .and_then(|id| i32::try_from(id).ok())
        .and_then(rustix::process::Pid::from_raw);
    if let Some(group) = group {
        // A group that is gone needs to be told nothing.
        let _ = rustix::process::kill_process_group(group, signal);
    }
}
