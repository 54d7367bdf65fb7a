//! `apps`: workflow apps, for enterprise keys.

use asset_api_server::Context;
use asset_api_server::apps::AppsApi;
use asset_api_server::models::apps as models;

use super::authenticate::Caller;
use super::{Api, ApiResult, refusal, request};
use crate::apps::App;
use crate::engine::family;
use crate::tasks::view;

impl AppsApi for Api {
    type Principal = Caller;

    async fn list_apps(
        &self,
        context: Context<Caller>,
        input: models::ListAppsInput,
    ) -> ApiResult<models::AppListResponse> {
        let found = self.apps.search(&context.principal.key_id, input.search.as_deref().unwrap_or_default());
        Ok(models::AppListResponse::new(
            found.into_iter().zip(1..).map(|(app, position)| listed(app, position)).collect(),
        ))
    }

    async fn list_own_apps(&self, context: Context<Caller>) -> ApiResult<models::OwnAppListResponse> {
        let own = self.apps.owned_by(&context.principal.key_id);
        Ok(models::OwnAppListResponse::new(
            own.into_iter().map(|app| models::OwnApp::new(&app.sqid, &app.name)).collect(),
        ))
    }

    async fn get_app(
        &self,
        context: Context<Caller>,
        input: models::GetAppInput,
    ) -> ApiResult<models::AppDefinitionResponse> {
        let app = self.find_app(&context, &input.app_id)?;
        let definition = models::AppDefinition::new(&app.sqid, &app.name, app.inputs.clone());
        Ok(models::AppDefinitionResponse::new(definition))
    }

    async fn run_app(
        &self,
        context: Context<Caller>,
        input: models::RunAppInput,
    ) -> ApiResult<models::AppRunStarted> {
        let app = self.find_app(&context, &input.app_id)?;
        let (key, registry) = (input.idempotency_key, &self.submitter.registry);
        let request = request::of_app(&context, app, &input.body, key, registry);
        let id = self.create(request).await?;
        Ok(models::AppRunStarted::new(models::AppRunStatus::Pending, view::run_id(id)))
    }

    async fn get_app_run(
        &self,
        context: Context<Caller>,
        input: models::GetAppRunInput,
    ) -> ApiResult<models::AppRunResponse> {
        let id = view::task_of_run(&input.run_id).ok_or_else(refusal::no_such_resource)?;
        let task = self.find(&family::APP_RUNS, None, &context, id).await?;
        Ok(models::AppRunResponse::new(view::app_run(&task, &self.urls)))
    }
}

impl Api {
    fn find_app(&self, context: &Context<Caller>, id: &str) -> ApiResult<&App> {
        self.apps.find(&context.principal.key_id, id).ok_or_else(refusal::no_such_resource)
    }
}

fn listed(app: &App, position: i64) -> models::App {
    let metadata = models::AppMetadata::new(&app.icon, &app.category, position, app.total_cost);
    models::App::new(&app.sqid, &app.name, metadata)
}
