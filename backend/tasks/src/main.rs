//! The task manager: `tasks` serves, and follows what changes.

use anyhow::bail;
use tablewright_service::{Alone, begin, run_function, say, serve, serve_beside};
use tasks::{ABOUT, CONSUMERS, SETTINGS, following, function, serving, start};

const HELP: &str = "\
tasks           serve the task manager, on 127.0.0.1:8082 unless told otherwise, and follow what changes (docs/tasks.md)
tasks serve     serve only
tasks follow    follow only: mails, events, history, and what is left of deleted tasks; several share the work
tasks follow NAME   under AWS Lambda: one of them, as a function with the stream of the table as its trigger;
                    a schedule calls `tasks follow tasks-waiting-mails`, every minute, which sends the mails that wait";

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => {
            let (service, consumers) = start(begin(&ABOUT, SETTINGS)?).await?;
            Ok(serve_beside(service, consumers.stop()).await?)
        }
        ["serve"] => Ok(serve(serving(begin(&ABOUT, SETTINGS)?).await?).await?),
        ["follow"] => {
            let settings = begin(&ABOUT, SETTINGS)?;
            let alone = Alone::begin(&settings).await?;
            let consumers = following(&settings).await?;
            alone.until_told().await?;
            consumers.stop().await;
            Ok(())
        }
        ["follow", name] => {
            let settings = begin(&ABOUT, SETTINGS)?;
            let made = function(&settings, name);
            Ok(run_function(&settings, name, &CONSUMERS, made).await?)
        }
        ["help" | "--help" | "-h"] => {
            say(HELP);
            Ok(())
        }
        other => bail!("there is no command `{}`\n\n{HELP}", other.join(" ")),
    }
}
