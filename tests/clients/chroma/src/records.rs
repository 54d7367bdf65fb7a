//! Records of a collection: embeddings with documents and metadata.

use chroma_client::{
    Client,
    models::{
        common::{
            AddCollectionRecordsPayload, DeleteCollectionRecordsPayload, EmbeddingsPayload,
            GetRequestPayload, Include, Metadata, MetadataValue, QueryRequestPayload, ReadLevel,
            UpdateCollectionRecordsPayload, UpdateEmbeddingsPayload, UpsertCollectionRecordsPayload,
        },
        record::{CollectionCountInput, CollectionQueryInput},
        types::Map,
    },
};
use serde_json::json;

use crate::{DATABASE, Result, TENANT};

pub async fn run(client: &Client, id: &str) -> Result<()> {
    add(client, id).await?;
    get(client, id).await?;
    query(client, id).await?;
    change(client, id).await
}

/// Adds three records, one of them without document and metadata, and a fourth by an upsert.
async fn add(client: &Client, id: &str) -> Result<()> {
    let embeddings = vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]];
    let records = AddCollectionRecordsPayload::new(
        EmbeddingsPayload::NumberArrayArray(embeddings),
        ids(["a", "b", "c"]),
    )
    .with_documents(vec![Some("A tale of two cities".to_owned()), Some("Emma".to_owned()), None])
    .with_metadatas(vec![Some(dickens()), Some(austen()), None]);
    let added = client.collection_add((TENANT, DATABASE, id, records)).send_with_response().await?;
    assert_eq!((added.status.as_u16(), added.is_documented), (201, true));

    let upserted = UpsertCollectionRecordsPayload::new(
        EmbeddingsPayload::NumberArrayArray(vec![vec![0.0, 0.0, 0.9], vec![0.6, 0.8, 0.0]]),
        ids(["c", "d"]),
    );
    client
        .collection_upsert((TENANT, DATABASE, id, upserted.with_documents(words(["Persuasion", "Ulysses"]))))
        .await?;
    assert_eq!(client.collection_count((TENANT, DATABASE, id)).await?, 4);
    let count = CollectionCountInput::new(TENANT, DATABASE, id).with_read_level(ReadLevel::IndexAndWal);
    assert_eq!(client.collection_count(count).await?, 4);
    Ok(())
}

/// Gets records by id, by metadata and by page. Metadata comes back with the types that it was sent with.
async fn get(client: &Client, id: &str) -> Result<()> {
    let one = GetRequestPayload::default().with_ids(ids(["a"])).with_include(vec![
        Include::Embeddings,
        Include::Metadatas,
        Include::Documents,
    ]);
    let one = client.collection_get((TENANT, DATABASE, id, one)).await?;
    assert_eq!(one.ids, ["a"]);
    assert_eq!(one.embeddings, Some(vec![vec![1.0, 0.0, 0.0]]));
    assert_eq!(one.metadatas, Some(vec![Some(dickens())]));
    assert_eq!(one.uris, None, "only what the request names is included");

    let emma = GetRequestPayload::default().with_where(json!({"year": {"$lt": 1830}}));
    let emma = client.collection_get((TENANT, DATABASE, id, emma)).await?;
    assert_eq!((emma.ids, emma.documents), (ids(["b"]), Some(words(["Emma"]))));

    let page =
        GetRequestPayload::default().with_limit(2).with_offset(2).with_include(vec![Include::Metadatas]);
    let page = client.collection_get((TENANT, DATABASE, id, page)).await?;
    assert_eq!(page.ids, ["c", "d"]);
    assert_eq!(page.metadatas, Some(vec![None, None]), "records without metadata are null");
    assert_eq!(page.include, [Include::Metadatas]);
    Ok(())
}

/// Searches by two embeddings at once, then with filters of metadata and documents.
async fn query(client: &Client, id: &str) -> Result<()> {
    let nearest = QueryRequestPayload::new(vec![vec![1.0, 0.1, 0.0], vec![0.0, 0.2, 1.0]])
        .with_n_results(2)
        .with_include(vec![Include::Distances, Include::Documents]);
    let found = client.collection_query((TENANT, DATABASE, id, nearest.clone())).await?;
    assert_eq!(found.ids, [["a", "d"], ["c", "b"]]);
    let distances = found.distances.ok_or("there are no distances")?;
    let [Some(near), Some(far)] = distances.first().ok_or("there are no distances")?.as_slice() else {
        return Err("there are not two distances".into());
    };
    assert!(*near < 0.01 && near < far, "{distances:?}");
    let documents = found.documents.ok_or("there are no documents")?;
    assert_eq!(documents.first(), Some(&words(["A tale of two cities", "Ulysses"])));
    assert_eq!((found.embeddings, found.metadatas), (None, None));

    let filtered = nearest
        .with_where(json!({"$or": [{"author": "Austen"}, {"year": {"$gt": 1850}}]}))
        .with_where_document(json!({"$contains": "cities"}));
    let filtered = CollectionQueryInput::new(TENANT, DATABASE, id, filtered).with_limit(1);
    assert_eq!(client.collection_query(filtered).await?.ids, [["a"], ["a"]]);
    Ok(())
}

/// Updates the document of one record and the embedding of another, and deletes two.
async fn change(client: &Client, id: &str) -> Result<()> {
    let update = UpdateCollectionRecordsPayload::new(ids(["a", "b"]))
        .with_documents(vec![Some("Hard times".to_owned()), None])
        .with_embeddings(UpdateEmbeddingsPayload::NumberArrayArray(vec![None, Some(vec![0.0, 0.0, 1.0])]));
    client.collection_update((TENANT, DATABASE, id, update)).await?;
    let both = GetRequestPayload::default()
        .with_ids(ids(["a", "b"]))
        .with_include(vec![Include::Documents, Include::Embeddings]);
    let both = client.collection_get((TENANT, DATABASE, id, both)).await?;
    assert_eq!(both.documents, Some(words(["Hard times", "Emma"])), "null leaves a document as it is");
    assert_eq!(both.embeddings, Some(vec![vec![1.0, 0.0, 0.0], vec![0.0, 0.0, 1.0]]));

    let by_id = DeleteCollectionRecordsPayload::default().with_ids(ids(["d"]));
    assert_eq!(client.collection_delete((TENANT, DATABASE, id, by_id)).await?.deleted, Some(1));
    let by_metadata = DeleteCollectionRecordsPayload::default().with_where(json!({"author": "Austen"}));
    assert_eq!(client.collection_delete((TENANT, DATABASE, id, by_metadata)).await?.deleted, Some(1));
    let rest = client.collection_get((TENANT, DATABASE, id, GetRequestPayload::default())).await?;
    assert_eq!(rest.ids, ["a", "c"]);
    println!("chroma: {} records left", rest.ids.len());
    Ok(())
}

/// Metadata of each type. Chroma distinguishes integers from other numbers.
fn dickens() -> Metadata {
    Map::from([
        ("author".to_owned(), MetadataValue::String("Dickens".to_owned())),
        ("year".to_owned(), MetadataValue::Integer(1859)),
        ("rating".to_owned(), MetadataValue::Number(4.5)),
        ("lent".to_owned(), MetadataValue::Boolean(false)),
        ("places".to_owned(), MetadataValue::StringArray(vec!["London".to_owned(), "Paris".to_owned()])),
        ("scores".to_owned(), MetadataValue::NumberArray(vec![0.5, 1.25])),
    ])
}

fn austen() -> Metadata {
    Map::from([
        ("author".to_owned(), MetadataValue::String("Austen".to_owned())),
        ("year".to_owned(), MetadataValue::Integer(1815)),
    ])
}

fn ids<const N: usize>(ids: [&str; N]) -> Vec<String> {
    ids.map(str::to_owned).to_vec()
}

fn words<const N: usize>(documents: [&str; N]) -> Vec<Option<String>> {
    documents.map(|document| Some(document.to_owned())).to_vec()
}
