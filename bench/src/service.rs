//! The To-Do API over HTTP against the same operations through the bare SDK, on one embedded engine; its memory; its lists beside the
//! tasks of others; and what its routes are charged against the plan.

pub(crate) mod http;
mod lists;
mod load;
mod memory;
mod units;

use aws_sdk_dynamodb::Client;
use tablewright::Store;
use tablewright_local::Engine;
use tablewright_service::{DevelopmentIssuer, Person, Server, Settings, Sources};
use todo::model::Todo;
use todo::{ABOUT, App, SETTINGS, service_on};

use crate::fresh;
use crate::service::http::Caller;

/// The argument by which the benchmark calls itself.
pub(crate) const WORD: &str = "service-once";

/// A service that runs in this process, and the client it uses.
struct Place {
    client: Client,
    address: std::net::SocketAddr,
    issuer: DevelopmentIssuer,
    _keys: tempfile::TempDir,
}

impl Place {
    async fn new() -> anyhow::Result<Place> {
        let keys = tempfile::tempdir()?;
        let sources = Sources::none()
            .variable("PORT", "0")
            .variable("TABLEWRIGHT_ENDPOINT", "temporary")
            // The limiter counts, and lets everything pass.
            .variable("TABLEWRIGHT_RATE", "1000000")
            .variable("TABLEWRIGHT_BURST", "1000000")
            .variable(
                "TABLEWRIGHT_ISSUER_KEYS",
                keys.path().to_str().unwrap_or_default(),
            );
        let settings = Settings::from_sources(&ABOUT, SETTINGS, &sources)?;
        let engine = Engine::temporary()?;
        let store = Store::new(engine.dynamodb());
        let app = App::new(Todo::new(&store), None).with_streams(engine.streams());
        // As the program does it, beside the server.
        let following = app.clone();
        tokio::spawn(async move { following.keep_counts(std::future::pending()).await });
        let server = Server::bind(service_on(settings, app).await?).await?;
        let address = server.address();
        tokio::spawn(server.run(std::future::pending()));
        Ok(Place {
            client: store.client().clone(),
            address,
            issuer: DevelopmentIssuer::open(keys.path())?,
            _keys: keys,
        })
    }

    fn caller(&self, sub: &str) -> Caller {
        let person = Person {
            sub: sub.to_owned(),
            ..Person::default()
        };
        let token = self
            .issuer
            .token(&person, std::time::Duration::from_secs(24 * 3600));
        Caller::new(self.address, &token)
    }
}

pub(crate) fn run(requests: usize) -> anyhow::Result<()> {
    println!("the To-Do API over HTTP, on the embedded engine");
    // All are told, also where one misses its target; then it is a failure.
    let requests = requests.to_string();
    let figures = ["load", "lists", "units", requests.as_str()];
    let figures = figures.map(|figure| fresh::figure(WORD, figure));
    println!();
    figures.into_iter().collect()
}

/// One figure, in this process.
pub(crate) fn run_one(figure: &str) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let place = Place::new().await?;
        match figure {
            "load" => load::run(&place).await,
            "lists" => lists::run(&place).await,
            "units" => units::run(&place).await,
            requests => memory::run(&place, requests.parse()?).await,
        }
    })
}
