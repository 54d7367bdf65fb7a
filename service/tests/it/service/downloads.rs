//! Media from files, and results to files, as docs/use-the-client.md shows.

use std::path::Path;

use super::running::Running;

#[path = "../../../../tests/it/consumer/files.rs"]
mod shown;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_picture_is_sent_from_a_file_and_its_result_saved() {
    let running = Running::start(&[]);
    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("coffee.jpg");
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo/coffee.jpg"), &picture).unwrap();
    let saved = shown::enlarge(&running.client(), &picture).await.unwrap();
    assert_eq!(
        (saved.content_type(), saved.path.file_name()),
        ("image/png", Some("coffee.large.png".as_ref()))
    );
    let [before, after] = [&picture, &saved.path].map(|path| image::open(path).unwrap());
    assert_eq!(after.width(), 2 * before.width());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "no temporary file is left");
}
