//! Why everything does not start.

use std::fmt;
use std::io;
use std::path::PathBuf;

use tablewright_local::OpenError;
use tablewright_service::{IssuerError, ServeError, SettingsError};

use crate::PortOf;

/// Why everything does not start, or ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum UpError {
    /// The project file says something that cannot be done.
    BadPlan {
        /// What, and where.
        why: String,
    },
    /// A port that is needed is in use.
    PortTaken {
        /// The port.
        port: u16,
        /// Who was to have it.
        whose: PortOf,
    },
    /// A port cannot be listened on.
    NoPort {
        /// The port.
        port: u16,
        /// Who was to have it.
        whose: PortOf,
        /// Why not.
        why: io::Error,
    },
    /// The data folder cannot be opened.
    Data(OpenError),
    /// What is to be the data folder is a file.
    NoFolder {
        /// Which.
        path: PathBuf,
    },
    /// A file or folder that is needed cannot be used.
    File {
        /// Which.
        path: PathBuf,
        /// Why not.
        why: io::Error,
    },
    /// What is to be built was not.
    Build {
        /// The command.
        command: String,
        /// What became of it.
        why: String,
    },
    /// A service cannot be started.
    NoProgram {
        /// Which.
        service: String,
        /// Its program.
        program: String,
        /// Why not.
        why: io::Error,
    },
    /// A service is not ready.
    NotReady {
        /// Which.
        service: String,
        /// What became of it.
        what: String,
        /// The last lines of its log.
        log: String,
        /// Where the whole of it is.
        path: PathBuf,
    },
    /// Nothing more can be written to the data folder, as on a full disk, and so something failed.
    NoRoom {
        /// The folder.
        path: PathBuf,
        /// Why not.
        why: io::Error,
        /// What failed.
        failed: Box<UpError>,
    },
    /// There is no development issuer.
    Issuer(IssuerError),
    /// The front page cannot be served.
    Front(ServeError),
    /// The front page has settings it cannot use.
    Settings(SettingsError),
    /// The engine stopped serving.
    Engine(io::Error),
}

impl fmt::Display for UpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            UpError::BadPlan { why } => write!(f, "{why}"),
            UpError::PortTaken { port, whose } => write!(
                f,
                "port {port} is taken by another program; it is that of {whose}"
            ),
            UpError::NoPort { port, whose, why } => {
                write!(f, "{whose} cannot listen on port {port}: {why}")
            }
            UpError::Data(error) => error.fmt(f),
            UpError::NoFolder { path } => {
                write!(f, "the data folder {} is a file", path.display())
            }
            UpError::File { path, why } => write!(f, "{}: {why}", path.display()),
            UpError::Build { command, why } => write!(f, "`{command}` failed: {why}"),
            UpError::NoProgram {
                service,
                program,
                why,
            } => write!(f, "{service} cannot be started, `{program}`: {why}"),
            UpError::NotReady {
                service,
                what,
                log,
                path,
            } => {
                write!(f, "{service} {what}; its log is {}", path.display())?;
                match log.is_empty() {
                    true => Ok(()),
                    false => write!(f, ", which ends with\n{log}"),
                }
            }
            UpError::NoRoom { path, why, failed } => {
                let path = path.display();
                write!(f, "nothing can be written to {path}: {why}\n{failed}")
            }
            UpError::Issuer(error) => error.fmt(f),
            UpError::Front(error) => error.fmt(f),
            UpError::Settings(error) => error.fmt(f),
            UpError::Engine(error) => write!(f, "the engine ended: {error}"),
        }
    }
}

impl std::error::Error for UpError {}
