//! Runs work on large bodies without holding up other requests.

use tokio::runtime::{Handle, RuntimeFlavor};

/// The size from which a body is large, in bytes.
const LARGE: usize = 256 * 1024;

/// Runs work on a body of this size.
///
/// If the body is large, the runtime first moves the other tasks of this thread to other threads.
pub fn apart<T>(bytes: usize, work: impl FnOnce() -> T) -> T {
    let has_others =
        Handle::try_current().is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread);
    if bytes >= LARGE && has_others { tokio::task::block_in_place(work) } else { work() }
}

#[cfg(test)]
mod tests {
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
