//! What runs, and how it ends.

use std::io;
use std::path::Path;

use tablewright_local::{Engine, Held};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{JoinHandle, JoinSet};

use crate::run::Told;
use crate::service::Start;
use crate::{Plan, PortOf, UpError, log, ports};

/// What runs.
#[derive(Debug)]
pub(crate) struct Group {
    services: JoinSet<()>,
    engine: Option<JoinHandle<()>>,
    /// The folder of the data, where there is no engine in it.
    data: Option<Held>,
    /// Told when the engine has ended; here as long as there is none.
    engine_ended: Option<oneshot::Sender<io::Result<()>>>,
    services_end: watch::Sender<bool>,
    engine_ends: watch::Sender<bool>,
}

impl Group {
    /// Nothing yet; and what is ready when the engine has ended, with why.
    pub(crate) fn new() -> (Self, impl Future<Output = UpError>) {
        let (engine_ended, end) = oneshot::channel();
        let group = Group {
            services: JoinSet::new(),
            engine: None,
            data: None,
            engine_ended: Some(engine_ended),
            services_end: watch::Sender::new(false),
            engine_ends: watch::Sender::new(false),
        };
        let ended = async {
            UpError::Engine(match end.await {
                Ok(Err(why)) => why,
                Ok(Ok(())) => io::Error::other("it stopped listening"),
                // Its task is gone, and a panic says so itself.
                Err(_) => io::Error::other("it broke off"),
            })
        };
        (group, ended)
    }

    /// Without an engine: nobody else writes logs and mails into the folder of the data all the same.
    pub(crate) fn hold(&mut self, data: &Path) -> Result<(), UpError> {
        self.data = Some(Engine::hold(data).map_err(UpError::Data)?);
        Ok(())
    }

    /// The engine, served. Where it is.
    pub(crate) async fn engine(&mut self, plan: &Plan, data: &Path) -> Result<String, UpError> {
        let engine = Engine::open(data).map_err(UpError::Data)?;
        let listener = ports::listen(plan.engine, PortOf::Engine).await?;
        engine.start_upkeep();
        let mut end = self.engine_ends.subscribe();
        let end = async move {
            // Whoever could tell is gone.
            let _ = end.wait_for(|end| *end).await;
        };
        let ended = self.engine_ended.take();
        self.engine = Some(tokio::spawn(async move {
            let served = tablewright_local::serve(engine, listener, end).await;
            // Nobody asks any more when everything ends.
            let _ = ended.map(|ended| ended.send(served));
        }));
        Ok(format!("http://127.0.0.1:{}", plan.engine))
    }

    /// A service, started; what is received says whether it is ready.
    pub(crate) fn service(
        &mut self,
        start: Start,
        url: String,
        told: &mpsc::UnboundedSender<Told>,
    ) -> Result<oneshot::Receiver<Result<(), UpError>>, UpError> {
        log::begin(&start.log).map_err(|why| UpError::File {
            path: start.log.clone(),
            why,
        })?;
        let running = start.start()?;
        let (ready, is_ready) = oneshot::channel();
        let end = self.services_end.subscribe();
        self.services
            .spawn(start.keep(url, running, ready, end, told.clone()));
        Ok(is_ready)
    }

    /// Whether something was started.
    pub(crate) fn has_begun(&self) -> bool {
        self.engine.is_some() || !self.services.is_empty()
    }

    /// Ends everything: the services first, since they still write what they had accepted.
    pub(crate) async fn end(mut self) {
        let _ = self.services_end.send(true);
        while self.services.join_next().await.is_some() {}
        let _ = self.engine_ends.send(true);
        if let Some(engine) = self.engine {
            // It ends either way.
            let _ = engine.await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_a_free_port() -> Plan {
        let free = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = free.local_addr().unwrap().port();
        let plan = Plan::read(&format!("[up]\nengine = {port}\n"));
        plan.unwrap().unwrap()
    }

    #[tokio::test]
    async fn an_engine_that_ends_by_itself_is_told_of() {
        let folder = tempfile::tempdir().unwrap();
        let (mut group, ended) = Group::new();
        group
            .engine(&on_a_free_port(), folder.path())
            .await
            .unwrap();
        group.engine.as_ref().unwrap().abort();
        assert_eq!(ended.await.to_string(), "the engine ended: it broke off");
        group.end().await;
    }
}
