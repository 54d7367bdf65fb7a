//! Downloads to files, from servers that break off and lie.

use std::{
    fs,
    path::PathBuf,
    sync::{Arc, Mutex},
};

use super::*;
use crate::types::{ByteStream, File, NoError};

const TAG: &str = r#"etag: "a""#;
/// The first five of ten bytes.
const HALF: Reply =
    Reply::Raw("HTTP/1.1 200 OK\r\netag: \"a\"\r\ncontent-length: 10\r\nx-part: 1\r\n\r\n01234");
const REST: Reply = Reply::Response(206, &[TAG, "content-range: bytes 5-9/10"], "56789");
const WHOLE: Reply = Reply::Response(200, &[TAG], "0123456789");
/// The digest of `0123456789`.
const DIGEST: &str = "repr-digest: sha-256=:hNiYd/DUBB77a/kaFvAkjy/Vc+avBcGflr7bn4gveII=:";

/// A folder that is removed at the end, and a file in it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = std::env::temp_dir().join(format!("downloads-{:016x}", fastrand::u64(..)));
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn target(&self) -> PathBuf {
        self.0.join("a.bin")
    }

    fn content(&self) -> Option<String> {
        fs::read_to_string(self.target()).ok()
    }

    /// Returns the number of files: the target and temporary ones.
    fn files(&self) -> usize {
        fs::read_dir(&self.0).unwrap().count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

fn fetch(server: &Server) -> Call<ByteStream, NoError> {
    client(server).fetch(format!("{}/results/7.bin", server.url))
}

async fn download<const N: usize>(
    script: [Reply; N],
) -> (Folder, Server, Result<Downloaded, DownloadError<NoError>>) {
    let (folder, server) = (Folder::new(), serve(script).await);
    let downloaded = fetch(&server).download(folder.target()).await;
    (folder, server, downloaded)
}

/// Runs a script that ends with the whole file. Returns the ranges that were requested, and the result.
async fn ranges_of<const N: usize>(script: [Reply; N]) -> (Vec<Option<String>>, Downloaded) {
    let (folder, server, downloaded) = download(script).await;
    let downloaded = downloaded.unwrap();
    assert_eq!((folder.content().as_deref(), folder.files()), (Some("0123456789"), 1));
    assert_eq!((downloaded.size, &downloaded.path), (10, &folder.target()));
    let requests = server.requests();
    let of = |request: &String, name: &str| {
        request.lines().find_map(|line| line.strip_prefix(name).map(str::to_owned))
    };
    for request in &requests {
        assert_eq!(of(request, "range: ").is_some(), of(request, "if-range: ").is_some(), "{request}");
        assert_eq!(of(request, "accept-encoding: ").as_deref(), Some("identity"), "{request}");
    }
    (requests.iter().map(|request| of(request, "range: ")).collect(), downloaded)
}

/// Runs a script that ends with an error. No file is left. Returns the text of the error.
async fn error_of<const N: usize>(script: [Reply; N]) -> String {
    let (folder, _, downloaded) = download(script).await;
    let error = downloaded.unwrap_err();
    assert_eq!(folder.files(), 0);
    error.to_string()
}

#[tokio::test]
async fn a_file_is_written_and_checked() {
    let (ranges, downloaded) = ranges_of([WHOLE]).await;
    assert_eq!((ranges, downloaded.resumptions, downloaded.is_verified), (vec![None], 0, false));
    let (_, downloaded) =
        ranges_of([Reply::Response(200, &[DIGEST, "content-type: image/png"], "0123456789")]).await;
    assert!(downloaded.is_verified);
    assert_eq!(downloaded.content_type(), "image/png");
}

#[tokio::test]
async fn a_body_that_is_cut_off_is_resumed() {
    let (ranges, downloaded) = ranges_of([HALF, REST]).await;
    assert_eq!(ranges, [None, Some("bytes=5-".to_owned())]);
    assert_eq!((downloaded.resumptions, downloaded.is_verified), (1, false));
    // A server can send less than the rest.
    let short = Reply::Response(206, &[TAG, "content-range: bytes 5-6/10"], "56");
    let end = Reply::Response(206, &[TAG, "content-range: bytes 7-9/10"], "789");
    let (ranges, _) = ranges_of([HALF, short, end]).await;
    assert_eq!(ranges, [None, Some("bytes=5-".to_owned()), Some("bytes=7-".to_owned())]);
    // The server is down for a while: the resumption is repeated.
    let down = Reply::Response(503, &[], "");
    let (ranges, downloaded) = ranges_of([HALF, down, down, down, Reply::Close, REST]).await;
    assert_eq!((ranges.len(), downloaded.resumptions), (6, 2));
}

#[tokio::test]
async fn the_digest_of_a_resumed_file_is_that_of_all_parts() {
    const FIRST: Reply = Reply::Raw(
        "HTTP/1.1 200 OK\r\netag: \"a\"\r\ncontent-length: 10\r\n\
         repr-digest: sha-256=:hNiYd/DUBB77a/kaFvAkjy/Vc+avBcGflr7bn4gveII=:\r\n\r\n01234",
    );
    let (_, downloaded) = ranges_of([FIRST, REST]).await;
    assert!(downloaded.is_verified);
    let other = Reply::Response(206, &[TAG, "content-range: bytes 5-9/10"], "5678x");
    let error = error_of([FIRST, other]).await;
    assert!(error.contains("instead of sha-256=:hNiYd/DUBB77a"), "{error}");
}

#[tokio::test]
async fn a_file_that_changed_is_loaded_again() {
    let (half, again) = (Some("bytes=5-".to_owned()), Reply::Response(200, &[r#"etag: "b""#], "0123456789"));
    // The server knows `If-Range`, or does not know ranges.
    let (ranges, downloaded) = ranges_of([HALF, again]).await;
    assert_eq!((ranges, downloaded.resumptions), (vec![None, half.clone()], 1));
    // It ignores `If-Range`, and sends a part of another file; or it has no such part.
    for other in [
        Reply::Response(206, &[r#"etag: "b""#, "content-range: bytes 5-9/10"], "xxxxx"),
        Reply::Response(206, &[TAG, "content-range: bytes 5-9/11"], "xxxxx"),
        Reply::Response(416, &["content-range: bytes */5"], ""),
    ] {
        let (ranges, downloaded) = ranges_of([HALF, other, again]).await;
        assert_eq!((ranges, downloaded.resumptions), (vec![None, half.clone(), None], 2), "{other:?}");
    }
    // Nothing says whether it has changed.
    for head in [
        Reply::Raw("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nxxxxx"),
        Reply::Raw("HTTP/1.1 200 OK\r\netag: W/\"a\"\r\ncontent-length: 10\r\n\r\nxxxxx"),
    ] {
        let (ranges, _) = ranges_of([head, WHOLE]).await;
        assert_eq!(ranges, [None, None]);
    }
}

#[tokio::test]
async fn parts_that_do_not_fit_are_errors() {
    for (headers, expected) in [
        (&[TAG, "content-range: bytes 0-9/10"] as &[_], "`bytes 0-9/10` instead of one from byte 5"),
        (&[TAG, "content-range: bytes 6-9/10"], "`bytes 6-9/10` instead of one from byte 5"),
        (&[TAG, "content-range: five to nine"], "`five to nine` instead of one from byte 5"),
        (&[TAG], "without `Content-Range` instead of one from byte 5"),
    ] {
        let error = error_of([HALF, Reply::Response(206, headers, "56789")]).await;
        assert!(error.contains(expected), "{error}");
    }
    let long = Reply::Response(206, &[TAG, "content-range: bytes 5-7/10"], "56789");
    assert_eq!(error_of([HALF, long]).await, "the file has more than the announced 8 bytes");
}

#[tokio::test]
async fn digests_that_differ_are_errors() {
    const WRONG: &str = "content-digest: sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:";
    for script in [
        [Reply::Response(200, &[WRONG], "0123456789"); 2],
        [Reply::Response(200, &[DIGEST], "012345678x"); 2],
        [HALF, Reply::Response(206, &[TAG, "content-range: bytes 5-9/10", WRONG], "56789")],
    ] {
        let error = error_of(script).await;
        assert!(error.starts_with("the content has the digest sha-256=:"), "{error}");
    }
    let (folder, server) = (Folder::new(), serve([WHOLE]).await);
    let error = fetch(&server).download(folder.target()).sha256([7; 32]).await.unwrap_err();
    assert!(matches!(error, DownloadError::Digest { .. }), "{error}");
}

#[tokio::test]
async fn resumptions_have_a_bound() {
    let empty = Reply::Raw("HTTP/1.1 200 OK\r\netag: \"a\"\r\ncontent-length: 10\r\n\r\n");
    for script in [[HALF; 2], [empty; 2]] {
        let (folder, server) = (Folder::new(), serve(script).await);
        let error = fetch(&server).download(folder.target()).resumptions(3).await.unwrap_err();
        assert!(matches!(error, DownloadError::CutOff { .. }), "{error}");
        assert_eq!((server.requests().len(), folder.files()), (4, 0));
    }
    let (folder, server) = (Folder::new(), serve([HALF]).await);
    let poor = builder(&server).retry_budget(RetryBudget::new(1)).build().unwrap();
    let error = poor.fetch(&server.url).download(folder.target()).await.unwrap_err();
    assert!(error.to_string().starts_with("the download was cut off after 5 bytes"), "{error}");
    assert_eq!(server.requests().len(), 2, "each costs a retry of the budget");
}

#[tokio::test]
async fn the_size_and_the_time_have_limits() {
    let folder = Folder::new();
    fs::write(folder.target(), "before").unwrap();
    for reply in [WHOLE, Reply::Endless("0123456789"), HALF] {
        let server = serve([reply]).await;
        let error = fetch(&server).download(folder.target()).limit(9).await.unwrap_err();
        assert_eq!(error.to_string(), "the file is larger than the limit of 9 bytes");
    }
    let server = serve([Reply::Endless("0123456789")]).await;
    let call = fetch(&server).deadline(Duration::from_millis(50));
    let error = call.download(folder.target()).await.unwrap_err();
    assert_eq!(error.to_string(), "the download didn't end within 50ms");
    // A write can be under way when the future is dropped. It removes the temporary file at its end.
    while folder.files() > 1 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(folder.content().as_deref(), Some("before"));
    let missing = folder.0.join("none/a.bin");
    let error = fetch(&serve([WHOLE]).await).download(&missing).await.unwrap_err();
    assert!(matches!(&error, DownloadError::File { path, .. } if *path == missing), "{error}");
}

#[tokio::test]
async fn progress_is_reported() {
    let (folder, server) = (Folder::new(), serve([HALF, REST]).await);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let report = move |progress: Progress| log.lock().unwrap().push((progress.received, progress.total));
    fetch(&server).download(folder.target()).on_progress(report).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [(5, Some(10)), (10, Some(10))]);
}

#[tokio::test]
async fn responses_of_operations_are_downloaded() {
    let (folder, server) = (Folder::new(), serve([ICON]).await);
    get(&client(&server), "7").download(folder.target()).await.unwrap();
    assert_eq!(folder.content().as_deref(), Some(r#"{"id":"7"}"#), "also if they are not streams");
    let server = serve([Reply::Response(404, IS_JSON, r#"{"message":"no such icon"}"#)]).await;
    let error = get(&client(&server), "7").download(folder.target()).await.unwrap_err();
    assert!(matches!(&error, DownloadError::Call(error) if error.as_api().is_some()), "{error}");
    // A `POST` is neither resumed nor repeated.
    let server = serve([HALF]).await;
    let error = submit(&client(&server)).download(folder.target()).await.unwrap_err();
    assert!(matches!(error, DownloadError::CutOff { received: 5, .. }), "{error}");
    assert_eq!((server.requests().len(), folder.files()), (1, 1));
}

#[tokio::test]
async fn other_servers_get_no_secrets() {
    let folder = Folder::new();
    let other = serve([HALF, REST]).await;
    let location: &'static str = format!("location: {}/signed?sig=1", other.url).leak();
    let redirect: &'static [&'static str] = Box::leak(Box::new([location]));
    let server = serve([Reply::Response(302, redirect, "")]).await;
    let client = builder(&server)
        .header("x-secret", "hunter2")
        .user_agent("tests/1")
        .credential(&KEY, "hunter2")
        .before_attempt(|_, request| {
            request.headers_mut().insert("x-signed", "hunter2".parse().unwrap());
            Ok(())
        })
        .build()
        .unwrap();
    get(&client, "7").header("x-call", "hunter2").download(folder.target()).await.unwrap();
    let direct = client.fetch(&other.url).header("x-own", "1").await.unwrap();
    assert_eq!(direct.collect().await.unwrap(), "56789");
    let requests = other.requests();
    assert_eq!((requests.len(), server.requests().len()), (3, 2), "each request begins at the operation");
    assert!(requests.iter().all(|request| !request.contains("hunter2") && request.contains("tests/1")));
    assert!(requests[1].contains("range: bytes=5-") && requests[2].contains("x-own: 1"), "{requests:?}");
    assert!(server.requests().iter().all(|request| request.matches("hunter2").count() == 4));

    client.fetch(&server.url).send_raw().await.unwrap();
    let own = server.requests().pop().unwrap();
    assert!(own.contains("x-secret") && own.contains("x-signed") && !own.contains("x-api-key"), "{own}");
    for (url, path) in [("/results/7.bin", "/results/7.bin"), ("8.bin?a=b", "/8.bin?a=b")] {
        client.fetch(url).send_raw().await.unwrap();
        let own = server.requests().pop().unwrap();
        assert!(own.starts_with(&format!("GET {path} ")) && own.contains("x-secret"), "{own}");
    }
    for url in ["file:///etc/passwd", "mailto:a@b.example", ""] {
        let error = client.fetch(url).download(folder.target()).await.unwrap_err();
        assert!(error.to_string().contains("`GET {url}` is not a valid method and URL"), "{error}");
    }
}

#[tokio::test]
async fn an_error_after_a_redirect_is_that_of_the_call() {
    let folder = Folder::new();
    let other = serve([Reply::Close]).await;
    let location: &'static str = format!("location: {}/signed?sig=1", other.url).leak();
    let redirect: &'static [&'static str] = Box::leak(Box::new([location]));
    let server = serve([Reply::Response(302, redirect, "")]).await;
    let error = get(&client(&server), "7").download(folder.target()).await.unwrap_err();
    assert!(!other.requests().is_empty());
    let DownloadError::Call(error) = error else { panic!("{error:?}") };
    assert_eq!(error.operation().map(|operation| operation.id), Some(GET_ICON.id), "{error}");
}

#[tokio::test]
async fn files_are_read_and_sent() {
    let folder = Folder::new();
    let path = folder.0.join("a.PNG");
    fs::write(&path, "0123456789").unwrap();
    let file = File::read(&path).await.unwrap();
    assert_eq!(file, File::new("a.PNG", "0123456789").with_content_type("image/png"));
    assert!(File::read(folder.target()).await.is_err() && ByteStream::open(folder.target()).await.is_err());

    for size in [0, 1, 65_536, 200_000] {
        let content: Vec<u8> = (0..size).map(|index: u32| index.to_le_bytes()[0]).collect();
        fs::write(&path, &content).unwrap();
        let body = ByteStream::open(&path).await.unwrap();
        assert_eq!(body.length(), Some(content.len() as u64));
        assert_eq!(body.collect().await.unwrap(), content);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_at_the_target_is_replaced() {
    let (folder, server) = (Folder::new(), serve([WHOLE]).await);
    let victim = folder.0.join("victim");
    fs::write(&victim, "before").unwrap();
    std::os::unix::fs::symlink(&victim, folder.target()).unwrap();
    fetch(&server).download(folder.target()).await.unwrap();
    assert!(fs::read_to_string(victim).unwrap() == "before" && !folder.target().is_symlink());
}

/// Pipes and devices can block a thread forever, or have no end.
#[cfg(unix)]
#[tokio::test]
async fn what_is_no_file_is_not_read() {
    let folder = Folder::new();
    for path in ["/dev/null".as_ref(), folder.0.as_path()] {
        let kinds = [File::read(path).await.err(), ByteStream::open(path).await.err()];
        let kinds = kinds.map(|error| error.map(|error| error.kind()));
        assert_eq!(kinds, [Some(std::io::ErrorKind::InvalidInput); 2], "{}", path.display());
    }
}

#[test]
fn files_that_wait_to_be_sent_hold_no_threads() {
    let folder = Folder::new();
    fs::write(folder.target(), vec![7; 1 << 20]).unwrap();
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.max_blocking_threads(1).enable_all().build().unwrap();
    let opened = runtime.block_on(async {
        let first = ByteStream::open(folder.target()).await.unwrap();
        let second = tokio::time::timeout(Duration::from_secs(10), ByteStream::open(folder.target())).await;
        drop(first);
        second
    });
    assert!(opened.is_ok());
}

#[tokio::test]
async fn a_file_that_changes_while_it_is_sent_is_an_error() {
    static BYTES: [Content; 1] = [Content::new("application/octet-stream", ContentFormat::Bytes, &ANY)];
    static UPLOAD: Operation =
        Operation::new("upload", "icons", "POST", "/upload").body(Body::required(&BYTES));
    struct Upload(ByteStream);
    impl Encode for Upload {
        fn encode(&self, writer: &mut dyn Writer) {
            writer.object(&[("body", &self.0)], None);
        }
    }
    let folder = Folder::new();
    // The first piece can be read before the file changes.
    for (before, after) in [(200_000, 200_001), (200_000, 300_000), (200_000, 190_000), (131_072, 131_073)] {
        fs::write(folder.target(), vec![7; before]).unwrap();
        let server = serve([Reply::Response(204, &[], "")]).await;
        let body = ByteStream::open(folder.target()).await.unwrap();
        let file = fs::OpenOptions::new().write(true).open(folder.target()).unwrap();
        file.set_len(after).unwrap();
        let sent = client(&server).call::<(), NotFound>(&UPLOAD, &Upload(body)).await;
        assert!(matches!(sent.unwrap_err().kind(), ErrorKind::Transport(_)), "{before} {after}");
    }
}
