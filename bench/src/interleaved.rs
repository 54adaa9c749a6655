//! Two sides timed in turns, so that what else the machine does falls on both.

use std::time::{Duration, Instant};

/// So many calls are timed together: one alone is too short for a machine that does other things.
const CALLS: usize = 5;

/// The median time of one call, of either side.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Both {
    pub(crate) first: Duration,
    pub(crate) second: Duration,
}

impl Both {
    /// How much longer the first takes.
    pub(crate) fn ratio(self) -> f64 {
        self.first.as_secs_f64() / self.second.as_secs_f64()
    }
}

/// Calls of either side that `batches` need, those to warm up included.
pub(crate) const fn calls(batches: usize) -> usize {
    (batches + WARM_UP) * CALLS
}

/// Batches before the clock counts.
const WARM_UP: usize = 40;

/// The median of so many batches of either side, taken in turns; each is first as often as second.
pub(crate) async fn medians(
    batches: usize,
    mut first: impl AsyncFnMut() -> anyhow::Result<()>,
    mut second: impl AsyncFnMut() -> anyhow::Result<()>,
) -> anyhow::Result<Both> {
    let (mut firsts, mut seconds) = (Vec::new(), Vec::new());
    for batch in 0..batches + WARM_UP {
        if batch % 2 == 0 {
            firsts.push(time(&mut first).await?);
            seconds.push(time(&mut second).await?);
        } else {
            seconds.push(time(&mut second).await?);
            firsts.push(time(&mut first).await?);
        }
    }
    Ok(Both {
        first: median(firsts.split_off(WARM_UP)),
        second: median(seconds.split_off(WARM_UP)),
    })
}

async fn time(call: &mut impl AsyncFnMut() -> anyhow::Result<()>) -> anyhow::Result<Duration> {
    let start = Instant::now();
    for _ in 0..CALLS {
        call().await?;
    }
    Ok(start.elapsed())
}

fn median(mut batches: Vec<Duration>) -> Duration {
    batches.sort_unstable();
    let middle = batches.get(batches.len() / 2).copied();
    middle.unwrap_or_default() / CALLS as u32
}
