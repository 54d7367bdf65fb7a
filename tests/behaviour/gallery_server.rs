//! The server that docs/from-openapi-to-rust.md shows.

// BEGIN docs/from-openapi-to-rust.md
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use fixture_gallery_server::{
    Server,
    models::{
        common::Picture,
        pictures::{AddPictureError, AddPictureInput, AddPictureOutput, GetPictureInput},
        responses::ApiError,
    },
    pictures::PicturesApi,
    runtime::{Attempt, Authenticate, BuildError, Context, Denied, Failure, Service},
};

struct Keys;

impl Authenticate for Keys {
    type Principal = ();

    async fn authenticate(&self, attempt: Attempt<'_>) -> Result<(), Denied> {
        match attempt.credentials {
            [key] if key.secret() == "test-key" => Ok(()),
            _ => Err(Denied::Invalid),
        }
    }
}

#[derive(Default)]
struct Gallery(Mutex<HashMap<String, Picture>>);

impl PicturesApi for Gallery {
    type Principal = ();

    async fn add_picture(
        &self,
        _: Context<()>,
        input: AddPictureInput,
    ) -> Result<AddPictureOutput, Failure<AddPictureError>> {
        let form = input.body; // `form.image.data` holds the bytes of the file
        let name = form.image.file_name.unwrap_or_default();
        let mut pictures = self.0.lock().map_err(|_| Failure::internal("the pictures are lost"))?;
        if pictures.contains_key(&name) {
            return Err(AddPictureError::Conflict.into());
        }
        let picture = Picture::new(name.as_str(), form.taken, form.subject);
        pictures.insert(name.clone(), picture.clone());
        Ok(AddPictureOutput::new(format!("/pictures/{name}"), picture)) // header and body
    }

    async fn get_picture(
        &self,
        _: Context<()>,
        input: GetPictureInput,
    ) -> Result<Picture, Failure<ApiError>> {
        let pictures = self.0.lock().map_err(|_| Failure::internal("the pictures are lost"))?;
        pictures.get(&input.name).cloned().ok_or_else(|| ApiError::NotFound.into())
    }
}

/// Builds a `tower` service: `axum::Router::new().fallback_service(service()?)` serves it.
pub fn service() -> Result<Service, BuildError> {
    Server::builder(Keys).pictures(Arc::new(Gallery::default())).build()
}
// END docs/from-openapi-to-rust.md
