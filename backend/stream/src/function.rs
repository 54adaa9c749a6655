//! Consumers, and what is done from time to time, as functions of AWS Lambda.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use serde_json::{Value, json};

use crate::handler::Handler;
use crate::lambda::LambdaConsumer;

/// What a function answers, or why it has failed and is to be given the event again.
pub type Answer = Pin<Box<dyn Future<Output = Result<Value, String>> + Send>>;

/// A function of AWS Lambda that is given events, each with the moment by which it must have answered.
pub type Function = Box<dyn Fn(Value, Instant) -> Answer + Send + Sync>;

impl<H: Handler> LambdaConsumer<H> {
    /// As a function whose trigger is the stream of the table.
    pub fn into_function(self) -> Function {
        let consumer = Arc::new(self);
        Box::new(move |event, deadline| {
            let consumer = Arc::clone(&consumer);
            Box::pin(async move {
                let handled = consumer.handle_by(&event, deadline).await;
                handled.map_err(|error| error.to_string())
            })
        })
    }
}

/// A function that does something whenever it is called, as by a schedule, whatever the event says. What it does is told by when it must have ended.
pub fn whenever_called<W, F>(work: W) -> Function
where
    W: Fn(Instant) -> F + Send + Sync + 'static,
    F: Future<Output = Result<(), String>> + Send + 'static,
{
    Box::new(move |_, deadline| {
        let done = work(deadline);
        Box::pin(async move { done.await.map(|()| json!({})) })
    })
}
