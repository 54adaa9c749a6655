//! Routes, each with what it says of itself.

use std::fmt;

use axum::Router;
use axum::extract::Request;
use axum::handler::Handler;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter, on};
use schemars::JsonSchema;

use super::{Documented, Operation};
use crate::problem::Kind;

type Describe = Box<dyn Fn(&mut Operation<'_>) + Send + Sync>;

/// Routes that belong together.
///
/// ```
/// use tablewright_service::{Caller, Json, Path, Problem, Routes, get};
///
/// async fn greet(caller: Caller, Path(name): Path<String>) -> Result<Json<String>, Problem> {
///     Ok(Json(format!("{} greets {name}", caller.sub)))
/// }
///
/// let routes: Routes = Routes::new("Greetings", "Being polite.").route(get("/greetings/{name}", greet).summary("Greet somebody"));
/// ```
pub struct Routes<S = ()> {
    pub(super) tag: (&'static str, &'static str),
    pub(super) described: Vec<Described>,
    router: Router<S>,
}

/// A route: a method, a path, its handler, and what it says of itself.
#[must_use = "a route is added to `Routes`"]
pub struct Route<S = ()> {
    handler: MethodRouter<S>,
    described: Described,
}

pub(super) struct Described {
    pub(super) method: &'static str,
    pub(super) path: String,
    pub(super) id: String,
    pub(super) summary: &'static str,
    pub(super) about: Option<&'static str>,
    pub(super) describe: Vec<Describe>,
}

impl<S: Clone + Send + Sync + 'static> Routes<S> {
    /// No routes yet, under a heading.
    pub fn new(heading: &'static str, about: &'static str) -> Self {
        Routes {
            tag: (heading, about),
            described: Vec::new(),
            router: Router::new(),
        }
    }

    /// With a route.
    ///
    /// # Panics
    /// When the same method and path are there already, as axum does.
    #[must_use]
    pub fn route(mut self, route: Route<S>) -> Self {
        self.router = self.router.route(&route.described.path, route.handler);
        self.described.push(route.described);
        self
    }

    /// With the state its handlers take.
    pub fn with_state(self, state: S) -> Routes {
        Routes {
            tag: self.tag,
            described: self.described,
            router: self.router.with_state(state),
        }
    }
}

impl Routes {
    /// The routes under a path, as `/api/v1`.
    #[must_use]
    pub fn under(mut self, path: &str) -> Self {
        for route in &mut self.described {
            route.path = format!("{path}{}", route.path);
        }
        self.router = Router::new().nest(path, self.router);
        self
    }

    /// With a function around each handler: it sees what the handler answers, and what its arguments were refused with.
    #[must_use]
    pub fn around<F, A>(mut self, around: F) -> Self
    where
        F: Fn(Request, Next) -> A + Clone + Send + Sync + 'static,
        A: Future<Output = Response> + Send + 'static,
    {
        self.router = self.router.route_layer(from_fn(around));
        self
    }

    pub(crate) fn into_parts(self) -> (Documentation, Router) {
        let documentation = Documentation {
            tag: self.tag,
            described: self.described,
        };
        (documentation, self.router)
    }
}

/// What some routes say of themselves.
#[derive(Debug)]
pub(crate) struct Documentation {
    pub(super) tag: (&'static str, &'static str),
    pub(super) described: Vec<Described>,
}

impl<S> Route<S> {
    fn new<H, T>(method: &'static str, filter: MethodFilter, path: &str, handler: H) -> Self
    where
        H: Handler<T, S> + Documented<T>,
        T: 'static,
        S: Clone + Send + Sync + 'static,
    {
        let name = std::any::type_name::<H>();
        let name = name.rsplit("::").find(|part| *part != "{{closure}}");
        Route {
            handler: on(filter, handler),
            described: Described {
                method,
                path: path.to_owned(),
                id: name.unwrap_or_default().to_owned(),
                summary: "",
                about: None,
                describe: vec![Box::new(|operation| H::describe(operation))],
            },
        }
    }

    /// What it does, in a few words.
    pub fn summary(mut self, summary: &'static str) -> Self {
        self.described.summary = summary;
        self
    }

    /// What else is to be known.
    pub fn about(mut self, about: &'static str) -> Self {
        self.described.about = Some(about);
        self
    }

    /// A problem it may answer with, besides those of its arguments.
    pub fn problem(mut self, kind: Kind) -> Self {
        let describe: Describe = Box::new(move |operation| operation.problem(&kind));
        self.described.describe.push(describe);
        self
    }

    /// A way it answers that its result type does not tell.
    pub fn answers<T: JsonSchema>(mut self, status: u16, about: &'static str) -> Self {
        let describe: Describe = Box::new(move |operation| operation.answer::<T>(status, about));
        self.described.describe.push(describe);
        self
    }
}

macro_rules! methods {
    ($($(#[$doc:meta])* $name:ident $method:literal $filter:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name<H, T, S>(path: &str, handler: H) -> Route<S>
        where
            H: Handler<T, S> + Documented<T>,
            T: 'static,
            S: Clone + Send + Sync + 'static,
        {
            Route::new($method, MethodFilter::$filter, path, handler)
        }
    )*};
}

methods! {
    /// A route that reads.
    get "get" GET;
    /// A route that makes something new, or does something.
    post "post" POST;
    /// A route that writes a whole thing.
    put "put" PUT;
    /// A route that changes a part of a thing.
    patch "patch" PATCH;
    /// A route that removes something.
    delete "delete" DELETE;
}

impl<S> fmt::Debug for Routes<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.described).finish()
    }
}

impl<S> fmt::Debug for Route<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.described.fmt(f)
    }
}

impl fmt::Debug for Described {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}
