//! `tablewright stream`: what consumers of change streams remember.

use tablewright_local::{Connection, Endpoint, connect};
use tablewright_plan::print::{Align, Columns};
use tablewright_stream::model::{DeadLetter, Lease, Reader, Stream};
use tablewright_stream::{DeadLetters, NotFound};

use crate::Outcome;
use crate::arguments::stream::{StreamArguments, StreamCommand, Which};
use crate::error::Failure;
use crate::output::Output;

pub(crate) fn run(arguments: &StreamArguments, output: &mut Output) -> Result<Outcome, Failure> {
    let runtime = tokio::runtime::Runtime::new().map_err(Failure::Server)?;
    runtime.block_on(answer(arguments, output))
}

/// What consumers remember, at one endpoint.
struct Remembered {
    stream: Stream,
    dead: DeadLetters,
    _connection: Connection,
}

impl Remembered {
    async fn at(arguments: &StreamArguments) -> Result<Self, Failure> {
        let endpoint = match &arguments.endpoint {
            Some(endpoint) => endpoint.clone(),
            None => Endpoint::from_env().map_err(Failure::Endpoint)?,
        };
        let connection = connect(&endpoint).await.map_err(Failure::Connect)?;
        let store = tablewright::Store::builder(connection.dynamodb.clone());
        let store = store.table_prefix(&arguments.table_prefix).build();
        Ok(Remembered {
            stream: Stream::new(&store),
            dead: DeadLetters::new(&store),
            _connection: connection,
        })
    }

    async fn readers(&self) -> Result<Vec<Reader>, Failure> {
        match self.stream.readers.readers().all().collect().await {
            // No consumer has ever run here.
            Err(tablewright::Error::Backend { code, .. })
                if code == "ResourceNotFoundException" =>
            {
                Ok(Vec::new())
            }
            found => found.map_err(Failure::Store),
        }
    }

    async fn letters(&self, consumer: &str) -> Result<Vec<DeadLetter>, Failure> {
        self.known(consumer).await?;
        let letters = self.dead.of(consumer).all().collect().await;
        letters.map_err(Failure::Store)
    }

    /// The consumer, or why it is none.
    async fn known(&self, consumer: &str) -> Result<Reader, Failure> {
        let mut readers = self.readers().await?;
        let names = readers
            .iter()
            .map(|reader| reader.consumer.clone())
            .collect();
        let place = readers
            .iter()
            .position(|reader| reader.consumer == consumer);
        let place = place.ok_or(Failure::NoSuchConsumer {
            name: consumer.to_owned(),
            known: names,
        })?;
        Ok(readers.swap_remove(place))
    }
}

async fn answer(arguments: &StreamArguments, output: &mut Output) -> Result<Outcome, Failure> {
    let remembered = Remembered::at(arguments).await?;
    match &arguments.command {
        StreamCommand::Status => status(&remembered, output).await,
        StreamCommand::Dead { consumer } => dead(&remembered, consumer, output).await,
        StreamCommand::Show { consumer, event } => {
            remembered.known(consumer).await?;
            let record = remembered.dead.record(consumer, event).await;
            let record = record.map_err(|error| no_letter(error, event))?;
            output.print(&format!("{:#}\n", record.to_json()))?;
            Ok(Outcome::Clean)
        }
        StreamCommand::Replay(which) => {
            let mut failure = None;
            for event in events(&remembered, which, output).await? {
                // One that cannot be tried again does not keep the others from it.
                match remembered.dead.ask_again(&which.consumer, &event).await {
                    Ok(_) => output.print(&format!(
                        "{event} is tried again once `{}` runs\n",
                        which.consumer
                    ))?,
                    Err(error) => failure = failure.or(Some(no_letter(error, &event))),
                }
            }
            failure.map_or(Ok(Outcome::Clean), Err)
        }
        StreamCommand::Forget(which) => {
            for event in events(&remembered, which, output).await? {
                let gone = remembered.dead.forget(&which.consumer, &event).await;
                gone.map_err(|error| no_letter(error, &event))?;
                output.print(&format!("{event} is forgotten\n"))?;
            }
            Ok(Outcome::Clean)
        }
    }
}

async fn events(
    remembered: &Remembered,
    which: &Which,
    output: &mut Output,
) -> Result<Vec<String>, Failure> {
    match &which.event {
        Some(event) => {
            remembered.known(&which.consumer).await?;
            Ok(vec![event.clone()])
        }
        None => {
            let letters = remembered.letters(&which.consumer).await?;
            if letters.is_empty() {
                none_dead(&which.consumer, output)?;
            }
            Ok(letters.into_iter().map(|letter| letter.event_id).collect())
        }
    }
}

fn none_dead(consumer: &str, output: &mut Output) -> Result<(), Failure> {
    output.print(&format!("`{consumer}` has no dead letters\n"))?;
    Ok(())
}

fn no_letter(error: NotFound, event: &str) -> Failure {
    match error {
        NotFound::Store(error) => Failure::Store(error),
        error => Failure::NoLetter {
            event: event.to_owned(),
            why: error.to_string(),
        },
    }
}

async fn status(remembered: &Remembered, output: &mut Output) -> Result<Outcome, Failure> {
    let readers = remembered.readers().await?;
    if readers.is_empty() {
        output.print("no consumer has run here\n")?;
        return Ok(Outcome::Clean);
    }
    let headings = ["consumer", "table", "shard", "read by", "up to"];
    let headings: Vec<(&str, Align)> = headings.iter().map(|name| (*name, Align::Left)).collect();
    let mut columns = Columns::new(&headings);
    let mut dead = Vec::new();
    for reader in &readers {
        for lease in leases(remembered, &reader.consumer).await? {
            columns.row(row(reader, &lease));
        }
        let letters = remembered.letters(&reader.consumer).await?.len();
        if letters > 0 {
            dead.push(format!("{letters} of {}", reader.consumer));
        }
    }
    output.print(&format!("{}\n", columns.lines().join("\n")))?;
    if dead.is_empty() {
        return Ok(Outcome::Clean);
    }
    output.print(&format!("\ndead letters: {}\n", dead.join(", ")))?;
    Ok(Outcome::Findings)
}

async fn leases(remembered: &Remembered, consumer: &str) -> Result<Vec<Lease>, Failure> {
    let leases = remembered.stream.leases.leases(consumer);
    let leases = leases.all().collect().await.map_err(Failure::Store)?;
    Ok(leases.into_iter().map(|lease| lease.data).collect())
}

fn row(reader: &Reader, lease: &Lease) -> Vec<String> {
    let owner = match (&lease.owner, lease.ended) {
        (_, true) => "nobody: it has ended",
        (None, false) => "nobody",
        (Some(owner), false) => owner,
    };
    vec![
        reader.consumer.clone(),
        reader.source.clone(),
        lease.shard.clone(),
        owner.to_owned(),
        lease
            .after
            .clone()
            .unwrap_or_else(|| String::from("nothing yet")),
    ]
}

async fn dead(
    remembered: &Remembered,
    consumer: &str,
    output: &mut Output,
) -> Result<Outcome, Failure> {
    let letters = remembered.letters(consumer).await?;
    if letters.is_empty() {
        none_dead(consumer, output)?;
        return Ok(Outcome::Clean);
    }
    let headings = [
        ("event", Align::Left),
        ("attempts", Align::Right),
        ("error", Align::Left),
    ];
    let mut columns = Columns::new(&headings);
    for letter in letters {
        columns.row(vec![
            letter.event_id,
            letter.attempts.to_string(),
            letter.error.replace('\n', " "),
        ]);
    }
    output.print(&format!("{}\n", columns.lines().join("\n")))?;
    Ok(Outcome::Findings)
}
