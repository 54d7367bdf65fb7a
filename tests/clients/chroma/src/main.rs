//! Stores documents in a running Chroma server and searches them, as a user of the generated client does.
//!
//! The argument is the server's URL. Ends with an error or a panic where the server or the client does not behave.

mod errors;
mod records;

use std::{env, error::Error, process::ExitCode, time::Duration};

use chroma_client::{
    Client,
    models::{
        collection::{CreateCollectionInput, ListCollectionsInput},
        common::{
            Collection, CollectionConfiguration, CreateCollectionPayload, CreateDatabasePayload,
            CreateTenantPayload, EmbeddingFunctionConfiguration, EmbeddingFunctionConfigurationKnown,
            HnswConfiguration, MetadataValue, Space, UpdateCollectionPayload, UpdateTenantPayload,
        },
        types::{Map, Nullable},
    },
};
use serde_json::json;

/// The tenant, the database and the collection of this program.
const TENANT: &str = "acme";
const DATABASE: &str = "library";
const COLLECTION: &str = "books";

/// The limit of the whole run.
const LIMIT: Duration = Duration::from_secs(60);

type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match tokio::time::timeout(LIMIT, run()).await {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
        Err(_) => {
            eprintln!("error: the server has not responded to everything within {LIMIT:?}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<()> {
    let url = env::args().nth(1).ok_or("give the URL of the server as the argument")?;
    let client = Client::builder()
        .base_url(url)
        .api_key_auth("not-checked-by-a-local-server")
        .timeout(Duration::from_secs(10))
        .build()?;
    server(&client).await?;
    tenants(&client).await?;
    let collection = collections(&client).await?;
    records::run(&client, &collection.id.to_string()).await?;
    errors::run(&client, &collection.id.to_string()).await?;
    remove(&client).await
}

/// Asks the server about itself.
async fn server(client: &Client) -> Result<()> {
    let heartbeat = client.heartbeat().await?;
    assert!(heartbeat.nanosecond_heartbeat > 1_700_000_000_000_000_000, "{heartbeat:?}");
    let checks = client.pre_flight_checks().await?;
    assert!(checks.max_batch_size > 100, "{checks:?}");
    let version = client.version().send_with_response().await?;
    assert!(version.is_documented && version.attempts == 1, "{version:?}");
    let user = client.get_user_identity().await?;
    assert_eq!(user.databases, ["default_database"]);
    println!("chroma: a server of API {}", version.value);
    Ok(())
}

async fn tenants(client: &Client) -> Result<()> {
    client.create_tenant(CreateTenantPayload::new(TENANT)).await?;
    assert_eq!(client.get_tenant(TENANT).await?.resource_name, None);
    // A server of one machine takes the name and keeps none.
    client.update_tenant((TENANT, UpdateTenantPayload::new("acme-resources"))).await?;

    client.create_database((TENANT, CreateDatabasePayload::new(DATABASE))).await?;
    let databases = client.list_databases(TENANT).await?;
    let [database] = databases.as_slice() else { return Err("there is not one database".into()) };
    assert_eq!(*database, client.get_database((TENANT, DATABASE)).await?);
    assert_eq!(database.tenant, TENANT);
    Ok(())
}

/// Creates two collections, renames one, and lists them page by page.
async fn collections(client: &Client) -> Result<Collection> {
    let configuration = CollectionConfiguration::default()
        .with_hnsw(HnswConfiguration::default().with_space(Space::Cosine).with_ef_search(50));
    let payload = CreateCollectionPayload::new(COLLECTION).with_configuration(configuration).with_metadata(
        Map::from([
            ("topic".to_owned(), MetadataValue::String("everything".to_owned())),
            ("shelves".to_owned(), MetadataValue::Integer(12)),
            ("public".to_owned(), MetadataValue::Boolean(true)),
        ]),
    );
    let created = client.create_collection((TENANT, DATABASE, payload.clone())).await?;
    assert_eq!((created.name.as_str(), created.version), (COLLECTION, 0));
    // It exists: the same payload finds it.
    let again = client.create_collection((TENANT, DATABASE, payload.with_get_or_create(true))).await?;
    assert_eq!(again.id, created.id);

    // By name and by id. Path parameters are a tuple.
    let found = client.get_collection((TENANT, DATABASE, COLLECTION)).await?;
    assert_eq!(found, client.get_collection_by_id((TENANT, DATABASE, created.id.to_string())).await?);
    let metadata = found.metadata.ok_or("the metadata is gone")?;
    assert_eq!(metadata.get("shelves"), Some(&MetadataValue::Integer(12)));
    assert_eq!(metadata.get("public"), Some(&MetadataValue::Boolean(true)));
    let configuration = found.configuration_json;
    assert_eq!(configuration.spann, Some(Nullable::Null), "null is not the same as absent");
    let hnsw = configuration.hnsw.and_then(Nullable::into_option).ok_or("the index is gone")?;
    assert_eq!((hnsw.space, hnsw.ef_search), (Some(Space::Cosine.into()), Some(50.into())));

    let other = client.create_collection(CreateCollectionInput::new(TENANT, DATABASE, drafts())).await?;
    let function = other.configuration_json.embedding_function.and_then(Nullable::into_option);
    let Some(EmbeddingFunctionConfiguration::Known(function)) = function else {
        return Err(format!("another embedding function: {function:?}").into());
    };
    assert_eq!((function.name.as_str(), function.config), ("default", json!({"size": 3})));
    let renamed = UpdateCollectionPayload::default()
        .with_new_name("notes")
        .with_new_metadata(Map::from([("weight".to_owned(), MetadataValue::Number(0.5))]));
    client.update_collection((TENANT, DATABASE, other.id.to_string(), renamed)).await?;

    assert_eq!(client.count_collections((TENANT, DATABASE)).await?, 2);
    let input = ListCollectionsInput::new(TENANT, DATABASE).with_limit(1);
    let mut all = client.list_collections(input).items();
    let mut names = Vec::new();
    while let Some(collection) = all.next().await {
        names.push(collection?.name);
    }
    names.sort();
    assert_eq!(names, [COLLECTION, "notes"]);
    println!("chroma: collections {}", names.join(", "));
    Ok(created)
}

/// Returns a collection whose embedding function is known to Chroma. The server selects the variant, not the caller.
fn drafts() -> CreateCollectionPayload {
    let function = EmbeddingFunctionConfigurationKnown::new(json!({"size": 3}), "default");
    let configuration = CollectionConfiguration::default()
        .with_embedding_function(EmbeddingFunctionConfiguration::Known(function));
    CreateCollectionPayload::new("drafts").with_configuration(configuration)
}

/// Removes everything that this program created.
async fn remove(client: &Client) -> Result<()> {
    for name in [COLLECTION, "notes"] {
        client.delete_collection((TENANT, DATABASE, name)).await?;
    }
    assert_eq!(client.count_collections((TENANT, DATABASE)).await?, 0);
    client.delete_database((TENANT, DATABASE)).await?;
    assert!(client.list_databases(TENANT).await?.is_empty());
    Ok(())
}
