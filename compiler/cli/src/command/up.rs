//! `tablewright up`: everything the project runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::pin::Pin;

use tablewright_lake::LakeModel;
use tablewright_local::DEFAULT_DIRECTORY;
use tablewright_up::{Demo, Options, Plan, Ready, Told};
use tokio::sync::{mpsc, oneshot};

use crate::Outcome;
use crate::arguments::up::UpArguments;
use crate::command::lake;
use crate::error::{Failure, shown};
use crate::output::Output;
use crate::project::Project;
use crate::signals;

pub(crate) fn run(arguments: &UpArguments, output: &mut Output) -> Result<Outcome, Failure> {
    let runtime = tokio::runtime::Runtime::new().map_err(Failure::Server)?;
    // From the first moment, so that nobody who stops it early leaves it half started.
    let stop = {
        let _inside = runtime.enter();
        signals::stop().map_err(Failure::Server)?
    };
    let project = Project::find()?.ok_or(Failure::NoProjectToStart)?;
    let plan = Plan::read(&project.text()).map_err(|why| Failure::BadUp {
        path: project.path(),
        why: why.to_string(),
    })?;
    let plan = plan.ok_or_else(|| Failure::NothingToStart {
        path: project.path(),
    })?;
    let plan = match front_port(arguments)? {
        Some(port) => plan.with_front_at(port).map_err(Failure::Up)?,
        None => plan,
    };
    let options = options(&project, arguments)?;
    runtime.block_on(start(&plan, &options, stop, output))?;
    Ok(Outcome::Clean)
}

/// Where the front page is to be, if the project file is not to say it.
fn front_port(arguments: &UpArguments) -> Result<Option<u16>, Failure> {
    if arguments.port.is_some() {
        return Ok(arguments.port);
    }
    let said = std::env::var_os("PORT").unwrap_or_default();
    let said = said.to_string_lossy();
    match said.is_empty() {
        true => Ok(None),
        false => said.parse().map(Some).map_err(|_| Failure::BadPort {
            text: said.into_owned(),
        }),
    }
}

fn options(project: &Project, arguments: &UpArguments) -> Result<Options, Failure> {
    let whole = |path: PathBuf| {
        std::path::absolute(&path).map_err(|why| Failure::Unreadable {
            path: shown(&path),
            why,
        })
    };
    let here = project.locate("");
    let here = match here.as_os_str().is_empty() {
        true => PathBuf::from("."),
        false => here,
    };
    let folder = fs::canonicalize(&here).map_err(Failure::unreadable(&shown(&here)))?;
    let data = match &arguments.data {
        Some(data) => whole(data.clone())?,
        None => folder.join(DEFAULT_DIRECTORY),
    };
    let demo = match (arguments.demo, arguments.no_demo) {
        (true, _) => Demo::Now,
        (_, true) => Demo::Never,
        _ => Demo::AtFirst,
    };
    Ok(Options {
        documents: documents(project, &folder)?,
        lakes: lakes(project),
        folder,
        data,
        endpoint: arguments.endpoint.clone(),
        build: !arguments.no_build,
        demo,
    })
}

/// The models of the project that have no faults: what is wrong with another is for `check` to tell.
fn lakes(project: &Project) -> Vec<LakeModel> {
    let texts = project
        .models()
        .filter_map(|path| fs::read_to_string(path).ok());
    texts
        .filter_map(|text| tablewright_model::parse(&text).ok())
        .filter_map(|model| lake::model_of(&model).ok())
        .collect()
}

/// The documents of each model, by their way from the folder of the project.
fn documents(project: &Project, folder: &Path) -> Result<Vec<(String, PathBuf)>, Failure> {
    let mut documents = Vec::new();
    for (name, source) in project.names().zip(project.sources()) {
        documents.push((name.to_owned(), PathBuf::from(source)));
        for key in ["charts", "proof"] {
            let Some(place) = project.place(key, name)? else {
                continue;
            };
            let Ok(entries) = fs::read_dir(folder.join(&place)) else {
                continue;
            };
            let mut files: Vec<PathBuf> = entries
                .flatten()
                .map(|entry| place.join(entry.file_name()))
                .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
                .collect();
            files.sort();
            for file in files {
                let document = (name.to_owned(), file);
                if !documents.contains(&document) {
                    documents.push(document);
                }
            }
        }
    }
    Ok(documents)
}

async fn start(
    plan: &Plan,
    options: &Options,
    stop: impl Future<Output = ()> + Send + 'static,
    output: &mut Output,
) -> Result<(), Failure> {
    let mut stop: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(stop);
    let (end, is_to_end) = oneshot::channel::<()>();
    let mut end = Some(end);
    let (told, mut heard) = mpsc::unbounded_channel();
    let stopped = async {
        // That nobody can tell any more tells it as well.
        let _ = is_to_end.await;
    };
    let mut running = Box::pin(tablewright_up::run(plan, options, stopped, &told));
    // Whoever listened may be gone, as with a terminal that was closed. Then everything ends as it does when it is asked to.
    let (mut unheard, mut asked) = (None, false);
    let ended = loop {
        tokio::select! {
            // What was told comes before what follows from it.
            biased;
            Some(what) = heard.recv() => if unheard.is_none() && let Err(why) = output.print(&in_words(&what, output)) {
                unheard = Some(why);
                end.take();
            },
            ended = &mut running => break ended,
            () = &mut stop => {
                if asked {
                    // Asked twice, it waits for nobody.
                    return Ok(());
                }
                asked = true;
                end.take();
                stop = Box::pin(signals::stop().map_err(Failure::Server)?);
            }
        }
    };
    while unheard.is_none()
        && let Ok(what) = heard.try_recv()
    {
        unheard = output.print(&in_words(&what, output)).err();
    }
    ended.map_err(Failure::Up)?;
    match unheard {
        Some(why) if !asked => Err(why),
        _ => Ok(()),
    }
}

/// What is told, for people.
fn in_words(told: &Told, output: &Output) -> String {
    match told {
        Told::Builds(command) => format!("builds      with `{command}`\n"),
        Told::Engine { url, data } => match data {
            Some(data) => format!("engine      {url}, its data in {}\n", shown(data)),
            None => format!("tables      {url}\n"),
        },
        Told::Ready { service, url } => format!("{service:<11} {url}\n"),
        Told::Demo { services } => format!(
            "demo        something to show is in {}\n",
            services.join(", ")
        ),
        Told::Everything { url, tokens } => everything(url, tokens, output),
        Told::Restarted { service, how } => {
            format!("{service} {how}, and was started again\n")
        }
        Told::Trouble(why) => format!("{why}\n"),
        Told::Ends => String::from("ends; what was accepted is still done\n"),
    }
}

/// The name of somebody as that of a variable of a shell, which begins with no digit.
fn variable(who: &str) -> String {
    let begins_with_digit = who.starts_with(|c: char| c.is_ascii_digit());
    let name = who.to_uppercase();
    let letters = name.chars();
    let letters = letters.map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    let before = begins_with_digit.then_some('_');
    before.into_iter().chain(letters).collect()
}

fn everything(url: &str, tokens: &[Ready], output: &Output) -> String {
    let mut text = format!("\n  Everything is at {}\n\n", output.bold(url));
    for ready in tokens {
        let variable = variable(&ready.who);
        text.push_str(&format!(
            "  {variable}={}   # for {}, {}\n",
            ready.token, ready.service, ready.url
        ));
        if let Some(path) = &ready.r#try {
            text.push_str(&format!(
                "  curl -H \"Authorization: Bearer ${variable}\" {}{path}\n",
                ready.url
            ));
        }
    }
    text.push_str("\nCtrl-C stops it; what was written stays.\n");
    text
}
