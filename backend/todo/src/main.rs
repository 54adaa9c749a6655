//! The To-Do API: `todo` serves, `todo check` compares what is stored.
#![allow(clippy::print_stdout, reason = "a command line tool speaks to people")]

use anyhow::bail;
use tablewright_service::{Settings, serve, start_logs};
use todo::{ABOUT, App, SETTINGS, check, service_on};
use tokio::sync::oneshot;

const HELP: &str = "\
todo          serve the To-Do API, on 127.0.0.1:8081 unless told otherwise (docs/todo.md)
todo check    compare tasks, counts, index entries and guards; 1 if they disagree";

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => {
            let settings = Settings::load(&ABOUT, SETTINGS)?;
            start_logs(&settings);
            let app = App::connect(&settings).await?;
            let service = service_on(settings, app.clone()).await?;
            // A function of AWS Lambda sleeps between requests: there the stream is the trigger of a function of its own.
            if std::env::var_os("AWS_LAMBDA_RUNTIME_API").is_some() {
                return Ok(serve(service).await?);
            }
            let (ended, end) = oneshot::channel::<()>();
            let counts = tokio::spawn(async move {
                app.keep_counts(async { end.await.unwrap_or(()) }).await;
            });
            let served = serve(service).await;
            drop(ended);
            counts.await?;
            Ok(served?)
        }
        ["check"] => {
            let settings = Settings::load(&ABOUT, SETTINGS)?;
            let app = App::connect(&settings).await?;
            let report = check::check(&app).await?;
            println!("{report}");
            std::process::exit(i32::from(!report.faults.is_empty()));
        }
        ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            Ok(())
        }
        other => bail!("there is no command `{}`\n\n{HELP}", other.join(" ")),
    }
}
