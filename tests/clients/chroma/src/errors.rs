//! The errors of failed calls, as a user sees them.

use std::fmt::Debug;

use chroma_client::{
    Client, Error, ErrorKind,
    models::{
        collection::{CreateCollectionError, DeleteCollectionError, GetCollectionError},
        common::{
            AddCollectionRecordsPayload, CreateCollectionPayload, CreateDatabasePayload, CreateTenantPayload,
            EmbeddingsPayload, ErrorResponse,
        },
        database::{CreateDatabaseError, GetDatabaseError},
        record::CollectionAddError,
        tenant::{CreateTenantError, GetTenantError},
    },
};

use crate::{COLLECTION, DATABASE, Result, TENANT};

const UNKNOWN: &str = "00000000-0000-0000-0000-000000000000";

pub async fn run(client: &Client, id: &str) -> Result<()> {
    missing(client).await;
    taken(client).await;
    invalid(client, id).await;
    undocumented(client, id).await
}

/// 404, with the body that the document describes.
async fn missing(client: &Client) {
    let error = failure(client.get_tenant("nobody").await);
    assert_eq!(
        error.api_body(),
        Some(&GetTenantError::NotFound(ErrorResponse::new("NotFoundError", "Tenant [nobody] not found")))
    );
    let text = "GET /api/v2/tenants/{tenant_name}: 404 Not Found: Tenant [nobody] not found";
    assert_eq!(error.to_string(), text);
    assert!(!error.is_retryable() && error.attempts() == 1);

    let error = failure(client.get_database((TENANT, "nothing")).await);
    assert!(matches!(error.api_body(), Some(GetDatabaseError::NotFound(_))), "{error:?}");
    let error = failure(client.get_collection((TENANT, DATABASE, "nothing")).await);
    assert!(matches!(error.api_body(), Some(GetCollectionError::NotFound(_))), "{error:?}");
    assert_eq!(error.message().as_deref(), Some("Collection [nothing] does not exist"));
    let error = failure(client.delete_collection((TENANT, DATABASE, "nothing")).await);
    assert!(matches!(error.api_body(), Some(DeleteCollectionError::NotFound(_))), "{error:?}");
    let error = failure(client.collection_add((TENANT, DATABASE, UNKNOWN, record(3))).await);
    assert!(matches!(error.api_body(), Some(CollectionAddError::NotFound(_))), "{error:?}");
}

/// 409, which the overlay adds to the document.
async fn taken(client: &Client) {
    let error = failure(client.create_tenant(CreateTenantPayload::new(TENANT)).await);
    assert!(matches!(error.api_body(), Some(CreateTenantError::Conflict(_))), "{error:?}");
    let error = failure(client.create_database((TENANT, CreateDatabasePayload::new(DATABASE))).await);
    assert!(matches!(error.api_body(), Some(CreateDatabaseError::Conflict(_))), "{error:?}");
    let again = CreateCollectionPayload::new(COLLECTION).with_get_or_create(false);
    let error = failure(client.create_collection((TENANT, DATABASE, again)).await);
    assert!(matches!(error.api_body(), Some(CreateCollectionError::Conflict(_))), "{error:?}");
    assert_eq!(error.status().map(|status| status.as_u16()), Some(409));
    assert_eq!(error.message().as_deref(), Some("Collection [books] already exists"));
}

/// 400: an embedding of another dimension.
async fn invalid(client: &Client, id: &str) {
    let error = failure(client.collection_add((TENANT, DATABASE, id, record(2))).await);
    assert!(matches!(error.api_body(), Some(CollectionAddError::BadRequest(_))), "{error:?}");
    let message = "Collection expecting embedding with dimension of 3, got 2";
    assert_eq!(error.message().as_deref(), Some(message));
}

/// Responses that neither the document nor the overlay describes.
async fn undocumented(client: &Client, id: &str) -> Result<()> {
    // The document says that the body is a string.
    let error = failure(client.healthcheck().await);
    assert!(matches!(error.kind(), ErrorKind::Decode(_)), "{error:?}");
    let text = "GET /api/v2/healthcheck: 200 OK, but the response isn't as documented: \
                expected a string, found an object";
    assert_eq!(error.to_string(), text);

    // A status that the document does not have. The message still comes from the body.
    let error =
        failure(client.create_collection((TENANT, DATABASE, CreateCollectionPayload::new("b"))).await);
    assert!(error.api_body().is_none() && error.message().is_some(), "{error:?}");
    let start = "POST /api/v2/tenants/{tenant}/databases/{database}/collections: \
                 400 Bad Request, which isn't documented: Validation error";
    assert!(error.to_string().starts_with(start), "{error}");

    // The bytes, with any status.
    let raw = client.indexing_status((TENANT, DATABASE, id)).send_raw().await?;
    assert_eq!((raw.status.as_u16(), raw.content_type()), (500, "application/json"));
    Ok(())
}

fn record(dimension: usize) -> AddCollectionRecordsPayload {
    let embeddings = vec![vec![0.5; dimension]];
    AddCollectionRecordsPayload::new(EmbeddingsPayload::NumberArrayArray(embeddings), vec!["x".to_owned()])
}

/// Returns the error of a call that must fail.
fn failure<T: Debug, E: Debug>(result: std::result::Result<T, Error<E>>) -> Error<E> {
    result.expect_err("the server refuses this call")
}
