//! The API's operations: requests become calls of the domain, and its results responses.
//!
//! The operations of the task families are rows of `families.rs`; the catalogue and the apps have a module each.

mod apps;
mod authenticate;
mod families;
mod icons;
pub mod language;
mod loras;
mod music;
pub mod operators;
mod refusal;
mod request;
mod resources;
mod sfx;
mod task_response;
mod text_to_icon;
mod work;

use std::sync::Arc;

use asset_api_server::models::responses;
use asset_api_server::runtime::BuildError;
use asset_api_server::{Authenticate, Context, Failure, REJECTIONS, Server, Service};
use uuid::Uuid;

pub use authenticate::Caller;
pub(crate) use refusal::RETRY_AFTER;
use task_response::Shows;

use crate::apps::Apps;
use crate::blocking::in_place;
use crate::domain::{Page, Task};
use crate::engine::family::Family;
use crate::files::FileUrls;
use crate::store::SharedStore;
use crate::tasks::submit::{Request, Submitter};
use crate::trace;

/// The result of an operation.
type ApiResult<T> = Result<T, Failure<responses::ApiError>>;

/// The maximum page size of a list of tasks or resources.
const MAX_LIMIT: i64 = 100;

/// Implements the traits of all families.
pub struct Api {
    /// The store of tasks and catalogue.
    pub store: SharedStore,
    /// Accepts new tasks.
    pub submitter: Submitter,
    /// The workflow apps.
    pub apps: Apps,
    /// Builds the URLs of results.
    pub urls: FileUrls,
    /// Whether this process has the catalogue in memory.
    pub has_catalogue: bool,
}

/// Builds the API as a service with every family mounted.
///
/// # Errors
/// Two operations have the same method and path.
pub fn service(api: Api, callers: impl Authenticate<Principal = Caller>) -> Result<Service, BuildError> {
    let api = Arc::new(api);
    let builder = Server::builder(callers)
        .reject(|rejection| refusal::rejected(&rejection, &REJECTIONS))
        .decode_body(|bytes, decode| in_place(bytes, decode))
        .icons(Arc::clone(&api))
        .resources(Arc::clone(&api))
        .music(Arc::clone(&api))
        .sfx(Arc::clone(&api))
        .loras(Arc::clone(&api))
        .apps(Arc::clone(&api));
    api.mount_families(builder).build()
}

impl Api {
    /// Creates a task and returns its id.
    async fn create(&self, request: Request<'_>) -> ApiResult<Uuid> {
        self.submitter.submit(request).await.map_err(refusal::not_accepted)
    }

    /// Lists the caller's tasks, newest first.
    async fn list<R: Shows<[Task]>>(
        &self,
        family: &'static Family,
        model: Option<&str>,
        context: &Context<Caller>,
        page: Option<i64>,
        limit: Option<i64>,
    ) -> ApiResult<R> {
        self.check_model(family, model)?;
        let limit = limit.unwrap_or(20).clamp(1, MAX_LIMIT);
        let (key_id, page) = (&context.principal.key_id, paging(page.unwrap_or(1), limit));
        let tasks = trace::stored("tasks", self.store.tasks(key_id, family.name, model, page)).await;
        Ok(R::of(tasks.map_err(refusal::store)?.as_slice(), &self.urls))
    }

    /// Returns one of the caller's tasks.
    async fn get<R: Shows<Task>>(
        &self,
        family: &'static Family,
        model: Option<&str>,
        context: &Context<Caller>,
        id: Uuid,
    ) -> ApiResult<R> {
        Ok(R::of(&self.find(family, model, context, id).await?, &self.urls))
    }

    /// Returns the task if it belongs to the caller, else 404.
    async fn find(
        &self,
        family: &'static Family,
        model: Option<&str>,
        context: &Context<Caller>,
        id: Uuid,
    ) -> ApiResult<Task> {
        self.check_model(family, model)?;
        let task = self.store.task(&context.principal.key_id, family.name, model, id);
        trace::stored("task", task).await.map_err(refusal::store)?.ok_or_else(refusal::no_such_resource)
    }

    fn check_model(&self, family: &'static Family, model: Option<&str>) -> ApiResult<()> {
        if self.submitter.registry.has_model(family, model) {
            Ok(())
        } else {
            Err(refusal::no_such_resource())
        }
    }
}

/// Returns the requested page. Request validation rejects numbers below 1.
fn paging(page: i64, limit: i64) -> Page {
    let offset = page.saturating_sub(1).saturating_mul(limit);
    Page {
        offset: u64::try_from(offset).unwrap_or_default(),
        limit: u32::try_from(limit).unwrap_or_default(),
    }
}
