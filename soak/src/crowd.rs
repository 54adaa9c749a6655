//! Everybody who uses the services, at once.

use std::sync::Arc;

use anyhow::Context as _;
use http::Method;
use serde_json::json;
use tablewright_testing::Caller;
use tokio::task::JoinHandle;

use crate::dice::Dice;
use crate::ground::Ground;
use crate::insist::{Asked, Going, Insistent};
use crate::load;

/// Users of the To-Do API, and how many write for each at once.
const USERS: usize = 4;
const FOR_EACH: usize = 2;

/// Users for whom one writes alone, who delete all they have completed, leave, and come again.
const ALONE: usize = 2;

const OFFICES: usize = 3;
const MEMBERS: usize = 3;
const AGENTS: usize = 2;
const ANSWERING: usize = 4;

/// Everybody at work.
pub(crate) struct Crowd {
    todo: Vec<JoinHandle<load::todo::Ledger>>,
    tasks: Vec<JoinHandle<load::tasks::Ledger>>,
    ask: Vec<JoinHandle<load::ask::Ledger>>,
}

/// What they were told.
pub(crate) struct Ledgers {
    pub(crate) todo: Vec<load::todo::Ledger>,
    pub(crate) tasks: Vec<load::tasks::Ledger>,
    pub(crate) ask: Vec<load::ask::Ledger>,
}

impl Crowd {
    /// Makes everybody known, and lets them begin.
    pub(crate) async fn gather(
        ground: &Ground,
        going: &Arc<Going>,
        seed: u64,
    ) -> anyhow::Result<Self> {
        let insistent = |address: &str, token: Option<String>, name: &str| {
            let caller = Caller::new(address).bearing(token);
            Insistent::new(caller, going, Dice::of(seed, name))
        };
        let mut todo = Vec::new();
        let several = (0..USERS).map(|user| (format!("user-{user}"), FOR_EACH));
        let alone = (0..ALONE).map(|user| (format!("alone-{user}"), 1));
        for (user, parts) in several.chain(alone) {
            for part in 0..parts {
                let (user, is_alone) = (user.clone(), parts == 1);
                let name = format!("{user}-{part}");
                let who = insistent(&ground.todo.address, Some(ground.token(&user, None)), &name);
                let (dice, going) = (Dice::of(seed, &format!("{name} works")), Arc::clone(going));
                let work =
                    async move { load::todo::work(who, dice, &going, user, part, is_alone).await };
                todo.push(tokio::spawn(work));
            }
        }
        let mut tasks = Vec::new();
        for office in 0..OFFICES {
            let name = format!("admin-{office}");
            let of = |name: &str, group| {
                insistent(
                    &ground.tasks.address,
                    Some(ground.token(name, Some(group))),
                    name,
                )
            };
            let members = (0..MEMBERS).map(|member| format!("member-{office}-{member}"));
            let members = members.map(|name| (name.clone(), of(&name, "Members")));
            let mut office = load::tasks::Office {
                admin: of(&name, "Admins"),
                members: members.collect(),
                name: name.clone(),
            };
            let complaints = load::tasks::all_come(&mut office).await;
            anyhow::ensure!(complaints.is_empty(), "{complaints:?}");
            let (dice, going) = (Dice::of(seed, &format!("{name} works")), Arc::clone(going));
            let work = async move { load::tasks::work(office, dice, &going).await };
            tasks.push(tokio::spawn(work));
        }
        let mut ask = Vec::new();
        let open = load::ask::Open::default();
        for agent in 0..AGENTS {
            let name = format!("agent-{agent}");
            let key = agent_key(ground, &name).await?;
            let who = insistent(&ground.ask.address, Some(key), &name);
            let (dice, going) = (Dice::of(seed, &format!("{name} asks")), Arc::clone(going));
            let open = Arc::clone(&open);
            let work = async move { load::ask::ask(who, dice, &going, name, open).await };
            ask.push(tokio::spawn(work));
        }
        for person in 0..ANSWERING {
            let name = format!("person-{person}");
            let who = insistent(&ground.ask.address, None, &name);
            let (dice, going) = (
                Dice::of(seed, &format!("{name} answers")),
                Arc::clone(going),
            );
            let boss = Some(ground.token("boss", Some("Admins")));
            let boss = insistent(&ground.ask.address, boss, &format!("boss of {name}"));
            let open = Arc::clone(&open);
            let work = async move { load::ask::answer(who, boss, dice, &going, open).await };
            ask.push(tokio::spawn(work));
        }
        Ok(Crowd { todo, tasks, ask })
    }

    /// Waits until all have come to the end of what they were at.
    pub(crate) async fn disperse(self) -> anyhow::Result<Ledgers> {
        Ok(Ledgers {
            todo: all(self.todo).await?,
            tasks: all(self.tasks).await?,
            ask: all(self.ask).await?,
        })
    }
}

async fn all<T>(handles: Vec<JoinHandle<T>>) -> anyhow::Result<Vec<T>> {
    let mut all = Vec::new();
    for handle in handles {
        all.push(handle.await.context("somebody who worked has panicked")?);
    }
    Ok(all)
}

/// Makes an agent known that may ask much and is told when a question is over; gives its key.
async fn agent_key(ground: &Ground, name: &str) -> anyhow::Result<String> {
    let admin = Caller::new(&ground.ask.address);
    let admin = admin.bearing(Some(ground.token("boss", Some("Admins"))));
    let said = json!({
        "questions_per_hour": 100_000,
        "open_questions": 10_000,
        "polls_per_hour": 1_000_000,
        "webhook_url": ground.receiver.url_of(name),
    });
    let made = admin.put(&format!("~/admin/agents/{name}"), said).await;
    anyhow::ensure!(made.status < 300, "{}", made.text);
    let secret = made.body["webhook_secret"].as_str();
    let secret = secret.with_context(|| made.text.clone())?;
    ground.receiver.expects(name, secret);
    let asked = Asked::new(
        Method::POST,
        format!("~/admin/agents/{name}/keys"),
        Some(json!({ "label": "soak" })),
    );
    let made = admin.send(asked.method, &asked.path, asked.body, &[]).await;
    let key = made.body["key"].as_str();
    Ok(key.with_context(|| made.text.clone())?.to_owned())
}
