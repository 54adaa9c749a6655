//! A process that is killed loses nothing it had acknowledged, does nothing by halves, and leaves indexes that agree with their tables.

use accounts::Bank;
use tablewright::Store;
use tablewright_local::Engine;

use crate::books;
use crate::writer::{ACCOUNTS, Acknowledged, OPENING, Writer, deposit_id};

/// C4-6, C4-16, C4-17
#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_outlives_a_kill_and_the_books_agree() {
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged: Vec<Acknowledged> = Vec::new();
    // A killed process leaves its lock file and an open log; the next ones begin with them.
    for (round, after) in [(1, 1), (2, 40), (3, 90)] {
        let mut writer = Writer::start(folder.path(), round);
        let told: Vec<Acknowledged> = (0..after).map_while(|_| writer.next()).collect();
        assert_eq!(told.len(), after, "it ended by itself");
        acknowledged.extend(told);
        acknowledged.extend(writer.kill());
        check(folder.path(), &acknowledged).await;
    }
}

async fn check(folder: &std::path::Path, acknowledged: &[Acknowledged]) {
    let engine = Engine::open(folder).unwrap();
    let bank = Bank::new(&Store::new(engine.dynamodb()));
    let books = books::of(&bank).await;
    for told in acknowledged {
        if let Acknowledged::Transfer(transfer) = told {
            assert_eq!(books.transfers.get(&transfer.transfer_id), Some(transfer));
        }
    }
    let deposits = deposits(&bank, acknowledged).await;
    for pk in ACCOUNTS {
        let moved = books.moved.get(pk).copied().unwrap_or_default();
        let paid_in: i64 = deposits
            .iter()
            .filter(|(into, _)| into == pk)
            .map(|(_, amount)| amount)
            .sum();
        assert_eq!(books.balances[pk], OPENING + paid_in + moved, "{pk}");
        assert!(books.balances[pk] >= 0);
    }
}

/// The deposits that happened, by their records: all that were acknowledged, and those that were under way when the process was killed.
async fn deposits(bank: &Bank, acknowledged: &[Acknowledged]) -> Vec<(String, i64)> {
    let mut found = Vec::new();
    for (round, writer) in Writer::all() {
        let told = |told: &&Acknowledged| matches!(told, Acknowledged::Deposit { round: r, writer: w, .. } if (*r, *w) == (round, writer));
        let told = acknowledged.iter().filter(told).count();
        // A writer has one payment under way: at most one more has happened than it said.
        for number in 0..=told {
            let id = deposit_id(round, writer, number);
            let requests = &bank.repositories().account_requests;
            let record = requests.answer(&id.caller, &id.id).await.unwrap();
            assert!(record.is_some() || number == told, "{id:?} is lost");
            if let Some(record) = record {
                let receipt: accounts::Receipt =
                    serde_json::from_str(&record.response_data).unwrap();
                found.push((receipt.pk, receipt.amount));
            }
        }
        let beyond = deposit_id(round, writer, told + 1);
        let requests = &bank.repositories().account_requests;
        let beyond = requests.answer(&beyond.caller, &beyond.id).await.unwrap();
        assert_eq!(beyond, None);
    }
    found
}
