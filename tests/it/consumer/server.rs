//! The server that docs/implement-the-server.md shows.

// BEGIN docs/implement-the-server.md
use std::{
    collections::HashMap,
    error::Error,
    sync::{Arc, Mutex},
};

use asset_api_server::{
    Server,
    models::{
        common::{ErrorMessage, Task, TaskCreated, TaskCreatedResponse, TaskResponse, TaskStatus},
        responses::ApiError,
        voiceover::{CreateVoiceoverInput, GetVoiceoverInput},
    },
    runtime::{Attempt, Authenticate, BuildError, Context, Denied, Failure, In, Rejection},
    voiceover::VoiceoverApi,
};
use axum::{Router, routing::get};
use uuid::Uuid;

/// Authenticates callers. This example knows one key; a real service compares hashes.
struct Keys;

impl Authenticate for Keys {
    type Principal = Customer;

    async fn authenticate(&self, attempt: Attempt<'_>) -> Result<Customer, Denied> {
        match attempt.credentials {
            [key] if key.secret() == "test-key" => Ok(Customer { id: 7 }),
            _ => Err(Denied::Invalid),
        }
    }
}

struct Customer {
    id: u32,
}

/// Stores each task with the customer that owns it.
#[derive(Default)]
struct Studio(Mutex<HashMap<Uuid, (u32, Task)>>);

impl VoiceoverApi for Studio {
    type Principal = Customer;

    async fn create_voiceover(
        &self,
        context: Context<Customer>,
        input: CreateVoiceoverInput,
    ) -> Result<TaskCreatedResponse, Failure<ApiError>> {
        // The input satisfies the document. A rule of your own is reported in the same form:
        if input.body.voice_id != "narrator" {
            let rejection = Rejection::invalid(In::Body, "voice_id", "must be a voice of this studio");
            return Err(Failure::rejected(rejection));
        }
        let id = Uuid::new_v4();
        let task = Task::new(id, TaskStatus::Created, Vec::new());
        let mut tasks = self.0.lock().map_err(|_| Failure::internal("the lock is poisoned"))?;
        tasks.insert(id, (context.principal.id, task));
        Ok(TaskCreatedResponse::new(TaskCreated::new(id, TaskStatus::Created)))
    }

    async fn get_voiceover(
        &self,
        context: Context<Customer>,
        input: GetVoiceoverInput,
    ) -> Result<TaskResponse, Failure<ApiError>> {
        let tasks = self.0.lock().map_err(|_| Failure::internal("the lock is poisoned"))?;
        match tasks.get(&input.task_id) {
            Some((owner, task)) if *owner == context.principal.id => Ok(TaskResponse::new(task.clone())),
            _ => Err(ApiError::NotFound(ErrorMessage::new("Task not found")).into()),
        }
    }

    // `list_voiceovers` is not implemented, so it returns 501.
}

/// Combines the API with a route of your own.
pub fn app() -> Result<Router, BuildError> {
    let service = Server::builder(Keys).voiceover(Arc::new(Studio::default())).build()?;
    Ok(Router::new().route("/healthz", get(async || "ok")).fallback_service(service))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8080").await?;
    axum::serve(listener, app()?).await?;
    Ok(())
}
// END docs/implement-the-server.md

// A program of its own calls `main`.
const _: fn() -> Result<(), Box<dyn Error>> = main;
