//! Multipart bodies with encodings, from client to server.

use std::sync::Arc;

use fixture_multipart_3_1_client::{Client, models};
use fixture_multipart_3_1_server::{
    Server,
    runtime::{Context, Failure},
    uploads::UploadsApi,
};
use models::{
    common::Details,
    types::{File, NoError},
    uploads::{UploadBody, UploadBodyFilter, UploadInput},
};

use crate::serving;

struct Uploads;

impl UploadsApi for Uploads {
    async fn upload(&self, _: Context<()>, input: UploadInput) -> Result<String, Failure<NoError>> {
        let UploadBody { image, pages, filter, tags, details, .. } = input.body;
        let file = |file: &File| {
            let (name, media_type) = (file.file_name.as_deref(), file.content_type.as_deref());
            format!("{} {} {}", name.unwrap_or("-"), media_type.unwrap_or("-"), file.data.len())
        };
        let pages: Vec<String> = pages.iter().flatten().map(file).collect();
        let filter = filter.map(|filter| (filter.least, filter.words));
        let author = details.map(|details| details.author);
        Ok(format!("{}; {pages:?}; {filter:?}; {tags:?}; {author:?}", file(&image)))
    }
}

async fn start() -> (Client, String) {
    let service = Server::builder().uploads(Arc::new(Uploads)).build().expect("a service");
    let url = serving::start(service).await;
    (Client::builder().base_url(&url).build().expect("a client"), url)
}

#[tokio::test]
async fn parts_follow_their_encodings() {
    let (client, _) = start().await;
    let mut body = UploadBody::new(File::from(vec![0xff, 0x00]));
    body.pages = Some(vec![File::new("1.tiff", vec![1]), File::new("2", vec![2, 2]).with_content_type("IMAGE/TIFF")]);
    body.filter = Some(UploadBodyFilter::default());
    let filter = body.filter.get_or_insert_default();
    (filter.least, filter.words) = (Some(1), Some(vec!["50%".to_owned(), "a+b".to_owned()]));
    body.tags = Some(vec!["x y".to_owned(), "%7C".to_owned()]);
    body.details = Some(Details::new("Ada"));
    let seen = client.upload(body).await.expect("a response");
    assert_eq!(
        seen,
        "image application/octet-stream 2; [\"1.tiff image/tiff 1\", \"2 IMAGE/TIFF 2\"]; \
         Some((Some(1), Some([\"50%\", \"a+b\"]))); Some([\"x y\", \"%7C\"]); Some(\"Ada\")"
    );
}

#[tokio::test]
async fn styled_parts_are_validated() {
    let (_, url) = start().await;
    let image = "--X\r\ncontent-disposition: form-data; name=image\r\n\r\nabc\r\n";
    for (parts, status, part) in [
        ("", 200, "image"),
        ("--X\r\ncontent-disposition: form-data; name=\"filter[least]\"\r\n\r\n-1\r\n", 400, "filter.least"),
        ("--X\r\ncontent-disposition: form-data; name=\"filter[least]\"\r\n\r\n1\r\n", 200, "Some(1)"),
        ("--X\r\ncontent-disposition: form-data; name=tags\r\n\r\na|b%7Cc\r\n", 200, "b%7Cc"),
        ("--X\r\ncontent-disposition: form-data; name=tags\r\n\r\na|b|c|d\r\n", 400, "tags"),
        ("--X\r\ncontent-disposition: form-data; name=\"filtr[least]\"\r\n\r\n1\r\n", 400, "filtr"),
        ("--X\r\ncontent-disposition: form-data; name=pages\r\ncontent-type: text/html\r\n\r\n1\r\n", 415, "in the part `pages`"),
    ] {
        let body = format!("{image}{parts}--X--\r\n");
        let response = serving::post(&url, "/uploads", "multipart/form-data; boundary=X", &body).await;
        let part = if part == "image" { "- - 3" } else { part };
        let is_right = response.starts_with(&format!("HTTP/1.1 {status}")) && response.contains(part);
        assert!(is_right, "{parts}: {response}");
    }
}
