//! The task manager: `tasks` serves, and follows what changes.
#![allow(clippy::print_stdout, reason = "a command line tool speaks to people")]

use anyhow::bail;
use tablewright_service::{Settings, serve, start_logs, told_to_end};
use tasks::{ABOUT, SETTINGS, following, serving, start};

const HELP: &str = "\
tasks           serve the task manager, on 127.0.0.1:8082 unless told otherwise, and follow what changes (docs/tasks.md)
tasks serve     serve only
tasks follow    follow only: mails, events, history, and what is left of deleted tasks; several share the work";

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => {
            let settings = Settings::load(&ABOUT, SETTINGS)?;
            start_logs(&settings);
            let (service, consumers) = start(settings).await?;
            let served = serve(service).await;
            // What the last requests wrote is still followed; the rest is read after the next start.
            consumers.stop().await;
            Ok(served?)
        }
        ["serve"] => {
            let settings = Settings::load(&ABOUT, SETTINGS)?;
            start_logs(&settings);
            Ok(serve(serving(settings).await?).await?)
        }
        ["follow"] => {
            let settings = Settings::load(&ABOUT, SETTINGS)?;
            start_logs(&settings);
            let end = told_to_end()?;
            let consumers = following(&settings).await?;
            end.await;
            consumers.stop().await;
            Ok(())
        }
        ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            Ok(())
        }
        other => bail!("there is no command `{}`\n\n{HELP}", other.join(" ")),
    }
}
