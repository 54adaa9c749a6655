//! What runs, and how it ends.

use std::io;
use std::path::Path;

use tablewright_local::Engine;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{JoinHandle, JoinSet};

use crate::run::Told;
use crate::service::Start;
use crate::{Plan, PortOf, UpError, log, ports};

/// What runs.
#[derive(Debug)]
pub(crate) struct Group {
    services: JoinSet<()>,
    engine: Option<JoinHandle<io::Result<()>>>,
    services_end: watch::Sender<bool>,
    engine_ends: watch::Sender<bool>,
}

impl Default for Group {
    fn default() -> Self {
        Group {
            services: JoinSet::new(),
            engine: None,
            services_end: watch::Sender::new(false),
            engine_ends: watch::Sender::new(false),
        }
    }
}

impl Group {
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
        self.engine = Some(tokio::spawn(tablewright_local::serve(
            engine, listener, end,
        )));
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
