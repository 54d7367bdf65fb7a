//! The client that docs/from-openapi-to-rust.md shows.

// BEGIN docs/from-openapi-to-rust.md
use fixture_gallery_client::{
    Client, Error,
    models::{
        common::{Person, Picture, Subject},
        pictures::{AddPictureBody, AddPictureError, GetPictureInput},
        responses::ApiError,
        types::{Date, File},
    },
    runtime::BuildError,
};

pub fn connect(url: &str, key: &str) -> Result<Client, BuildError> {
    Client::builder().base_url(url).gallery_key(key).build() // named like the security scheme
}

pub async fn hang(client: &Client, png: Vec<u8>, taken: Date) -> Result<Picture, Error<AddPictureError>> {
    let image = File::new("ada.png", png).with_content_type("image/png");
    let subject = Subject::Person(Person::new("Ada"));
    let added = client.add_picture(AddPictureBody::new(image, taken, subject)).await?;
    Ok(added.body) // `added.location` is the header
}

pub async fn shows(client: &Client, name: &str) -> Result<String, Error<ApiError>> {
    let picture = client.get_picture(GetPictureInput::new(name)).await?; // the body alone
    Ok(match picture.subject {
        Subject::Person(person) => person.name,
        Subject::Place(place) => format!("{}, {}", place.latitude, place.longitude),
        _ => "a kind of subject that this client does not know".to_owned(),
    })
}

/// Returns whether the gallery already had a picture of that name.
pub fn is_conflict(error: &Error<AddPictureError>) -> bool {
    error.as_api().is_some_and(|failure| failure.body == AddPictureError::Conflict)
}
// END docs/from-openapi-to-rust.md
