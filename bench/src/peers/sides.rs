//! The bank, as each writes it.

mod bare;
mod generated;
mod modyne;

pub(super) use self::bare::Bare;
pub(super) use self::generated::Generated;
pub(super) use self::modyne::Modyne;

/// What is asked of every side.
pub(super) trait Side: Send + Sync + 'static {
    const NAME: &'static str;

    fn create(&self, id: String) -> impl Future<Output = anyhow::Result<()>> + Send;

    fn balance(&self, id: &str) -> impl Future<Output = anyhow::Result<i64>> + Send;

    /// How many are on the first page of what somebody has paid, the latest first.
    fn page(&self, source: &str) -> impl Future<Output = anyhow::Result<usize>> + Send;

    /// One unit goes from one to the other.
    fn transfer(
        &self,
        source: &str,
        target: &str,
    ) -> impl Future<Output = anyhow::Result<()>> + Send;
}

/// What everybody begins with.
const BALANCE: i64 = 1_000_000_000;
