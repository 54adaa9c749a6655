//! What routes share.

use std::sync::Arc;
use std::time::Duration;

use tablewright::{Store, Timestamp, Uuid};
use tokio::sync::broadcast;

use crate::browsers::WebApp;
use crate::model::Ask;
use crate::signed::Signer;
use crate::turns::Turns;

/// The repositories, and what is signed with.
#[derive(Debug, Clone)]
pub struct App {
    pub(crate) ask: Ask,
    pub(crate) signer: Arc<Signer>,
    /// The questions that somebody has just answered in this process, for those who wait.
    pub(crate) news: broadcast::Sender<Uuid>,
    /// Those who answer one question, and those who ask for one agent, each after the other.
    pub(crate) answering: Arc<Turns<Uuid>>,
    pub(crate) asking: Arc<Turns<String>>,
    /// How long a form is worked on that was read: shorter than a request may take, so that whoever sent it gets a page, and what they wrote.
    pub(crate) form_patience: Duration,
    /// Whether cookies are for https only.
    pub(crate) https_only: bool,
    /// Whether devices are known by tokens of Firebase; else notifications are files.
    pub(crate) sends_by_firebase: bool,
    /// The app that browsers register for, if they can by themselves.
    pub(crate) web_app: Option<Arc<WebApp>>,
}

impl App {
    /// On these repositories, with what this signs.
    pub fn new(ask: Ask, signer: Signer) -> Self {
        App {
            ask,
            signer: Arc::new(signer),
            news: broadcast::Sender::new(1024),
            answering: Arc::default(),
            asking: Arc::default(),
            form_patience: Duration::from_secs(30),
            https_only: false,
            sends_by_firebase: false,
            web_app: None,
        }
    }

    /// The repositories.
    pub fn repositories(&self) -> &Ask {
        &self.ask
    }

    pub(crate) fn store(&self) -> &Store {
        self.ask.store()
    }

    /// What time it is, by the clock of the store.
    pub(crate) fn now(&self) -> Timestamp {
        now_of(&self.ask)
    }
}

/// What time it is, by the clock of these repositories.
pub(crate) fn now_of(ask: &Ask) -> Timestamp {
    let now = Timestamp::from_millis(ask.store().now_millis());
    now.expect("a clock shows a time that can be written down")
}
