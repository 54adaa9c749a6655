//! Mixed reads and writes by many at once: over HTTP, and the same through the bare SDK.

use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::ensure;
use aws_sdk_dynamodb::Client;
use http::Method;
use tablewright::Ulid;

use super::Place;
use super::http::Caller;
use crate::library::{bare_create_task, bare_task, bare_tasks, samples};
use crate::processor;

/// How many ask at once.
const WORKERS: usize = 8;

/// What the service must reach of the bare SDK's throughput.
const LEAST_SHARE: f64 = 0.7;

/// Tasks everybody has before.
const TASKS: usize = 40;

/// Requests of a worker in one turn.
const TURN: usize = 300;

/// Turns of either side.
const TURNS: usize = 8;

/// Of ten requests five read a task, three a page of twenty, two write one down.
enum Request {
    Get,
    Page,
    Create,
}

fn request(number: usize) -> Request {
    match number % 10 {
        0 | 5 => Request::Create,
        2 | 4 | 7 => Request::Page,
        _ => Request::Get,
    }
}

/// How the requests are sent.
#[derive(Debug, Clone, Copy)]
enum Way {
    Http,
    Keyed,
    Bare,
}

struct Worker {
    name: String,
    caller: Caller,
    client: Client,
    known: Vec<Ulid>,
}

impl Worker {
    /// `keyed` says whether each write has a key of its own, as that of a caller has who may send it again.
    async fn over_http(&self, keyed: bool, times: &mut Vec<Duration>) -> anyhow::Result<()> {
        for number in 0..TURN {
            let start = Instant::now();
            match request(number) {
                Request::Get => black_box(
                    self.caller
                        .get(&format!("/tasks/{}", self.known[number % TASKS]))
                        .await?,
                ),
                Request::Page => black_box(self.caller.get("/tasks").await?),
                Request::Create => {
                    let task = samples::task(&self.name, number)?;
                    let body = serde_json::json!({
                        "title": task.title, "description": task.description, "status": "pending", "priority": task.priority,
                        "category": task.category, "due_date": task.due_date,
                    });
                    let (body, key) = (Some(body.to_string()), Ulid::new().to_string());
                    black_box(match keyed {
                        true => {
                            let sent = self.caller.send_keyed(Method::POST, "/tasks", body, &key);
                            sent.await?
                        }
                        false => self.caller.send(Method::POST, "/tasks", body).await?,
                    })
                }
            };
            times.push(start.elapsed());
        }
        Ok(())
    }

    async fn by_hand(&self, times: &mut Vec<Duration>) -> anyhow::Result<()> {
        for number in 0..TURN {
            let start = Instant::now();
            match request(number) {
                Request::Get => drop(black_box(
                    bare_task(&self.client, &self.name, self.known[number % TASKS]).await?,
                )),
                Request::Page => drop(black_box(bare_tasks(&self.client, &self.name, 20).await?)),
                Request::Create => {
                    let mut task = samples::task(&self.name, number)?;
                    (task.task_id, task.status) = (Ulid::new(), todo::model::TaskStatus::Pending);
                    drop(black_box(bare_create_task(&self.client, task).await?));
                }
            }
            times.push(start.elapsed());
        }
        Ok(())
    }
}

pub(super) async fn run(place: &Place) -> anyhow::Result<()> {
    let mut workers = Vec::new();
    for worker in 0..WORKERS {
        let name = format!("worker-{worker}");
        let mut known = Vec::new();
        for number in 0..TASKS {
            let task = samples::task(&name, number)?;
            known.push(task.task_id);
            bare_create_task(&place.client, task).await?;
        }
        workers.push(std::sync::Arc::new(Worker {
            caller: place.caller(&name),
            client: place.client.clone(),
            name,
            known,
        }));
    }
    let mut sides = [Side::default(), Side::default(), Side::default()];
    for turn in 0..=TURNS {
        // The first is to warm up; then each is first, second and last by turns.
        for way in [Way::Http, Way::Keyed, Way::Bare]
            .into_iter()
            .cycle()
            .skip(turn)
            .take(3)
        {
            let (start, worked) = (Instant::now(), processor::time()?);
            let running: Vec<_> = workers
                .iter()
                .map(|worker| {
                    let worker = std::sync::Arc::clone(worker);
                    tokio::spawn(async move {
                        let mut times = Vec::with_capacity(TURN);
                        match way {
                            Way::Http => worker.over_http(false, &mut times).await?,
                            Way::Keyed => worker.over_http(true, &mut times).await?,
                            Way::Bare => worker.by_hand(&mut times).await?,
                        }
                        anyhow::Ok(times)
                    })
                })
                .collect();
            let side = &mut sides[way as usize];
            let mut times = Vec::new();
            for worker in running {
                times.extend(worker.await??);
            }
            if turn > 0 {
                side.add(start.elapsed(), processor::time()? - worked, times);
            }
        }
    }
    println!(
        "  {WORKERS} at once; of ten requests five read a task, three a page of 20, two write a task with its counts"
    );
    let [mut service, mut keyed, mut bare] = sides;
    service.print("over HTTP");
    keyed.print("with keys");
    bare.print("bare SDK");
    let share = service.throughput() / bare.throughput();
    println!(
        "  throughput of the service: {:.0} % of the bare SDK (target: at least 70 %)",
        100.0 * share
    );
    println!(
        "  with an idempotency key on every write: {:.0} % of the service without",
        100.0 * keyed.throughput() / service.throughput()
    );
    println!(
        "  processor time of the bare SDK: {:.0} % of the service's, the client's included; what else the machine does is not in it",
        100.0 * bare.worked.as_secs_f64() / service.worked.as_secs_f64()
    );
    ensure!(
        share >= LEAST_SHARE,
        "the service does not reach {:.0} % of the bare SDK",
        100.0 * LEAST_SHARE
    );
    Ok(())
}

#[derive(Default)]
struct Side {
    took: Duration,
    worked: Duration,
    times: Vec<Duration>,
}

impl Side {
    fn add(&mut self, took: Duration, worked: Duration, times: Vec<Duration>) {
        self.took += took;
        self.worked += worked;
        self.times.extend(times);
    }

    fn throughput(&self) -> f64 {
        self.times.len() as f64 / self.took.as_secs_f64()
    }

    fn print(&mut self, title: &str) {
        self.times.sort_unstable();
        let at =
            |part: usize| self.times[(self.times.len() - 1) * part / 1000].as_secs_f64() * 1000.0;
        println!(
            "  {title:<10} {:>7.0} requests/s, median {:.2} ms, p99 {:.2} ms, p99.9 {:.2} ms",
            self.throughput(),
            at(500),
            at(990),
            at(999)
        );
    }
}
