//! Waiting until everybody who follows changes has come to the end.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use tablewright::Store;
use tablewright_local::Engine;
use tablewright_stream::model::{Lease, Stream};
use tasks::model::WaitingMail;

use crate::told::Told;

/// How long nothing may go on while somebody is behind: longer than a mail waits between two attempts.
const PATIENCE: Duration = Duration::from_secs(400);

/// Everybody who must have come to the end.
const CONSUMERS: [&str; 9] = [
    "ask-dispatcher",
    "ask-places",
    "ask-webhooks",
    "tasks-cleaner",
    "tasks-events-log",
    "tasks-historian",
    "tasks-notifier",
    "todo-app-data-lake",
    "todo-counts",
];

/// Waits until all have handled all that was told. Gives who is behind for good.
pub(crate) async fn come_to_rest(
    engine: &Engine,
    told: &mut [Told],
) -> anyhow::Result<Vec<String>> {
    let stream = Stream::new(&Store::new(engine.dynamodb()));
    let (mut last, mut since) = (Vec::new(), Instant::now());
    loop {
        for told in &mut *told {
            told.read_on().await?;
        }
        let mut behind = behind(&stream, told).await?;
        // What a server did not take waits apart from the changes.
        let waiting = tablewright_testing::stored::<WaitingMail>(&engine.dynamodb()).await;
        if !waiting.is_empty() {
            behind.push(format!("{} mails wait", waiting.len()));
        }
        if behind.is_empty() {
            return Ok(behind);
        }
        if behind != last {
            (last, since) = (behind, Instant::now());
        } else if since.elapsed() > PATIENCE {
            return Ok(last);
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

async fn behind(stream: &Stream, told: &[Told]) -> anyhow::Result<Vec<String>> {
    let readers = stream.readers.readers().all().collect().await?;
    let sources: BTreeMap<&str, &str> = readers
        .iter()
        .map(|reader| (reader.consumer.as_str(), reader.source.as_str()))
        .collect();
    let mut behind = Vec::new();
    for name in CONSUMERS {
        // That of a lake is called by the lake as well.
        let own = sources.iter().find(|(known, _)| {
            let rest = known.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        });
        let Some((name, source)) = own else {
            behind.push(format!("{name} has never begun"));
            continue;
        };
        let leases = stream.leases.leases(name).all().collect().await?;
        let told = told.iter().filter(|told| told.table.name == *source);
        for ((arn, id), shard) in told.flat_map(|told| &told.shards) {
            let is_its = |lease: &&Lease| lease.stream == *arn && lease.shard == *id;
            let lease = leases.iter().map(|lease| &lease.data).find(is_its);
            let after = lease.and_then(|lease| lease.after.as_deref());
            let left = left(&shard.sequences, after);
            if left > 0 {
                behind.push(format!("{name} is behind by {left} changes"));
            }
        }
    }
    Ok(behind)
}

/// How many of these come after a place.
fn left(sequences: &[String], after: Option<&str>) -> usize {
    let place = |sequence: &str| format!("{sequence:0>40}");
    let after = after.map(place);
    let is_left = |sequence: &&String| {
        after
            .as_ref()
            .is_none_or(|after| place(sequence.as_str()) > *after)
    };
    sequences.iter().filter(is_left).count()
}

/// Dead letters of everybody, each in words.
pub(crate) async fn dead_letters(engine: &Engine) -> anyhow::Result<Vec<String>> {
    let stream = Stream::new(&Store::new(engine.dynamodb()));
    let mut dead = Vec::new();
    // Also that of a lake, which is called by the lake as well.
    let readers = stream.readers.readers().all().collect().await?;
    let names: BTreeSet<&str> = readers.iter().map(|one| one.consumer.as_str()).collect();
    for name in names {
        for letter in stream
            .dead_letters
            .dead_letters(name)
            .all()
            .collect()
            .await?
        {
            dead.push(format!(
                "{name} gave up {}: {}",
                letter.event_id, letter.error
            ));
        }
    }
    Ok(dead)
}

#[cfg(test)]
mod tests {
    use super::left;

    #[test]
    fn numbers_are_compared_as_numbers() {
        let sequences = ["9", "10", "11"].map(String::from);
        assert_eq!(left(&sequences, None), 3);
        assert_eq!(left(&sequences, Some("9")), 2);
        assert_eq!(left(&sequences, Some("11")), 0);
        assert_eq!(left(&[], None), 0);
    }
}
