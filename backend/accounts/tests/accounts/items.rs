//! An item of every version there ever was, as it was stored, in `tests/items/<entity>.v<N>.json`: it is what the snapshot of that
//! version says, and is read as the present type, as it stands in `<entity>.json`. S4-17, C4-11, C4-12

use std::path::{Path, PathBuf};

use accounts::Bank;
use accounts::model::{AccountData, AccountRequest, Transfer};
use serde_json::{Value, json};
use tablewright::{Entity, Repository, Store, Stored};
use tablewright_local::Engine;

use crate::schema::SNAPSHOTS;
use crate::support::{StandingAt, bank_in, request};

/// The moment at which the items of the present version were written.
const WRITTEN: i64 = 1_700_000_000_000;

/// The version of a snapshot, the entity it is of, and its schema.
struct Snapshot {
    stem: String,
    version: u64,
    is_current: bool,
    schema: Value,
}

impl Snapshot {
    /// Every one there is, the kept ones with the present ones.
    fn all() -> Vec<Snapshot> {
        let files = std::fs::read_dir(SNAPSHOTS).unwrap();
        let mut all: Vec<Snapshot> = files
            .map(|file| {
                let path = file.unwrap().path();
                let name = path.file_name().unwrap().to_str().unwrap().to_owned();
                let name = name.strip_suffix(".schema.json").unwrap();
                let stem = name.split('.').next().unwrap().to_owned();
                let schema = read(&path);
                let version = schema["properties"]["data_version"]["const"].as_u64();
                Snapshot {
                    is_current: stem == name,
                    version: version.unwrap(),
                    stem,
                    schema,
                }
            })
            .collect();
        all.sort_by_key(|snapshot| (snapshot.stem.clone(), snapshot.version));
        all
    }

    /// The item of this version, in the JSON of DynamoDB.
    fn item(&self) -> Value {
        let path = items().join(format!("{}.v{}.json", self.stem, self.version));
        assert!(
            path.exists(),
            "{} is not there: keep an item as version {} stored it, for the migrations of those to come",
            path.display(),
            self.version
        );
        read(&path)
    }
}

fn items() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/items")
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// What an item is read as, whatever its version.
fn present(stem: &str) -> Value {
    read(&items().join(format!("{stem}.json")))
}

#[test]
fn every_version_has_an_item_that_is_what_its_snapshot_says() {
    let snapshots = Snapshot::all();
    assert!(snapshots.iter().any(|snapshot| !snapshot.is_current));
    for snapshot in snapshots {
        let item = plain(&json!({ "M": snapshot.item() }));
        let validator = jsonschema::validator_for(&snapshot.schema).unwrap();
        let faults: Vec<String> = validator
            .iter_errors(&item)
            .map(|fault| format!("{}: {fault}", fault.instance_path()))
            .collect();
        assert!(
            faults.is_empty(),
            "{} {}: {faults:?}",
            snapshot.stem,
            snapshot.version
        );
        assert_eq!(item["data_version"], snapshot.version);
    }
}

#[tokio::test]
async fn an_item_of_every_version_is_read_as_the_present_type() {
    for snapshot in Snapshot::all() {
        let (engine, bank) = bank_with(&snapshot).await;
        let read = match snapshot.stem.as_str() {
            "account_data" => read_as::<AccountData>(&bank, &snapshot.stem).await,
            "transfer" => read_as::<Transfer>(&bank, &snapshot.stem).await,
            "account_request" => read_as::<AccountRequest>(&bank, &snapshot.stem).await,
            stem => panic!("{stem} is a new entity: read it here"),
        };
        let expected = present(&snapshot.stem);
        assert_eq!(read, expected, "{} {}", snapshot.stem, snapshot.version);
        drop(engine);
    }
}

/// The items of the present version are not made up: they are what the repositories write.
#[tokio::test]
async fn what_is_written_now_is_the_item_of_the_present_version() {
    for snapshot in Snapshot::all() {
        if !snapshot.is_current {
            continue;
        }
        let engine = Engine::temporary().unwrap();
        let bank = bank_on(&engine).await;
        match snapshot.stem.as_str() {
            "account_data" => write::<AccountData>(&bank, &snapshot.stem).await,
            "transfer" => write::<Transfer>(&bank, &snapshot.stem).await,
            "account_request" => write::<AccountRequest>(&bank, &snapshot.stem).await,
            stem => panic!("{stem} is a new entity: write it here"),
        };
        let found = dispatch(
            &engine,
            "Scan",
            &json!({ "TableName": table_of(&snapshot) }),
        );
        assert_eq!(
            found["Items"],
            json!([snapshot.item()]),
            "{}",
            snapshot.stem
        );
    }
}

/// Money that came before the name was called `name` can be paid, and the account is found under its name.
#[tokio::test]
async fn the_bank_works_with_accounts_of_every_version() {
    let kept = Snapshot::all().into_iter();
    for snapshot in kept.filter(|snapshot| snapshot.stem == "account_data") {
        let (engine, bank) = bank_with(&snapshot).await;
        bank.deposit(&request("1"), "ada", 5).await.unwrap();
        bank.withdraw(&request("2"), "ada", 1820).await.unwrap();
        let account = bank.account("ada").await.unwrap();
        assert_eq!(
            (account.name.as_str(), account.balance),
            ("Ada Lovelace", 0)
        );
        bank.rename(&request("3"), "ada", "Ada King").await.unwrap();
        let listed = bank.accounts_by_name().all().collect().await.unwrap();
        assert_eq!(listed.len(), 1);
        assert_eq!(listed[0].name, "Ada King");
        // The first write has stored it anew.
        let found = dispatch(&engine, "Scan", &json!({ "TableName": "accounts" }));
        assert_eq!(found["Items"][0]["data_version"], json!({ "N": "2" }));
        assert_eq!(found["Items"][0]["data"]["M"]["owner"], Value::Null);
        bank.close("ada").await.unwrap();
    }
}

async fn bank_on(engine: &Engine) -> Bank {
    let store = Store::builder(engine.dynamodb()).clock(StandingAt(WRITTEN));
    bank_in(&store.build()).await
}

/// A bank in which the item of a version is stored.
async fn bank_with(snapshot: &Snapshot) -> (Engine, Bank) {
    let engine = Engine::temporary().unwrap();
    let bank = bank_on(&engine).await;
    let put = json!({ "TableName": table_of(snapshot), "Item": snapshot.item() });
    dispatch(&engine, "PutItem", &put);
    (engine, bank)
}

fn table_of(snapshot: &Snapshot) -> &'static str {
    let entity = snapshot.schema["title"].as_str().unwrap();
    &accounts::model::SCHEMA.entity(entity).table.name
}

/// Items go in and out as text, so that nothing of the library stands between.
fn dispatch(engine: &Engine, operation: &str, body: &Value) -> Value {
    let reply = engine.dispatch(operation, body.to_string().as_bytes());
    assert_eq!(reply.status, 200, "{reply:?}");
    serde_json::from_str(&reply.body).unwrap()
}

async fn read_as<T: Entity>(bank: &Bank, stem: &str) -> Value {
    let items = Repository::<T>::new(bank.repositories().store());
    let key = data::<T>(stem).key();
    let stored = items.read_strong(&key).await.unwrap().unwrap();
    serde_json::to_value(stored.data()).unwrap()
}

async fn write<T: Entity>(bank: &Bank, stem: &str) {
    let items = Repository::<T>::new(bank.repositories().store());
    items.insert(data::<T>(stem)).await.unwrap();
}

fn data<T: Entity>(stem: &str) -> T {
    serde_json::from_value(present(stem)).unwrap()
}

/// A value in the JSON of DynamoDB as JSON.
fn plain(value: &Value) -> Value {
    let (kind, value) = value.as_object().unwrap().iter().next().unwrap();
    match kind.as_str() {
        "N" => serde_json::from_str(value.as_str().unwrap()).unwrap(),
        "M" => {
            let fields = value.as_object().unwrap().iter();
            fields
                .map(|(name, value)| (name.clone(), plain(value)))
                .collect()
        }
        "L" => value.as_array().unwrap().iter().map(plain).collect(),
        _ => value.clone(),
    }
}
