//! Generated Rust beside what others write: the bare SDK, modyne, ElectroDB and DynamoDB-Toolbox, each in a process of its own against one
//! endpoint; the To-Do API beside one in FastAPI; the lake beside DuckDB.

mod bank;
mod client;
mod lake;
mod sides;
mod todo;

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde::Deserialize;
use tablewright_local::{Endpoint, Engine, serve};

/// The argument by which the benchmark serves an endpoint.
pub(crate) const ENDPOINT: &str = "peers-endpoint";

/// The argument by which the benchmark is a client.
pub(crate) const CLIENT: &str = "peers-client";

/// The argument by which the benchmark serves the To-Do API.
pub(crate) const SERVICE: &str = "peers-service";

/// The argument by which the benchmark puts a service under load.
pub(crate) const LOAD: &str = "peers-load";

/// The argument by which the benchmark writes a lake.
pub(crate) const LAKE: &str = "peers-lake";

/// Where the interpreter with the packages of `bench/peers/requirements.txt` is. `cargo xtask bench` installs them.
const PYTHON: &str = "TABLEWRIGHT_PEERS_PYTHON";

/// How long what served may take to end.
const TO_END: Duration = Duration::from_secs(20);

/// What a run of a side took.
#[derive(Debug, Clone, Copy, Deserialize)]
struct Took {
    seconds: f64,
    /// Seconds of the processor, of this process alone.
    processor: f64,
}

pub(crate) fn run() -> anyhow::Result<()> {
    bank::run()?;
    todo::run()?;
    lake::run()
}

pub(crate) fn client(arguments: &[&str]) -> anyhow::Result<()> {
    runtime()?.block_on(client::run(arguments))
}

pub(crate) fn service(arguments: &[&str]) -> anyhow::Result<()> {
    runtime()?.block_on(todo::serve(arguments))
}

pub(crate) fn load(arguments: &[&str]) -> anyhow::Result<()> {
    runtime()?.block_on(todo::load(arguments))
}

pub(crate) fn lake(arguments: &[&str]) -> anyhow::Result<()> {
    runtime()?.block_on(lake::write(arguments))
}

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    Ok(builder.enable_all().build()?)
}

/// Serves an empty engine on loopback, as `tablewright local` does, until it is killed; the address is the first line it prints.
pub(crate) fn endpoint() -> anyhow::Result<()> {
    runtime()?.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        println!("http://{}", listener.local_addr()?);
        let engine = Engine::temporary()?;
        serve(engine, listener, std::future::pending()).await?;
        Ok(())
    })
}

/// A process that serves until this is dropped.
struct Served {
    child: Child,
    url: String,
}

impl Served {
    /// Starts what prints its address as its first line.
    fn start(command: &mut Command) -> anyhow::Result<Served> {
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let printed = child.stdout.take().context("it prints")?;
        let mut url = String::new();
        BufReader::new(printed).read_line(&mut url)?;
        let url = url.trim().to_owned();
        Ok(Served { child, url })
    }

    fn endpoint() -> anyhow::Result<Served> {
        let served = Served::start(Command::new(std::env::current_exe()?).arg(ENDPOINT))?;
        anyhow::ensure!(served.url.starts_with("http"), "no endpoint was served");
        Ok(served)
    }
}

impl Drop for Served {
    /// Asks it to end before it is killed: who has processes of its own ends these.
    fn drop(&mut self) {
        let process = self.child.id().to_string();
        let asked = Command::new("kill").args(["-TERM", &process]).status();
        let end = Instant::now() + TO_END;
        while asked.is_ok() && Instant::now() < end {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a command prints at its end, as JSON.
fn told<T: for<'a> Deserialize<'a>>(command: &mut Command) -> anyhow::Result<T> {
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("{command:?}"))?;
    anyhow::ensure!(output.status.success(), "{command:?} failed");
    let printed = String::from_utf8(output.stdout)?;
    let last = printed.lines().last().context("nothing was printed")?;
    serde_json::from_str(last).with_context(|| format!("{command:?} printed {last}"))
}

/// A client of this benchmark, as every side has it.
async fn connect(url: &str) -> anyhow::Result<aws_sdk_dynamodb::Client> {
    let endpoint: Endpoint = url.parse()?;
    Ok(tablewright_local::connect(&endpoint).await?.dynamodb)
}

fn python() -> anyhow::Result<String> {
    std::env::var(PYTHON).context("no packages for Python: run it by `cargo xtask bench peers`")
}

/// The version of a package that runs there, by its own word.
fn version_in_python(package: &str) -> anyhow::Result<String> {
    let ask = format!("import importlib.metadata as m; print(m.version('{package}'))");
    let told = Command::new(python()?).args(["-c", &ask]).output()?;
    ensure!(told.status.success(), "{package} is not installed");
    Ok(String::from_utf8(told.stdout)?.trim().to_owned())
}

/// The middle one of some.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or_default()
}
