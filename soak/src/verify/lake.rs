//! The lake against the table it follows.

use std::collections::BTreeMap;
use std::path::Path;

use arrow_array::{Array as _, StringArray};
use tablewright::Entity;
use tablewright_lake::{Place, Reader, RecordBatch};
use tablewright_local::Engine;
use todo::model::{Idempotency, Task, TaskCounts, User};

use super::{gold, same, stored, twice};
use crate::told::Told;
use crate::verdicts::Verdicts;

pub(crate) async fn verify(
    engine: &Engine,
    folder: &Path,
    told: &Told,
    verdicts: &mut Verdicts,
) -> anyhow::Result<()> {
    let reader = Reader::open(&Place::folder(folder)?, "todo")?;
    let sequences = sequences(&reader).await?;
    let shards = told.shards.values();
    let expected = shards.flat_map(|shard| &shard.sequences);
    let expected = expected
        .map(|sequence| format!("{sequence:0>40}"))
        .collect();
    let mut faults = twice(sequences.iter().cloned());
    faults.extend(same(&expected, &sequences.into_iter().collect()));
    let what = "bronze has every change exactly once";
    verdicts.hold("lake", what, format!("{} changes", expected.len()), faults);

    let tasks = stored::<Task>(engine).await.into_iter();
    let tasks: Vec<Task> = tasks.map(|task| task.data).collect();
    gold::verify(&reader, &tasks, verdicts).await?;
    let tasks = tasks.into_iter();
    compare::<Task>(&reader, tasks, |task| task.task_id.to_string(), verdicts).await?;
    let users = stored::<User>(engine).await.into_iter();
    let users = users.map(|user| user.data);
    compare::<User>(&reader, users, |user| user.user_id.clone(), verdicts).await?;
    let counts = stored::<TaskCounts>(engine).await.into_iter();
    let of = |counts: &TaskCounts| counts.user_id.clone();
    compare::<TaskCounts>(&reader, counts, of, verdicts).await?;

    // What was answered is kept back, so that these are no items: they are compared by what tells them apart.
    let requests = stored::<Idempotency>(engine).await.into_iter();
    let requests = requests.map(|one| [one.user_id, one.route, one.request_id]);
    let mut rows = Vec::new();
    let see = |batch: &RecordBatch| {
        let columns = ["user_id", "route", "request_id"].map(|name| texts(batch, name));
        let [users, routes, ids] = columns;
        rows.extend(
            users
                .into_iter()
                .zip(routes)
                .zip(ids)
                .map(|((a, b), c)| [a, b, c]),
        );
    };
    reader.silver("Idempotency", see).await?;
    let mut faults = twice(rows.iter().cloned());
    faults.extend(same(&requests.collect(), &rows.iter().cloned().collect()));
    let what = "silver of Idempotency has the requests of the table, each once";
    verdicts.hold("lake", what, format!("{} rows", rows.len()), faults);
    Ok(())
}

/// A column of texts.
pub(super) fn texts(rows: &RecordBatch, name: &str) -> Vec<String> {
    let column = rows.column_by_name(name);
    let column = column.and_then(|column| column.as_any().downcast_ref::<StringArray>());
    let texts = column.into_iter().flat_map(|column| column.iter());
    texts
        .map(|text| text.unwrap_or("null").to_owned())
        .collect()
}

/// The sequence numbers in bronze, of all entities, as often as they are there.
async fn sequences(reader: &Reader) -> anyhow::Result<Vec<String>> {
    let mut all = Vec::new();
    let entities = [
        Task::descriptor(),
        TaskCounts::descriptor(),
        User::descriptor(),
        Idempotency::descriptor(),
    ];
    let entities = entities.map(|entity| entity.name.as_str());
    // Guards are items of no entity.
    for entity in entities.into_iter().chain(["other"]) {
        let see = |rows: &RecordBatch| all.extend(texts(rows, "sequence"));
        reader.bronze(entity, see).await?;
    }
    Ok(all)
}

async fn compare<T: Entity + PartialEq + std::fmt::Debug>(
    reader: &Reader,
    stored: impl Iterator<Item = T>,
    key: impl Fn(&T) -> String,
    verdicts: &mut Verdicts,
) -> anyhow::Result<()> {
    let mut faults = Vec::new();
    let mut silver: BTreeMap<String, T> = BTreeMap::new();
    let see = |item: T| {
        if let Some(twice) = silver.insert(key(&item), item) {
            faults.push(format!("{twice:?} is there twice"));
        }
    };
    reader.items::<T>(see).await?;
    let mut many = 0;
    for item in stored {
        many += 1;
        match silver.remove(&key(&item)) {
            Some(same) if same == item => {}
            Some(other) => faults.push(format!("{other:?} is {item:?} in the table")),
            None => faults.push(format!("{item:?} is missing")),
        }
    }
    let foreign = silver.into_values();
    faults.extend(foreign.map(|item| format!("{item:?} is not in the table")));
    let what = format!("silver of {} equals the table", T::descriptor().name);
    verdicts.hold("lake", what, format!("{many} rows"), faults);
    Ok(())
}
