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

/// The group of a leader that was not waited for yet.
#[derive(Debug)]
pub(crate) struct OwnGroup {
    #[cfg(unix)]
    id: Option<rustix::process::Pid>,
}

impl OwnGroup {
    pub(crate) fn of(leader: &Child) -> Self {
        #[cfg(not(unix))]
        let _ = leader;
        OwnGroup {
            #[cfg(unix)]
            id: leader
                .id()
                .and_then(|id| i32::try_from(id).ok())
                .and_then(rustix::process::Pid::from_raw),
        }
    }

    /// Asks all of it to end; elsewhere than on Unix a closed input is all that asks.
    pub(crate) fn ask_to_end(&self) {
        #[cfg(unix)]
        self.send(rustix::process::Signal::TERM);
    }

    /// Ends all of it.
    pub(crate) fn kill(&self) {
        #[cfg(unix)]
        self.send(rustix::process::Signal::KILL);
    }

    /// The leader has ended, and was waited for just now: what it left behind is asked to end. From then on the number may be that of somebody else.
    pub(crate) fn has_lost_its_leader(&mut self) {
        self.ask_to_end();
        #[cfg(unix)]
        self.id.take();
    }

    #[cfg(unix)]
    fn send(&self, signal: rustix::process::Signal) {
        if let Some(id) = self.id {
            // A group that is gone needs to be told nothing.
            let _ = rustix::process::kill_process_group(id, signal);
        }
    }
}
