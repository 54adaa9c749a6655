//! The front page: what runs, how it is, and where everything is.

mod documents;
mod lakes;
mod outbox;

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::get;
use tablewright_http::Client;
use tablewright_service::{
    About, Problem, ServeError, Server, Service, Settings, Sources, only_for_this_machine,
    page_asset, page_of_html, page_routes,
};

use self::lakes::ShownLake;
use self::outbox::Letter;
use crate::plan::Link;
use crate::run::Options;
use crate::{Plan, PortOf, UpError, log, ports, ready};

const ABOUT: About = About {
    name: "up",
    title: "Tablewright",
    about: "What runs on this machine.",
    version: env!("CARGO_PKG_VERSION"),
    port: 0,
};

/// How many lines of a log are shown.
const LINES: usize = 200;

/// The front page, which listens already.
#[derive(Debug)]
pub(crate) struct Front {
    server: Server,
}

#[derive(Debug)]
struct Shared {
    plan: Plan,
    options: Options,
    client: Client,
}

impl Front {
    pub(crate) async fn bind(plan: &Plan, options: &Options) -> Result<Self, UpError> {
        let port = plan.port.to_string();
        let sources = Sources::none()
            .variable("PORT", &port)
            .variable("TABLEWRIGHT_ISSUER_KEYS", options.data.to_string_lossy());
        let settings = Settings::from_sources(&ABOUT, &[], &sources).map_err(UpError::Settings)?;
        let shared = Arc::new(Shared {
            plan: plan.clone(),
            options: options.clone(),
            client: ready::client(),
        });
        let pages = Router::new()
            .route("/", get(index))
            .route("/up.css", get(style))
            .route("/logs/{service}", get(service_log))
            .route("/mails", get(mails))
            .route("/notifications", get(notifications))
            .route("/files/{*path}", get(documents::file))
            .with_state(shared)
            .merge(page_routes(&settings, "example.org").map_err(UpError::Issuer)?)
            .layer(axum::middleware::from_fn(only_for_this_machine));
        let service = Service::new(settings).map_err(UpError::Issuer)?;
        let server = Server::bind(service.pages(pages)).await;
        let server = server.map_err(|error| match error {
            ServeError::Listen { why, .. } => ports::failed(plan.port, PortOf::Front, why),
            other => UpError::Front(other),
        })?;
        Ok(Front { server })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.server.address())
    }

    /// Answers for ever.
    pub(crate) async fn serve(self) -> Result<(), UpError> {
        let served = self.server.run(std::future::pending()).await;
        served.map_err(UpError::Front)
    }
}

#[derive(Template)]
#[template(path = "index.html")]
struct Index {
    services: Vec<Shown>,
    engine: String,
    /// What is in the folder of the data.
    kept: &'static str,
    data: String,
    mails: usize,
    notifications: usize,
    lakes: Vec<ShownLake>,
    documents: Vec<Job>,
}

/// A service on the page.
struct Shown {
    name: String,
    title: String,
    url: String,
    ready: bool,
    links: Vec<Link>,
}

/// The documents of a model.
struct Job {
    name: String,
    files: Vec<(String, String)>,
}

async fn index(State(shared): State<Arc<Shared>>) -> Response {
    let Shared {
        plan,
        options,
        client,
    } = &*shared;
    let mut services = Vec::new();
    for (name, service) in plan.in_order() {
        let url = service.url();
        services.push(Shown {
            name: name.to_owned(),
            title: service.title.clone().unwrap_or_else(|| name.to_owned()),
            ready: ready::is_ready(client, &url).await,
            links: service
                .links
                .iter()
                .filter(|link| !link.lake || options.lake().is_some())
                .cloned()
                .collect(),
            url,
        });
    }
    let engine = match &options.endpoint {
        Some(endpoint) => endpoint.to_string(),
        None => format!("http://127.0.0.1:{}", plan.engine),
    };
    shown(&Index {
        services,
        engine,
        kept: match options.lake() {
            Some(_) => "Data, lake and logs",
            None => "Mails, notifications and logs",
        },
        data: options.data.display().to_string(),
        mails: outbox::count(&options.mails()),
        notifications: outbox::count(&options.notifications()),
        lakes: lakes::shown(options).await,
        documents: documents::by_model(&options.documents),
    })
}

async fn style() -> Response {
    page_asset("text/css", include_str!("../assets/up.css"))
}

#[derive(Template)]
#[template(path = "log.html")]
struct Log {
    title: String,
    text: String,
}

async fn service_log(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
) -> Result<Response, Problem> {
    // Only of a service there is: the name is a part of a path.
    if !shared.plan.services.contains_key(&name) {
        return Err(Problem::not_found(format!("service {name}")));
    }
    let text = log::last_lines(&log::path(&shared.options.data, &name), LINES);
    Ok(shown(&Log {
        title: name,
        text: text.unwrap_or_default(),
    }))
}

#[derive(Template)]
#[template(path = "letters.html")]
struct Letters {
    title: &'static str,
    none: &'static str,
    letters: Vec<Letter>,
}

async fn mails(State(shared): State<Arc<Shared>>) -> Response {
    shown(&Letters {
        title: "Mails",
        none: "No mail was written yet.",
        letters: outbox::latest(&shared.options.mails()),
    })
}

async fn notifications(State(shared): State<Arc<Shared>>) -> Response {
    shown(&Letters {
        title: "Notifications",
        none: "Nobody was notified yet.",
        letters: outbox::latest(&shared.options.notifications()),
    })
}

/// A page. Templates of texts alone cannot fail.
fn shown(template: &impl Template) -> Response {
    page_of_html(template.render().unwrap_or_default())
}
