//! Runs work on large bodies without holding up other requests.

use std::sync::{Condvar, LazyLock, Mutex, PoisonError};

use tokio::runtime::{Handle, RuntimeFlavor};

use crate::machine;

/// The size from which a body is large, in bytes.
const LARGE: usize = 256 * 1024;

/// The places for work on large bodies.
static PLACES: LazyLock<Places> = LazyLock::new(|| Places::new(machine::processors_for_long_work()));

/// Runs work on a body of this size. The work must not wait for other work of this kind.
///
/// If the body is large, the runtime first moves the other tasks of this thread to other threads, and the work waits for
/// a place.
pub fn apart<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    let has_others =
        Handle::try_current().is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread);
    if bytes < LARGE || !has_others {
        return work();
    }
    tokio::task::block_in_place(|| {
        let _place = PLACES.take();
        work()
    })
}

/// A number of places that threads wait for.
struct Places {
    free: Mutex<usize>,
    freed: Condvar,
}

impl Places {
    fn new(places: usize) -> Self {
        Self { free: Mutex::new(places), freed: Condvar::new() }
    }

    /// Waits for a place.
    fn take(&self) -> Place<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = self.freed.wait_while(free, |free| *free == 0).unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        Place(self)
    }
}

/// A place that is taken until this is dropped.
struct Place<'p>(&'p Places);

impl Drop for Place<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    #[test]
    fn it_works_wherever_it_is_called() {
        assert_eq!(apart(LARGE, || 1), 1);
        for mut builder in
            [tokio::runtime::Builder::new_current_thread(), tokio::runtime::Builder::new_multi_thread()]
        {
            let runtime = builder.build().unwrap();
            assert_eq!(runtime.block_on(async { apart(LARGE, || 2) }), 2);
        }
    }

    #[test]
    fn no_more_work_than_places_runs_at_once() {
        let (places, running, most) = (Places::new(2), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let _place = places.take();
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(5));
                    running.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        assert_eq!((most.into_inner(), *places.free.lock().unwrap()), (2, 2));
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 1)]
    async fn others_go_on_meanwhile() {
        let (tell, told) = std::sync::mpsc::channel();
        let worker = tokio::spawn(async move {
            let other = tokio::spawn(async move { tell.send(()) });
            // The only worker waits here for another one of its tasks.
            apart(LARGE, || told.recv()).unwrap();
            other.await.unwrap().unwrap();
        });
        worker.await.unwrap();
    }
}
