//! What routes share.

use tablewright::Store;

use crate::model::Tasks;
use crate::rules::Domains;

/// The repositories, and what the settings say about people.
#[derive(Debug, Clone)]
pub struct App {
    pub(crate) tasks: Tasks,
    pub(crate) domains: Domains,
}

impl App {
    /// On these repositories, for people with an address in these domains.
    pub fn new(tasks: Tasks, domains: Domains) -> Self {
        App { tasks, domains }
    }

    pub(crate) fn store(&self) -> &Store {
        self.tasks.store()
    }

    /// Seconds since 1970.
    pub(crate) fn now(&self) -> i64 {
        self.store().now_millis().div_euclid(1000)
    }
}
