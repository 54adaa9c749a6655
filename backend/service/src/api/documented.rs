//! What a handler says of itself by its type.

use std::convert::Infallible;
use std::future::Future;

use axum::extract::{Extension, State};
use axum::response::Response;
use http::{HeaderMap, Method, Uri};

use super::Operation;
use crate::auth::Caller;
use crate::problem::Problem;

/// An argument of a handler, which describes what it takes from a request. Most take nothing a caller would see.
pub trait Input {
    /// Adds to the description what it takes, and how it may be refused.
    fn describe(operation: &mut Operation<'_>) {
        let _ = operation;
    }
}

/// The result of a handler, which describes how it answers.
pub trait Output {
    /// Adds to the description how it answers.
    fn describe(operation: &mut Operation<'_>);
}

/// A handler whose arguments and result describe themselves.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not describe itself",
    note = "every argument must be an `Input`, and the result an `Output`"
)]
pub trait Documented<T> {
    /// Describes the operation.
    fn describe(operation: &mut Operation<'_>);
}

impl<F, Fut, Out> Documented<((),)> for F
where
    F: FnOnce() -> Fut,
    Fut: Future<Output = Out>,
    Out: Output,
{
    fn describe(operation: &mut Operation<'_>) {
        Out::describe(operation);
    }
}

macro_rules! documented {
    ($($argument:ident)*) => {
        impl<F, Fut, Out, M, $($argument),*> Documented<(M, $($argument,)*)> for F
        where
            F: FnOnce($($argument),*) -> Fut,
            Fut: Future<Output = Out>,
            Out: Output,
            $($argument: Input,)*
        {
            fn describe(operation: &mut Operation<'_>) {
                $($argument::describe(operation);)*
                Out::describe(operation);
            }
        }
    };
}

documented!(A);
documented!(A B);
documented!(A B C);
documented!(A B C D);
documented!(A B C D E);
documented!(A B C D E G);
documented!(A B C D E G H);
documented!(A B C D E G H I);

impl<S> Input for State<S> {}
impl<T> Input for Extension<T> {}
impl Input for HeaderMap {}
impl Input for Method {}
impl Input for Uri {}

impl Input for Caller {
    fn describe(operation: &mut Operation<'_>) {
        operation.signed_in(true);
    }
}

impl Input for Option<Caller> {
    fn describe(operation: &mut Operation<'_>) {
        operation.signed_in(false);
    }
}

impl<T: Output, E: Output> Output for Result<T, E> {
    fn describe(operation: &mut Operation<'_>) {
        T::describe(operation);
        E::describe(operation);
    }
}

/// The route says which problems it has; those of its arguments describe themselves.
impl Output for Problem {
    fn describe(_: &mut Operation<'_>) {}
}

/// The route says how it answers, with [`Route::answers`](super::Route::answers).
impl Output for Response {
    fn describe(_: &mut Operation<'_>) {}
}

impl Output for Infallible {
    fn describe(_: &mut Operation<'_>) {}
}
