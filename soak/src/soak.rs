//! One run, from the first start to the last verdict.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tablewright::Entity as _;

use crate::arguments::Arguments;
use crate::chaos::{Chaos, Done};
use crate::crowd::{Crowd, Ledgers};
use crate::ground::Ground;
use crate::insist::Going;
use crate::rest::{come_to_rest, dead_letters};
use crate::told::Told;
use crate::verdicts::Verdicts;
use crate::verify;

/// How many requests are sent at most, whatever the time.
const MOST_REQUESTS: u64 = 500_000;

/// How often it is told how far it is.
const TELL_EVERY: Duration = Duration::from_secs(15);

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
    chaos.end(&mut ground)?;
    ground.until_ready().await?;
    going.over.store(true, Ordering::SeqCst);
    println!("the faults are over; what was begun comes to its end");
    let ledgers = crowd.disperse().await?;
    let mut verdicts = Verdicts::default();
    compare(&mut ground, &ledgers, &chaos.done, &going, &mut verdicts).await?;

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
        "{} requests, {} of them again, {} answered, {} internal errors; killed: {}; stopped for a while {} times; {} storms; mail away {} times, {} mails taken, {} unwillingly; push moody {} times, {} taken; agents told of {}, {} unwillingly",
        of(&going.sent),
        of(&going.again),
        of(&going.answered),
        of(&going.internal),
        kills.join(", "),
        done.freezes,
        done.storms,
        done.mail_away,
        ground.mail.taken().len(),
        ground.mail.unwilling(),
        done.push_moods,
        ground.firebase.taken().len(),
        ground.receiver.taken().len(),
        ground.receiver.unwilling(),
    )
}

/// Lets everybody come to rest, and compares all there is.
async fn compare(
    ground: &mut Ground,
    ledgers: &Ledgers,
    done: &Done,
    going: &Going,
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
    let internal = going.internal.load(Ordering::Relaxed);
    let internal = (internal > 0).then(|| format!("{internal} were"));
    let what = "no request was answered with an internal error";
    verdicts.hold("all", what, "", internal.into_iter().collect());

    println!("what is stored is compared with what was told");
    let until = jiff::Timestamp::now().as_second();
    let mut ends = Vec::new();
    for service in ground.services() {
        if !service.end().await? {
            ends.push(format!(
                "{} did not end well when it was asked to",
                service.name
            ));
        }
        ends.append(&mut service.panics);
        ends.extend(service.said_of_panics()?);
    }
    let ended = ground.services().map(|service| service.ended);
    let ended: u32 = ended.into_iter().sum();
    let note = format!("ended by themselves {ended} times");
    verdicts.hold(
        "all",
        "nothing panicked, and all ended when asked to",
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
    let heard = verify::ask::Heard {
        pushed: &ground.firebase.taken(),
        agents: &ground.receiver.taken(),
        strange: ground.receiver.strange(),
        until,
    };
    verify::ask::verify(&ground.engine, &ledgers.ask, heard, verdicts).await
}
