//! When the process is told to end.

use std::io::{self, Read as _};
use std::thread;

use tokio::sync::oneshot;

use crate::Settings;

/// Ready at Ctrl-C, when the system asks the process to end, or at the end of its standard input if the settings say so: for programs that do something
/// besides serving, or instead.
///
/// # Errors
/// When the system does not tell.
pub fn told_to_end(
    settings: &Settings,
) -> io::Result<impl Future<Output = ()> + Send + 'static + use<>> {
    let signal = signal()?;
    let input = settings.end_with_input.then(end_of_input);
    Ok(async move {
        match input {
            None => signal.await,
            Some(input) => tokio::select! {
                () = signal => {}
                () = input => {}
            },
        }
    })
}

/// Ready when there is no more standard input. A thread of its own reads it, for whom nobody waits at the end.
fn end_of_input() -> impl Future<Output = ()> + Send + 'static {
    let (ended, end) = oneshot::channel();
    thread::spawn(move || {
        let mut some = [0; 256];
        let mut input = io::stdin().lock();
        while matches!(input.read(&mut some), Ok(1..)) {}
        // Nobody waits any more.
        let _ = ended.send(());
    });
    async move {
        // Without the thread there is no end to hear of.
        if end.await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(unix)]
fn signal() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    // The terminal was closed.
    let mut hang_up = signal(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
    })
}

#[cfg(not(unix))]
fn signal() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    Ok(async {
        // Where it cannot be heard of, the process is ended in another way.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
