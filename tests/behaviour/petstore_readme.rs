//! The lines of a server and a client that README.md shows.

use std::{collections::HashMap, error::Error};

use fixture_petstore_client::Client;
use fixture_petstore_server::{
    models::{
        common::Pet,
        pets::{GetPetError, GetPetInput},
    },
    pets::PetsApi,
    runtime::{Context, Failure},
};

pub struct Store(pub HashMap<String, Pet>);

// BEGIN README.md
impl PetsApi for Store {
    async fn get_pet(&self, _: Context<()>, input: GetPetInput) -> Result<Pet, Failure<GetPetError>> {
        self.0.get(&input.name).cloned().ok_or_else(|| GetPetError::NotFound.into())
    }
}

pub async fn age_of(client: &Client, name: &str) -> Result<Option<i64>, Box<dyn Error>> {
    let pet = client.get_pet(name).await?;
    Ok(pet.age)
}
// END README.md
