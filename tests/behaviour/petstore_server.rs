//! The server that docs/getting-started.md shows.

// BEGIN docs/getting-started.md
use std::{
    collections::HashMap,
    error::Error,
    sync::{Arc, Mutex},
};

use axum::Router;
use fixture_petstore_server::{
    Server,
    models::{
        common::Pet,
        pets::{AddPetError, AddPetInput, GetPetError, GetPetInput},
    },
    pets::PetsApi,
    runtime::{BuildError, Context, Failure},
};

#[derive(Default)]
struct Store(Mutex<HashMap<String, Pet>>);

impl PetsApi for Store {
    async fn add_pet(&self, _: Context<()>, input: AddPetInput) -> Result<(), Failure<AddPetError>> {
        let mut pets = self.0.lock().map_err(|_| Failure::internal("the lock is poisoned"))?;
        if pets.contains_key(&input.body.name) {
            return Err(AddPetError::Conflict.into());
        }
        pets.insert(input.body.name.clone(), input.body);
        Ok(())
    }

    async fn get_pet(&self, _: Context<()>, input: GetPetInput) -> Result<Pet, Failure<GetPetError>> {
        let pets = self.0.lock().map_err(|_| Failure::internal("the lock is poisoned"))?;
        pets.get(&input.name).cloned().ok_or_else(|| GetPetError::NotFound.into())
    }
}

pub fn app() -> Result<Router, BuildError> {
    let service = Server::builder().pets(Arc::new(Store::default())).build()?;
    Ok(Router::new().fallback_service(service))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
    axum::serve(listener, app()?).await?;
    Ok(())
}
// END docs/getting-started.md

// Nothing in this library calls `main`: without this use, the compiler would warn about dead code.
const _: fn() -> Result<(), Box<dyn Error>> = main;
