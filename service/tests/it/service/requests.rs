//! Requests with the key of a service, and tasks that many tests create.

use asset_api_client::models::common::Task;
use asset_api_client::models::sound_effects::SoundEffectRequest;
use reqwest::RequestBuilder;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::running::Running;
use super::waiting::{self, eventually};

impl Running {
    /// Returns a `GET` request with the service's key.
    pub fn get(&self, path: &str) -> RequestBuilder {
        self.http.get(format!("{}{path}", self.url)).header("x-service-api-key", &self.key)
    }

    /// Returns a `POST` request with a JSON body and the service's key.
    pub fn post(&self, path: &str, body: &(impl Serialize + ?Sized)) -> RequestBuilder {
        let request = self.http.post(format!("{}{path}", self.url)).json(body);
        request.header("x-service-api-key", &self.key)
    }

    /// Creates a task, and returns its id. The request has no idempotency key.
    pub async fn submit(&self, path: &str, body: &Value) -> Uuid {
        let (_, created) = response(self.post(path, body)).await;
        let id = created["data"]["task_id"].as_str().and_then(|id| id.parse().ok());
        id.unwrap_or_else(|| panic!("{path}: {created}"))
    }

    /// Creates a task, and returns it when it is completed.
    pub async fn completed(&self, path: &str, body: &Value) -> Value {
        let id = self.submit(path, body).await;
        // The variant `video-upscaler/turbo` is read where its family is.
        let url = format!("{}/{id}", path.trim_end_matches("/turbo"));
        let end = async || {
            let task = response(self.get(&url)).await.1["data"].take();
            assert!(task["status"] != "FAILED", "{path}: {task} {}", self.log());
            (task["status"] == "COMPLETED").then_some(task)
        };
        eventually(path, end).await
    }

    /// Creates a short sound, and returns the task's id.
    pub async fn click(&self, hook: Option<String>) -> Uuid {
        let mut request = SoundEffectRequest::new("click", 0.5);
        request.webhook_url = hook;
        self.client().create_sound_effect(request).await.unwrap().data.task_id
    }

    /// Waits for the end of the task of a sound, and returns it.
    pub async fn sound(&self, id: Uuid) -> Task {
        let client = self.client();
        waiting::ended(async || client.get_sound_effect(id).await.unwrap().data).await
    }
}

/// Sends a request, and returns the status and the JSON body of the response.
pub async fn response(request: RequestBuilder) -> (u16, Value) {
    let response = request.send().await.unwrap();
    (response.status().as_u16(), response.json().await.unwrap())
}
