//! The contract of the file store, on a folder, in memory and on a bucket.
//!
//! `FILES_URL=s3://bucket AWS_ENDPOINT_URL=… cargo test … on_a_real_server` runs it on a bucket of a real server.

pub mod s3;

use asset_service::files::{Area, Files, FilesError, bucket_url, random_folder};
use bytes::Bytes;
use futures_util::TryStreamExt as _;
use object_store::GetRange;
use tempfile::TempDir;

use crate::service::http_client;
use crate::service::waiting::eventually;
use s3::{Mode, S3, SECRET};

type Tested = Result<(), FilesError>;

/// Returns a store in this bucket of a server.
pub fn in_bucket<'a>(
    url: &str,
    environment: impl IntoIterator<Item = (&'a str, &'a str)>,
    redirects: bool,
) -> Files {
    let environment = environment.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
    let scratch = std::env::temp_dir();
    Files::in_bucket(bucket_url(url).unwrap(), redirects, environment, &scratch).unwrap()
}

/// Makes tests of these checks, one for each kind of store.
macro_rules! contract {
    ($($check:ident)+) => {
        mod in_a_folder {
            $(#[tokio::test]
            async fn $check() -> super::Tested {
                let folder = tempfile::tempdir().unwrap();
                super::$check(&super::Files::local(folder.path())?).await
            })+
        }
        mod in_memory {
            $(#[tokio::test]
            async fn $check() -> super::Tested {
                super::$check(&super::Files::in_memory()).await
            })+
        }
        mod on_a_server {
            $(#[tokio::test]
            async fn $check() -> super::Tested {
                let server = super::S3::start().await;
                super::$check(&super::in_bucket("s3://files/a/b", server.environment(), true)).await?;
                assert_eq!(server.unfinished(), 0);
                Ok(())
            })+
        }
        mod on_a_real_server {
            $(#[tokio::test]
            async fn $check() -> super::Tested {
                let Ok(url) = std::env::var("FILES_URL") else { return Ok(()) };
                let environment: Vec<_> = std::env::vars().collect();
                let environment = environment.iter().map(|(name, value)| (name.as_str(), value.as_str()));
                let url = format!("{url}/{}", super::random_folder());
                super::$check(&super::in_bucket(&url, environment, true)).await
            })+
        }
    };
}

contract! {
    files_are_stored_and_removed
    ranges_are_read
    long_files_are_stored_in_pieces
    the_first_process_sets_the_id
    shards_are_listed_in_pages
    redirects_read_files
}

async fn files_are_stored_and_removed(files: &Files) -> Tested {
    files.put(Area::Results, "aa/1-0.png", Bytes::from_static(b"picture")).await?;
    files.put(Area::Results, "bb/1-0.png", Bytes::from_static(b"other")).await?;
    assert_eq!(files.read(Area::Results, "aa/1-0.png").await?.as_deref(), Some(&b"picture"[..]));
    files.put(Area::Results, "aa/1-0.png", Bytes::from_static(b"another")).await?;
    assert_eq!(files.read(Area::Results, "aa/1-0.png").await?.as_deref(), Some(&b"another"[..]));
    assert_eq!(files.read(Area::Inputs, "aa/1-0.png").await?, None);
    files.put(Area::Results, "aabb/1-0.png", Bytes::from_static(b"beside")).await?;
    files.put(Area::Catalogue, "icons/house.svg", Bytes::new()).await?;
    assert_eq!(files.size(Area::Catalogue, "icons/house.svg").await?, Some(0));
    let listed = files.list(Area::Results, "aa").await?;
    assert_eq!(listed.iter().map(|file| file.key.as_str()).collect::<Vec<_>>(), ["aa/1-0.png"]);
    files.remove_folder(Area::Results, "aa").await?;
    files.remove_folder(Area::Results, "aa").await?;
    files.remove(Area::Results, "aa/1-0.png").await?;
    assert_eq!(files.size(Area::Results, "aa/1-0.png").await?, None);
    assert_eq!(files.size(Area::Results, "aabb/1-0.png").await?, Some(6));
    files.remove_all(Area::Results, vec!["aabb/1-0.png".to_owned(), "aabb/none".to_owned()]).await?;
    assert_eq!(files.size(Area::Results, "aabb/1-0.png").await?, None);
    assert_eq!(files.size(Area::Results, "bb/1-0.png").await?, Some(5));
    Ok(())
}

async fn ranges_are_read(files: &Files) -> Tested {
    files.put(Area::Results, "aa/1-0.wav", Bytes::from_static(b"0123456789")).await?;
    for (range, expected) in [(0..4, "0123"), (4..10, "456789"), (9..10, "9")] {
        let file = files.open(Area::Results, "aa/1-0.wav", Some(GetRange::Bounded(range))).await?.unwrap();
        assert_eq!((file.meta.size, file.bytes().await?), (10, Bytes::from(expected)));
    }
    assert!(files.open(Area::Results, "aa/none", Some(GetRange::Bounded(0..4))).await?.is_none());
    Ok(())
}

async fn long_files_are_stored_in_pieces(files: &Files) -> Tested {
    const PART: usize = 5 * 1024 * 1024;

    for size in [0, 1, PART, PART + 1, 2 * PART] {
        let bytes: Bytes = (0..size).map(|index| (index % 251) as u8).collect();
        let mut content = asset_engines::Scratch::new(None, u64::MAX).unwrap();
        std::io::Write::write_all(&mut content, &bytes).unwrap();
        files.put_long(Area::Results, "aa/1-0.mp4", content).await?;
        files.put(Area::Results, "aa/1-1.mp4", bytes.clone()).await?;
        for key in ["aa/1-0.mp4", "aa/1-1.mp4"] {
            let stored = files.read(Area::Results, key).await?;
            assert!(
                stored.as_ref() == Some(&bytes),
                "{key} of {size} bytes: {:?}",
                stored.map(|bytes| bytes.len())
            );
        }
    }
    Ok(())
}

async fn the_first_process_sets_the_id(files: &Files) -> Tested {
    assert_eq!(files.id().await?, None);
    let ids = ["one", "two", "three"];
    let set = futures_util::future::try_join_all(ids.map(|id| files.set_id(id))).await?;
    let id = files.id().await?.unwrap();
    assert!(ids.contains(&id.as_str()) && set.iter().all(|set| *set == id), "{id}: {set:?}");
    Ok(())
}

async fn shards_are_listed_in_pages(files: &Files) -> Tested {
    let mut stored: Vec<String> = (0..20).map(|number| format!("ab{number:02}/1-0.png")).collect();
    for key in stored.iter().map(String::as_str).chain(["aa/1-0.png", "abc", "ba/1-0.png"]) {
        files.put(Area::Inputs, key, Bytes::from_static(b"picture")).await?;
    }
    stored.push("abc".to_owned());
    let pages: Vec<_> = files.shard(Area::Inputs, 0xab).try_collect().await?;
    let mut listed: Vec<String> = pages.into_iter().flatten().map(|file| file.key).collect();
    listed.sort();
    assert_eq!(listed, stored);
    assert!(files.shard(Area::Inputs, 0xcd).try_next().await?.is_none());
    Ok(())
}

async fn redirects_read_files(files: &Files) -> Tested {
    files.put(Area::Results, "aa/1-0.png", Bytes::from_static(b"picture")).await?;
    let Some(url) = files.redirect(Area::Results, "aa/1-0.png").await? else {
        assert!(!files.is_in_bucket());
        return Ok(());
    };
    let response = http_client::get(url.clone()).await.unwrap();
    assert_eq!(response.headers()["content-type"], "image/png");
    assert_eq!(response.headers()["cache-control"], "private, max-age=31536000, immutable");
    assert_eq!(response.bytes().await.unwrap(), Bytes::from_static(b"picture"));
    Ok(())
}

#[tokio::test]
async fn a_result_needs_one_request() -> Tested {
    let server = S3::start().await;
    let files = in_bucket("s3://files", server.environment(), false);
    files.put(Area::Results, "aa/1-0.png", Bytes::from_static(b"picture")).await?;
    assert_eq!(server.requests(), "1 PutObject");
    files.put(Area::Results, "aa/1-1.mp4", vec![0; 11 * 1024 * 1024].into()).await?;
    assert_eq!(server.requests(), "1 CompleteMultipartUpload, 1 CreateMultipartUpload, 3 UploadPart");
    files.read(Area::Results, "aa/1-0.png").await?;
    assert_eq!(server.requests(), "1 GetObject");
    files.remove_folder(Area::Results, "aa").await?;
    assert_eq!(server.requests(), "1 DeleteObjects, 1 ListObjectsV2");
    assert_eq!(server.objects(""), [""; 0]);
    Ok(())
}

#[tokio::test]
async fn a_dropped_upload_leaves_nothing() -> Tested {
    let server = S3::start().await;
    let files = in_bucket("s3://files", server.environment(), false);
    let upload = files.put(Area::Results, "aa/1-0.mp4", vec![0; 11 * 1024 * 1024].into());
    let begun = async {
        while server.parts() == 0 {
            tokio::task::yield_now().await;
        }
        server.set(Mode::Hangs);
    };
    tokio::select! {
        stored = upload => panic!("the upload must hang: {stored:?}"),
        () = begun => server.set(Mode::Works),
    }
    eventually("the upload is aborted", async || (server.unfinished() == 0).then_some(())).await;
    assert_eq!(server.objects(""), [""; 0]);
    Ok(())
}

#[tokio::test]
async fn an_error_of_a_bucket_is_temporary_and_shows_no_secret() -> Tested {
    for (status, code) in [
        (500, "InternalError"),
        (507, "XMinioStorageFull"),
        (400, "QuotaExceeded"),
        (403, "AccessDenied"),
        (404, "NoSuchBucket"),
    ] {
        let server = S3::start().await;
        let files = in_bucket("s3://files", server.environment(), false);
        server.set(Mode::Fails(status, code));
        let read = files.read(Area::Results, "aa/1-0.png").await.unwrap_err();
        let written =
            files.put(Area::Results, "aa/1-0.png", Bytes::from_static(b"picture")).await.unwrap_err();
        for failed in [read, written] {
            assert!(failed.is_temporary() && failed.to_string().ends_with(code), "{failed}");
            assert!(!format!("{failed:?} {files:?}").contains(SECRET), "{failed:?} {files:?}");
        }
        server.set(Mode::Works);
        assert_eq!(files.read(Area::Results, "aa/1-0.png").await?, None);
    }
    let folder: TempDir = tempfile::tempdir().unwrap();
    let local = Files::local(&folder.path().join("files"))?;
    std::fs::remove_dir_all(folder.path().join("files")).unwrap();
    std::fs::write(folder.path().join("files"), "").unwrap();
    let failed = local.put(Area::Results, "aa/1-0.png", Bytes::from_static(b"picture")).await.unwrap_err();
    assert!(!failed.is_temporary(), "{failed}");
    Ok(())
}
