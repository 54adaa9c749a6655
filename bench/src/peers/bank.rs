//! Get, put, query and transaction of a small bank, by five clients of one endpoint.

use std::process::Command;

use anyhow::Context as _;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, KeyType, Projection,
    ProjectionType, ScalarAttributeType,
};
use tablewright::Store;

use super::{CLIENT, Served, Took, connect, median, runtime, told};

/// Those who do the same. The first is what the others are compared with.
const SIDES: [Side; 5] = [
    Side::rust("generated", "generated Rust", None),
    Side::rust("bare", "aws-sdk-dynamodb", Some("aws-sdk-dynamodb")),
    Side::rust("modyne", "modyne", Some("modyne")),
    Side::node("electrodb", "ElectroDB", "electrodb"),
    Side::node("toolbox", "DynamoDB-Toolbox", "dynamodb-toolbox"),
];

const OPERATIONS: [(&str, &str); 4] = [
    ("get", "an account by its key"),
    ("put", "an account created if it is not there"),
    (
        "query",
        "a page of 20 transfers by an index, the latest first",
    ),
    ("transact", "a transfer: two conditional updates and a put"),
];

/// Rounds, in each of which every side has its turn.
const ROUNDS: usize = 5;

/// Calls of a side in a round.
const CALLS: usize = 4000;

struct Side {
    name: &'static str,
    title: &'static str,
    /// The package it is, whose version is told; none for what is ours.
    package: Option<&'static str>,
    rust: bool,
}

impl Side {
    const fn rust(name: &'static str, title: &'static str, package: Option<&'static str>) -> Side {
        Side {
            name,
            title,
            package,
            rust: true,
        }
    }

    const fn node(name: &'static str, title: &'static str, package: &'static str) -> Side {
        Side {
            name,
            title,
            package: Some(package),
            rust: false,
        }
    }

    /// With the version that runs.
    fn titled(&self) -> anyhow::Result<String> {
        Ok(match (self.package, self.rust) {
            (None, _) => self.title.to_owned(),
            (Some(package), true) => format!("{} {}", self.title, locked(package)?),
            (Some(package), false) => {
                format!("{} {} (Node.js)", self.title, installed(package)?)
            }
        })
    }

    fn command(&self, url: &str, operation: &str, run: &str) -> anyhow::Result<Command> {
        let mut command = match self.rust {
            true => {
                let mut command = Command::new(std::env::current_exe()?);
                command.args([CLIENT, self.name, url]);
                command
            }
            false => {
                let mut command = Command::new("node");
                command.arg("--no-warnings");
                command.arg(format!("bench/peers/{}.mjs", self.name));
                command.args([url, &table(self.name)]);
                command
            }
        };
        command.args([operation, &CALLS.to_string(), run]);
        Ok(command)
    }
}

/// The table of a side that has one of its own.
pub(super) fn table(side: &str) -> String {
    format!("peer-{side}")
}

pub(super) fn run() -> anyhow::Result<()> {
    let served = Served::endpoint()?;
    runtime()?.block_on(create_tables(&served.url))?;
    for side in &SIDES {
        let status = side.command(&served.url, "seed", "seed")?.status()?;
        anyhow::ensure!(status.success(), "{} cannot begin", side.title);
    }
    println!(
        "Five clients of one endpoint, eight requests at once each; medians of {ROUNDS} turns of {CALLS} calls\n"
    );
    for (operation, title) in OPERATIONS {
        println!("### {title}\n");
        println!("| | a second | against generated | processor time a call | against generated |");
        println!("|---|--:|--:|--:|--:|");
        let mut took: Vec<Vec<Took>> = SIDES.iter().map(|_| Vec::new()).collect();
        for round in 0..ROUNDS {
            for (side, took) in SIDES.iter().zip(&mut took) {
                let run = format!("r{round}");
                took.push(told(&mut side.command(&served.url, operation, &run)?)?);
            }
        }
        let each: Vec<(f64, f64)> = took.iter().map(|took| middle(took)).collect();
        let (first_rate, first_work) = each[0];
        for (side, (rate, work)) in SIDES.iter().zip(each) {
            println!(
                "| {} | {rate:.0} | {:.2} | {work:.0} µs | {:.2} |",
                side.titled()?,
                rate / first_rate,
                work / first_work
            );
        }
        println!();
    }
    Ok(())
}

/// Calls a second, and microseconds of the processor a call.
fn middle(took: &[Took]) -> (f64, f64) {
    let calls = CALLS as f64;
    let rates = took.iter().map(|took| calls / took.seconds).collect();
    let works = took.iter().map(|took| took.processor / calls * 1e6);
    (median(rates), median(works.collect()))
}

/// What generated code and the bare SDK share, and a table for each who has keys of their own. Every item is in as many indexes.
async fn create_tables(url: &str) -> anyhow::Result<()> {
    let client = connect(url).await?;
    accounts::model::Accounts::new(&Store::new(client.clone()))
        .create_tables()
        .await?;
    for side in ["modyne", "electrodb", "toolbox"] {
        let mut request = client
            .create_table()
            .table_name(table(side))
            .billing_mode(BillingMode::PayPerRequest)
            .set_key_schema(Some(keys("PK", "SK")?));
        for name in ["PK", "SK", "GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK"] {
            let attribute = AttributeDefinition::builder()
                .attribute_name(name)
                .attribute_type(ScalarAttributeType::S);
            request = request.attribute_definitions(attribute.build()?);
        }
        for name in ["GSI1", "GSI2"] {
            let all = Projection::builder().projection_type(ProjectionType::All);
            let index = GlobalSecondaryIndex::builder()
                .index_name(name)
                .set_key_schema(Some(keys(&format!("{name}PK"), &format!("{name}SK"))?))
                .projection(all.build());
            request = request.global_secondary_indexes(index.build()?);
        }
        request.send().await?;
    }
    Ok(())
}

fn keys(partition: &str, sort: &str) -> anyhow::Result<Vec<KeySchemaElement>> {
    let key = |name: &str, kind| {
        KeySchemaElement::builder()
            .attribute_name(name)
            .key_type(kind)
            .build()
    };
    Ok(vec![
        key(partition, KeyType::Hash)?,
        key(sort, KeyType::Range)?,
    ])
}

/// The version of a crate this was built with.
fn locked(package: &str) -> anyhow::Result<&'static str> {
    let lock = include_str!("../../../Cargo.lock");
    let name = format!("name = \"{package}\"\nversion = \"");
    let version = lock
        .split(&name)
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    version.with_context(|| format!("{package} is not in Cargo.lock"))
}

/// The version of an npm package that is installed.
fn installed(package: &str) -> anyhow::Result<String> {
    let path = format!("bench/peers/node_modules/{package}/package.json");
    let text = std::fs::read_to_string(&path).with_context(|| path.clone())?;
    let json: serde_json::Value = serde_json::from_str(&text)?;
    let version = json["version"].as_str();
    Ok(version
        .with_context(|| format!("{path} says no version"))?
        .to_owned())
}
