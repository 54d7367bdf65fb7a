//! Runs blocking work without holding up other requests.

use std::sync::{Arc, LazyLock};

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinError;

use crate::machine;

/// The size from which a body is large, in bytes.
const LARGE: usize = 256 * 1024;

/// The processors that long work may take: all but one, which stays free for small requests.
static PROCESSORS: LazyLock<Arc<Semaphore>> =
    LazyLock::new(|| Arc::new(Semaphore::new(machine::processors().saturating_sub(1).max(1))));

/// Waits until a processor is free for long work, and takes it until the permit is dropped.
async fn processor() -> Option<OwnedSemaphorePermit> {
    // The semaphore is never closed.
    Arc::clone(&PROCESSORS).acquire_owned().await.ok()
}

/// Runs work on a thread of its own, once a processor is free for it.
///
/// # Errors
/// The work panics.
pub async fn on_own_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    let permit = processor().await;
    let work = move || {
        // The permit lasts until the work ends, even if its caller has stopped waiting.
        let _permit = permit;
        work()
    };
    tokio::task::spawn_blocking(work).await
}

/// Runs work on a body of this size.
///
/// If the body is large, the runtime first moves the other tasks of this thread to other threads, and the work waits
/// for a processor. So it must not wait for other work that needs one.
pub fn in_place<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    let runtime = Handle::try_current().ok();
    let with_others = runtime.filter(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread);
    match with_others {
        Some(runtime) if bytes >= LARGE => tokio::task::block_in_place(|| {
            let _permit = runtime.block_on(processor());
            work()
        }),
        _ => work(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    #[test]
    fn work_runs_with_and_without_a_runtime() {
        assert_eq!(in_place(LARGE, || 1), 1);
        for mut builder in
            [tokio::runtime::Builder::new_current_thread(), tokio::runtime::Builder::new_multi_thread()]
        {
            let runtime = builder.build().unwrap();
            assert_eq!(runtime.block_on(async { in_place(LARGE, || 2) }), 2);
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 8)]
    async fn one_processor_stays_free() {
        static RUNNING: AtomicUsize = AtomicUsize::new(0);
        let most = machine::processors().saturating_sub(1).max(1);
        let works = (0..8).map(|_| {
            tokio::spawn(async {
                in_place(LARGE, || {
                    let running = RUNNING.fetch_add(1, Ordering::SeqCst) + 1;
                    std::thread::sleep(Duration::from_millis(5));
                    RUNNING.fetch_sub(1, Ordering::SeqCst);
                    running
                })
            })
        });
        for work in works.collect::<Vec<_>>() {
            assert!(work.await.unwrap() <= most);
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn other_tasks_run_meanwhile() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let worker = tokio::spawn(async move {
            let other = tokio::spawn(async move { sender.send(()) });
            // The only worker waits here for another one of its tasks.
            in_place(LARGE, || receiver.recv()).unwrap();
            other.await.unwrap().unwrap();
        });
        worker.await.unwrap();
    }
}
