//! A service put together: its routes, and everything around them that it shares with the others.

mod layers;
mod own_routes;
mod tables;

pub use self::tables::tables_are_there;
pub(crate) use own_routes::signs_of_life;

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn;
use tablewright::Store;
use tablewright::descriptor::Entity;

use crate::api::{Routes, document};
use crate::auth::{IssuerError, Verifier};
use crate::health::Health;
use crate::numbers;
use crate::page::compressed;
use crate::problem::Kind;
use crate::settings::Settings;
use crate::sign_in;

/// A service: its routes, and what it needs to be ready. [`serve`](crate::serve) runs it.
#[derive(Debug)]
#[must_use = "a service does nothing until it is served"]
pub struct Service {
    settings: Settings,
    verifier: Arc<Verifier>,
    signed_in: Vec<Routes>,
    open: Vec<Routes>,
    pages: Router,
    kinds: Vec<Kind>,
    health: Health,
}

/// A service whose routes and layers are in place.
pub(crate) struct Assembled {
    pub(crate) settings: Settings,
    pub(crate) router: Router,
    pub(crate) health: Arc<Health>,
}

impl Service {
    /// A service without routes. It begins to read the keys of its issuer.
    ///
    /// # Errors
    /// [`IssuerError`] when the key of the development issuer cannot be read or made.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn new(settings: Settings) -> Result<Self, IssuerError> {
        numbers::start();
        let verifier = Arc::new(Verifier::start(&settings.issuer)?);
        let mut health = Health::new(settings.about);
        let keys = Arc::clone(&verifier);
        health.add("keys", move || {
            let ready = keys.is_ready();
            let why = "the keys of the issuer were never read";
            async move { ready.then_some(()).ok_or_else(|| String::from(why)) }
        });
        Ok(Service {
            settings,
            verifier,
            signed_in: Vec::new(),
            open: Vec::new(),
            pages: Router::new(),
            kinds: Kind::ALL.to_vec(),
            health,
        })
    }

    /// With routes for callers that have signed in. Others get 401, whatever a handler takes as arguments.
    pub fn routes(mut self, routes: Routes) -> Self {
        self.signed_in.push(routes);
        self
    }

    /// With routes for everybody. A handler may take `Option<Caller>`.
    pub fn open_routes(mut self, routes: Routes) -> Self {
        self.open.push(routes);
        self
    }

    /// With pages for everybody, which are not part of the API and not in its description.
    pub fn pages(mut self, pages: Router) -> Self {
        self.pages = self.pages.merge(pages);
        self
    }

    /// With kinds of problems of its own.
    pub fn problems(mut self, kinds: &[Kind]) -> Self {
        self.kinds.extend_from_slice(kinds);
        self
    }

    /// With something it needs to be ready. Why it is not is logged, and not told.
    pub fn ready<F>(
        mut self,
        name: &'static str,
        check: impl Fn() -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<(), String>> + Send + 'static,
    {
        self.health.add(name, check);
        self
    }

    /// With the tables of entities, which must be reachable for it to be ready.
    pub fn tables(self, store: &Store, entities: &[&'static Entity]) -> Self {
        let (store, entities) = (store.clone(), tables::of(entities));
        self.ready("tables", move || {
            tables::reachable(store.clone(), entities.clone())
        })
    }

    /// Its settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Everything behind one router, for tests and for other ways to serve.
    pub fn into_router(self) -> Router {
        self.assemble().router
    }

    pub(crate) fn assemble(self) -> Assembled {
        let Service {
            settings,
            verifier,
            signed_in,
            open,
            pages,
            kinds,
            health,
        } = self;
        let (signed_in, callers): (Vec<_>, Vec<Router>) =
            signed_in.into_iter().map(Routes::into_parts).unzip();
        let (open, all): (Vec<_>, Vec<Router>) = open.into_iter().map(Routes::into_parts).unzip();
        let limited = settings.rate.is_some();
        let document = document(&settings.about, &signed_in, &open, limited).to_string();
        let health = Arc::new(health);
        let own = own_routes::own_routes(&settings, &verifier, &health, &kinds, document);
        let together =
            |routers: Vec<Router>| routers.into_iter().fold(Router::new(), Router::merge);
        let callers = layers::for_callers_only(together(callers));
        let pages = pages.layer(from_fn(compressed));
        let api = callers.merge(together(all)).merge(pages);
        let api = match sign_in::routes(&settings.issuer, &verifier) {
            Some(signing_in) => api.merge(signing_in),
            None => api,
        };
        let api = layers::who_and_how_often(api, &settings, verifier);
        Assembled {
            router: layers::around_everything(api.merge(own), &settings),
            settings,
            health,
        }
    }
}
