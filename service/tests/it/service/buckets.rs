//! A service whose files are in a bucket.

use std::time::Duration;

use asset_api_client::models::common::TaskStatus;
use asset_api_client::models::image_to_prompt::ImageToPromptRequest;
use asset_api_client::models::sound_effects::SoundEffectRequest;
use asset_service::files::Area;
use bytes::Bytes;
use reqwest::header::{
    CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, ETAG, IF_NONE_MATCH, LOCATION, RANGE, RETRY_AFTER,
};

use super::bodies::{base64, png};
use super::http_client;
use super::running::{Database, Running, client_of};
use super::waiting::eventually;
use crate::files::in_bucket;
use crate::files::s3::{Mode, S3, SECRET};

const SETTINGS: &str =
    "[worker]\nbackoff-seconds = 0\n[tiers.default]\nburst = 10000\nper-second = 10000.0\n";

/// Starts a service with its files on this server, and this setting.
fn start(server: &S3, setting: &str) -> Running {
    let settings = format!("files = \"s3://files/a\"\n{setting}\n{SETTINGS}");
    let environment = [&server.environment()[..], &[("AWS_READ_TIMEOUT", "500 ms")]].concat();
    Running::start_with(&settings, &["--threads", "2"], &environment)
}

/// Returns why a new service does not start with this setting.
fn not_started(setting: &str, environment: &[(&str, &str)]) -> String {
    let data = tempfile::tempdir().unwrap();
    std::fs::write(data.path().join("asset-service.toml"), setting).unwrap();
    let mut refused = super::running::binary();
    refused.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(data.path());
    let refused = refused.envs(environment.iter().copied()).output().unwrap();
    assert!(!refused.status.success());
    String::from_utf8_lossy(&refused.stderr).into_owned()
}

/// Creates a sound and returns its URL.
async fn sound(running: &Running) -> String {
    let created = running.client().create_sound_effect(SoundEffectRequest::new("click", 0.5)).await.unwrap();
    url(running, created.data.task_id).await
}

async fn url(running: &Running, task: uuid::Uuid) -> String {
    eventually("the sound is completed", async || {
        let task = running.client().get_sound_effect(task).await.unwrap().data;
        assert_ne!(task.status, TaskStatus::Failed, "{task:?}");
        task.generated.first().cloned()
    })
    .await
}

/// Creates a client that follows no redirects.
fn http() -> reqwest::Client {
    http_client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_pass_through_the_service() {
    let Some(database) = Database::Postgres.setting().await else { return };
    let server = S3::start().await;
    let running = start(&server, &database);
    let url = sound(&running).await;
    let (_, key) = url.split_once("/files/").unwrap();
    assert_eq!(server.objects("files/a/results/"), [format!("files/a/results/{}/{key}", &key[..2])]);
    assert_eq!(server.objects("files/a/store-id").len(), 1);
    assert!(!running.data().join("files").exists());

    server.requests();
    let whole = http().get(&url).send().await.unwrap();
    assert_eq!(
        (whole.status().as_u16(), &whole.headers()[CONTENT_TYPE]),
        (200, &"audio/wav".parse().unwrap())
    );
    let (tag, whole) = (whole.headers()[ETAG].clone(), whole.bytes().await.unwrap());
    let requests = server.requests();
    assert_eq!(&whole[..4], b"RIFF");
    // The sweep lists files meanwhile.
    assert!(requests.starts_with("1 GetObject") && !requests.contains("Head"), "{requests}");
    let part = http().get(&url).header(RANGE, "bytes=-10").send().await.unwrap();
    assert_eq!(part.status(), 206);
    let range = format!("bytes {}-{}/{}", whole.len() - 10, whole.len() - 1, whole.len());
    assert_eq!(part.headers()[CONTENT_RANGE], range);
    assert_eq!(part.bytes().await.unwrap(), whole.slice(whole.len() - 10..));
    let beyond = http().get(&url).header(RANGE, format!("bytes={}-", whole.len())).send().await.unwrap();
    assert_eq!(beyond.status(), 416);
    let known = http().get(&url).header(IF_NONE_MATCH, tag).send().await.unwrap();
    assert_eq!(known.status(), 304);
    let head = http().head(&url).send().await.unwrap();
    assert_eq!(
        (head.status().as_u16(), head.headers()[CONTENT_LENGTH].to_str().unwrap()),
        (200, whole.len().to_string().as_str())
    );
    assert_eq!(http().get(url.replace("1-0", "2-0")).send().await.unwrap().status(), 404);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn downloads_are_redirected_to_the_bucket() {
    let Some(database) = Database::Postgres.setting().await else { return };
    let server = S3::start().await;
    let running = start(&server, &format!("redirect-downloads = true\n{database}"));
    let url = sound(&running).await;
    let redirected = http().get(&url).send().await.unwrap();
    let to = redirected.headers()[LOCATION].to_str().unwrap().to_owned();
    assert_eq!((redirected.status().as_u16(), to.contains("X-Amz-Signature=")), (307, true), "{to}");
    let whole = http().get(&to).send().await.unwrap().bytes().await.unwrap();
    let part = http().get(&to).header(RANGE, "bytes=0-3").send().await.unwrap();
    assert_eq!((part.status().as_u16(), part.bytes().await.unwrap()), (206, whole.slice(..4)));
    let head = http().head(&url).send().await.unwrap();
    assert_eq!(
        (head.status().as_u16(), head.headers()[CONTENT_LENGTH].to_str().unwrap()),
        (200, whole.len().to_string().as_str())
    );
    assert_eq!(http().get(url.replace("1-0", "2-0")).send().await.unwrap().status(), 404);
    // A bucket does not send the policy that keeps a picture from running scripts.
    let files = in_bucket("s3://files/a", server.environment(), false);
    files.put(Area::Results, "ab12/1-0.svg", Bytes::from_static(b"<svg/>")).await.unwrap();
    let picture = http().get(format!("{}/files/ab12/1-0.svg", running.url)).send().await.unwrap();
    assert_eq!(
        (picture.status().as_u16(), picture.headers().contains_key("content-security-policy")),
        (200, true)
    );
    for (setting, expected) in [
        ("redirect-downloads = true", "`redirect-downloads` must be false"),
        ("files = 's3://files/b'", "`files` in a bucket needs PostgreSQL"),
    ] {
        let why = not_started(setting, &server.environment());
        assert!(why.contains(expected), "{why}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_that_does_not_respond_loses_nothing() {
    let Some(database) = Database::Postgres.setting().await else { return };
    let server = S3::start().await;
    let running = start(&server, &database);
    let url = sound(&running).await;
    let impatient = running.impatient_client();
    for mode in [Mode::Fails(507, "XMinioStorageFull"), Mode::Fails(403, "AccessDenied"), Mode::Hangs] {
        server.set(mode);
        let download = http().get(&url).send().await.unwrap();
        assert_eq!(
            (download.status().as_u16(), &download.headers()[RETRY_AFTER]),
            (503, &"5".parse().unwrap())
        );
        let picture = ImageToPromptRequest::new(base64(&png(64, 64)));
        let refused = impatient.create_image_to_prompt(picture).await.unwrap_err();
        assert_eq!(refused.status().map(|status| status.as_u16()), Some(503), "{mode:?}: {refused:?}");
        let ready = http().get(format!("{}/readyz", running.url)).send().await.unwrap();
        assert_eq!(ready.status(), 200, "most operations work without the bucket");
        if mode == Mode::Fails(403, "AccessDenied") {
            let why = not_started(&format!("files = \"s3://files/a\"\n{database}"), &server.environment());
            assert!(why.contains("AccessDenied") && !why.contains(SECRET), "{why}");
        }
        // This task needs the bucket only for its result.
        let waits = impatient.create_sound_effect(SoundEffectRequest::new("rain", 0.5)).await.unwrap();
        let outcome = "task_attempt_seconds_count{family=\"sound-effects\",outcome=\"storage_failed\"}";
        eventually("the attempt fails", async || running.metrics().await.contains(outcome).then_some(()))
            .await;
        server.set(Mode::Slow(Duration::from_millis(100)));
        let url = self::url(&running, waits.data.task_id).await;
        assert_eq!(http().get(&url).send().await.unwrap().status(), 200);
        server.set(Mode::Works);
    }
    assert_eq!(server.unfinished(), 0);
    assert!(running.log().contains("AccessDenied") && !running.log().contains(SECRET), "{}", running.log());
    let picture = ImageToPromptRequest::new(base64(&png(64, 64)));
    impatient.create_image_to_prompt(picture).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn processes_with_separate_folders_share_a_bucket() {
    let Some(setting) = Database::Postgres.setting().await else { return };
    let server = S3::start().await;
    let first = start(&server, &setting);
    let second = start(&server, &setting);
    let url = sound(&first).await;
    let there = url.replace(&first.url, &second.url);
    assert_eq!(http().get(there).send().await.unwrap().status(), 200);
    let client = client_of(&second.url, &first.key).build().unwrap();
    client.create_sound_effect(SoundEffectRequest::new("rain", 0.5)).await.unwrap();

    let another = Database::Postgres.setting().await.unwrap();
    for (database, prefix, expected) in [
        (&setting, "b", "in another folder or bucket than s3://files/b"),
        (&another, "a", "s3://files/a has files of another database"),
    ] {
        let why = not_started(&format!("files = \"s3://files/{prefix}\"\n{database}"), &server.environment());
        assert!(why.contains(expected), "{why}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_lists_the_files_of_the_bucket() {
    let Some(database) = Database::Postgres.setting().await else { return };
    let server = S3::start().await;
    let mut running = start(&server, &database);
    let copies = [Database::Postgres.setting().await.unwrap(), Database::Postgres.setting().await.unwrap()];
    let [copied, replaced] = copies.each_ref().map(|setting| setting.split('"').nth(1).unwrap());
    let (url, temporary) = (sound(&running).await, tempfile::tempdir().unwrap());
    let folder = temporary.path().join("backup");
    let folder = folder.to_str().unwrap();
    let run = |data: &str, arguments: &[&str]| {
        let mut command = super::running::binary();
        let data = temporary.path().join(data);
        command.args(arguments).arg("--data-dir").arg(data).envs(server.environment()).output().unwrap()
    };
    let succeed = |data: &str, arguments: &[&str]| {
        let done = run(data, arguments);
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    };
    let refuse = |data: &str, arguments: &[&str], expected: &str| {
        let refused = run(data, arguments);
        let why = String::from_utf8_lossy(&refused.stderr);
        assert!(refused.status.code() == Some(1) && why.contains(expected), "{arguments:?}: {why}");
    };
    let original = running.data().to_str().unwrap().to_owned();
    succeed(&original, &["backup", folder]);
    let (_, key) = url.split_once("/files/").unwrap();
    let path = format!("results/{}/{key}", &key[..2]);
    let list = std::fs::read_to_string(temporary.path().join("backup/bucket-files")).unwrap();
    assert_eq!(list, format!("# s3://files/a\n{path}\n"));
    succeed("none", &["restore", folder, "--verify"]);

    refuse(
        "copy",
        &["restore", folder, "--database-url", copied],
        "the files of the backup are in s3://files/a",
    );
    refuse(
        "copy",
        &["restore", folder, "--files", "s3://files/a", "--database-url", copied],
        "s3://files/a belongs to the original",
    );
    refuse(&original, &["restore", folder, "--files", "s3://files/b"], "names another `files`");
    succeed("copy", &["restore", folder, "--files", "s3://files/b", "--database-url", copied]);
    assert_eq!(server.objects(&format!("files/b/{path}")).len(), 1);
    let settings = std::fs::read_to_string(temporary.path().join("copy/asset-service.toml")).unwrap();
    assert!(settings.contains("files = \"s3://files/b\""), "{settings}");
    let copy = running.start_on(&temporary.path().join("copy"), &server.environment());
    assert_eq!(http().get(url.replace(&running.url, &copy.url)).send().await.unwrap().status(), 200);
    refuse(
        "other",
        &["restore", folder, "--files", "s3://files/b", "--database-url", replaced],
        "s3://files/b has files of a service",
    );

    // The original is lost, but its bucket is not.
    running.kill();
    let before = server.objects("files/a/");
    succeed(
        "new",
        &["restore", folder, "--files", "s3://files/a", "--no-quiesce", "--database-url", replaced],
    );
    assert_eq!(server.objects("files/a/"), before);
    let new = running.start_on(&temporary.path().join("new"), &server.environment());
    assert_eq!(http().get(url.replace(&running.url, &new.url)).send().await.unwrap().status(), 200);
    assert!(
        !running.kill_and_restart_with(&[], &server.environment()),
        "the bucket belongs to the restored service"
    );

    server.remove(&format!("files/a/{path}"));
    refuse("none", &["restore", folder, "--verify"], &path);
}
