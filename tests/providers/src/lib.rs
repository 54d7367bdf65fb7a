//! Simulated providers of models: real HTTP and real media, with faults that a test asks for.
//!
//! [`Providers::start`] serves Replicate's predictions, a queue like fal's, ComfyUI, Piper's own server and forms like
//! Stability AI's on one free port, each below its [`url`](Providers::url). The servers are generated from `openapi.yaml`. A job
//! is in progress at the first poll and has ended at the second, unless its [`Plan`] says otherwise.

mod comfyui;
mod fal;
mod front;
mod jobs;
mod media;
mod notifications;
mod piper;
mod replicate;
mod stability;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::{Router, middleware};
use simulated_providers_server::{Attempt, Authenticate, Denied, Server};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

pub use front::{Fault, Received, Step};
pub use jobs::{End, Job, Plan};
pub use media::Medium;

/// The largest upload, in bytes.
const UPLOAD_LIMIT: u64 = 64 << 20;

/// A simulated provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// Replicate's predictions; expects `Authorization: Bearer …`.
    Replicate,
    /// A queue like fal's; expects `Authorization: Key …`.
    Fal,
    /// ComfyUI, without keys.
    ComfyUi,
    /// Piper's own server, without keys.
    Piper,
    /// Forms like Stability AI's; expects `Authorization: Bearer …`.
    Stability,
}

impl Provider {
    fn path(self) -> &'static str {
        match self {
            Self::Replicate => "/replicate/v1",
            Self::Fal => "/fal",
            Self::ComfyUi => "/comfyui",
            Self::Piper => "/piper",
            Self::Stability => "/stability",
        }
    }
}

/// All providers, on one port. They stop when this is dropped.
#[derive(Debug)]
pub struct Providers {
    shared: Arc<Shared>,
    serving: JoinHandle<()>,
}

impl Drop for Providers {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// The state that all handlers share.
#[derive(Debug)]
struct Shared {
    origin: String,
    front: Mutex<front::Front>,
    jobs: Mutex<jobs::Jobs>,
}

impl Shared {
    fn front(&self) -> MutexGuard<'_, front::Front> {
        self.front.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn jobs(&self) -> MutexGuard<'_, jobs::Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the URL of a path of a provider.
    fn url(&self, provider: Provider, path: &str) -> String {
        format!("{}{}{path}", self.origin, provider.path())
    }
}

impl Providers {
    /// Starts the providers on a free port of this machine.
    ///
    /// # Errors
    /// No port is free, or the operations can't be routed.
    pub async fn start() -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let origin = format!("http://{}", listener.local_addr()?);
        let shared = Arc::new(Shared { origin, front: Mutex::default(), jobs: Mutex::default() });
        let api = Server::builder(AnyKey)
            .default_body_limit(UPLOAD_LIMIT)
            .replicate(Arc::clone(&shared))
            .fal(Arc::clone(&shared))
            .comfyui(Arc::clone(&shared))
            .piper(Arc::clone(&shared))
            .stability(Arc::clone(&shared))
            .media(Arc::clone(&shared))
            .build()?;
        let front = middleware::from_fn_with_state(Arc::clone(&shared), front::pass);
        let app = Router::new().fallback_service(api).layer(front);
        let serving = tokio::spawn(async move {
            // Serving ends with an error only if the listener can't accept, which no test can repair.
            let _ = axum::serve(listener, app).await;
        });
        Ok(Self { shared, serving })
    }

    /// Returns the base URL of a provider, without a slash at the end.
    #[must_use]
    pub fn url(&self, provider: Provider) -> String {
        self.shared.url(provider, "")
    }

    /// Applies a fault to the next request of this step. Faults of one step wait for each other.
    pub fn fault(&self, step: Step, fault: Fault) {
        self.shared.front().faults.push((step, fault));
    }

    /// Returns the number of faults that no request has met yet.
    #[must_use]
    pub fn faults_left(&self) -> usize {
        self.shared.front().faults.len()
    }

    /// Sets the plan of the next job. Several plans apply in order; a job without one succeeds.
    pub fn plan(&self, plan: Plan) {
        self.shared.jobs().plans.push_back(plan);
    }

    /// Sets the medium that models return whose path contains this text. Default: videos.
    ///
    /// A model of ComfyUI is a graph; its path is the classes of its nodes, joined by spaces.
    pub fn makes(&self, model: &str, medium: Medium) {
        self.shared.jobs().makes.push((model.to_owned(), medium));
    }

    /// Ends the jobs of [`Plan::Slow`] at their next poll.
    pub fn finish(&self) {
        self.shared.jobs().finish();
    }

    /// Forgets all jobs, as a restart does; [`creations`](Self::creations) still has them.
    pub fn forget(&self) {
        self.shared.jobs().forget();
    }

    /// Returns all accepted jobs in order, with their current state.
    #[must_use]
    pub fn creations(&self) -> Vec<Job> {
        self.shared.jobs().all.clone()
    }

    /// Returns all requests in order, those that met a fault as well.
    #[must_use]
    pub fn requests(&self) -> Vec<Received> {
        self.shared.front().received.clone()
    }

    /// Returns the uploaded files in order, those in forms as well.
    #[must_use]
    pub fn uploads(&self) -> Vec<bytes::Bytes> {
        self.shared.jobs().uploads.clone()
    }
}

/// Accepts every key; [`Received`] has what the caller sent.
struct AnyKey;

impl Authenticate for AnyKey {
    type Principal = ();

    async fn authenticate(&self, attempt: Attempt<'_>) -> Result<(), Denied> {
        let has_key = attempt.credentials.iter().all(|credential| {
            let key = credential.secret();
            !key.is_empty() && (credential.scheme.name != "Key" || key.starts_with("Key "))
        });
        if has_key { Ok(()) } else { Err(Denied::Invalid) }
    }
}
