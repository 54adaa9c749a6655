//! A consumer: it looks for shards that nobody reads, and reads its share of them.

use std::collections::HashMap;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Instant;

use aws_sdk_dynamodbstreams::Client;
use tablewright::descriptor::Table;
use tablewright::{Change, Error, Store};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::attempt::Work;
use crate::error::StreamError;
use crate::handler::Handler;
use crate::lease::Held;
use crate::model::{KeepLease, Lease, LeaseKey, Stream};
use crate::numbers;
use crate::options::{Options, Start};
use crate::progress::Progress;
use crate::reader::sign_in;
use crate::rest::{Before, Rests};
use crate::seen::Seen;
use crate::shard::{ShardReader, Stopped};
use crate::share::{Shares, Step, id};
use crate::source::{Position, ShardId, Source};

/// Reads the changes of one table under one name. Processes that run consumers of the same name share the work; consumers of different
/// names each get every change.
#[derive(Debug)]
pub struct Consumer<H> {
    work: Arc<Work<H>>,
    source: Source,
    stream: Stream,
    /// What waits of shards that were read to their ends.
    rests: Arc<Rests>,
    /// This process, among those of the same name.
    me: String,
}

impl<H: Handler> Consumer<H> {
    /// A consumer of a table's changes. `store` is where the table is, and where what consumers remember is kept.
    pub fn new(
        name: impl Into<String>,
        store: &Store,
        streams: Client,
        table: &'static Table,
        options: Options,
        handler: H,
    ) -> Self {
        let work = Work::new(name.into(), store, table, options, handler);
        Consumer {
            work: Arc::new(work),
            source: Source::new(store, streams, table),
            stream: Stream::new(store),
            rests: Arc::default(),
            me: uuid::Uuid::now_v7().to_string(),
        }
    }

    /// How far it has come, to be asked while it runs.
    pub fn progress(&self) -> Progress {
        self.work.progress.clone()
    }

    /// Reads until `stop`, and finishes what was begun. What cannot be reached meanwhile is tried again, and logged.
    ///
    /// # Errors
    /// [`StreamError`] when the consumer cannot begin: the table has no stream, or the endpoint does not answer.
    pub async fn run(self, stop: impl Future<Output = ()>) -> Result<(), StreamError> {
        self.begin().await?;
        self.read(pin!(stop)).await;
        Ok(())
    }

    /// As [`Consumer::run`], for a consumer beside a service that serves without it as well: also while it cannot begin it is tried again, with
    /// the waits of [`Options`], and logged.
    pub async fn run_when_possible(self, stop: impl Future<Output = ()>) {
        let mut stop = pin!(stop);
        let mut failures = 0;
        while let Err(error) = self.begin().await {
            failures += 1;
            tracing::error!(consumer = %self.work.consumer, %error, "changes cannot be followed yet");
            tokio::select! {
                () = &mut stop => return,
                () = tokio::time::sleep(self.work.options.wait(failures)) => {}
            }
        }
        self.read(stop).await;
    }

    /// Makes sure that there is something to read, and a place to remember how far.
    async fn begin(&self) -> Result<(), StreamError> {
        match self.stream.create_tables().await {
            Ok(_) => {}
            // In an account tables are deployed, and whoever follows may neither create nor describe them. Whether it is there shows at once.
            Err(error) if error.is_denied() => {}
            Err(error) => {
                return Err(StreamError::Request {
                    operation: "CreateTable",
                    why: error.to_string(),
                });
            }
        }
        let work = &self.work;
        sign_in(&self.stream, &work.store, &work.consumer, work.table).await?;
        self.source.shards().await?;
        Ok(())
    }

    async fn read(&self, mut stop: Pin<&mut impl Future<Output = ()>>) {
        let (tell, told) = watch::channel(false);
        let mut readers = Readers {
            running: JoinSet::new(),
            shards: HashMap::new(),
            shares: Shares::default(),
            seen: Seen::default(),
        };
        let mut replaying = JoinSet::new();
        loop {
            match self.round(&mut readers, &told).await {
                Ok(tries_again) => self.replay(tries_again, &mut replaying, &told),
                Err(error) => {
                    self.work.progress.look(false, self.work.store.now_millis());
                    tracing::warn!(consumer = %self.work.consumer, %error, "shards cannot be looked through");
                }
            }
            tokio::select! {
                () = &mut stop => break,
                () = tokio::time::sleep(self.work.options.round()) => {}
                Some(ended) = readers.running.join_next_with_id() => self.note(&mut readers, ended),
            }
        }
        tell.send_replace(true);
        while let Some(ended) = readers.running.join_next_with_id().await {
            self.note(&mut readers, ended);
        }
        let grace = self.work.options.grace;
        // What does not end is asked for still.
        let _ = tokio::time::timeout(grace, replaying.join_next()).await;
    }

    /// Tries dead letters again, beside everything else.
    fn replay(&self, ours: bool, replaying: &mut JoinSet<()>, told: &watch::Receiver<bool>) {
        while replaying.try_join_next().is_some() {}
        if !ours || !replaying.is_empty() {
            return;
        }
        let (work, told) = (Arc::clone(&self.work), told.clone());
        replaying.spawn(async move {
            if let Err(error) = work.try_again(&told).await {
                tracing::warn!(consumer = %work.consumer, %error, "dead letters cannot be tried again");
            }
        });
    }

    /// Looks through the shards and takes what is ours. Says whether this process tries dead letters again.
    async fn round(
        &self,
        readers: &mut Readers,
        told: &watch::Receiver<bool>,
    ) -> Result<bool, StreamError> {
        let known = self.stream.leases.leases(&self.work.consumer);
        let known: Vec<_> = known.all().collect().await?;
        let known: Vec<Lease> = known.into_iter().map(|lease| lease.data).collect();
        // Whatever becomes of them meanwhile, those who begin after them know it.
        let rests = self.rests.now();
        let is_read = |lease: &Lease| lease.ended || rests.contains_key(&id(lease));
        let (seen, term) = (&mut readers.seen, self.work.options.lease);
        seen.look(&self.source, &known, is_read, term).await?;
        let (leases, all_are_there) = self.leases(known, seen).await?;
        let shards = readers.seen.shards();
        let steps = readers.shares.steps(
            &self.me,
            (shards, &|id| rests.contains_key(id)),
            &leases,
            self.work.options.lease,
            Instant::now(),
        );
        for step in steps {
            match step {
                Step::Take(lease) => {
                    let shards = readers.seen.shards();
                    let shard = shards.iter().find(|shard| is_of(&lease, &shard.id));
                    let parents = shard.map_or(&[][..], |shard| &shard.before);
                    let before = self.rests.before(&rests, parents);
                    self.take(&lease, before, readers, told).await?;
                }
                Step::Want(lease) => self.want(&lease).await?,
            }
        }
        let mut open = leases.iter().filter(|lease| !lease.ended);
        let all_are_read = open.all(|lease| readers.reads(&id(lease)));
        let now = self.work.store.now_millis();
        self.work.progress.look(all_are_there && all_are_read, now);
        Ok(self.tries_again(&leases))
    }

    /// The leases of the shards that are there. Those that are new get one, and those of shards that are gone are forgotten. Says whether there are no others.
    async fn leases(
        &self,
        mut leases: Vec<Lease>,
        seen: &Seen,
    ) -> Result<(Vec<Lease>, bool), StreamError> {
        let (name, shards) = (&self.work.consumer, seen.shards());
        let is_new = leases.is_empty();
        let mut all_are_there = true;
        // A stream tells seconds.
        let now = self.work.store.now_millis().div_euclid(1000) * 1000;
        let since = (self.work.options.start == Start::Now).then_some(now);
        for shard in shards {
            if leases.iter().any(|lease| is_of(lease, &shard.id)) {
                continue;
            }
            let lease = Lease {
                consumer: name.clone(),
                stream: shard.id.stream.clone(),
                shard: shard.id.shard.clone(),
                owner: None,
                wanted: None,
                epoch: 0,
                signs: 0,
                after: None,
                since: since.filter(|_| is_new),
                ended: false,
            };
            match self.stream.leases.add_lease(lease).await {
                Ok(lease) => leases.push(lease.data),
                // Another process was faster, or it was not found: it is seen in the next round.
                Err(Error::Exists { .. }) => all_are_there = false,
                Err(error) => return Err(error.into()),
            }
        }
        let (there, gone): (Vec<_>, Vec<_>) = leases
            .into_iter()
            .partition(|lease| shards.iter().any(|shard| is_of(lease, &shard.id)));
        for lease in gone {
            let is_over = lease.ended || seen.is_lost(&lease, self.work.options.lease);
            all_are_there &= is_over && self.forget(&lease).await?;
        }
        Ok((there, all_are_there))
    }

    /// Forgets the lease of a shard that is no longer there. What was not read of it is lost: the handler is told before, and one process says so. Says whether it is forgotten.
    async fn forget(&self, gone: &Lease) -> Result<bool, Error> {
        if !gone.ended && self.work.tell_once(&id(gone).told()).await.is_err() {
            return Ok(false);
        }
        let key = LeaseKey::new(&gone.consumer, &gone.stream, &gone.shard);
        match self.stream.leases.forget_lease(&key).await {
            Ok(_) if gone.ended => {}
            Ok(_) => numbers::lost(&gone.consumer, &gone.shard),
            Err(Error::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
        Ok(true)
    }

    /// A reader has stopped.
    fn note(&self, readers: &mut Readers, ended: Ended) {
        if let Some(shard) = readers.note(ended) {
            let now = self.work.store.now_millis();
            self.work.progress.end(&shard, now);
        }
    }

    async fn take(
        &self,
        lease: &Lease,
        before: Before,
        readers: &mut Readers,
        told: &watch::Receiver<bool>,
    ) -> Result<(), Error> {
        let id = id(lease);
        if readers.reads(&id) {
            return Ok(());
        }
        let taken = Held::take(
            &self.stream.leases,
            lease,
            &self.me,
            self.work.options.lease,
        )
        .await?;
        let Some((held, lease)) = taken else {
            return Ok(());
        };
        let from = Position::of(lease.after);
        let work = Arc::clone(&self.work);
        let reader = ShardReader::new(
            work,
            self.source.clone(),
            id.clone(),
            held,
            (from, lease.since),
            (before, Arc::clone(&self.rests)),
            told.clone(),
        );
        self.work.progress.begin(&id);
        let running = readers.running.spawn(reader.run());
        readers.shards.insert(running.id(), id);
        Ok(())
    }

    /// Asks the owner of a lease to let it go.
    async fn want(&self, lease: &Lease) -> Result<(), Error> {
        let key = LeaseKey::new(&lease.consumer, &lease.stream, &lease.shard);
        let asked = self.stream.leases.keep_lease(&key, |_| {
            Ok::<_, Error>(KeepLease {
                wanted: Change::Set(Some(self.me.clone())),
                ..KeepLease::default()
            })
        });
        match asked.await {
            Ok(_) | Err(Error::Conflict { .. } | Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Whether this process tries dead letters again: whoever reads the first shard does, so that two do not at once, and somebody does when it dies.
    fn tries_again(&self, leases: &[Lease]) -> bool {
        let open = leases.iter().filter(|lease| !lease.ended);
        let first = open.min_by_key(|lease| (&lease.stream, &lease.shard));
        first.is_none_or(|first| first.owner.as_deref() == Some(&self.me))
    }
}

fn is_of(lease: &Lease, id: &ShardId) -> bool {
    lease.stream == id.stream && lease.shard == id.shard
}

/// What this process reads.
struct Readers {
    running: JoinSet<Stopped>,
    shards: HashMap<tokio::task::Id, ShardId>,
    shares: Shares,
    seen: Seen,
}

/// How the task of a reader came to its end.
type Ended = Result<(tokio::task::Id, Stopped), tokio::task::JoinError>;

impl Readers {
    fn note(&mut self, ended: Ended) -> Option<ShardId> {
        // A reader does not panic. If one does, its lease ends by itself, and another begins.
        let id = ended.map_or_else(|error| error.id(), |(id, _)| id);
        self.seen.is_doubtful();
        self.shards.remove(&id)
    }

    fn reads(&self, shard: &ShardId) -> bool {
        self.shards.values().any(|running| running == shard)
    }
}
