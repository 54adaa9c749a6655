//! Those who follow what changes, beside the server, or each as a function of AWS Lambda.

use tablewright_stream::{Consumers, Function};

use crate::state::App;

/// The names of all of them.
pub const CONSUMERS: [&str; 2] = ["todo-counts", "todo-lake"];

impl App {
    /// All of them, until they are stopped: one line for each.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn consumers(&self) -> Consumers {
        let mut all = Consumers::none();
        let app = self.clone();
        all.beside(|stop| async move { app.keep_counts(stop).await });
        let app = self.clone();
        all.beside(|stop| async move { app.keep_lake(stop).await });
        all
    }

    /// The one of this name as a function of AWS Lambda whose trigger is the stream of the table; none where there is no such, or no lake.
    pub fn as_function(&self, name: &str) -> Option<Function> {
        match name {
            "todo-counts" => Some(self.counts_as_function()),
            "todo-lake" => self.lake_as_function(),
            _ => None,
        }
    }
}
