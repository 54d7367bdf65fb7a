//! Documents in practice, of OpenAPI 3.1: optional files, as FastAPI describes them.

use std::sync::Arc;

use fixture_in_practice_3_1_client::{Client, models};
use fixture_in_practice_3_1_server::{
    Server,
    files::FilesApi,
    runtime::{Context, Failure},
};
use models::{
    common::Upload,
    files::{ReplaceFileBody, ReplaceFileInput, UploadFilesInput},
    responses::ApiError,
    types::{File, NoError},
};

use crate::serving;

struct Files;

/// Returns what a server sees of a file.
fn seen(file: &File) -> String {
    let (name, media_type) = (file.file_name.as_deref(), file.content_type.as_deref());
    format!("{} {} {}", name.unwrap_or("-"), media_type.unwrap_or("-"), file.data.len())
}

impl FilesApi for Files {
    async fn upload_files(
        &self,
        _: Context<()>,
        input: UploadFilesInput,
    ) -> Result<Vec<String>, Failure<NoError>> {
        let Upload { file, maybe, old, typed, whole, files, many, items, .. } = input.body;
        let lists = [files, many, items].into_iter().flatten().flatten();
        let all = [Some(file), maybe, old, typed, whole].into_iter().flatten().chain(lists);
        Ok(all.map(|file| seen(&file)).collect())
    }

    async fn replace_file(
        &self,
        _: Context<()>,
        input: ReplaceFileInput,
    ) -> Result<(), Failure<ApiError>> {
        match input.body.file {
            Some(file) if file.file_name.is_some() => Ok(()),
            file => Err(Failure::internal(format!("{file:?}"))),
        }
    }
}

#[tokio::test]
async fn optional_files_are_files() {
    let service = Server::builder().files(Arc::new(Files)).build().expect("a service");
    let url = serving::start(service).await;
    let client = Client::builder().base_url(&url).build().expect("a client");
    let file = |name: &str| File::new(name, vec![0xff]).with_content_type("image/png");
    let mut body = Upload::new(file("file"));
    (body.maybe, body.old) = (Some(file("maybe")), Some(file("old")));
    (body.typed, body.whole) = (Some(file("typed")), Some(file("whole")));
    (body.files, body.many) = (Some(vec![file("1"), file("2")]), Some(vec![file("3")]));
    body.items = Some(vec![file("4")]);
    let names = ["file", "maybe", "old", "typed", "whole", "1", "2", "3", "4"];
    let expected: Vec<String> = names.iter().map(|name| format!("{name} image/png 1")).collect();
    assert_eq!(client.upload_files(body).await.expect("a response"), expected);
    let alone = client.upload_files(Upload::new(file("file"))).await.expect("a response");
    assert_eq!(alone, ["file image/png 1"]);

    let mut body = ReplaceFileBody::default();
    body.file = Some(file("file"));
    client.replace_file(body).await.expect("the server gets the file");
}
