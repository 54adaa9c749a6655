//! Ask-a-Human: `ask` serves; its other commands make agents and keys known.

use anyhow::{anyhow, bail};
use ask::{ABOUT, CONSUMERS, Command, SETTINGS, following, function, reach, serving, start};
use tablewright_service::{Alone, Settings, begin, run_function, say, serve, serve_beside};

const HELP: &str = "\
ask             serve Ask-a-Human, on 127.0.0.1:8083 unless told otherwise, and follow what changes (docs/ask.md)
ask serve       serve only
ask follow      follow only: notifications, deadlines, webhooks; several share the work
ask follow NAME   under AWS Lambda: one of them, as a function (docs/infrastructure.md)
ask mcp         a server of the Model Context Protocol over stdio, for language models that ask

Agents and their keys, in the tables themselves. An embedded engine belongs to one program at a time: while the service runs on one, use the
routes for admins instead.

ask agent add AGENT [--name NAME]                                   make an agent known
ask agent show AGENT                                                what is known of it
ask agent quota AGENT [--questions N] [--open N] [--polls N]        questions an hour, open at a time, reads an hour
ask agent webhook AGENT URL|none                                    where it is told that a question is over
ask key add AGENT [--label LABEL]                                   a new key, shown this once
ask key list AGENT                                                  its keys
ask key revoke AGENT HASH                                           a key is no longer good";

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
        ["agent" | "key", ..] => {
            let command = Command::in_words(&words);
            let command = command.map_err(|why| anyhow!("{why}\n\n{HELP}"))?;
            let settings = Settings::load(&ABOUT, SETTINGS)?;
            let app = reach(&settings).await?;
            let said = command.run(app.repositories()).await;
            say(said.map_err(|problem| anyhow!("{problem}"))?);
            Ok(())
        }
        #[cfg(feature = "mcp")]
        ["mcp"] => Ok(ask::mcp::serve().await?),
        ["help" | "--help" | "-h"] => {
            say(HELP);
            Ok(())
        }
        other => bail!("there is no command `{}`\n\n{HELP}", other.join(" ")),
    }
}
