//! Ask-a-Human over HTTP: the feed, answering and the boards beside a hundred open questions and people, and beside a hundred thousand of each;
//! and how evenly the partitions of its indexes are used.

mod fill;
mod partitions;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::Context as _;
use ask::model::Ask;
use ask::{ABOUT, AgentSaid, App, SETTINGS, Signer, add_agent, add_key, service_on};
use http::Method;
use serde_json::{Value, json};
use tablewright::Store;
use tablewright_local::Engine;
use tablewright_service::{Secret, Server, Settings, Sources};

use crate::fresh;
use crate::interleaved::{calls, medians};
use crate::service::http::Caller;

/// The argument by which the benchmark calls itself.
pub(crate) const WORD: &str = "ask-once";

/// How many open questions and how many people a place has.
const FEW: usize = 100;
const MANY: usize = 100_000;

/// Batches of timed requests, of reads and of answers.
const READS: usize = 60;
const ANSWERS: usize = 20;

/// A service that runs in this process.
struct Place {
    address: SocketAddr,
    store: Store,
    /// Addresses it was asked from: each may read a few hundred times.
    asked: AtomicU32,
    agent: Caller,
    _keys: tempfile::TempDir,
}

impl Place {
    async fn with(items: usize) -> anyhow::Result<Place> {
        let keys = tempfile::tempdir()?;
        let sources = Sources::none()
            .variable("PORT", "0")
            .variable("TABLEWRIGHT_ENDPOINT", "temporary")
            .variable("TABLEWRIGHT_RATE", "0")
            .variable("TABLEWRIGHT_FORWARDED_HOPS", "1")
            .variable(
                "TABLEWRIGHT_ISSUER_KEYS",
                keys.path().to_str().unwrap_or_default(),
            );
        let settings = Settings::from_sources(&ABOUT, SETTINGS, &sources)?;
        let store = Store::new(Engine::temporary()?.dynamodb());
        let ask = Ask::new(&store);
        ask.create_tables().await?;
        fill::fill(&store, items).await?;
        let said = AgentSaid {
            questions_per_hour: Some(100_000),
            open_questions: Some(10_000),
            ..AgentSaid::default()
        };
        add_agent(&ask, "bench", &said).await?;
        let key = add_key(&ask, "bench", "bench").await?.key;
        let app = App::new(ask, Signer::new(&Secret::new("a secret for benchmarks")));
        let server = Server::bind(service_on(settings, app).await?).await?;
        let address = server.address();
        tokio::spawn(server.run(std::future::pending()));
        Ok(Place {
            address,
            store,
            asked: AtomicU32::new(0),
            agent: Caller::new(address, &key),
            _keys: keys,
        })
    }

    /// A request from an address of its own.
    async fn send(
        &self,
        who: &Caller,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> anyhow::Result<Vec<u8>> {
        let [_, a, b, c] = self.asked.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        let from = format!("x-forwarded-for: 10.{a}.{b}.{c}\r\n");
        let body = body.map(|body| body.to_string());
        who.exchange(method, path, body, &from).await
    }

    async fn person(&self) -> anyhow::Result<Caller> {
        let nobody = Caller::new(self.address, "");
        let made = self
            .send(&nobody, Method::POST, "/human/people", None)
            .await;
        Ok(Caller::new(self.address, &text(&made?, "token")?))
    }

    async fn question(&self) -> anyhow::Result<String> {
        let asked = json!({ "prompt": "Is this one quick enough?", "min_responses": 50 });
        let asked = self
            .send(&self.agent, Method::POST, "/agent/questions", Some(asked))
            .await?;
        text(&asked, "question_id")
    }

    /// An answer that is ready to be sent.
    async fn opened(&self, who: &Caller, question: &str) -> anyhow::Result<Value> {
        let path = format!("/human/questions/{question}");
        let opened = self.send(who, Method::GET, &path, None).await?;
        Ok(json!({
            "question_id": question,
            "opened": text(&opened, "opened")?,
            "answer": format!("An answer of some length, {}", self.asked.load(Ordering::Relaxed)),
        }))
    }

    async fn answer(&self, who: &Caller, answer: Value) -> anyhow::Result<()> {
        self.send(who, Method::POST, "/human/responses", Some(answer))
            .await
            .map(drop)
    }

    /// People who have answered before, each with another answer ready. Nobody answers more than two questions: that is within the limits.
    async fn ready(&self, count: usize) -> anyhow::Result<Vec<(Caller, Value)>> {
        let mut ready = Vec::with_capacity(count);
        let (mut first, mut second) = (String::new(), String::new());
        for number in 0..count {
            // A question takes fifty answers.
            if number % 50 == 0 {
                (first, second) = (self.question().await?, self.question().await?);
            }
            let who = self.person().await?;
            let answer = self.opened(&who, &first).await?;
            self.answer(&who, answer).await?;
            let answer = self.opened(&who, &second).await?;
            ready.push((who, answer));
        }
        Ok(ready)
    }
}

fn text(body: &[u8], field: &str) -> anyhow::Result<String> {
    let body: Value = serde_json::from_slice(body)?;
    let text = body[field]
        .as_str()
        .with_context(|| format!("no {field} in {body}"))?;
    Ok(text.to_owned())
}

pub(crate) fn run() -> anyhow::Result<()> {
    println!("Ask-a-Human over HTTP, on the embedded engine");
    fresh::figure(WORD, "growth")?;
    println!();
    Ok(())
}

/// The figure, in this process.
pub(crate) fn run_one(_: &str) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(growth())
}

async fn growth() -> anyhow::Result<()> {
    let (many, few) = (Place::with(MANY).await?, Place::with(FEW).await?);
    println!("  beside {MANY} open questions and people, and beside {FEW} of each");
    let (first, second) = (many.person().await?, few.person().await?);
    for (place, who) in [(&many, &first), (&few, &second)] {
        let question = place.question().await?;
        let answer = place.opened(who, &question).await?;
        place.answer(who, answer).await?;
    }
    for (name, path) in [
        ("the feed, newest first", "/human/questions"),
        (
            "the feed, neediest first",
            "/human/questions?order=neediest",
        ),
        (
            "the board of all time, and one's rank",
            "/human/leaderboard?period=all_time",
        ),
        (
            "the board of the day, and one's rank",
            "/human/leaderboard?period=daily",
        ),
        ("one's statistics", "/human/stats"),
    ] {
        let both = medians(
            READS,
            async || many.send(&first, Method::GET, path, None).await.map(drop),
            async || few.send(&second, Method::GET, path, None).await.map(drop),
        );
        tell(name, both.await?);
    }
    let (mut firsts, mut seconds) = (
        many.ready(calls(ANSWERS)).await?,
        few.ready(calls(ANSWERS)).await?,
    );
    let both = medians(
        ANSWERS,
        async || {
            let (who, answer) = firsts.pop().context("an answer for each call")?;
            many.answer(&who, answer).await
        },
        async || {
            let (who, answer) = seconds.pop().context("an answer for each call")?;
            few.answer(&who, answer).await
        },
    );
    tell("an answer", both.await?);
    println!("    (target: a ratio of at most 1.3)");
    partitions::tell(&many.store).await
}

fn tell(name: &str, both: crate::interleaved::Both) {
    println!(
        "    {name:<40} {:>7.0} µs, {:>7.0} µs, ratio {:.2}",
        both.first.as_secs_f64() * 1e6,
        both.second.as_secs_f64() * 1e6,
        both.ratio()
    );
}
