//! `text-to-icon`: the icon of a task in another format.

use asset_api_server::models::{common, responses::ApiError, text_to_icon as models};
use asset_api_server::{Context, Failure};

use super::{Api, ApiResult, Caller, refusal, work};
use crate::domain::TaskStatus;
use crate::engine::family;
use crate::tasks::render::{self, RenderError};
use crate::tasks::submit::Refusal;
use crate::tasks::view;

impl Api {
    /// Returns the task with its icon in the requested format.
    ///
    /// Once the task is completed, the icon is drawn during the request, with the task's seed.
    pub(super) async fn rendered_icon(
        &self,
        context: Context<Caller>,
        input: models::RenderIconInput,
    ) -> ApiResult<common::TaskResponse> {
        let task = self.find(&family::TEXT_TO_ICON, None, &context, input.task_id).await?;
        let mut shown = view::task(&task, &self.urls);
        if task.status == TaskStatus::Completed {
            let (store, submitter) = (&*self.store, &self.submitter);
            let format = work::icon_format(input.format);
            let rendered = render::icon(store, &submitter.files, &submitter.registry, &task, format).await;
            shown.generated = vec![self.urls.of(&rendered.map_err(not_rendered)?)];
        }
        Ok(common::TaskResponse::new(shown))
    }
}

fn not_rendered(error: RenderError) -> Failure<ApiError> {
    match error {
        RenderError::NoVectors => refusal::invalid(vec![Refusal::new(
            "format",
            "must be png: the engine of this task makes pictures without vectors",
        )]),
        RenderError::Files(error) => refusal::files(error),
        error => Failure::internal(error),
    }
}
