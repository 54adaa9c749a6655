//! How long a call of AWS Lambda may still take: whoever is not done by then is killed, and nobody is told how far it came.

use std::time::Duration;

use tokio::time::Instant;

/// What it takes to answer what was handled and what was not.
const TO_ANSWER: Duration = Duration::from_secs(1);

/// The time until a call must have been answered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeLeft {
    /// When it must be answered; never, where nobody said so.
    end: Option<Instant>,
    /// What one attempt may take.
    attempt: Duration,
}

impl TimeLeft {
    pub(crate) fn until(deadline: Option<std::time::Instant>, attempt: Duration) -> Self {
        let end = deadline.map(|deadline| {
            let deadline = Instant::from_std(deadline);
            deadline.checked_sub(TO_ANSWER).unwrap_or(deadline)
        });
        TimeLeft { end, attempt }
    }

    /// Whether another attempt can end in time.
    pub(crate) fn suffices(&self) -> bool {
        self.end
            .is_none_or(|end| end.saturating_duration_since(Instant::now()) >= self.attempt)
    }

    /// Ends when no other attempt can end in time.
    pub(crate) async fn runs_out(&self) {
        match self.end {
            Some(end) => {
                tokio::time::sleep_until(end.checked_sub(self.attempt).unwrap_or(end)).await;
            }
            None => std::future::pending().await,
        }
    }

    /// Does something, for as long as there is time; none where it was broken off.
    pub(crate) async fn for_as_long<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        match self.end {
            Some(end) => tokio::time::timeout_at(end, work).await.ok(),
            None => Some(work.await),
        }
    }
}
