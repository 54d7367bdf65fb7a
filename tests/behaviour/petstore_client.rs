//! The client that docs/getting-started.md shows.

// BEGIN docs/getting-started.md
use std::error::Error;

use fixture_petstore_client::{
    Client,
    models::{
        common::{Pet, PetKind},
        pets::AddPetError,
    },
};

pub async fn add(client: &Client, name: &str) -> Result<Pet, Box<dyn Error>> {
    let pet = Pet::new(name, PetKind::Dog).with_age(3); // the required properties, and an optional one
    match client.add_pet(pet).await {
        Ok(()) => println!("{name} is new"),
        Err(error) if error.api_body() == Some(&AddPetError::Conflict) => println!("{name} was there"),
        Err(error) => return Err(error.into()),
    }
    Ok(client.get_pet(name).await?)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = Client::builder().build()?; // calls the document's server unless you set `base_url`
    let pet = add(&client, "Rex").await?;
    println!("{} is a {}, age {:?}", pet.name, pet.kind, pet.age);
    Ok(())
}
// END docs/getting-started.md

// A program of its own calls `main`.
const _: fn() -> Result<(), Box<dyn Error>> = main;
