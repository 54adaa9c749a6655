//! A process is killed while it writes: what it was told is done is there afterwards, with everything that belongs to it.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use tablewright::{Store, Ulid, tables};
use tablewright_local::Engine;
use todo::model::{SCHEMA, TaskPriority, TaskStatus, Todo};

use crate::support::{task, user};

const FOLDER: &str = "TABLEWRIGHT_CRASH_FOLDER";
const ROUND: &str = "TABLEWRIGHT_CRASH_ROUND";

/// Not a test by itself: what the killed process does.
#[tokio::test]
async fn writer_that_will_be_killed() {
    let (Some(folder), Ok(round)) = (std::env::var_os(FOLDER), std::env::var(ROUND)) else {
        return;
    };
    let todo = open(Path::new(&folder)).await;
    for number in 0.. {
        let id = format!("u{round}-{number}");
        todo.users
            .create_user(user(&id, &format!("{id}@example.com")), None)
            .await
            .unwrap();
        let mut new = task("ada", &id);
        new.priority = Some(TaskPriority::Urgent);
        let stored = todo
            .tasks
            .create_task(new, None)
            .await
            .unwrap()
            .done()
            .unwrap();
        // Only now it is acknowledged.
        eprintln!("acknowledged {id} {}", stored.task_id);
    }
}

async fn open(folder: &Path) -> Todo {
    let engine = Engine::open(folder).unwrap();
    let store = Store::new(engine.dynamodb());
    tables::bring_up_to_date(&store, &SCHEMA).await.unwrap();
    Todo::new(&store)
}

#[tokio::test]
async fn every_acknowledged_write_its_index_entries_guards_and_counters_survive_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged: Vec<(String, Ulid)> = Vec::new();
    for (round, kill_after) in [3, 11, 29].into_iter().enumerate() {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "crash::writer_that_will_be_killed",
                "--nocapture",
            ])
            .env(FOLDER, folder.path())
            .env(ROUND, round.to_string())
            .env_remove(tablewright_local::ENDPOINT_VARIABLE)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let before = acknowledged.len();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        for line in lines.map_while(Result::ok) {
            if let Some(rest) = line.strip_prefix("acknowledged ") {
                let (id, task_id) = rest.split_once(' ').unwrap();
                acknowledged.push((id.to_owned(), task_id.parse().unwrap()));
                if acknowledged.len() == before + kill_after {
                    // SIGKILL; what was said before it was read counts as well.
                    child.kill().unwrap();
                }
            }
        }
        child.wait().unwrap();
        assert!(acknowledged.len() >= before + kill_after);
    }
    let todo = open(folder.path()).await;
    for (id, task_id) in &acknowledged {
        let user = todo
            .users
            .user(id)
            .await
            .unwrap()
            .unwrap_or_else(|| panic!("{id} is lost"));
        let guarded = todo.users.user_by_email(&user.email).await.unwrap();
        assert_eq!(
            guarded.map(|found| found.data),
            Some(user.data),
            "the guard of {id}"
        );
        assert!(
            todo.tasks.task("ada", *task_id).await.unwrap().is_some(),
            "{task_id} is lost"
        );
    }
    let tasks = todo.tasks.tasks("ada").all().collect().await.unwrap();
    assert!(tasks.len() >= acknowledged.len());
    let by_status = todo
        .tasks
        .tasks_by_status("ada", TaskStatus::Pending)
        .all()
        .collect()
        .await
        .unwrap();
    assert_eq!(
        by_status.len(),
        tasks.len(),
        "an index entry for every item"
    );
    let by_priority = todo
        .tasks
        .tasks_by_priority("ada", TaskPriority::Urgent)
        .count()
        .await
        .unwrap();
    assert_eq!(by_priority, tasks.len() as u64);
    let counts = todo.task_counts.task_counts("ada").await.unwrap().unwrap();
    assert_eq!(
        (counts.total, counts.by_status_pending),
        (tasks.len() as i64, tasks.len() as i64)
    );
}
