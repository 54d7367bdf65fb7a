//! The README's server: it shows what stands between the two marks, word for word.

// README:begin
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

/// Says who is calling. Here there is one key; a real service compares hashes.
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

/// The tasks, each with the customer that it belongs to.
#[derive(Default)]
struct Studio(Mutex<HashMap<Uuid, (u32, Task)>>);

impl VoiceoverApi for Studio {
    type Principal = Customer;

    async fn create_voiceover(
        &self,
        context: Context<Customer>,
        input: CreateVoiceoverInput,
    ) -> Result<TaskCreatedResponse, Failure<ApiError>> {
        // The spec's rules hold already. A rule of your own is refused in the same form:
        if input.body.voice_id != "narrator" {
            let rejection = Rejection::invalid(In::Body, "voice_id", "must be a voice of this studio");
            return Err(Failure::rejected(rejection));
        }
        let id = Uuid::new_v4();
        let task = Task::new(id, TaskStatus::Created, Vec::new());
        let mut tasks = self.0.lock().map_err(|_| Failure::internal("the tasks are lost"))?;
        tasks.insert(id, (context.principal.id, task));
        Ok(TaskCreatedResponse::new(TaskCreated::new(id, TaskStatus::Created)))
    }

    async fn get_voiceover(
        &self,
        context: Context<Customer>,
        input: GetVoiceoverInput,
    ) -> Result<TaskResponse, Failure<ApiError>> {
        let tasks = self.0.lock().map_err(|_| Failure::internal("the tasks are lost"))?;
        match tasks.get(&input.task_id) {
            Some((owner, task)) if *owner == context.principal.id => Ok(TaskResponse::new(task.clone())),
            _ => Err(ApiError::NotFound(ErrorMessage::new("Task not found")).into()),
        }
    }

    // `list_voiceovers` is left out, so it answers 501.
}

/// The API behind a route of its own.
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
// README:end

// In a program of its own `main` is called.
const _: fn() -> Result<(), Box<dyn Error>> = main;
