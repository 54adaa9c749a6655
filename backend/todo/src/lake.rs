//! The data lake of the service: every change, and the tasks as they are, for questions about all of them.

use tablewright_lake::{Lake, LakeModel, LakeOptions, Place};
use tablewright_stream::Function;

use crate::model::{Idempotency, SCHEMA, Task, TaskCounts, User};
use crate::state::App;

impl App {
    /// Writes the lake, if there is to be one, until `stop` (S0-50). A service without it serves all the same.
    pub async fn keep_lake(&self, stop: impl Future<Output = ()>) {
        let (Some(place), Some(streams)) = (self.lake.clone(), self.streams.clone()) else {
            return;
        };
        let options = LakeOptions::default();
        Lake::open_and_follow(place, lake_model(), options, self.store(), streams, stop).await;
    }

    /// The same as a function of AWS Lambda; none where there is to be no lake.
    pub(crate) fn lake_as_function(&self) -> Option<Function> {
        let (place, options) = (self.lake.clone()?, LakeOptions::default());
        Some(Lake::as_function(
            place,
            lake_model(),
            options,
            self.store(),
        ))
    }
}

/// The model as the lake knows it, with the migrations of its types and the tables of gold.
pub fn lake_model() -> LakeModel {
    LakeModel::new(&SCHEMA)
        .with::<User>()
        .with::<Task>()
        .with::<TaskCounts>()
        .with::<Idempotency>()
        .refined_by(crate::gold::refine)
}

/// A place for the lake, as a setting has it.
pub(crate) fn place(written: &str) -> Result<Place, String> {
    Place::named(written).map_err(|error| error.to_string())
}
