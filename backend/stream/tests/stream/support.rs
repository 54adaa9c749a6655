//! Tables with a stream, and consumers that write down what they get.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tablewright::{Entity as _, Store, Ulid};
use tablewright_local::Engine;
use tablewright_stream::model::Stream;
use tablewright_stream::{Consumer, Failure, Handler, Options, Progress, Record};
use tablewright_testing::Policed;
use todo::model::{Task, TaskStatus, Todo};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// The engine, with the tables of the To-Do API and of consumers, as in an account: they are deployed.
pub(crate) struct World {
    pub(crate) engine: Engine,
    /// What consumers have: the policies of the To-Do API, of who follows its table, and of consumers. They may nothing else.
    pub(crate) store: Store,
    policed: Policed,
    /// What arranges the rest.
    pub(crate) todo: Todo,
}

impl Drop for World {
    /// S4-21: what consumers do, their policies allow.
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let denied = self.policed.denied();
            assert!(denied.is_empty(), "consumers need more: {denied:#?}");
        }
    }
}

impl World {
    pub(crate) async fn new() -> Self {
        World::on(Engine::temporary().unwrap()).await
    }

    pub(crate) async fn on(engine: Engine) -> Self {
        let free = Store::new(engine.dynamodb());
        let todo = Todo::new(&free);
        todo.create_tables().await.unwrap();
        Stream::new(&free).create_tables().await.unwrap();
        let policies = [("todo", "todo"), ("stream", "stream")];
        let policed = Policed::new(&engine, &policies, "*").follows(&Task::descriptor().table.name);
        World {
            engine,
            store: Store::new(policed.client()),
            policed,
            todo,
        }
    }

    /// A new task of a user.
    pub(crate) async fn write(&self, user: &str, title: &str) -> Task {
        let task = task(user, title);
        self.todo.tasks.items().insert(task.clone()).await.unwrap();
        task
    }

    /// The same task under another title.
    pub(crate) async fn rename(&self, task: &Task, title: &str) {
        let change = |task: &mut Task| task.title = title.to_owned();
        self.todo
            .tasks
            .items()
            .update(&task.key(), change)
            .await
            .unwrap();
    }

    pub(crate) fn start<H: Handler>(&self, name: &str, options: Options, handler: H) -> Running {
        self.start_on(name, options, self.engine.streams(), handler)
    }

    pub(crate) fn start_on<H: Handler>(
        &self,
        name: &str,
        options: Options,
        streams: aws_sdk_dynamodbstreams::Client,
        handler: H,
    ) -> Running {
        let table = &Task::descriptor().table;
        let consumer = Consumer::new(name, &self.store, streams, table, options, handler);
        let progress = consumer.progress();
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(async move {
            let stopped = async { stopped.await.unwrap_or(()) };
            consumer.run(stopped).await.unwrap();
        });
        Running {
            progress,
            stop: Some(stop),
            task,
        }
    }
}

pub(crate) fn task(user: &str, title: &str) -> Task {
    Task {
        user_id: user.to_owned(),
        task_id: Ulid::new(),
        title: title.to_owned(),
        description: None,
        status: TaskStatus::Pending,
        priority: None,
        category: None,
        due_date: None,
        created_at: 1_700_000_000,
        updated_at: 1_700_000_000,
        completed_at: None,
        ttl: None,
        revision: 1,
    }
}

/// A consumer that runs.
pub(crate) struct Running {
    pub(crate) progress: Progress,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
}

impl Running {
    /// Lets it finish.
    pub(crate) async fn stop(mut self) {
        self.stop.take().unwrap().send(()).unwrap();
        (&mut self.task).await.unwrap();
    }

    /// As a crash does it.
    pub(crate) async fn kill(self) {
        self.task.abort();
        let _ = self.task.await;
    }
}

/// Quick, for tests.
pub(crate) fn quick() -> Options {
    let mut options = Options::default();
    options.poll = Duration::from_millis(10);
    options.lease = Duration::from_secs(2);
    options.first_wait = Duration::from_millis(5);
    options.longest_wait = Duration::from_millis(40);
    options
}

/// What consumers got.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notebook(Arc<Mutex<Vec<Arc<Record>>>>);

impl Notebook {
    /// Writes down a record. The counts of tasks change with the tasks; they are not what the tests are about.
    pub(crate) fn note(&self, record: Arc<Record>) {
        let item = record.after.as_ref().or(record.before.as_ref());
        let kind = item.and_then(|item| item.get("Type")?.as_s().ok());
        if kind.is_some_and(|kind| kind == "TaskCounts") {
            return;
        }
        self.0.lock().unwrap().push(record);
    }

    /// A handler that writes down what it gets.
    pub(crate) fn handler(&self) -> impl Handler + use<> {
        let notebook = self.clone();
        move |record: Arc<Record>| {
            let notebook = notebook.clone();
            async move {
                notebook.note(record);
                Ok::<(), Failure>(())
            }
        }
    }

    pub(crate) fn records(&self) -> Vec<Arc<Record>> {
        self.0.lock().unwrap().clone()
    }

    /// The titles of the tasks, as they came.
    pub(crate) fn titles(&self) -> Vec<String> {
        self.records()
            .iter()
            .filter_map(|record| title(record))
            .collect()
    }

    /// Waits until so many came.
    pub(crate) async fn has(&self, many: usize) {
        until(|| self.records().len() >= many).await;
    }
}

/// The title a record's task has.
pub(crate) fn title(record: &Record) -> Option<String> {
    let item = record.after.as_ref().or(record.before.as_ref())?;
    Some(item.get("title")?.as_s().ok()?.clone())
}

/// Waits for something that must become true.
pub(crate) async fn until(mut holds: impl FnMut() -> bool) {
    let waited = tokio::time::timeout(Duration::from_secs(60), async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    waited.await.expect("it became true");
}
