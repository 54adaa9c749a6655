//! The To-Do API: `todo` serves, `todo token` makes a token for this machine, `todo check` compares what is stored.

use anyhow::bail;
use tablewright::Error;
use tablewright_local::Endpoint;
use tablewright_service::{
    Settings, begin, is_under_lambda, run_function, say, serve_beside, token_for,
};
use tablewright_stream::Consumers;
use todo::{ABOUT, App, CONSUMERS, SETTINGS, check, function, service_on};

const HELP: &str = "\
todo          serve the To-Do API, on 127.0.0.1:8081 unless told otherwise (docs/todo.md)
todo follow NAME   under AWS Lambda: todo-counts or todo-lake, as a function with the stream of the table as its trigger
todo token    make a token for this machine: --sub NAME, and if wanted --email ADDRESS
todo check    compare tasks, counts, index entries and guards; 1 if they disagree, 2 if they cannot be compared";

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => {
            let settings = begin(&ABOUT, SETTINGS)?;
            let app = App::connect(&settings).await?;
            let service = service_on(settings, app.clone()).await?;
            let consumers = match is_under_lambda() {
                false => app.consumers(),
                true => Consumers::none(),
            };
            Ok(serve_beside(service, consumers.stop()).await?)
        }
        ["follow", name] => {
            let settings = begin(&ABOUT, SETTINGS)?;
            let made = function(&settings, name);
            Ok(run_function(&settings, name, &CONSUMERS, made).await?)
        }
        ["check"] => match compared().await {
            Ok(report) => {
                say(&report);
                std::process::exit(i32::from(!report.faults.is_empty()));
            }
            Err(why) => {
                eprintln!("Error: {why}");
                std::process::exit(2);
            }
        },
        ["token", person @ ..] => {
            say(token_for(&ABOUT, person)?);
            Ok(())
        }
        ["help" | "--help" | "-h"] => {
            say(HELP);
            Ok(())
        }
        other => bail!("there is no command `{}`\n\n{HELP}", other.join(" ")),
    }
}

/// What is stored, compared, without making anything that is not there.
async fn compared() -> anyhow::Result<check::Report> {
    let settings = Settings::load(&ABOUT, SETTINGS)?;
    let place = &settings.endpoint;
    if let Endpoint::Embedded(folder) = place
        && !folder.exists()
    {
        bail!(
            "there is no folder {}: TABLEWRIGHT_ENDPOINT names that of the service, as embedded:DIR",
            folder.display()
        );
    }
    let app = App::connect(&settings).await?;
    match check::check(&app).await {
        Err(Error::Backend { code, .. }) if code == "ResourceNotFoundException" => bail!(
            "there is no table {} in {place}: TABLEWRIGHT_ENDPOINT names the tables of the service, which makes them when it starts",
            app.table()
        ),
        report => Ok(report?),
    }
}
