//! The To-Do service and three of its routes written in FastAPI, each in processes of its own on one endpoint, under the same requests.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use http::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tablewright::Store;
use tablewright_service::{DevelopmentIssuer, Person, Server, Settings, Sources};
use todo::model::Todo;
use todo::{ABOUT, App, SETTINGS, service_on};

use super::{LOAD, SERVICE, Served, connect, median, python, told, version_in_python};
use crate::library::samples;
use crate::processor;
use crate::service::http::Caller;

/// How many ask at once.
const WORKERS: usize = 8;

/// Requests of a worker in one turn, and turns of either side.
const REQUESTS: usize = 300;
const TURNS: usize = 5;

/// Tasks everybody has before.
const TASKS: usize = 40;

/// What a turn took.
#[derive(Debug, Serialize, Deserialize)]
struct Turn {
    seconds: f64,
    p99: f64,
    /// Seconds of the processor that the service took for it.
    worked: f64,
}

pub(super) fn run() -> anyhow::Result<()> {
    let (endpoint, keys) = (Served::endpoint()?, tempfile::tempdir()?);
    let service = Served::start(
        Command::new(std::env::current_exe()?)
            .args([SERVICE, &endpoint.url])
            .arg(keys.path()),
    )?;
    let fastapi = fastapi(&endpoint.url, keys.path())?;
    let theirs = format!(
        "FastAPI {} with boto3 {}, two workers of uvicorn",
        version_in_python("fastapi")?,
        version_in_python("boto3")?
    );
    let sides = [("the To-Do service", &service), (theirs.as_str(), &fastapi)];
    println!("## The To-Do API\n");
    println!(
        "{WORKERS} at once; of ten requests five read a task, three a page of 20, two write a task with its counts; medians of {TURNS} turns\n"
    );
    let mut turns: Vec<Vec<Turn>> = sides.iter().map(|_| Vec::new()).collect();
    for turn in 0..=TURNS {
        for ((_, served), turns) in sides.iter().zip(&mut turns) {
            let took: Turn = told(
                Command::new(std::env::current_exe()?)
                    .args([LOAD, &served.url, &served.child.id().to_string()])
                    .arg(keys.path()),
            )?;
            // The first is to warm up.
            if turn > 0 {
                turns.push(took);
            }
        }
    }
    println!(
        "| | requests a second | against the service | p99 | processor time of the service a request |"
    );
    println!("|---|--:|--:|--:|--:|");
    let all = (WORKERS * REQUESTS) as f64;
    let rate = |turns: &[Turn]| median(turns.iter().map(|turn| all / turn.seconds).collect());
    let first = rate(&turns[0]);
    for ((title, _), turns) in sides.iter().zip(&turns) {
        let p99 = median(turns.iter().map(|turn| turn.p99).collect());
        let worked = median(turns.iter().map(|turn| turn.worked / all * 1e6).collect());
        println!(
            "| {title} | {:.0} | {:.2} | {:.0} ms | {worked:.0} µs |",
            rate(turns),
            rate(turns) / first,
            p99 * 1e3
        );
    }
    println!();
    Ok(())
}

/// The To-Do service on an endpoint, until it is killed; the address is the first line it prints.
pub(super) async fn serve(arguments: &[&str]) -> anyhow::Result<()> {
    let [endpoint, keys] = arguments else {
        bail!("a service is told its endpoint and the folder of the issuer's keys");
    };
    let sources = Sources::none()
        .variable("PORT", "0")
        .variable("TABLEWRIGHT_ENDPOINT", *endpoint)
        // The limiter counts, and lets everything pass.
        .variable("TABLEWRIGHT_RATE", "1000000")
        .variable("TABLEWRIGHT_BURST", "1000000")
        .variable("TABLEWRIGHT_ISSUER_KEYS", *keys);
    let settings = Settings::from_sources(&ABOUT, SETTINGS, &sources)?;
    let app = App::new(Todo::new(&Store::new(connect(endpoint).await?)), None);
    let server = Server::bind(service_on(settings, app).await?).await?;
    println!("http://{}", server.address());
    server.run(std::future::pending()).await?;
    Ok(())
}

fn fastapi(endpoint: &str, keys: &Path) -> anyhow::Result<Served> {
    let port = std::net::TcpListener::bind("127.0.0.1:0")?
        .local_addr()?
        .port();
    let child = Command::new(python()?)
        .args([
            "-m",
            "uvicorn",
            "fastapi_todo:app",
            "--app-dir",
            "bench/peers",
        ])
        .args([
            "--workers",
            "2",
            "--no-access-log",
            "--log-level",
            "warning",
        ])
        .args(["--port", &port.to_string()])
        .env("ENDPOINT", endpoint)
        .env("JWKS", DevelopmentIssuer::open(keys)?.jwks())
        .stdout(Stdio::null())
        .spawn()?;
    let served = Served {
        child,
        url: format!("http://127.0.0.1:{port}"),
    };
    for _ in 0..200 {
        if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return Ok(served);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    bail!("FastAPI does not begin")
}

/// One turn, as a process of its own.
pub(super) async fn load(arguments: &[&str]) -> anyhow::Result<()> {
    let [url, process, keys] = arguments else {
        bail!("a load is told the service, its process and the folder of the issuer's keys");
    };
    let process: u32 = process.parse()?;
    let address: SocketAddr = url.trim_start_matches("http://").parse()?;
    let issuer = DevelopmentIssuer::open(Path::new(keys))?;
    let mut ready = Vec::new();
    for worker in 0..WORKERS {
        let person = Person {
            sub: format!("worker-{worker}"),
            ..Person::default()
        };
        let caller = Caller::new(address, &issuer.token(&person, Duration::from_secs(3600)));
        let mut known = Vec::new();
        for number in 0..TASKS {
            known.push(create(&caller, number).await?);
        }
        ready.push((caller, known));
    }
    // What was written so far is not counted.
    let (before, start) = (processor::time_of_all(process)?, Instant::now());
    let running: Vec<_> = ready
        .into_iter()
        .map(|(caller, known)| tokio::spawn(async move { requests(&caller, &known).await }))
        .collect();
    let mut times = Vec::new();
    for worker in running {
        times.extend(worker.await??);
    }
    let seconds = start.elapsed().as_secs_f64();
    let worked = processor::time_of_all(process)?
        .saturating_sub(before)
        .as_secs_f64();
    times.sort_unstable();
    let p99 = times[(times.len() - 1) * 99 / 100].as_secs_f64();
    let turn = Turn {
        seconds,
        p99,
        worked,
    };
    println!("{}", serde_json::to_string(&turn)?);
    Ok(())
}

async fn requests(caller: &Caller, known: &[String]) -> anyhow::Result<Vec<Duration>> {
    let mut times = Vec::with_capacity(REQUESTS);
    for number in 0..REQUESTS {
        let start = Instant::now();
        match number % 10 {
            0 | 5 => drop(create(caller, number).await?),
            2 | 4 | 7 => {
                let page = get(caller, "/api/v1/tasks").await?;
                let items = page["items"].as_array().context("a page has items")?;
                anyhow::ensure!(items.len() == 20, "a page of {}", items.len());
            }
            _ => {
                let id = &known[number % known.len()];
                let task = get(caller, &format!("/api/v1/tasks/{id}")).await?;
                anyhow::ensure!(task["task_id"] == **id, "another task");
            }
        }
        times.push(start.elapsed());
    }
    Ok(times)
}

async fn get(caller: &Caller, path: &str) -> anyhow::Result<Value> {
    let answer = caller.exchange(Method::GET, path, None, "").await?;
    Ok(serde_json::from_slice(&answer)?)
}

async fn create(caller: &Caller, number: usize) -> anyhow::Result<String> {
    let task = samples::task("anybody", number)?;
    let body = json!({
        "title": task.title, "description": task.description, "status": "pending", "priority": task.priority,
        "category": task.category, "due_date": task.due_date,
    });
    let answer = caller
        .exchange(Method::POST, "/api/v1/tasks", Some(body.to_string()), "")
        .await?;
    let task: Value = serde_json::from_slice(&answer)?;
    Ok(task["task_id"]
        .as_str()
        .context("a task has an id")?
        .to_owned())
}
