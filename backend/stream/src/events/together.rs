//! What many want done at the same time, done at once: one write to the disk, one request.

use tokio::sync::{mpsc, oneshot};

use crate::handler::Failure;

/// One piece of work, and who waits for it.
type Wanted<T> = (T, oneshot::Sender<Result<(), Failure>>);

/// Gathers pieces of work while the ones before are done.
#[derive(Debug)]
pub(super) struct Together<T> {
    queue: mpsc::Sender<Wanted<T>>,
}

impl<T: Send + 'static> Together<T> {
    /// Does up to `most` at once by `work`, which answers each.
    pub(super) fn new<W, F>(most: usize, work: W) -> Self
    where
        W: Fn(Vec<T>) -> F + Send + 'static,
        F: Future<Output = Vec<Result<(), Failure>>> + Send,
    {
        let (queue, mut wanted) = mpsc::channel::<Wanted<T>>(most);
        tokio::spawn(async move {
            let mut gathered = Vec::new();
            while wanted.recv_many(&mut gathered, most).await > 0 {
                let (pieces, waiting): (Vec<T>, Vec<_>) = gathered.drain(..).unzip();
                let mut results = work(pieces).await.into_iter();
                for one in waiting {
                    let unanswered = || Err(Failure::World(String::from("it was not answered")));
                    // Who does not wait any more will ask again.
                    let _ = one.send(results.next().unwrap_or_else(unanswered));
                }
            }
        });
        Together { queue }
    }

    /// Waits until it is done.
    pub(super) async fn one(&self, piece: T) -> Result<(), Failure> {
        let gone = || Failure::World(String::from("whoever does this has stopped"));
        let (tell, told) = oneshot::channel();
        self.queue.send((piece, tell)).await.map_err(|_| gone())?;
        told.await.unwrap_or_else(|_| Err(gone()))
    }
}
