//! The operations of the document.

use std::{
    collections::BTreeMap,
    ops::Bound::{Excluded, Unbounded},
    sync::{Mutex, MutexGuard},
};

use petstore_server::{
    Context, Failure,
    models::{
        common::{Pet, PetPage, Problem},
        pets::{AddPetInput, DeletePetInput, GetPetInput, ListPetsInput},
        responses::ApiError,
        types::{Timestamp, With},
    },
    pets::PetsApi,
};

/// A shop that keeps its pets in memory.
#[derive(Debug, Default)]
pub struct Shop(Mutex<Pets>);

#[derive(Debug, Default)]
struct Pets {
    last_id: i64,
    by_id: BTreeMap<i64, Pet>,
}

impl Shop {
    fn pets(&self) -> Result<MutexGuard<'_, Pets>, Failure<ApiError>> {
        self.0.lock().map_err(|_| Failure::internal("a request panicked while it changed the pets"))
    }
}

// The generated server checks the key and every constraint of the document. It rejects invalid requests itself,
// so these methods see valid input only.
impl PetsApi for Shop {
    type Principal = ();

    async fn list_pets(&self, _: Context<()>, input: ListPetsInput) -> Result<PetPage, Failure<ApiError>> {
        let limit = usize::try_from(input.limit_or_default()).map_err(Failure::internal)?;
        let after = input.after.unwrap_or(0);
        let pets = self.pets()?;
        let mut found = pets
            .by_id
            .range((Excluded(after), Unbounded))
            .map(|(_, pet)| pet)
            .filter(|pet| input.kind.as_ref().is_none_or(|kind| pet.kind == *kind));
        let mut page = PetPage::new(found.by_ref().take(limit).cloned().collect());
        if found.next().is_some() {
            page.next = page.pets.last().map(|pet| pet.id);
        }
        Ok(page)
    }

    async fn add_pet(&self, _: Context<()>, input: AddPetInput) -> Result<Pet, Failure<ApiError>> {
        let new = input.body;
        let mut pets = self.pets()?;
        if pets.by_id.values().any(|pet| pet.name == new.name) {
            let detail = format!("another pet has the name `{}`", new.name);
            return Err(ApiError::NameTaken(problem("Conflict", 409, detail)).into());
        }
        pets.last_id += 1;
        let pet = Pet::new(pets.last_id, new.name, new.kind, new.tags.unwrap_or_default(), Timestamp::now())
            .with(|pet| pet.age = new.age);
        pets.by_id.insert(pet.id, pet.clone());
        Ok(pet)
    }

    async fn get_pet(&self, _: Context<()>, input: GetPetInput) -> Result<Pet, Failure<ApiError>> {
        self.pets()?.by_id.get(&input.pet_id).cloned().ok_or_else(|| not_found(input.pet_id).into())
    }

    async fn delete_pet(&self, _: Context<()>, input: DeletePetInput) -> Result<(), Failure<ApiError>> {
        match self.pets()?.by_id.remove(&input.pet_id) {
            Some(_) => Ok(()),
            None => Err(not_found(input.pet_id).into()),
        }
    }
}

fn not_found(id: i64) -> ApiError {
    ApiError::NotFound(problem("Not Found", 404, format!("the shop has no pet with the id {id}")))
}

fn problem(title: &str, status: i32, detail: String) -> Problem {
    Problem::new(title, status).with(|problem| problem.detail = Some(detail))
}
