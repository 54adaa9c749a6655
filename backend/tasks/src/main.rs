//! The task manager: `tasks` serves, and follows what changes.

use anyhow::bail;
use tablewright_service::{Server, Settings, handle_events, say, serve, start_logs, told_to_end};
use tasks::{ABOUT, CONSUMERS, SETTINGS, following, function, serving, start};

const HELP: &str = "\
tasks           serve the task manager, on 127.0.0.1:8082 unless told otherwise, and follow what changes (docs/tasks.md)
tasks serve     serve only
tasks follow    follow only: mails, events, history, and what is left of deleted tasks; several share the work
tasks follow NAME   under AWS Lambda: one of them, as a function with the stream of the table as its trigger";

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
            let end = told_to_end(&settings)?;
            let numbers = Server::of_numbers(&settings).await?;
            let consumers = following(&settings).await?;
            match numbers {
                Some(numbers) => numbers.run(end).await?,
                None => end.await,
            }
            consumers.stop().await;
            Ok(())
        }
        ["follow", name] if std::env::var_os("AWS_LAMBDA_RUNTIME_API").is_none() => bail!(
            "`tasks follow {name}` is a function of AWS Lambda, and this is no Lambda: `tasks follow` runs all of them as one process"
        ),
        ["follow", name] => {
            let settings = Settings::load(&ABOUT, SETTINGS)?;
            start_logs(&settings);
            let Some(function) = function(&settings, name).await? else {
                bail!(
                    "there is no consumer `{name}`, or the settings name nobody it could tell; there are {}",
                    CONSUMERS.join(", ")
                );
            };
            Ok(handle_events(function).await?)
        }
        ["help" | "--help" | "-h"] => {
            say(HELP);
            Ok(())
        }
        other => bail!("there is no command `{}`\n\n{HELP}", other.join(" ")),
    }
}
