//! This test binary started again, as another process that pays until it is killed.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use accounts::model::Transfer;
use accounts::{Bank, BankError, RequestId};
use serde::{Deserialize, Serialize};
use tablewright::Store;
use tablewright_local::Engine;

use crate::support::{Dice, account, bank_in, order};

pub(crate) const ACCOUNTS: [&str; 4] = ["a", "b", "c", "d"];

/// What every account is opened with.
pub(crate) const OPENING: i64 = 100;

/// Names the data directory to the other process.
const DIRECTORY: &str = "ACCOUNTS_TEST_DIRECTORY";
const ROUND: &str = "ACCOUNTS_TEST_ROUND";

/// What the other process says before each payment that was acknowledged.
const SAID: &str = "acknowledged ";

const ROUNDS: u64 = 3;
const WRITERS: u64 = 4;

/// A payment that was acknowledged.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Acknowledged {
    Deposit { round: u64, writer: u64 },
    Transfer(Transfer),
}

/// A process that pays until it is killed.
pub(crate) struct Writer {
    child: Child,
    told: BufReader<ChildStdout>,
}

impl Writer {
    pub(crate) fn start(directory: &Path, round: u64) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["writer::pay_until_killed", "--exact", "--ignored"])
            .args(["--nocapture", "--test-threads=1"])
            .env(DIRECTORY, directory)
            .env(ROUND, round.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let told = BufReader::new(child.stdout.take().unwrap());
        Writer { child, told }
    }

    /// Every writer of every round.
    pub(crate) fn all() -> impl Iterator<Item = (u64, u64)> {
        (1..=ROUNDS).flat_map(|round| (0..WRITERS).map(move |writer| (round, writer)))
    }

    /// The next payment it was told has happened; none if it has ended.
    pub(crate) fn next(&mut self) -> Option<Acknowledged> {
        let mut line = String::new();
        while self.told.read_line(&mut line).unwrap() > 0 {
            // What it was about to say when it was killed is no acknowledgement.
            if let Some((_, said)) = line
                .strip_suffix('\n')
                .and_then(|line| line.split_once(SAID))
            {
                return Some(serde_json::from_str(said).unwrap());
            }
            line.clear();
        }
        None
    }

    /// Ends it as a loss of power would, and returns what it still had said.
    pub(crate) fn kill(mut self) -> Vec<Acknowledged> {
        self.child.kill().unwrap();
        let rest = std::iter::from_fn(|| self.next()).collect();
        self.child.wait().unwrap();
        rest
    }
}

impl Drop for Writer {
    /// A test that fails leaves no process behind.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn deposit_id(round: u64, writer: u64, number: usize) -> RequestId {
    RequestId::new(format!("writer-{round}-{writer}"), number.to_string())
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it is the process that another test starts and kills"]
async fn pay_until_killed() {
    let directory = std::env::var_os(DIRECTORY).expect("started by another test");
    let round: u64 = std::env::var(ROUND).unwrap().parse().unwrap();
    let engine = Engine::open(directory).unwrap();
    let bank = bank_in(&Store::new(engine.dynamodb())).await;
    for pk in ACCOUNTS {
        // The same request in every round: the accounts are opened once.
        let id = RequestId::new("opening", pk);
        bank.open(&id, account(pk, OPENING)).await.unwrap();
    }
    let writers = (0..WRITERS).map(|writer| tokio::spawn(pay(bank.clone(), round, writer)));
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
}

/// Deposits and transfers in turn, each said when it was acknowledged.
async fn pay(bank: Bank, round: u64, writer: u64) {
    for number in 0.. {
        let dice = Dice::new(round * 1000 + writer * 100 + number as u64);
        let amount = 1 + dice.below(30) as i64;
        let (source, target) = dice.pair(&ACCOUNTS);
        let id = deposit_id(round, writer, number);
        bank.deposit(&id, source, amount).await.unwrap();
        say(&Acknowledged::Deposit { round, writer });
        match bank.transfer(&order(source, target, amount)).await {
            Ok(transfer) => say(&Acknowledged::Transfer(transfer)),
            Err(BankError::NotEnough { .. } | BankError::Conflict) => {}
            Err(error) => panic!("{error}"),
        }
    }
}

fn say(acknowledged: &Acknowledged) {
    let text = serde_json::to_string(acknowledged).unwrap();
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{SAID}{text}").unwrap();
}
