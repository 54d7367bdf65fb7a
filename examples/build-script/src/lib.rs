//! Counts the pets of a petstore. No generated code is checked in: `build.rs` makes the types.

use std::collections::BTreeMap;

use petstore::common::PetPage;

/// The types of the petstore's document.
pub mod petstore {
    include!(concat!(env!("OUT_DIR"), "/petstore.rs"));
}

/// Returns how many pets of each kind a page has, such as `bird: 1, dog: 2`.
///
/// # Errors
/// Returns an error if the text is not a page of pets in JSON.
pub fn summary(page: &str) -> Result<String, serde_json::Error> {
    let page: PetPage = serde_json::from_str(page)?;
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for pet in &page.pets {
        *kinds.entry(pet.kind.as_str()).or_default() += 1;
    }
    let counts: Vec<String> = kinds.iter().map(|(kind, count)| format!("{kind}: {count}")).collect();
    Ok(counts.join(", "))
}
