//! A handler that tells what happened to somebody.

use std::collections::VecDeque;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use tablewright::ModelEvent;

use super::event::Event;
use crate::handler::{Did, Failure, Handler, Turn};
use crate::record::Record;

/// Somebody to whom events are told.
///
/// Give each a consumer of its own: one that cannot be reached then holds up nobody else.
pub trait Sink: Send + Sync + 'static {
    /// Tells of an event. It returns when the other side has it for good.
    fn deliver(&self, event: &Event) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Whether events wait for [`Sink::turn`].
    fn has_turns(&self) -> bool {
        false
    }

    /// Waits until it is the turn of an event, as [`Handler::turn`] does for a record: of the first event of a record that has one. It is called where [`Sink::has_turns`].
    fn turn(&self, event: &Event) -> impl Future<Output = Turn> + Send {
        let _ = event;
        std::future::ready(Turn::default())
    }
}

/// Tells a sink what happened: a handler for the events of a model.
#[derive(Debug)]
pub struct Publisher<E, S> {
    sink: S,
    told: Told,
    model: PhantomData<fn() -> E>,
}

impl<E: ModelEvent, S: Sink> Publisher<E, S> {
    /// Tells this sink.
    pub fn new(sink: S) -> Self {
        Publisher {
            sink,
            told: Told::default(),
            model: PhantomData,
        }
    }
}

impl<E: ModelEvent, S: Sink> Handler for Publisher<E, S> {
    async fn handle(&self, record: Arc<Record>) -> Result<(), Failure> {
        self.attempt(record).await.map(drop)
    }

    async fn turn(&self, record: Arc<Record>) -> Turn {
        if !self.sink.has_turns() {
            return Turn::default();
        }
        // What is no event fails when it is tried.
        for event in Event::all_of::<E>(&record).unwrap_or_default() {
            let turn = self.sink.turn(&event).await;
            if turn.is_held() {
                return turn;
            }
        }
        Turn::default()
    }

    async fn attempt(&self, record: Arc<Record>) -> Result<Did, Failure> {
        let events = Event::all_of::<E>(&record);
        let mut did = Ok(Did::Nothing);
        let mut told = Vec::new();
        for event in events.map_err(|error| Failure::Record(error.to_string()))? {
            if self.told.has(&event.id) {
                continue;
            }
            // One that is not taken keeps none of the others from whoever would take them.
            let delivered = self.sink.deliver(&event).await;
            if delivered.is_ok() {
                told.push(event.id);
            }
            did = Did::both(did, delivered.map(|()| Did::Something));
        }
        if did.is_err() {
            self.told.remember(told);
        }
        did
    }
}

/// How many events are remembered.
const REMEMBERED: usize = 1000;

/// Events that were told while another of their change was not: the next attempt is for the other alone. It is forgotten with the process, and they may come again then.
#[derive(Debug, Default)]
struct Told(Mutex<VecDeque<String>>);

impl Told {
    fn has(&self, id: &str) -> bool {
        let told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.iter().any(|known| known == id)
    }

    fn remember(&self, ids: Vec<String>) {
        let mut told = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        told.extend(ids);
        let too_many = told.len().saturating_sub(REMEMBERED);
        told.drain(..too_many);
    }
}
