//! The errors of failed calls, as a user sees them.

use std::fmt::Debug;

use chroma_client::{
    Client, Error, ErrorKind,
    models::{
        common::{
            AddCollectionRecordsPayload, CreateCollectionPayload, CreateDatabasePayload, CreateTenantPayload,
            EmbeddingsPayload, ErrorResponse,
        },
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

    // The status and the message of any error.
    let refused = refusal(client.get_database((TENANT, "nothing")).await);
    assert_eq!(refused, (404, "Database [nothing] not found. Are you sure it exists?".to_owned()));
    let refused = refusal(client.get_collection((TENANT, DATABASE, "nothing")).await);
    assert_eq!(refused, (404, "Collection [nothing] does not exist".to_owned()));
    let refused = refusal(client.delete_collection((TENANT, DATABASE, "nothing")).await);
    assert_eq!(refused, (404, "Collection [nothing] does not exist".to_owned()));
    let refused = refusal(client.collection_add((TENANT, DATABASE, UNKNOWN, record(3))).await);
    assert_eq!(refused, (404, format!("Collection [{UNKNOWN}] does not exist.")));
}

/// 409, which the overlay adds to the document.
async fn taken(client: &Client) {
    let error = failure(client.create_tenant(CreateTenantPayload::new(TENANT)).await);
    assert!(matches!(error.api_body(), Some(CreateTenantError::Conflict(_))), "{error:?}");
    let refused = refusal(client.create_database((TENANT, CreateDatabasePayload::new(DATABASE))).await);
    assert_eq!(refused, (409, "Database [library] already exists".to_owned()));
    let again = CreateCollectionPayload::new(COLLECTION).with_get_or_create(false);
    let refused = refusal(client.create_collection((TENANT, DATABASE, again)).await);
    assert_eq!(refused, (409, "Collection [books] already exists".to_owned()));
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

/// Returns the status and the message of a call that must fail.
fn refusal<T: Debug, E: Debug>(result: std::result::Result<T, Error<E>>) -> (u16, String) {
    let error = failure(result);
    (error.status().map_or(0, |status| status.as_u16()), error.message().unwrap_or_default())
}
