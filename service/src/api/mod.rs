//! The API's operations. One module per family turns requests into calls of the domain.

mod apps;
mod authenticate;
mod icons;
mod image_change_camera;
mod image_edit;
mod image_expand;
mod image_preview;
mod image_to_prompt;
mod image_to_video;
mod image_upscaler_precision;
mod imagegen;
mod improve_prompt;
pub mod language;
mod lip_sync;
mod loras;
mod motion_control;
mod music;
mod reference_to_video;
mod refusal;
mod resources;
mod sfx;
mod shapes;
mod skin_enhancer;
mod sound_effects;
mod text_to_icon;
mod text_to_image;
mod text_to_video;
mod video;
mod video_upscaler;
mod video_upscaler_precision;
mod voiceover;

use std::sync::Arc;

use asset_api_server::models::{common, responses};
use asset_api_server::runtime::BuildError;
use asset_api_server::{Authenticate, Context, Failure, Server, Service};
use uuid::Uuid;

pub use authenticate::Caller;
pub(crate) use refusal::RETRY_AFTER;

use crate::apart::apart;
use crate::apps::Apps;
use crate::engine::family::Family;
use crate::files::FileUrls;
use crate::store::{Page, SharedStore, Task};
use crate::tasks::submit::{Asker, Request, Submitter};
use crate::tasks::view;

/// The result of an operation.
type Answer<T> = Result<T, Failure<responses::ApiError>>;

/// The maximum page size of a task list.
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
}

/// Builds the API as a service with every family mounted.
///
/// # Errors
/// Two operations have the same method and path.
pub fn service(api: Api, callers: impl Authenticate<Principal = Caller>) -> Result<Service, BuildError> {
    let api = Arc::new(api);
    Server::builder(callers)
        .reject(refusal::rejected)
        .decode_body(|bytes, decode| apart(bytes, decode))
        .icons(Arc::clone(&api))
        .resources(Arc::clone(&api))
        .music(Arc::clone(&api))
        .sfx(Arc::clone(&api))
        .skin_enhancer(Arc::clone(&api))
        .imagegen(Arc::clone(&api))
        .loras(Arc::clone(&api))
        .text_to_icon(Arc::clone(&api))
        .voiceover(Arc::clone(&api))
        .improve_prompt(Arc::clone(&api))
        .text_to_image(Arc::clone(&api))
        .text_to_video(Arc::clone(&api))
        .image_to_video(Arc::clone(&api))
        .reference_to_video(Arc::clone(&api))
        .lip_sync(Arc::clone(&api))
        .video_upscaler(Arc::clone(&api))
        .video_upscaler_precision(Arc::clone(&api))
        .video(Arc::clone(&api))
        .motion_control(Arc::clone(&api))
        .image_change_camera(Arc::clone(&api))
        .image_expand(Arc::clone(&api))
        .image_edit(Arc::clone(&api))
        .image_preview(Arc::clone(&api))
        .image_upscaler_precision(Arc::clone(&api))
        .sound_effects(Arc::clone(&api))
        .image_to_prompt(Arc::clone(&api))
        .apps(Arc::clone(&api))
        .build()
}

impl Api {
    /// Creates a task.
    async fn create(
        &self,
        context: &Context<Caller>,
        request: Request<'_>,
    ) -> Answer<common::TaskCreatedResponse> {
        Ok(view::created(self.submit(context, request).await?))
    }

    async fn submit(&self, context: &Context<Caller>, request: Request<'_>) -> Answer<Uuid> {
        let asker = Asker {
            key_id: &context.principal.key_id,
            operation: context.operation.id,
            tier: &context.principal.tier,
        };
        self.submitter.submit(asker, request).await.map_err(refusal::not_accepted)
    }

    /// Lists the caller's tasks, newest first.
    async fn list(
        &self,
        family: &'static Family,
        model: Option<&str>,
        context: &Context<Caller>,
        page: Option<i64>,
        limit: Option<i64>,
    ) -> Answer<common::TaskListResponse> {
        let tasks = self.find_all(family, model, context, paging(page, limit)).await?;
        Ok(common::TaskListResponse::new(tasks.iter().map(|task| view::task(task, &self.urls)).collect()))
    }

    /// Returns a page of the caller's tasks, newest first.
    async fn find_all(
        &self,
        family: &'static Family,
        model: Option<&str>,
        context: &Context<Caller>,
        page: Page,
    ) -> Answer<Vec<Task>> {
        self.check_model(family, model)?;
        let tasks = self.store.tasks(&context.principal.key_id, family.name, model, page).await;
        tasks.map_err(refusal::store)
    }

    /// Returns one of the caller's tasks.
    async fn get(
        &self,
        family: &'static Family,
        model: Option<&str>,
        context: &Context<Caller>,
        id: Uuid,
    ) -> Answer<common::TaskResponse> {
        let task = self.find(family, model, context, id).await?;
        Ok(common::TaskResponse::new(view::task(&task, &self.urls)))
    }

    /// Returns the task if it belongs to the caller, else 404.
    async fn find(
        &self,
        family: &'static Family,
        model: Option<&str>,
        context: &Context<Caller>,
        id: Uuid,
    ) -> Answer<Task> {
        self.check_model(family, model)?;
        let task = self.store.task(&context.principal.key_id, family.name, model, id).await;
        task.map_err(refusal::store)?.ok_or_else(refusal::no_such_resource)
    }

    fn check_model(&self, family: &'static Family, model: Option<&str>) -> Answer<()> {
        if self.submitter.registry.has_model(family, model) {
            Ok(())
        } else {
            Err(refusal::no_such_resource())
        }
    }
}

/// Converts a level to the engine's type; validation has checked its bounds.
fn level(number: i64) -> u8 {
    u8::try_from(number.max(0)).unwrap_or(u8::MAX)
}

/// Returns the requested page. Request validation rejects numbers below 1.
fn paging(page: Option<i64>, limit: Option<i64>) -> Page {
    let limit = limit.unwrap_or(20).clamp(1, MAX_LIMIT);
    let offset = page.unwrap_or(1).saturating_sub(1).saturating_mul(limit);
    Page {
        offset: u64::try_from(offset).unwrap_or_default(),
        limit: u32::try_from(limit).unwrap_or_default(),
    }
}
