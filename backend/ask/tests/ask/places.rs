//! The quota of open questions: exact, however many processes take and give back places at once.

use std::collections::BTreeMap;

use ask::model::{Agent, Question};
use ask::{ABOUT, AgentSaid, SETTINGS, Sweeper, Telling, add_agent, consumers};
use serde_json::{Value, json};
use tablewright::Store;
use tablewright_service::{Settings, Sources};
use tablewright_testing::Wire;
use tokio::task::JoinSet;

use crate::person::{Hands, Person, places_agree, words};
use crate::support::{Api, Asks as _, Caller, question};
use crate::town;

const NOON: &str = "2026-11-18T12:00:00.000Z";

fn five_open() -> AgentSaid {
    AgentSaid {
        questions_per_hour: Some(1000),
        open_questions: Some(5),
        ..AgentSaid::default()
    }
}

/// Two services that know nothing of each other but what is stored, and an agent of both.
async fn two_services(clock: &Hands) -> (Api, Api, [Caller; 2]) {
    let wire = Wire::where_transactions_meet();
    let engine = &wire.engine;
    let store = || {
        let store = Store::builder(wire.client());
        store.clock(clock.clone()).build()
    };
    let hops = [("TABLEWRIGHT_FORWARDED_HOPS", "1")];
    let one = Api::with(engine.clone(), &store(), &hops).await;
    let two = Api::with(engine.clone(), &store(), &hops).await;
    let by_one = one.agent_with("five", five_open()).await;
    let by_two = two.agent_with("five", five_open()).await;
    (one, two, [by_one, by_two])
}

async fn ask_at_once(agents: &[Caller; 2], each: usize, asked: Value) -> BTreeMap<u16, usize> {
    let mut replies = JoinSet::new();
    for agent in agents {
        for _ in 0..each {
            let (agent, asked) = (agent.clone(), asked.clone());
            replies.spawn(async move { agent.post("~/agent/questions", asked).await });
        }
    }
    let mut told = BTreeMap::new();
    for reply in replies.join_all().await {
        *told.entry(reply.status).or_default() += 1;
        if reply.status == 403 {
            reply.problem(403, "quota-exceeded");
        }
    }
    told
}

async fn agree(api: &Api) -> i64 {
    let agents = api.stored::<Agent>().await;
    places_agree(&agents, &api.stored::<Question>().await);
    agents.iter().map(|agent| agent.places_taken).sum()
}

/// However many processes ask, and however many answers come at once: never one open too many, and each place is given back once.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixty_asked_at_once_in_two_processes_are_five_and_the_last_answer_gives_the_place_back() {
    let clock = Hands::at(NOON);
    let (one, two, agents) = two_services(&clock).await;
    let asked =
        json!({ "prompt": "Is this a nice number?", "min_responses": 1, "timeout_seconds": 3600 });
    for _ in 0..2 {
        let told = ask_at_once(&agents, 30, asked.clone()).await;
        assert_eq!(told, BTreeMap::from([(201, 5), (403, 55)]));
        assert_eq!(agree(&one).await, 5);

        let open = one.stored::<Question>().await;
        let open = open.iter().filter(|question| question.place.is_some());
        let mut people = Vec::new();
        for question in open {
            let id = question.question_id.to_string();
            for api in [&one, &two] {
                let person = Person::new(&api.nobody()).await;
                people.push((person.opens(&id).await, person, id.clone()));
            }
        }
        let mut answers = JoinSet::new();
        for (opened, person, id) in people {
            answers.spawn(async move { person.responds(&id, &opened, words(7)).await.status });
        }
        let statuses = answers.join_all().await;
        let stored = statuses.iter().filter(|status| **status == 201).count();
        assert_eq!((stored, statuses.len()), (5, 10), "{statuses:?}");
        assert_eq!(agree(&one).await, 0);
    }
}

/// Two sweepers, and agents who ask while both are at it: what is over its time holds no place, and gives it back once.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_over_its_time_gives_its_place_back_once() {
    let clock = Hands::at(NOON);
    let (one, two, agents) = two_services(&clock).await;
    let asked = json!({ "prompt": "Is this a nice number?", "timeout_seconds": 60 });
    for _ in 0..3 {
        let told = ask_at_once(&agents, 10, asked.clone()).await;
        assert_eq!(told, BTreeMap::from([(201, 5), (403, 15)]));
        clock.forward(60);
        let sweepers = [Sweeper::new(&one.app), Sweeper::new(&two.app)];
        let (told, first, second) = tokio::join!(
            ask_at_once(&agents, 10, asked.clone()),
            sweepers[0].sweep(),
            sweepers[1].sweep(),
        );
        first.and(second).unwrap();
        assert_eq!(told, BTreeMap::from([(201, 5), (403, 15)]));
        assert_eq!(agree(&one).await, 5);
        clock.forward(60);
    }
}

/// The same request under its key is answered the same, though the agent has no place left.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn what_is_told_again_needs_no_place() {
    let clock = Hands::at(NOON);
    let (one, _two, agents) = two_services(&clock).await;
    let said = AgentSaid {
        open_questions: Some(1),
        ..AgentSaid::default()
    };
    add_agent(&one.ask, "five", &said).await.unwrap();
    let mut replies = JoinSet::new();
    for number in 0..40 {
        let agent = agents[number % 2].clone();
        replies.spawn(async move {
            let key = [("idempotency-key", "one")];
            agent
                .send(
                    http::Method::POST,
                    "~/agent/questions",
                    Some(question()),
                    &key,
                )
                .await
                .expect(201)
                .body
        });
    }
    let replies = replies.join_all().await;
    assert!(replies.iter().all(|reply| reply == &replies[0]));
    assert_eq!(agree(&one).await, 1);
}

/// An admin changes a quota while the agent asks: both come through.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_quota_changes_while_its_places_do() {
    let clock = Hands::at(NOON);
    let (one, _two, agents) = two_services(&clock).await;
    let said = |open| AgentSaid {
        open_questions: Some(open),
        ..AgentSaid::default()
    };
    add_agent(&one.ask, "five", &said(60)).await.unwrap();
    let changes = async {
        for open in 61..=100 {
            add_agent(&one.ask, "five", &said(open)).await.unwrap();
        }
    };
    let (told, ()) = tokio::join!(ask_at_once(&agents, 30, question()), changes);
    assert_eq!(told, BTreeMap::from([(201, 60)]));
    let agents = one.stored::<Agent>().await;
    assert_eq!(
        (agents[0].open_questions, agents[0].places_taken),
        (100, 60)
    );
    agree(&one).await;
}

/// Nobody has swept for days, and time deletes the question with its place.
#[tokio::test(flavor = "multi_thread")]
async fn what_time_deletes_gives_its_place_back() {
    let town = town::Town::new().await;
    town.clock.by_seconds(-3 * 86_400);
    town.api.agent("old").await.asks(question()).await;
    town.clock.by_seconds(3 * 86_400);
    let young = town.api.agent("young").await;
    young.asks(question()).await;
    town.api.engine.sweep_ttl().unwrap();
    assert_eq!(town.api.stored::<Question>().await.len(), 1);
    let sources = Sources::none()
        .variable("TABLEWRIGHT_ENDPOINT", "temporary")
        .variable("TABLEWRIGHT_SWEEP_EVERY", "1m");
    let settings = Settings::from_sources(&ABOUT, SETTINGS, &sources).unwrap();
    let running = consumers(
        &town.api.app,
        &town.following(),
        Telling::of(&settings).unwrap(),
    );
    let taken = async || taken_of(&town.api, "old").await;
    let waited = tokio::time::timeout(std::time::Duration::from_secs(60), async {
        while taken().await != 0 {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    });
    waited.await.expect("the place is given back");
    running.stop().await;
    assert_eq!(taken_of(&town.api, "young").await, 1);
    agree(&town.api).await;
}

async fn taken_of(api: &Api, agent_id: &str) -> i64 {
    let agent = api.ask.agents.agent(agent_id).await.unwrap().unwrap();
    agent.places_taken
}
