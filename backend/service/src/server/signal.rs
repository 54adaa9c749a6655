//! When the process is told to end.

use std::io;

/// Ready at Ctrl-C, or when the system asks the process to end: for programs that do something besides serving, or instead.
///
/// # Errors
/// When the system does not tell.
#[cfg(unix)]
pub fn told_to_end() -> io::Result<impl Future<Output = ()> + Send + 'static> {
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

/// Ready at Ctrl-C.
#[cfg(not(unix))]
pub fn told_to_end() -> io::Result<impl Future<Output = ()> + Send + 'static> {
    Ok(async {
        // Where it cannot be heard of, the process is ended in another way.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}
