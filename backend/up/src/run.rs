//! The order of things: the engine, what is built, the services, something to show, the front page; and back.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::pin::pin;
use std::time::Duration;

use tablewright_lake::LakeModel;
use tablewright_local::Endpoint;
use tablewright_service::DevelopmentIssuer;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::demo::{self, Kept};
use crate::front::Front;
use crate::group::Group;
use crate::service::Start;
use crate::{Plan, UpError, build, ports, room};

/// How long the tokens are good that are shown.
const TOKENS_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// How long it may take to hear of a signal that others have ended by.
const SAME_MOMENT: Duration = Duration::from_secs(2);

/// What is asked for, besides the plan.
#[derive(Debug, Clone)]
pub struct Options {
    /// The folder of the project file, whole.
    pub folder: PathBuf,
    /// Where data and logs are, whole.
    pub data: PathBuf,
    /// Another DynamoDB instead of the engine.
    pub endpoint: Option<Endpoint>,
    /// Whether to build first.
    pub build: bool,
    /// When there is something to show.
    pub demo: Demo,
    /// What the front page leads to: titles, and files by their way from the folder.
    pub documents: Vec<(String, PathBuf)>,
    /// The models whose lakes the front page tells of.
    pub lakes: Vec<LakeModel>,
}

impl Options {
    /// Where the lake is; none for another DynamoDB than the engine, whose changes are not those of this folder.
    pub(crate) fn lake(&self) -> Option<PathBuf> {
        self.endpoint.is_none().then(|| self.data.join("lake"))
    }

    /// Where that is which belongs to the tables: what the demo data was answered, mails and notifications. Every other DynamoDB than the engine has a folder of its own, since its tables know
    /// nothing of what happened elsewhere.
    pub(crate) fn beside_the_tables(&self) -> PathBuf {
        match &self.endpoint {
            None => self.data.clone(),
            Some(endpoint) => self.data.join("endpoints").join(folder_name(endpoint)),
        }
    }

    pub(crate) fn mails(&self) -> PathBuf {
        self.beside_the_tables().join("mail")
    }

    pub(crate) fn notifications(&self) -> PathBuf {
        self.beside_the_tables().join("push")
    }
}

/// An endpoint as the name of a folder, which no two of them share.
fn folder_name(endpoint: &Endpoint) -> String {
    let mut name = String::new();
    for byte in endpoint.to_string().bytes() {
        match byte {
            b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' => name.push(char::from(byte)),
            _ => {
                let _ = write!(name, "_{byte:02x}");
            }
        }
    }
    name
}

/// When services get something to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Demo {
    /// At the first start on an engine of its own.
    AtFirst,
    /// Now.
    Now,
    /// Not.
    Never,
}

/// What is told on the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// Something is built, by this command.
    Builds(String),
    /// The tables are there.
    Engine {
        /// Where.
        url: String,
        /// The folder of its data, if it is ours.
        data: Option<PathBuf>,
    },
    /// A service is ready.
    Ready {
        /// Which.
        service: String,
        /// Where.
        url: String,
    },
    /// There is something to show.
    Demo {
        /// Of which services.
        services: Vec<String>,
    },
    /// Everything is ready.
    Everything {
        /// The front page.
        url: String,
        /// With what to try it.
        tokens: Vec<Ready>,
    },
    /// A service ended, and was started again.
    Restarted {
        /// Which.
        service: String,
        /// How it ended.
        how: String,
    },
    /// Something is not as it should be, and everything goes on.
    Trouble(String),
    /// Everything ends.
    Ends,
}

/// A token, ready to be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ready {
    /// Whose it is.
    pub who: String,
    /// For which service.
    pub service: String,
    /// Where that is.
    pub url: String,
    /// The token.
    pub token: String,
    /// What to read with it first.
    pub r#try: Option<String>,
}

/// Starts everything, keeps it running until `stop` is ready, and ends it.
///
/// # Errors
/// [`UpError`] when it cannot be started. What was started is ended.
pub async fn run(
    plan: &Plan,
    options: &Options,
    stop: impl Future<Output = ()>,
    told: &mpsc::UnboundedSender<Told>,
) -> Result<(), UpError> {
    let (mut group, engine_ended) = Group::new();
    let mut stop = pin!(stop);
    let ended = tokio::select! {
        () = &mut stop => Ok(()),
        ended = begin(plan, options, &mut group, told) => ended,
        why = engine_ended => Err(why),
    };
    let ended = match ended {
        // Ctrl-C ends what is built, too, and that may be known first.
        Err(why) if is_an_end(&why) && timeout(SAME_MOMENT, stop.as_mut()).await.is_ok() => Ok(()),
        ended => ended,
    };
    // Before it ends: what is put away then makes room.
    let ended = ended.map_err(|why| because_of_room(options, why));
    if ended.is_ok() || group.has_begun() {
        tell(told, Told::Ends);
    }
    group.end().await;
    ended
}

/// Whether it is that a process ended, as it does when everything is asked to.
fn is_an_end(failed: &UpError) -> bool {
    matches!(failed, UpError::Build { .. } | UpError::NotReady { .. })
}

/// A service whose log could not be written has no last words: where that is why, it is told for it.
fn because_of_room(options: &Options, failed: UpError) -> UpError {
    let lack = match &failed {
        UpError::NotReady { .. } => room::lack_of(&options.data),
        _ => None,
    };
    match lack {
        None => failed,
        Some(why) => UpError::NoRoom {
            path: options.data.clone(),
            why,
            failed: Box::new(failed),
        },
    }
}

fn tell(told: &mpsc::UnboundedSender<Told>, what: Told) {
    // Whoever does not listen is not told.
    let _ = told.send(what);
}

/// Starts everything, and serves the front page.
async fn begin(
    plan: &Plan,
    options: &Options,
    group: &mut Group,
    told: &mpsc::UnboundedSender<Told>,
) -> Result<(), UpError> {
    let data = &options.data;
    if data.is_file() {
        let path = data.clone();
        return Err(UpError::NoFolder { path });
    }
    for folder in [data, &options.beside_the_tables()] {
        fs::create_dir_all(folder).map_err(|why| UpError::File {
            path: folder.clone(),
            why,
        })?;
    }
    let endpoint = match &options.endpoint {
        Some(endpoint) => {
            group.hold(data)?;
            endpoint.to_string()
        }
        // First, since whoever else runs this has the ports as well.
        None => group.engine(plan, data).await?,
    };
    let front = Front::bind(plan, options).await?;
    ports::are_free(plan)?;
    if let Some(command) = plan.build.as_ref().filter(|_| options.build) {
        tell(told, Told::Builds(command.clone()));
        build::build(command, &options.folder).await?;
    }
    tell(
        told,
        Told::Engine {
            url: endpoint.clone(),
            data: options.endpoint.is_none().then(|| data.clone()),
        },
    );
    let issuer = DevelopmentIssuer::open(data).map_err(UpError::Issuer)?;
    let variables = variables(&endpoint, options);
    let mut begun = Vec::new();
    for (name, service) in plan.in_order() {
        let start = Start::new(name, service, &options.folder, data, variables.clone());
        begun.push((name, service, group.service(start, service.url(), told)?));
    }
    for (name, service, ready) in begun {
        // A task that is gone has told why.
        if let Ok(Err(why)) = ready.await {
            return Err(why);
        }
        tell(
            told,
            Told::Ready {
                service: name.to_owned(),
                url: service.url(),
            },
        );
    }
    let kept = something_to_show(plan, options, &issuer, told).await;
    tell(told, everything(plan, &front, &issuer, kept));
    front.serve().await
}

/// What every service is told, wherever it comes from.
fn variables(endpoint: &str, options: &Options) -> Vec<(&'static str, OsString)> {
    let mut variables: Vec<(&'static str, OsString)> = vec![
        ("TABLEWRIGHT_ENDPOINT", endpoint.into()),
        ("TABLEWRIGHT_ISSUER_KEYS", (&options.data).into()),
        ("TABLEWRIGHT_MAIL_FOLDER", options.mails().into()),
        ("TABLEWRIGHT_PUSH_FOLDER", options.notifications().into()),
        ("TABLEWRIGHT_END_WITH_INPUT", "true".into()),
    ];
    if let Some(lake) = options.lake() {
        variables.push(("TABLEWRIGHT_LAKE", lake.into()));
    }
    variables
}

/// Sends the demo data that is not there yet.
async fn something_to_show(
    plan: &Plan,
    options: &Options,
    issuer: &DevelopmentIssuer,
    told: &mpsc::UnboundedSender<Told>,
) -> Kept {
    let folder = options.beside_the_tables();
    let path = folder.join("demo.json");
    let mut kept = Kept::read(&path);
    let (mut services, mut failed) = (Vec::new(), false);
    for (name, service) in plan.in_order() {
        let note = demo::note(&folder, name);
        let wanted = match options.demo {
            Demo::Never => false,
            Demo::Now => true,
            Demo::AtFirst => options.endpoint.is_none() && (!kept.has(name) || note.exists()),
        };
        let Some(file) = service.demo.as_ref().filter(|_| wanted) else {
            continue;
        };
        let sent = demo::send(&options.folder.join(file), service, issuer, &note).await;
        match sent.and_then(|answers| {
            kept.add(name, answers);
            let written = kept.write(&path);
            // The run is at its end as soon as that is known, and not before.
            let finished = written.and_then(|()| fs::remove_file(&note));
            finished.map_err(|why| why.to_string())
        }) {
            Ok(()) => services.push(name.to_owned()),
            Err(why) => {
                failed = true;
                let trouble = format!("the demo data of {name}: {why}");
                tell(told, Told::Trouble(trouble));
            }
        }
    }
    if failed && let Some(why) = room::lack_of(&options.data) {
        let data = options.data.display();
        let trouble = format!("nothing can be written to {data}: {why}");
        tell(told, Told::Trouble(trouble));
    }
    if !services.is_empty() {
        tell(told, Told::Demo { services });
    }
    kept
}

/// Where everything is, and with what to try it.
fn everything(plan: &Plan, front: &Front, issuer: &DevelopmentIssuer, kept: Kept) -> Told {
    let mut tokens = Vec::new();
    for (name, service) in plan.in_order() {
        for token in &service.tokens {
            tokens.push(Ready {
                who: token.sub.clone(),
                service: name.to_owned(),
                url: service.url(),
                token: issuer.token(&token.person(), TOKENS_FOR),
                r#try: token.r#try.clone(),
            });
        }
        for (who, token) in kept.shown(name) {
            tokens.push(Ready {
                who,
                service: name.to_owned(),
                url: service.url(),
                token,
                r#try: None,
            });
        }
    }
    Told::Everything {
        url: front.url(),
        tokens,
    }
}
