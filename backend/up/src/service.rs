//! A service as a process of its own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::{mpsc, oneshot, watch};

use crate::own_group::OwnGroup;
use crate::run::Told;
use crate::{ServicePlan, UpError, log, own_group, ports, ready};

/// How long a service may take to end what it had accepted; its own patience is shorter.
const GRACE: Duration = Duration::from_secs(30);

/// How long the end of its input is all that asks it to end. Whoever does not know of that gets a signal then.
const BY_INPUT: Duration = Duration::from_secs(5);

/// How long after its end it is started again.
const PAUSE: Duration = Duration::from_secs(1);

/// How a service is started.
#[derive(Debug, Clone)]
pub(crate) struct Start {
    pub(crate) name: String,
    program: PathBuf,
    arguments: Vec<String>,
    folder: PathBuf,
    variables: Vec<(&'static str, OsString)>,
    port: u16,
    pub(crate) log: PathBuf,
}

/// A service that runs.
#[derive(Debug)]
pub(crate) struct Running {
    child: Child,
    group: OwnGroup,
    /// It ends with this, and so with this process. A child that is waited for would lose it.
    input: Option<ChildStdin>,
}

impl Running {
    /// Returns when it has ended by itself, and says how.
    pub(crate) async fn ended(&mut self) -> String {
        match self.waited_for().await {
            Ok(status) => in_words(status),
            Err(why) => why.to_string(),
        }
    }

    /// Returns when it has ended, and asks those to end whom it leaves behind.
    async fn waited_for(&mut self) -> std::io::Result<ExitStatus> {
        let status = self.child.wait().await;
        self.group.has_lost_its_leader();
        status
    }

    fn kill(&mut self) {
        self.group.kill();
        // What cannot be killed has ended.
        let _ = self.child.start_kill();
    }

    /// Asks it to end by closing its input, then by a signal, and ends it if it does not.
    pub(crate) async fn stop(mut self) {
        drop(self.input.take());
        if self.ends_within(BY_INPUT).await {
            return;
        }
        self.group.ask_to_end();
        if !self.ends_within(GRACE - BY_INPUT).await {
            self.kill();
            // It has ended either way.
            let _ = self.waited_for().await;
        }
    }

    async fn ends_within(&mut self, time: Duration) -> bool {
        tokio::time::timeout(time, self.waited_for()).await.is_ok()
    }
}

impl Drop for Running {
    /// Whoever does not wait for it, as after a second Ctrl-C, leaves nobody of it behind.
    fn drop(&mut self) {
        self.kill();
    }
}

impl Start {
    /// In a folder, that of the project file; with these variables besides those of this process.
    pub(crate) fn new(
        name: &str,
        plan: &ServicePlan,
        folder: &Path,
        data: &Path,
        mut variables: Vec<(&'static str, OsString)>,
    ) -> Self {
        let (program, arguments) = plan.program().unwrap_or_default();
        // A path is one from the folder; a bare name is looked for where programs are.
        let program = match program.contains('/') {
            true => folder.join(program),
            false => PathBuf::from(program),
        };
        variables.push(("PORT", plan.port.to_string().into()));
        Start {
            name: name.to_owned(),
            program,
            arguments: arguments.into_iter().map(str::to_owned).collect(),
            folder: folder.to_owned(),
            variables,
            port: plan.port,
            log: log::path(data, name),
        }
    }

    /// Starts it.
    pub(crate) fn start(&self) -> Result<Running, UpError> {
        let file = |why| UpError::File {
            path: self.log.clone(),
            why,
        };
        let log = log::append(&self.log).map_err(file)?;
        let errors = log.try_clone().map_err(file)?;
        let mut command = Command::new(&self.program);
        own_group::lead(&mut command);
        let mut child = command
            .args(&self.arguments)
            .current_dir(&self.folder)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(log)
            .stderr(errors)
            .kill_on_drop(true)
            .spawn()
            .map_err(|why| UpError::NoProgram {
                service: self.name.clone(),
                program: self.program.display().to_string(),
                why,
            })?;
        let (group, input) = (OwnGroup::of(&child), child.stdin.take());
        Ok(Running {
            child,
            group,
            input,
        })
    }

    /// Why it is not ready.
    pub(crate) fn not_ready(&self, what: String) -> UpError {
        UpError::NotReady {
            service: self.name.clone(),
            what,
            log: log::last_words(&self.log, 20).unwrap_or_default(),
            path: self.log.clone(),
        }
    }

    /// Tells when it is ready, keeps it running until it is to end, and ends it.
    pub(crate) async fn keep(
        self,
        url: String,
        mut running: Running,
        ready: oneshot::Sender<Result<(), UpError>>,
        mut end: watch::Receiver<bool>,
        told: mpsc::UnboundedSender<Told>,
    ) {
        let client = ready::client();
        let begun = tokio::select! {
            () = ended(&mut end) => return running.stop().await,
            // Somebody may have taken its port since that was looked at.
            how = running.ended() => Err(ports::is_free(&self.name, self.port).err().unwrap_or_else(|| self.not_ready(how))),
            is_ready = ready::wait(&client, &url) => match is_ready {
                true => Ok(()),
                false => Err(self.not_ready(format!("is not ready after {:?}", ready::PATIENCE))),
            },
        };
        let failed = begun.is_err();
        // Nobody waits any more when everything ends.
        let _ = ready.send(begun);
        if failed {
            return running.stop().await;
        }
        loop {
            let how = tokio::select! {
                () = ended(&mut end) => return running.stop().await,
                how = running.ended() => how,
            };
            // Whoever ends every process of a machine or a session may have come to this one first.
            if ends_within(&mut end, PAUSE).await || !self.has_its_port(&mut end, &told).await {
                return;
            }
            let service = self.name.clone();
            let _ = told.send(Told::Restarted { service, how });
            running = loop {
                match self.start() {
                    Ok(running) => break running,
                    Err(why) => _ = told.send(Told::Trouble(why.to_string())),
                }
                if ends_within(&mut end, PAUSE).await {
                    return;
                }
            };
        }
    }

    /// Returns when nobody else has its port, and tells who waits for that; false when everything ends meanwhile.
    async fn has_its_port(
        &self,
        end: &mut watch::Receiver<bool>,
        told: &mpsc::UnboundedSender<Told>,
    ) -> bool {
        let mut is_told = false;
        while let Err(why) = ports::is_free(&self.name, self.port) {
            if !is_told {
                let _ = told.send(Told::Trouble(format!("{why}, which waits for it")));
                is_told = true;
            }
            if ends_within(end, PAUSE).await {
                return false;
            }
        }
        true
    }
}

/// Returns when everything is to end.
async fn ended(end: &mut watch::Receiver<bool>) {
    // Whoever could tell is gone, and so is everything.
    let _ = end.wait_for(|end| *end).await;
}

/// Waits, and says whether everything is to end meanwhile.
async fn ends_within(end: &mut watch::Receiver<bool>, pause: Duration) -> bool {
    tokio::time::timeout(pause, ended(end)).await.is_ok()
}

/// How a process ended.
fn in_words(status: ExitStatus) -> String {
    match status.code() {
        Some(code) => format!("ended with status {code}"),
        None => format!("was ended ({status})"),
    }
}
