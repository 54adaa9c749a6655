//! People who keep their tasks.

use std::collections::BTreeMap;
use std::time::Duration;

use http::Method;
use serde_json::{Value, json};

use super::{ASKED_AGAIN, insist, text_of, told_again};
use crate::dice::Dice;
use crate::insist::{Asked, Going, Insistent};

const STATUSES: [&str; 4] = ["pending", "in_progress", "completed", "cancelled"];
const PRIORITIES: [&str; 4] = ["low", "medium", "high", "urgent"];

/// How long a request may be at work that nobody waits for any more.
const SETTLED: Duration = Duration::from_secs(2);

/// What one of those who write for a user was told.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) user: String,
    /// The tasks there must be, as they were acknowledged last.
    pub(crate) tasks: BTreeMap<String, Known>,
    /// What was remembered of requests up to this one is forgotten: the user has left since.
    pub(crate) forgotten: u64,
    /// The address, by who keeps it.
    pub(crate) email: Option<String>,
    /// What was answered otherwise than it should have been.
    pub(crate) complaints: Vec<String>,
}

/// A task as it was acknowledged last.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) told: Value,
    /// How often it was changed, and once for being made; none where that was not told.
    pub(crate) revision: Option<i64>,
}

struct Worker<'a> {
    who: Insistent,
    dice: Dice,
    name: String,
    number: u64,
    ledger: &'a mut Ledger,
}

/// Works until it is over, one request after another; several may work for one user, each on their own tasks. Who works alone does what is about all of them, too.
pub(crate) async fn work(
    who: Insistent,
    dice: Dice,
    going: &Going,
    user: String,
    part: usize,
    alone: bool,
) -> Ledger {
    let mut ledger = Ledger {
        user: user.clone(),
        ..Ledger::default()
    };
    let mut worker = Worker {
        who,
        dice,
        name: format!("{user}-{part}"),
        number: 0,
        ledger: &mut ledger,
    };
    if part == 0 {
        worker.says_who_they_are().await;
    }
    while !going.is_over() {
        match worker.dice.below(100) {
            0..35 => worker.writes_down().await,
            35..65 => worker.changes().await,
            65..75 => worker.writes_anew().await,
            75..87 => worker.deletes().await,
            87..96 if alone => worker.deletes_completed().await,
            96 if alone => worker.leaves().await,
            87..97 => worker.changes_many().await,
            _ if part == 0 => worker.says_who_they_are().await,
            _ => {}
        }
        worker.who.pause(60).await;
    }
    ledger
}

impl Worker<'_> {
    fn next(&mut self) -> String {
        self.number += 1;
        format!("{}-{}", self.name, self.number)
    }

    /// A task that differs from all others, and from itself before.
    fn task(&mut self) -> Value {
        let title = self.next();
        let mut task = json!({ "title": title });
        let dice = &mut self.dice;
        if dice.percent(50) {
            task["priority"] = json!(dice.pick(&PRIORITIES));
        }
        if dice.percent(50) {
            task["category"] = json!(format!("c{}", dice.below(4)));
        }
        if dice.percent(50) {
            // Some are overdue already.
            let year = if dice.percent(30) { 2020 } else { 2030 };
            task["due_date"] = json!(format!("{year}-01-{:02}", dice.between(1, 28)));
        }
        if dice.percent(50) {
            task["status"] = json!(dice.pick(&STATUSES));
        }
        task
    }

    fn some_task(&mut self) -> Option<String> {
        let ids: Vec<&String> = self.ledger.tasks.keys().collect();
        self.dice.pick(&ids).map(|id| (*id).clone())
    }

    async fn done(&mut self, asked: Asked, status: u16) -> Option<tablewright_testing::Reply> {
        let complaints = &mut self.ledger.complaints;
        let reply = insist(&mut self.who, &asked, status, complaints).await?;
        if self.dice.percent(ASKED_AGAIN) {
            told_again(&mut self.who, &asked, &reply, complaints).await;
        }
        Some(reply)
    }

    async fn says_who_they_are(&mut self) {
        let key = self.next();
        let email = format!("{key}@example.org");
        let user = json!({ "email": email, "name": self.name });
        let asked = Asked::new(Method::PUT, "/users/me", Some(user)).key(key);
        let status = if self.ledger.email.is_none() {
            201
        } else {
            200
        };
        if self.done(asked, status).await.is_some() {
            self.ledger.email = Some(email);
        }
    }

    async fn writes_down(&mut self) {
        let (task, key) = (self.task(), self.next());
        let asked = Asked::new(Method::POST, "/tasks", Some(task)).key(key);
        if let Some(made) = self.done(asked, 201).await {
            let known = Known {
                told: made.body.clone(),
                revision: Some(1),
            };
            self.ledger.tasks.insert(text_of(&made, "task_id"), known);
        }
    }

    async fn changes(&mut self) {
        let Some(id) = self.some_task() else { return };
        let mut patch = self.task();
        if self.dice.percent(30) {
            patch["category"] = Value::Null;
        }
        self.write(Method::PATCH, id, patch).await;
    }

    async fn writes_anew(&mut self) {
        let Some(id) = self.some_task() else { return };
        let task = self.task();
        self.write(Method::PUT, id, task).await;
    }

    async fn write(&mut self, method: Method, id: String, body: Value) {
        let key = self.next();
        let asked = Asked::new(method, format!("/tasks/{id}"), Some(body)).key(key);
        let written = self.done(asked, 200).await;
        if let (Some(written), Some(known)) = (written, self.ledger.tasks.get_mut(&id)) {
            known.told = written.body;
            // Its title is another each time.
            known.revision = known.revision.map(|revision| revision + 1);
        }
    }

    async fn deletes(&mut self) {
        let Some(id) = self.some_task() else { return };
        let key = self.next();
        let asked = Asked::new(Method::DELETE, format!("/tasks/{id}"), None).key(key);
        if self.done(asked, 204).await.is_some() {
            self.ledger.tasks.remove(&id);
        }
    }

    /// All that is completed, and nothing else.
    async fn deletes_completed(&mut self) {
        let is_completed = |known: &Known| known.told["status"] == "completed";
        let completed = self
            .ledger
            .tasks
            .values()
            .filter(|known| is_completed(known))
            .count();
        let mut deleted = 0;
        loop {
            let key = self.next();
            let asked = Asked::new(Method::POST, "/tasks/bulk/delete-completed", None).key(key);
            let Some(done) = self.done(asked, 200).await else {
                return;
            };
            deleted += done.body["deleted"].as_u64().unwrap_or(u64::MAX);
            match done.body["more"].as_bool() {
                Some(false) => break,
                // Some could not be deleted in time: that is said, and it goes on.
                Some(true) => self.who.pause(200).await,
                None => return self.ledger.complaints.push(done.text),
            }
        }
        if deleted > completed as u64 {
            let why = format!("{deleted} tasks were deleted where {completed} were completed");
            self.ledger.complaints.push(why);
        }
        self.ledger.tasks.retain(|_, known| !is_completed(known));
    }

    /// The user with all there is of them, who comes again later.
    async fn leaves(&mut self) {
        if self.ledger.email.is_none() {
            return;
        }
        // A request whose answer was lost may still be at work: what it writes after this is not forgotten.
        tokio::time::sleep(SETTLED).await;
        let key = self.next();
        let asked = Asked::new(Method::DELETE, "/users/me", None).key(key);
        let before = self.number;
        if self.done(asked, 204).await.is_some() {
            self.ledger.tasks.clear();
            self.ledger.email = None;
            self.ledger.forgotten = before;
        }
    }

    /// A status for many, of which each is told of.
    async fn changes_many(&mut self) {
        let mut ids: Vec<String> = (0..8).filter_map(|_| self.some_task()).collect();
        ids.sort();
        ids.dedup();
        if ids.is_empty() {
            return;
        }
        let (status, key) = (json!(self.dice.pick(&STATUSES)), self.next());
        let body = json!({ "status": status, "ids": ids });
        let asked = Asked::new(Method::POST, "/tasks/bulk/status", Some(body)).key(key);
        let Some(done) = self.done(asked, 200).await else {
            return;
        };
        for result in done.body["results"].as_array().into_iter().flatten() {
            let id = result["task_id"].as_str().unwrap_or_default();
            let Some(known) = self.ledger.tasks.get_mut(id) else {
                let foreign = format!("a request for many tells of {result}");
                self.ledger.complaints.push(foreign);
                continue;
            };
            match result["result"].as_str().unwrap_or_default() {
                // Of a request that another process has begun, what got the status in the same second counts as changed by it.
                "changed" if known.told["status"] == status => {}
                "changed" => {
                    known.told["status"] = status.clone();
                    known.revision = known.revision.map(|revision| revision + 1);
                }
                "unchanged" if known.told["status"] == status => {}
                // It was not done, or was and could not be told.
                "conflict" | "not_reached" => {
                    known.revision = None;
                    known.told["status"] = Value::Null;
                }
                _ => {
                    let wrong = format!("{result} of a task that was {}", known.told);
                    self.ledger.complaints.push(wrong);
                }
            }
        }
    }
}
