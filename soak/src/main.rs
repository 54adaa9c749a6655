//! All services under load while everything around them fails, and then every invariant compared.
//!
//! The engine is served with faults on the way to it ([`faults`], [`connector`]); todo, tasks and ask run on it as processes ([`process`]) that are killed ([`chaos`]); those who use them
//! send each request until it is answered and write down what they were told ([`load`], [`insist`]). Then the faults end, everybody comes to rest ([`rest`]), and what is stored is
//! compared with what was told ([`verify`]).
#![allow(clippy::print_stdout, reason = "a command line tool speaks to people")]

mod arguments;
mod chaos;
mod connector;
mod crowd;
mod dice;
mod faults;
mod ground;
mod insist;
mod load;
mod process;
mod receiver;
mod rest;
mod smtp;
mod soak;
mod told;
mod verdicts;
mod verify;

use std::process::ExitCode;
use std::sync::{Mutex, MutexGuard, PoisonError};

use arguments::Arguments;

/// Of which domain mails are.
const MAIL_DOMAIN: &str = "soak.example.org";

#[tokio::main]
async fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let arguments = match Arguments::of(&words) {
        Ok(arguments) => arguments,
        Err(told) => {
            println!("{told}");
            return ExitCode::from(2);
        }
    };
    let told = tokio::select! {
        soaked = soak::soak(&arguments) => soaked,
        () = told_to_end() => {
            // What was started ends with what is dropped here.
            println!("broken off: nothing was verified");
            return ExitCode::from(130);
        }
    };
    match told {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            println!("it could not be run: {why:#}");
            ExitCode::from(2)
        }
    }
}

/// Ctrl-C, or what ends a process politely.
async fn told_to_end() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminated) => tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminated.recv() => {}
        },
        Err(_) => {
            let _ = tokio::signal::ctrl_c().await;
        }
    }
}

/// What is behind a lock, whatever became of who had it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
