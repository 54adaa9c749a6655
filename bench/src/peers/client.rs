//! A side in Rust, under the load that `bench/peers/load.mjs` puts those in JavaScript under.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{bail, ensure};
use tokio::task::JoinSet;

use super::connect;
use super::sides::{Bare, Generated, Modyne, Side};
use crate::processor;

/// As many ask at once; each has accounts of its own, so that no two transactions meet.
const WORKERS: usize = 8;

/// Calls before the clock counts.
const WARM_UP: usize = 2000;

/// Transfers an account has made before, and how many a page has.
const PAID: usize = 40;
pub(super) const PAGE: usize = 20;

pub(super) async fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let [side, url, operation, calls, run] = arguments else {
        bail!(
            "a client is told its side, the endpoint, the operation, how many calls, and the run"
        );
    };
    let client = connect(url).await?;
    let work = Work {
        operation: (*operation).to_owned(),
        calls: calls.parse()?,
        run: (*run).to_owned(),
    };
    match *side {
        "generated" => work.of(Generated::new(client)).await,
        "bare" => work.of(Bare::new(client)).await,
        "modyne" => work.of(Modyne::new(client)).await,
        other => bail!("there is no side {other}"),
    }
}

struct Work {
    operation: String,
    calls: usize,
    run: String,
}

impl Work {
    async fn of<S: Side>(self, side: S) -> anyhow::Result<()> {
        if self.operation == "seed" {
            return seed(&side).await;
        }
        let (work, side) = (Arc::new(self), Arc::new(side));
        let payer = payer::<S>(0);
        let before = side.balance(&payer).await?;
        crowd(&work, &side, WARM_UP, "warm").await?;
        let (start, worked) = (Instant::now(), processor::time()?);
        crowd(&work, &side, work.calls, "timed").await?;
        let seconds = start.elapsed().as_secs_f64();
        let processor = (processor::time()? - worked).as_secs_f64();
        if work.operation == "transact" {
            let done = i64::try_from((WARM_UP + work.calls) / WORKERS)?;
            ensure!(
                side.balance(&payer).await? == before - done,
                "what was paid is not gone"
            );
        }
        println!("{{\"seconds\":{seconds},\"processor\":{processor}}}");
        Ok(())
    }

    async fn call<S: Side>(&self, side: &S, worker: usize, number: String) -> anyhow::Result<()> {
        match self.operation.as_str() {
            "get" => {
                side.balance(&payer::<S>(worker)).await?;
            }
            "put" => {
                let id = format!("{}-new-{}-{worker}-{number}", S::NAME, self.run);
                side.create(id).await?;
            }
            "query" => {
                let found = side.page(&payer::<S>(worker)).await?;
                ensure!(found == PAGE, "a page of {found}");
            }
            "transact" => {
                side.transfer(&payer::<S>(worker), &payee::<S>(worker))
                    .await?
            }
            other => bail!("there is no operation {other}"),
        }
        Ok(())
    }
}

fn payer<S: Side>(worker: usize) -> String {
    format!("{}-ada-{worker}", S::NAME)
}

fn payee<S: Side>(worker: usize) -> String {
    format!("{}-bob-{worker}", S::NAME)
}

async fn seed<S: Side>(side: &S) -> anyhow::Result<()> {
    for worker in 0..WORKERS {
        let (payer, payee) = (payer::<S>(worker), payee::<S>(worker));
        side.create(payer.clone()).await?;
        side.create(payee.clone()).await?;
        for _ in 0..PAID {
            side.transfer(&payer, &payee).await?;
        }
    }
    Ok(())
}

async fn crowd<S: Side>(
    work: &Arc<Work>,
    side: &Arc<S>,
    calls: usize,
    name: &'static str,
) -> anyhow::Result<()> {
    let mut all = JoinSet::new();
    for worker in 0..WORKERS {
        let (work, side) = (Arc::clone(work), Arc::clone(side));
        all.spawn(async move {
            for number in 0..calls / WORKERS {
                work.call(&*side, worker, format!("{name}-{number}"))
                    .await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(ended) = all.join_next().await {
        ended??;
    }
    Ok(())
}
