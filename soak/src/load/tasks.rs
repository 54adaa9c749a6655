//! Admins who hand out tasks, and members who work on them.

use std::collections::{BTreeMap, BTreeSet};

use http::Method;
use serde_json::{Value, json};
use tablewright_testing::Reply;

use super::{ASKED_AGAIN, insist, text_of, told_again};
use crate::dice::Dice;
use crate::insist::{Asked, Going, Insistent};

const PRIORITIES: [&str; 3] = ["LOW", "MEDIUM", "HIGH"];

/// What an admin was told, of the tasks that nobody else changes.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) tasks: BTreeMap<String, Known>,
    pub(crate) gone: BTreeSet<String>,
    /// Who is deactivated now, of all who are known.
    pub(crate) deactivated: BTreeSet<String>,
    pub(crate) members: BTreeSet<String>,
    pub(crate) complaints: Vec<String>,
}

/// A task as it was acknowledged last.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    pub(crate) told: Value,
    pub(crate) revision: i64,
    pub(crate) assigned: BTreeSet<String>,
}

impl Known {
    fn status(&self) -> &str {
        self.told["status"].as_str().unwrap_or_default()
    }
}

/// An admin, and the members they hand tasks to, by name.
pub(crate) struct Office {
    pub(crate) name: String,
    pub(crate) admin: Insistent,
    pub(crate) members: Vec<(String, Insistent)>,
}

struct Worker<'a> {
    office: Office,
    dice: Dice,
    number: u64,
    ledger: &'a mut Ledger,
}

/// Makes everybody known. Nothing can be assigned before.
pub(crate) async fn all_come(office: &mut Office) -> Vec<String> {
    let mut complaints = Vec::new();
    let me = Asked::new(Method::GET, "/users/me", None);
    insist(&mut office.admin, &me, 200, &mut complaints).await;
    for (_, member) in &mut office.members {
        insist(member, &me, 200, &mut complaints).await;
    }
    complaints
}

/// Works until it is over, one request after another.
pub(crate) async fn work(office: Office, dice: Dice, going: &Going) -> Ledger {
    let members = office.members.iter().map(|(name, _)| name.clone());
    let mut ledger = Ledger {
        members: members.collect(),
        ..Ledger::default()
    };
    let mut worker = Worker {
        office,
        dice,
        number: 0,
        ledger: &mut ledger,
    };
    while !going.is_over() {
        match worker.dice.below(100) {
            0..25 => worker.writes_down().await,
            25..50 => worker.assigns().await,
            50..57 => worker.takes_from_somebody().await,
            57..72 => worker.changes().await,
            72..90 => worker.moves_on().await,
            90..94 => worker.closes().await,
            94..96 => worker.lets_in_or_out().await,
            _ => worker.deletes().await,
        }
        worker.office.admin.pause(80).await;
    }
    ledger
}

impl Worker<'_> {
    fn next(&mut self) -> String {
        self.number += 1;
        format!("{}-{}", self.office.name, self.number)
    }

    /// A task of which this holds.
    fn some_task(&mut self, which: impl Fn(&Known) -> bool) -> Option<String> {
        let tasks = self.ledger.tasks.iter();
        let ids: Vec<&String> = tasks
            .filter(|(_, known)| which(known))
            .map(|(id, _)| id)
            .collect();
        self.dice.pick(&ids).map(|id| (*id).clone())
    }

    /// What a member does, or the admin.
    async fn done(&mut self, member: Option<usize>, asked: Asked, status: u16) -> Option<Reply> {
        let key = self.next();
        let asked = asked.key(key);
        let who = match member {
            Some(which) => &mut self.office.members[which].1,
            None => &mut self.office.admin,
        };
        let complaints = &mut self.ledger.complaints;
        let reply = insist(who, &asked, status, complaints).await?;
        if self.dice.percent(ASKED_AGAIN) {
            told_again(who, &asked, &reply, complaints).await;
        }
        Some(reply)
    }

    async fn writes_down(&mut self) {
        let task = json!({ "title": self.next(), "priority": self.dice.pick(&PRIORITIES) });
        let asked = Asked::new(Method::POST, "/tasks", Some(task));
        if let Some(made) = self.done(None, asked, 201).await {
            let known = Known {
                told: made.body.clone(),
                revision: 1,
                ..Known::default()
            };
            self.ledger.tasks.insert(text_of(&made, "taskId"), known);
        }
    }

    async fn assigns(&mut self) {
        let is_open = |known: &Known| matches!(known.status(), "OPEN" | "IN_PROGRESS");
        let Some(id) = self.some_task(is_open) else {
            return;
        };
        let names: Vec<String> = self
            .office
            .members
            .iter()
            .map(|(name, _)| name.clone())
            .collect();
        let Some(user) = self.dice.pick(&names) else {
            return;
        };
        let assigned = &self.ledger.tasks[&id].assigned;
        let status = match assigned.contains(user) {
            _ if self.ledger.deactivated.contains(user) => 400,
            true => 409,
            false => 200,
        };
        let body = json!({ "userId": user });
        let asked = Asked::new(Method::POST, format!("/tasks/{id}/assign"), Some(body));
        if status != 200 {
            // What is refused is not remembered: it is not told again.
            let complaints = &mut self.ledger.complaints;
            insist(&mut self.office.admin, &asked, status, complaints).await;
        } else if self.done(None, asked, status).await.is_some()
            && let Some(known) = self.ledger.tasks.get_mut(&id)
        {
            known.assigned.insert(user.clone());
        }
    }

    async fn takes_from_somebody(&mut self) {
        let Some(id) = self.some_task(|known| !known.assigned.is_empty()) else {
            return;
        };
        let assigned: Vec<String> = self.ledger.tasks[&id].assigned.iter().cloned().collect();
        let Some(user) = self.dice.pick(&assigned) else {
            return;
        };
        let path = format!("/tasks/{id}/assignments/{user}");
        let ended = self.done(None, Asked::new(Method::DELETE, path, None), 204);
        if ended.await.is_some()
            && let Some(known) = self.ledger.tasks.get_mut(&id)
        {
            known.assigned.remove(user);
        }
    }

    async fn changes(&mut self) {
        let Some(id) = self.some_task(|known| known.status() != "CLOSED") else {
            return;
        };
        let body = json!({ "title": self.next(), "priority": self.dice.pick(&PRIORITIES) });
        let asked = Asked::new(Method::PUT, format!("/tasks/{id}"), Some(body));
        self.changed(None, id, asked).await;
    }

    /// By a member where one works on it, else by the admin.
    async fn moves_on(&mut self) {
        let Some(id) = self.some_task(|_| true) else {
            return;
        };
        let known = &self.ledger.tasks[&id];
        let to = match known.status() {
            "OPEN" => "IN_PROGRESS",
            "IN_PROGRESS" => "COMPLETED",
            "COMPLETED" => "IN_PROGRESS",
            _ => "OPEN",
        };
        let members = self.office.members.iter();
        let member = members.enumerate().find(|(_, (name, _))| {
            known.assigned.contains(name) && !self.ledger.deactivated.contains(name)
        });
        // Only an admin opens what is closed.
        let member = member.map(|(which, _)| which).filter(|_| to != "OPEN");
        let body = Some(json!({ "status": to }));
        let asked = Asked::new(Method::PUT, format!("/tasks/{id}/status"), body);
        self.changed(member, id, asked).await;
    }

    async fn closes(&mut self) {
        let Some(id) = self.some_task(|known| known.status() != "CLOSED") else {
            return;
        };
        let asked = Asked::new(Method::POST, format!("/tasks/{id}/close"), None);
        self.changed(None, id, asked).await;
    }

    /// The last of the members is deactivated at times; the others never are, and must have all their mails.
    async fn lets_in_or_out(&mut self) {
        let Some(which) = self.office.members.len().checked_sub(1) else {
            return;
        };
        let name = self.office.members[which].0.clone();
        let comes = self.ledger.deactivated.contains(&name);
        let body = json!({ "status": if comes { "ACTIVE" } else { "DEACTIVATED" } });
        let asked = Asked::new(Method::PUT, format!("/users/{name}/status"), Some(body));
        if self.done(None, asked, 200).await.is_none() {
            return;
        }
        match comes {
            true => self.ledger.deactivated.remove(&name),
            false => self.ledger.deactivated.insert(name),
        };
        // From the next request on.
        let me = Asked::new(Method::GET, "/users/me", None);
        let status = if comes { 200 } else { 403 };
        let member = &mut self.office.members[which].1;
        insist(member, &me, status, &mut self.ledger.complaints).await;
    }

    async fn changed(&mut self, member: Option<usize>, id: String, asked: Asked) {
        let changed = self.done(member, asked, 200).await;
        if let (Some(changed), Some(known)) = (changed, self.ledger.tasks.get_mut(&id)) {
            known.told = changed.body;
            known.revision += 1;
        }
    }

    async fn deletes(&mut self) {
        let Some(id) = self.some_task(|_| true) else {
            return;
        };
        let asked = Asked::new(Method::DELETE, format!("/tasks/{id}"), None);
        if self.done(None, asked, 204).await.is_some() {
            self.ledger.tasks.remove(&id);
            self.ledger.gone.insert(id);
        }
    }
}
