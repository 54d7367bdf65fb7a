//! Calls the petstore: `cargo run -p petstore-example-client -- list`.

use std::{env, process::ExitCode};

use petstore_client::{
    Client, Error,
    models::{
        common::{NewPet, Pet},
        pets::{DeletePetInput, GetPetInput, ListPetsInput},
        responses::ApiError,
    },
};

const USAGE: &str = "\
Usage: petstore-example-client <COMMAND>

Commands:
  list                        Lists all pets, oldest first
  add <NAME> <KIND> [<AGE>]   Adds a pet: a bird, cat, dog or fish
  show <ID>                   Shows a pet
  delete <ID>                 Deletes a pet

Environment:
  PETSTORE_URL   The server, by default http://127.0.0.1:8080
  PETSTORE_KEY   The API key, by default demo-key";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match run(&arguments).await {
        Ok(output) => {
            println!("{output}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a command and returns what it prints. An error is a message for people.
async fn run(arguments: &[String]) -> Result<String, String> {
    let client = connect()?;
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["list"] => list(&client).await,
        ["add", name, kind] => add(&client, name, kind, None).await,
        ["add", name, kind, age] => add(&client, name, kind, Some(number(age)?)).await,
        ["show", id] => {
            let pet = client.get_pet(GetPetInput::new(number(id)?)).await.map_err(explain)?;
            Ok(line(&pet))
        }
        ["delete", id] => {
            let id = number(id)?;
            client.delete_pet(DeletePetInput::new(id)).await.map_err(explain)?;
            Ok(format!("deleted {id}"))
        }
        _ => Err(USAGE.to_owned()),
    }
}

fn connect() -> Result<Client, String> {
    let mut builder = Client::builder(); // calls the document's first server unless `base_url` names another
    if let Ok(url) = env::var("PETSTORE_URL") {
        builder = builder.base_url(url);
    }
    let key = env::var("PETSTORE_KEY").unwrap_or_else(|_| "demo-key".to_owned());
    builder.shop_key(key).build().map_err(|error| error.to_string())
}

/// Reads all pages. Each page names the next one.
async fn list(client: &Client) -> Result<String, String> {
    let mut lines = Vec::new();
    let mut input = ListPetsInput::default();
    loop {
        let page = client.list_pets(input.clone()).await.map_err(explain)?;
        lines.extend(page.pets.iter().map(line));
        if page.next.is_none() {
            return Ok(lines.join("\n"));
        }
        input.after = page.next;
    }
}

async fn add(client: &Client, name: &str, kind: &str, age: Option<i32>) -> Result<String, String> {
    // The client sends requests without a check. With `preflight(true)` on the builder, it would check the
    // constraints itself and send nothing.
    let kind = kind.parse().map_err(|error| format!("kind `{kind}`: {error}"))?;
    let mut pet = NewPet::new(name, kind);
    pet.age = age;
    let added = client.add_pet(pet).await.map_err(explain)?;
    Ok(line(&added))
}

fn number<N: std::str::FromStr>(text: &str) -> Result<N, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number\n\n{USAGE}"))
}

fn line(pet: &Pet) -> String {
    let age = pet.age.map_or_else(String::new, |age| format!(", {age} years"));
    format!("{}\t{} ({}{age})", pet.id, pet.name, pet.kind)
}

/// Describes why a call failed, in the server's words if the document describes the error.
fn explain(error: Error<ApiError>) -> String {
    let words = match error.api_body() {
        Some(ApiError::Invalid(problem)) => problem.errors.as_ref().map(|violations| {
            let details: Vec<&str> = violations.iter().map(|violation| violation.detail.as_str()).collect();
            details.join("\n")
        }),
        Some(ApiError::NotFound(problem) | ApiError::NameTaken(problem)) => problem.detail.clone(),
        Some(other) => Some(other.to_string()),
        None => None,
    };
    words.unwrap_or_else(|| error.to_string())
}
