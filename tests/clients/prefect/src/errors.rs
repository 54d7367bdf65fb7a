//! The errors of failed calls, as a user sees them. One type covers the errors of all operations.

use std::{
    fmt::Debug,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use prefect_client::{
    Client, Error, ErrorKind,
    models::{
        common::{
            Detail, Flow, FlowCreate, FlowRunCreate, ValidationErrorLocItem as Location, VariableCreate,
        },
        responses::ApiError,
        types::Uuid,
    },
};

use crate::Result;

pub async fn run(client: &Client, flow: &Flow, url: &str) -> Result<()> {
    missing(client).await;
    taken(client).await?;
    invalid(client).await?;
    strict(flow, url).await?;
    preflight(url).await
}

async fn missing(client: &Client) {
    let error = failure(client.read_flow(Uuid::nil()).await);
    assert_eq!(error.api_body(), Some(&ApiError::NotFound(Detail::new("Flow not found"))));
    assert_eq!(error.to_string(), "GET /flows/{id}: 404 Not Found: Flow not found");
    assert!(!error.is_retryable() && error.attempts() == 1);
    let error = failure(client.create_flow_run(FlowRunCreate::new(Uuid::nil())).await);
    assert!(
        error.status().is_some_and(|status| status.is_client_error() || status.is_server_error()),
        "{error}"
    );
    let error = failure(client.delete_variable_by_name("nothing").await);
    assert_eq!(error.message().as_deref(), Some("Variable not found."));
}

async fn taken(client: &Client) -> Result<()> {
    let variable = VariableCreate::new("taken", None);
    client.create_variable(variable.clone()).await?;
    let error = failure(client.create_variable(variable).await);
    let words = "A variable with the name 'taken' already exists.";
    assert_eq!(error.api_body(), Some(&ApiError::Conflict(Detail::new(words))));
    client.delete_variable_by_name("taken").await?;
    Ok(())
}

/// A 422 has a location of names and numbers for each violation.
async fn invalid(client: &Client) -> Result<()> {
    let error = failure(client.create_flow(FlowCreate::new("a/b")).await);
    let Some(ApiError::Invalid(invalid)) = error.api_body() else { return Err(error.into()) };
    let [violation] = invalid.exception_detail.as_slice() else { return Err(error.into()) };
    assert_eq!(violation.loc, [Location::String("body".to_owned()), Location::String("name".to_owned())]);
    assert_eq!(violation.r#type, "string_pattern_mismatch");
    assert_eq!(violation.input, Some("a/b".into()));
    println!("prefect: {error}");
    Ok(())
}

/// With `strict_status`, a status that the document does not describe is an error.
async fn strict(flow: &Flow, url: &str) -> Result<()> {
    let attempts = Arc::new(AtomicU32::new(0));
    let counted = Arc::clone(&attempts);
    let strict = Client::builder()
        .base_url(url)
        .strict_status(true)
        .before_attempt(move |_, _| {
            counted.fetch_add(1, Ordering::Relaxed);
            Ok(())
        })
        .build()?;
    let error = failure(strict.create_flow_run(FlowRunCreate::new(flow.id).with_name("strict")).await);
    assert!(matches!(error.kind(), ErrorKind::Unexpected(_)), "{error:?}");
    assert!(
        error.to_string().starts_with("POST /flow_runs/: 201 Created, which isn't documented"),
        "{error}"
    );
    assert_eq!(attempts.load(Ordering::Relaxed), 1, "a call that the server served is not repeated");
    Ok(())
}

/// With `preflight`, the client checks the input before it sends it.
async fn preflight(url: &str) -> Result<()> {
    let client = Client::builder().base_url(url).preflight(true).build()?;
    let error = failure(client.create_flow(FlowCreate::new("a/b")).await);
    assert!(error.status().is_none() && error.to_string().contains("name"), "{error}");
    println!("prefect: {error}");
    Ok(())
}

/// Returns the error of a call that must fail.
fn failure<T: Debug, E: Debug>(result: std::result::Result<T, Error<E>>) -> Error<E> {
    result.expect_err("the server refuses this call")
}
