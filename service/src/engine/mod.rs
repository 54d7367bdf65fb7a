//! Engines: they do the work of tasks.
//!
//! A [`Registry`](registry::Registry) is built at start from the settings: each [`Family`](family::Family) has a
//! built-in engine, an attached one, or none. An [`Engine`] checks a [`Request`] at submission and runs it
//! later. A [`Context`] signals it the end of its time, takes its progress, and stores its
//! [`Call`](call::Call) of a provider, so that no crash makes the service pay twice.

pub mod builtin;
pub mod call;
pub(crate) mod command;
pub mod context;
pub mod environment;
mod failure;
pub mod family;
mod http;
pub mod limits;
pub(crate) mod media_fields;
pub mod notifications;
pub mod openai;
pub mod registry;
mod request;
pub mod result;
pub(crate) mod schema;
pub mod secret;
pub mod settings;
pub mod template;
pub mod work;

use asset_engines::picture::Info;
use async_trait::async_trait;
use serde_json::Value;

pub use asset_engines::{Output, Refusal};
pub use failure::Failure;
pub use request::{Input, Medium, MediumContent, MediumRequest, Request, StepRequest};

use crate::media::format::Kind;
use context::Context;

/// The result of a free check of an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Probe {
    /// All runs are free, so a check may run an example.
    Free,
    /// The engine responds; holds what it reports, such as its models.
    Works(String),
    /// The engine responds, but may not do the work; holds the reason and what to do.
    Doubtful(String),
}

/// Does the work of tasks of one or more families.
#[async_trait]
pub trait Engine: Send + Sync + 'static {
    /// Returns the name of the engine, as tasks show it: `lanczos-upscaler/1`, `local/kokoro`.
    fn name(&self) -> &str;

    /// Returns the unsupported parts of this request, by the names of its fields.
    ///
    /// `pictures` has the facts about each medium that is a picture whose bytes are in the request.
    fn refuse(&self, request: Request<'_>, pictures: &[Option<Info>]) -> Vec<Refusal>;

    /// Returns the kinds that this many media of a workflow app's step must have.
    ///
    /// Returns `None` if the engine takes another number, or no steps of apps.
    fn kinds(&self, request: Request<'_>, count: usize) -> Option<Vec<Kind>> {
        let _ = (request, count);
        None
    }

    /// Returns the given fields of the request that have no effect on the result.
    fn ignored(&self, request: Request<'_>) -> Vec<String>;

    /// Returns the API's names of the voices that the engine has, if it has only some.
    fn voices(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Describes the sandbox of the engine, if it is a program on this machine.
    fn sandbox(&self) -> Option<String> {
        None
    }

    /// Tries what costs nothing, such as a list of models.
    ///
    /// # Errors
    /// Returns why the engine does not work.
    async fn probe(&self) -> Result<Probe, Failure>;

    /// Cancels a job of the provider that no attempt resumes, in the form in which the engine has stored it.
    async fn abandon(&self, job: Value) {
        let _ = job;
    }

    /// Does the work.
    ///
    /// When the attempt is cancelled, the engine has a [grace period](context::CancelReason::grace_period); then the call
    /// is dropped. A call that is dropped must leave nothing running on this machine.
    ///
    /// # Errors
    /// Returns why there is no result.
    async fn run(
        &self,
        request: Request<'_>,
        media: Vec<Medium>,
        context: &Context,
    ) -> Result<Vec<Output>, Failure>;
}
