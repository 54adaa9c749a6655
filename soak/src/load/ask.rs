//! Agents that ask, and people who answer.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use http::Method;
use serde_json::{Value, json};

use super::{ASKED_AGAIN, insist, text_of, told_again};
use crate::dice::Dice;
use crate::insist::{Asked, Going, Insistent};
use crate::lock;

/// How many open questions people look at.
const RECENT: usize = 12;

/// How often one person answers: the service lets them answer five times a minute, and what is tried counts.
const ANSWERS_EACH: usize = 2;

/// How many of a hundred people are banned after they have answered.
const BANNED: u64 = 20;

/// Questions that may accept answers, for those who answer.
pub(crate) type Open = Arc<Mutex<Vec<String>>>;

/// What an agent or a person was told.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// What was asked, by the id that was given.
    pub(crate) questions: BTreeMap<String, Value>,
    pub(crate) answers: Vec<Answered>,
    /// Whom an admin has banned, by an answer of theirs: the question, and whose it was.
    pub(crate) banned: Vec<(String, String)>,
    /// The devices that subscribe.
    pub(crate) devices: Vec<String>,
    pub(crate) complaints: Vec<String>,
}

/// An answer, and what was said of it.
#[derive(Debug, Clone)]
pub(crate) struct Answered {
    pub(crate) question: String,
    pub(crate) text: String,
    pub(crate) said: Said,
}

/// What was said of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    /// It is stored, under this id, with so many points.
    Stored { id: String, points: i64 },
    /// It was stored before: an answer to it was lost.
    StoredBefore,
    /// The question was over: it is not stored.
    Over,
    /// Too many were tried.
    TooMany,
    /// Its author was banned: it is not stored.
    Banned,
}

/// Asks until it is over.
pub(crate) async fn ask(
    mut agent: Insistent,
    mut dice: Dice,
    going: &Going,
    name: String,
    open: Open,
) -> Ledger {
    let mut ledger = Ledger::default();
    let mut number = 0;
    while !going.is_over() {
        number += 1;
        let (needed, long) = (dice.between(1, 4), dice.percent(75));
        let question = json!({
            "prompt": format!("What do you think of number {number} of {name}?"),
            "min_responses": needed,
            "timeout_seconds": if long { 86_400 } else { dice.between(60, 90) },
        });
        let key = format!("{name}-{number}");
        let asked = Asked::new(Method::POST, "~/agent/questions", Some(question.clone())).key(key);
        let complaints = &mut ledger.complaints;
        if let Some(reply) = insist(&mut agent, &asked, 201, complaints).await {
            let id = text_of(&reply, "question_id");
            {
                let mut open = lock(&open);
                open.push(id.clone());
                let enough = open.len().saturating_sub(RECENT);
                open.drain(..enough);
            }
            if dice.percent(ASKED_AGAIN) {
                told_again(&mut agent, &asked, &reply, complaints).await;
            }
            ledger.questions.insert(id, question);
        }
        agent.pause(600).await;
    }
    ledger
}

static NEXT: AtomicU32 = AtomicU32::new(1);

/// One person after another comes, perhaps with a device, answers, and leaves.
pub(crate) async fn answer(
    nobody: Insistent,
    mut boss: Insistent,
    mut dice: Dice,
    going: &Going,
    open: Open,
) -> Ledger {
    let mut ledger = Ledger::default();
    while !going.is_over() {
        // Each from an address of their own: one proxy says which.
        let number = NEXT.fetch_add(1, Ordering::SeqCst);
        let [_, a, b, c] = number.to_be_bytes();
        let from = format!("10.{a}.{b}.{c}");
        let asked = Asked::new(Method::POST, "~/human/people", None);
        let asked = asked.header("x-forwarded-for", &from);
        let mut nobody = nobody.clone();
        let Some(made) = insist(&mut nobody, &asked, 201, &mut ledger.complaints).await else {
            continue;
        };
        let mut person = Person {
            who: nobody.bearing(&text_of(&made, "token")),
            from,
            number,
            is_out: false,
        };
        if dice.percent(60) {
            person.subscribes(&mut ledger).await;
        }
        for which in 0..ANSWERS_EACH {
            let questions = lock(&open).clone();
            let Some(question) = dice.pick(&questions) else {
                break;
            };
            person.answers(question, which, &mut ledger).await;
            person.who.pause(250).await;
        }
        if dice.percent(BANNED) {
            let questions = lock(&open).clone();
            if let Some(question) = dice.pick(&questions) {
                person.is_banned(&mut boss, question, &mut ledger).await;
            }
        }
    }
    ledger
}

struct Person {
    who: Insistent,
    from: String,
    number: u32,
    /// Whether an admin has banned them.
    is_out: bool,
}

impl Person {
    fn asked(&self, method: Method, path: &str, body: Option<Value>) -> Asked {
        Asked::new(method, format!("~/human{path}"), body).header("x-forwarded-for", &self.from)
    }

    async fn subscribes(&mut self, ledger: &mut Ledger) {
        let device = format!("device-{}", self.number);
        let body = json!({ "fcm_token": device, "min_interval_minutes": 5 });
        let asked = self.asked(Method::POST, "/push/subscriptions", Some(body));
        if insist(&mut self.who, &asked, 201, &mut ledger.complaints)
            .await
            .is_some()
        {
            ledger.devices.push(device);
        }
    }

    /// Opens a question and answers it. It has no key: whoever has answered is told so.
    async fn answers(&mut self, question: &str, which: usize, ledger: &mut Ledger) {
        if ledger_has(ledger, self.number, question) {
            return;
        }
        if let Some(opened) = self.opens(question, ledger).await {
            self.says(question, &opened, which, ledger).await;
        }
    }

    /// None if it is over by now.
    async fn opens(&mut self, question: &str, ledger: &mut Ledger) -> Option<Value> {
        let path = format!("/questions/{question}");
        let asked = self.asked(Method::GET, &path, None);
        let opened = insist(&mut self.who, &asked, 200, &mut ledger.complaints).await?;
        (opened.body["can_answer"] != false).then(|| opened.body["opened"].clone())
    }

    async fn says(&mut self, question: &str, opened: &Value, which: usize, ledger: &mut Ledger) {
        let text = format!("Person {} says {which} to it", self.number);
        let body =
            json!({ "question_id": question, "opened": opened, "answer": text, "confidence": 3 });
        let asked = self.asked(Method::POST, "/responses", Some(body));
        let complaints = &mut ledger.complaints;
        let reply = match self.who.ask(&asked).await {
            Ok(reply) => reply,
            Err(why) => return complaints.push(why),
        };
        let said = match reply.status {
            403 if self.is_out => Said::Banned,
            201 if self.is_out => {
                return complaints.push(format!("who is banned answers: {}", reply.text));
            }
            201 => Said::Stored {
                id: text_of(&reply, "response_id"),
                points: reply.body["points_earned"].as_i64().unwrap_or(-1),
            },
            409 => Said::StoredBefore,
            410 => Said::Over,
            429 => Said::TooMany,
            _ => return complaints.push(format!("an answer is answered {}", reply.text)),
        };
        ledger.answers.push(Answered {
            question: question.to_owned(),
            text,
            said,
        });
    }
}

impl Person {
    /// An admin bans them for an answer, while they have another question before them: they answer it no more.
    async fn is_banned(&mut self, boss: &mut Insistent, next: &str, ledger: &mut Ledger) {
        let of_person = format!("Person {} says", self.number);
        let stored = |answer: &&Answered| {
            matches!(answer.said, Said::Stored { .. } | Said::StoredBefore)
                && answer.text.starts_with(&of_person)
        };
        let Some(answer) = ledger.answers.iter().rfind(stored).cloned() else {
            return;
        };
        let opened = match ledger_has(ledger, self.number, next) {
            true => None,
            false => self.opens(next, ledger).await,
        };
        let path = format!("~/admin/questions/{}/responses", answer.question);
        let asked = Asked::new(Method::GET, path, None);
        let Some(seen) = insist(boss, &asked, 200, &mut ledger.complaints).await else {
            return;
        };
        let mut seen = seen.body["items"].as_array().into_iter().flatten();
        let author = seen.find(|one| one["answer"] == answer.text);
        let Some(author) = author.and_then(|one| one["fingerprint_hash"].as_str()) else {
            return ledger
                .complaints
                .push(format!("an admin does not see {answer:?}"));
        };
        let decision = json!({ "question_id": answer.question, "fingerprint_hash": author, "review": "banned" });
        let asked = Asked::new(Method::POST, "~/admin/reviews", Some(decision));
        if insist(boss, &asked, 200, &mut ledger.complaints)
            .await
            .is_none()
        {
            return;
        }
        ledger.banned.push((answer.question, author.to_owned()));
        self.is_out = true;
        if let Some(opened) = opened {
            self.says(next, &opened, ANSWERS_EACH, ledger).await;
        }
    }
}

/// Whether this person has answered this question already.
fn ledger_has(ledger: &Ledger, number: u32, question: &str) -> bool {
    let of_person = format!("Person {number} says");
    let mut answers = ledger.answers.iter();
    answers.any(|answer| answer.question == question && answer.text.starts_with(&of_person))
}
