//! One run, from the first start to the last verdict.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use http::Method;
use serde_json::json;
use tablewright::Entity as _;
use tablewright_testing::Caller;
use tokio::task::JoinHandle;

use crate::arguments::Arguments;
use crate::chaos::{Chaos, Done};
use crate::dice::Dice;
use crate::ground::Ground;
use crate::insist::{Asked, Going, Insistent};
use crate::load;
use crate::rest::{come_to_rest, dead_letters};
use crate::told::Told;
use crate::verdicts::Verdicts;
use crate::verify;

/// How many requests are sent at most, whatever the time.
const MOST_REQUESTS: u64 = 500_000;

/// Users of the To-Do API, and how many write for each at once.
const USERS: usize = 4;
const FOR_EACH: usize = 2;

const OFFICES: usize = 3;
const MEMBERS: usize = 3;
const AGENTS: usize = 2;
const ANSWERING: usize = 4;

/// How often it is told how far it is.
const TELL_EVERY: Duration = Duration::from_secs(15);

/// Everybody at work.
struct Crowd {
    todo: Vec<JoinHandle<load::todo::Ledger>>,
    tasks: Vec<JoinHandle<load::tasks::Ledger>>,
    ask: Vec<JoinHandle<load::ask::Ledger>>,
}

/// What they were told.
struct Ledgers {
    todo: Vec<load::todo::Ledger>,
    tasks: Vec<load::tasks::Ledger>,
    ask: Vec<load::ask::Ledger>,
}

/// Runs it. Says whether everything holds.
pub(crate) async fn soak(arguments: &Arguments) -> anyhow::Result<bool> {
    let Arguments { time, seed } = *arguments;
    println!("seed {seed}, {:.1} minutes", time.as_secs_f64() / 60.0);
    let mut ground = Ground::new(seed).await?;
    ground.until_ready().await?;
    println!(
        "todo, tasks and ask serve; their logs are in {}",
        ground.folder.path().display()
    );
    let going = Arc::new(Going::bounded_by(MOST_REQUESTS));
    let crowd = Crowd::gather(&ground, &going, seed).await?;

    let mut chaos = Chaos::new(seed);
    chaos.begin(&ground);
    let begun = Instant::now();
    let mut told = begun;
    while begun.elapsed() < time && !going.is_over() {
        chaos.step(&mut ground).await?;
        if told.elapsed() >= TELL_EVERY {
            told = Instant::now();
            println!(
                "{:>5} s  {}",
                begun.elapsed().as_secs(),
                told_of(&going, &ground, &chaos.done)
            );
        }
    }
    chaos.end(&ground);
    ground.until_ready().await?;
    going.over.store(true, Ordering::SeqCst);
    println!("the faults are over; what was begun comes to its end");
    let ledgers = crowd.disperse().await?;
    let mut verdicts = Verdicts::default();
    compare(&mut ground, &ledgers, &chaos.done, &mut verdicts).await?;

    println!("\nseed {seed}: {}", told_of(&going, &ground, &chaos.done));
    println!("on the way to the engine: {}", ground.faults);
    println!("{}", verdicts.told());
    let broken = verdicts.broken();
    if broken > 0 {
        ground.folder.disable_cleanup(true);
        println!(
            "{broken} do not hold; logs, lake and events are in {}",
            ground.folder.path().display()
        );
    }
    Ok(broken == 0)
}

fn told_of(going: &Going, ground: &Ground, done: &Done) -> String {
    let of = |number: &std::sync::atomic::AtomicU64| number.load(Ordering::Relaxed);
    let kills: Vec<String> = done
        .kills
        .iter()
        .map(|(name, times)| format!("{name} {times}"))
        .collect();
    format!(
        "{} requests, {} of them again, {} answered, {} internal errors; killed: {}; {} storms; mail away {} times, {} mails taken, {} unwillingly; push moody {} times, {} taken",
        of(&going.sent),
        of(&going.again),
        of(&going.answered),
        of(&going.internal),
        kills.join(", "),
        done.storms,
        done.mail_away,
        ground.mail.taken().len(),
        ground.mail.unwilling(),
        done.push_moods,
        ground.firebase.taken().len(),
    )
}

impl Crowd {
    /// Makes everybody known, and lets them begin.
    async fn gather(ground: &Ground, going: &Arc<Going>, seed: u64) -> anyhow::Result<Self> {
        let insistent = |address: &str, token: Option<String>, name: &str| {
            let caller = Caller::new(address).bearing(token);
            Insistent::new(caller, going, Dice::of(seed, name))
        };
        let mut todo = Vec::new();
        for user in 0..USERS {
            for part in 0..FOR_EACH {
                let user = format!("user-{user}");
                let name = format!("{user}-{part}");
                let who = insistent(&ground.todo.address, Some(ground.token(&user, None)), &name);
                let (dice, going) = (Dice::of(seed, &format!("{name} works")), Arc::clone(going));
                let work = async move { load::todo::work(who, dice, &going, user, part).await };
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
            let open = Arc::clone(&open);
            let work = async move { load::ask::answer(who, dice, &going, open).await };
            ask.push(tokio::spawn(work));
        }
        Ok(Crowd { todo, tasks, ask })
    }

    /// Waits until all have come to the end of what they were at.
    async fn disperse(self) -> anyhow::Result<Ledgers> {
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

/// Makes an agent known that may ask much; gives its key.
async fn agent_key(ground: &Ground, name: &str) -> anyhow::Result<String> {
    let admin = Caller::new(&ground.ask.address);
    let admin = admin.bearing(Some(ground.token("boss", Some("Admins"))));
    let quota = json!({ "questions_per_hour": 100_000, "open_questions": 10_000, "polls_per_hour": 1_000_000 });
    let made = admin.put(&format!("~/admin/agents/{name}"), quota).await;
    anyhow::ensure!(made.status < 300, "{}", made.text);
    let asked = Asked::new(
        Method::POST,
        format!("~/admin/agents/{name}/keys"),
        Some(json!({ "label": "soak" })),
    );
    let made = admin.send(asked.method, &asked.path, asked.body, &[]).await;
    let key = made.body["key"].as_str();
    Ok(key.with_context(|| made.text.clone())?.to_owned())
}

/// Lets everybody come to rest, and compares all there is.
async fn compare(
    ground: &mut Ground,
    ledgers: &Ledgers,
    done: &Done,
    verdicts: &mut Verdicts,
) -> anyhow::Result<()> {
    let tables = [
        &todo::model::Task::descriptor().table,
        &tasks::model::Task::descriptor().table,
        &ask::model::Question::descriptor().table,
    ];
    let mut told = tables.map(|table| Told::new(&ground.engine, table));
    let behind = come_to_rest(&ground.engine, &mut told).await?;
    let many: usize = told.iter().map(Told::many).sum();
    let what = "all who follow changes have handled all of them";
    verdicts.hold("all", what, format!("{many} changes"), behind);
    let dead = dead_letters(&ground.engine).await?;
    verdicts.hold("all", "nothing was given up", "", dead);
    let complaints = [
        ledgers
            .todo
            .iter()
            .flat_map(|one| one.complaints.clone())
            .collect::<Vec<_>>(),
        ledgers
            .tasks
            .iter()
            .flat_map(|one| one.complaints.clone())
            .collect(),
        ledgers
            .ask
            .iter()
            .flat_map(|one| one.complaints.clone())
            .collect(),
    ];
    let what = "every request was answered, as it should be, and told again the same";
    verdicts.hold("all", what, "", complaints.concat());

    println!("what is stored is compared with what was told");
    let mut ends = Vec::new();
    for service in ground.services() {
        if !service.end().await? {
            ends.push(format!(
                "{} did not end well when it was asked to",
                service.name
            ));
        }
        ends.append(&mut service.panics);
    }
    let ended = ground.services().map(|service| service.ended);
    let ended: u32 = ended.into_iter().sum();
    let note = format!("ended by themselves {ended} times");
    verdicts.hold(
        "all",
        "no process panicked, and all ended when asked to",
        note,
        ends,
    );

    let [todo, tasks, _] = &told;
    let check = ground.todo.command();
    verify::todo::verify(&ground.engine, &ledgers.todo, check, verdicts).await?;
    verify::lake::verify(&ground.engine, &ground.lake(), todo, verdicts).await?;
    let records = tasks.records(&ground.engine).await?;
    let missing = tasks.many() - records.len().min(tasks.many());
    anyhow::ensure!(
        missing == 0,
        "{missing} changes of the task manager could not be read"
    );
    let of_tasks = verify::tasks::Ground {
        engine: &ground.engine,
        records: &records,
        events: &ground.events(),
        server: &ground.mail,
        kills: &done.tasks_killed,
    };
    verify::tasks::verify(&of_tasks, &ledgers.tasks, verdicts).await?;
    let pushed = ground.firebase.taken();
    verify::ask::verify(&ground.engine, &ledgers.ask, &pushed, verdicts).await
}
