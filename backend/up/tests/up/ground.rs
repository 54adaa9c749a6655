//! A project in a folder of its own, on ports of its own.

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tablewright_http::Client;
use tablewright_up::{Demo, Options, Plan, Told, run};
use tempfile::TempDir;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

/// So long something may take that must happen; a busy machine is slow.
const PATIENCE: Duration = Duration::from_secs(60);

/// A port nobody has.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    listener.local_addr().unwrap().port()
}

/// One test at a time: a process that is just being started has what its parent has, for a moment also the lock on the folder of another test.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A project.
pub(crate) struct Ground {
    _alone: MutexGuard<'static, ()>,
    folder: TempDir,
    front: u16,
    engine: u16,
    ports: [(&'static str, u16); 2],
}

impl Ground {
    pub(crate) fn new() -> Self {
        let ground = Ground {
            _alone: ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner),
            folder: tempfile::tempdir().unwrap(),
            front: free_port(),
            engine: free_port(),
            ports: [("a", free_port()), ("b", free_port())],
        };
        let script = "\
[[request]]
as   = \"ada\"
send = \"POST /things\"
body = { day = \"{today}\" }
keep = \"thing\"

[[request]]
bearer = \"{thing.key}\"
send   = \"GET /things/{thing.key}\"

[show]
agent = \"{thing.key}\"
";
        fs::write(ground.folder().join("a.toml"), script).unwrap();
        ground
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn port(&self, name: &str) -> u16 {
        let found = self.ports.iter().find(|(known, _)| *known == name);
        found.unwrap().1
    }

    pub(crate) fn front(&self) -> String {
        format!("http://127.0.0.1:{}", self.front)
    }

    pub(crate) fn engine(&self) -> String {
        format!("http://127.0.0.1:{}", self.engine)
    }

    pub(crate) fn service(&self, name: &str) -> String {
        format!("http://127.0.0.1:{}", self.port(name))
    }

    pub(crate) async fn get(&self, url: &str) -> String {
        let client = Client::new(Duration::from_secs(5), 1024 * 1024);
        match client.get(url).await {
            Ok(answer) => String::from_utf8(answer.body).unwrap(),
            Err(why) => why.to_string(),
        }
    }

    /// What the front page answers to who calls it by another name.
    pub(crate) async fn asked_as(&self, host: &str, path: &str) -> String {
        let front = self.front;
        let asked = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        let told = tokio::task::spawn_blocking(move || {
            let mut connection = TcpStream::connect(("127.0.0.1", front)).unwrap();
            connection.write_all(asked.as_bytes()).unwrap();
            let mut told = Vec::new();
            connection.read_to_end(&mut told).unwrap();
            String::from_utf8_lossy(&told).into_owned()
        });
        told.await.unwrap()
    }

    pub(crate) async fn until_ready(&self, name: &str) {
        let client = Client::new(Duration::from_secs(5), 1024);
        let url = format!("{}/health/ready", self.service(name));
        let ready = async {
            while client.get(&url).await.is_err() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(PATIENCE, ready).await.unwrap();
    }

    /// Returns when the engine has let go of its folder: its upkeep, and processes that are just being started, hold it a moment longer than the engine is served.
    pub(crate) async fn until_released(&self) {
        let data = self.folder().join("data");
        let released = async {
            while tablewright_local::Engine::open(&data).is_err() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(PATIENCE, released).await.unwrap();
    }

    /// How often a service got a request.
    pub(crate) fn requests(&self, name: &str, line: &str) -> usize {
        let log = fs::read_to_string(self.folder().join(format!("{name}.requests")));
        let log = log.unwrap_or_default();
        log.lines().filter(|known| known.starts_with(line)).count()
    }

    /// By what a service could know the requests of its demo data again, in their order.
    pub(crate) fn keys(&self, name: &str) -> Vec<String> {
        let log = fs::read_to_string(self.folder().join(format!("{name}.requests")));
        let log = log.unwrap_or_default();
        let keys = log
            .lines()
            .filter_map(|line| line.strip_prefix("idempotency-key: "));
        keys.map(str::to_owned).collect()
    }

    /// Whether a service was asked to end, rather than killed.
    pub(crate) fn was_ended(&self, name: &str) -> bool {
        self.requests(name, "asked to end") > 0
    }

    pub(crate) async fn up(&self, services: &[(&str, &str)], demo: Demo) -> Up {
        let run = |how: &str, name: &str| {
            let program = std::env::current_exe().unwrap();
            let folder = self.folder().display();
            format!(
                "{} --ignored --exact service --nocapture folder={folder} name={name} how={how}",
                program.display()
            )
        };
        let services = services.iter().map(|(name, how)| (*name, run(how, name)));
        self.start(services.collect(), demo, None, None).await
    }

    pub(crate) async fn up_with(&self, program: &str, demo: Demo) -> Up {
        let services = vec![("a", program.to_owned())];
        self.start(services, demo, None, None).await
    }

    pub(crate) async fn up_at(&self, endpoint: &str, demo: Demo) -> Up {
        let program = std::env::current_exe().unwrap();
        let run = format!(
            "{} --ignored --exact service --nocapture folder={} name=a how=",
            program.display(),
            self.folder().display()
        );
        self.start(vec![("a", run)], demo, Some(endpoint), None)
            .await
    }

    pub(crate) async fn up_built_by(&self, build: &str) -> Up {
        let services = vec![("a", String::from("true"))];
        self.start(services, Demo::Never, None, Some(build)).await
    }

    async fn start(
        &self,
        services: Vec<(&str, String)>,
        demo: Demo,
        endpoint: Option<&str>,
        build: Option<&str>,
    ) -> Up {
        let mut text = format!("[up]\nport = {}\nengine = {}\n", self.front, self.engine);
        if let Some(build) = build {
            writeln!(text, "build = \"{build}\"").unwrap();
        }
        for (name, run) in services {
            let port = self.port(name);
            let title = name.to_uppercase();
            write!(text, "[up.services.{name}]\ntitle = \"To show {title}\"\nrun = \"{run}\"\nport = {port}\n").unwrap();
            if name == "a" {
                text.push_str("demo = \"a.toml\"\ntokens = [{ sub = \"ada\" }]\nlinks = [{ title = \"Charts\", path = \"/charts\" }, { title = \"Insights\", path = \"/insights\", lake = true }]\n");
            }
        }
        let plan = Plan::read(&text).unwrap().unwrap();
        let options = Options {
            folder: self.folder().to_owned(),
            data: self.folder().join("data"),
            endpoint: endpoint.map(|endpoint| endpoint.parse().unwrap()),
            build: true,
            demo,
            documents: Vec::new(),
            lakes: Vec::new(),
        };
        let (stop, stopped) = oneshot::channel::<()>();
        let (tell, mut heard) = mpsc::unbounded_channel();
        let told = Arc::new(Mutex::new(Vec::new()));
        let notes = Arc::clone(&told);
        tokio::spawn(async move {
            while let Some(what) = heard.recv().await {
                notes.lock().unwrap().push(what);
            }
        });
        let running = tokio::spawn(async move {
            let stopped = async {
                let _ = stopped.await;
            };
            let ended = run(&plan, &options, stopped, &tell).await;
            ended.map_err(|error| error.to_string())
        });
        Up {
            stop,
            told,
            running,
        }
    }
}

/// What runs.
pub(crate) struct Up {
    stop: oneshot::Sender<()>,
    told: Arc<Mutex<Vec<Told>>>,
    running: JoinHandle<Result<(), String>>,
}

impl Up {
    pub(crate) async fn is_told(&self, what: impl Fn(&Told) -> bool) {
        let told = async {
            while !self.told.lock().unwrap().iter().any(&what) {
                assert!(!self.running.is_finished(), "{:?}", self.told);
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(PATIENCE, told).await.unwrap();
    }

    /// What was told meanwhile.
    pub(crate) async fn everything_is_ready(&self) -> String {
        self.is_told(|told| matches!(told, Told::Everything { .. }))
            .await;
        format!("{:?}", self.told.lock().unwrap())
    }

    pub(crate) async fn stop(self) -> Result<(), String> {
        let _ = self.stop.send(());
        let ended = tokio::time::timeout(PATIENCE, self.running).await;
        ended.unwrap().unwrap()
    }

    pub(crate) async fn fails(self) -> String {
        let ended = tokio::time::timeout(PATIENCE, self.running).await;
        ended.unwrap().unwrap().unwrap_err()
    }
}

/// What a service gives out on a DynamoDB, and takes only there.
pub(crate) fn key_of(endpoint: &str) -> String {
    format!("key-{}", endpoint.rsplit(':').next().unwrap())
}

/// The process of a service: answers everything, writes down what it was asked, and ends with its input.
pub(crate) fn be_a_service() {
    let argument = |name: &str| {
        let prefix = format!("{name}=");
        std::env::args().find_map(|argument| argument.strip_prefix(&prefix).map(str::to_owned))
    };
    let folder = PathBuf::from(argument("folder").unwrap());
    let path = folder.join(format!("{}.requests", argument("name").unwrap()));
    let note = move |line: &str| {
        let file = fs::OpenOptions::new().create(true).append(true).open(&path);
        writeln!(file.unwrap(), "{line}").unwrap();
    };
    if argument("how").as_deref() == Some("fails") {
        println!("cannot do it today");
        std::process::exit(3);
    }
    let endpoint = std::env::var("TABLEWRIGHT_ENDPOINT").unwrap();
    note(&format!("endpoint {endpoint}"));
    let lake = std::env::var("TABLEWRIGHT_LAKE").unwrap_or_default();
    note(&format!("lake {lake}."));
    for folder in ["TABLEWRIGHT_MAIL_FOLDER", "TABLEWRIGHT_PUSH_FOLDER"] {
        let folder = PathBuf::from(std::env::var(folder).unwrap());
        fs::create_dir_all(&folder).unwrap();
        let letter = format!("{{\"to\": \"ada\", \"subject\": \"of {endpoint}.\"}}");
        fs::write(folder.join("1.json"), letter).unwrap();
    }
    let port = std::env::var("PORT").unwrap().parse().unwrap();
    let listener = TcpListener::bind::<(&str, u16)>(("127.0.0.1", port)).unwrap();
    println!("listens on {port}");
    let ended = note.clone();
    std::thread::spawn(move || {
        let mut rest = Vec::new();
        let _ = std::io::stdin().read_to_end(&mut rest);
        ended("asked to end");
        std::process::exit(0);
    });
    for connection in listener.incoming() {
        let mut connection = connection.unwrap();
        let mut lines = BufReader::new(&connection).lines();
        let first = lines.next().and_then(Result::ok).unwrap_or_default();
        note(&first);
        while let Some(Ok(line)) = lines.next()
            && !line.is_empty()
        {
            if line.starts_with("idempotency-key: ") {
                note(&line);
            }
        }
        let once = folder.join("crashed");
        if first.contains("/crash") && !once.exists() {
            if first.contains("/crash-once") {
                fs::write(once, "").unwrap();
            }
            std::process::exit(4);
        }
        let (status, body) = match first.contains("/refused") {
            true => ("422 Unprocessable", String::from("no")),
            false => ("200 OK", format!("{{\"key\": \"{}\"}}", key_of(&endpoint))),
        };
        let length = body.len();
        let _ = write!(
            connection,
            "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
        );
    }
}
