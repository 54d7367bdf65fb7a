//! Simulates fal's queue API.

use serde_json::{Value, json};
use simulated_providers_server::fal::FalApi;
use simulated_providers_server::models::common::{
    Json, QueuedRequest, RequestStatus, RequestStatusLogsItem, RequestStatusStatus,
};
use simulated_providers_server::models::fal::{
    CancelRequestInput, GetResultInput, GetStatusInput, SubmitBelowInput, SubmitInput, SubmitThreeBelowInput,
    SubmitTwoBelowInput,
};
use simulated_providers_server::models::responses::{ApiError, Invalid, InvalidDetailItem};
use simulated_providers_server::models::types::NoError;
use simulated_providers_server::{Context, Failure};

use crate::jobs::{End, Job, Plan};
use crate::media::{Medium, missing};
use crate::{Provider, Shared};

const PROVIDER: Provider = Provider::Fal;

impl Shared {
    fn queued(&self, model: &[&str], input: Value, webhook: Option<String>) -> QueuedRequest {
        let job = self.jobs().create(PROVIDER, model.join("/"), input, None);
        self.jobs().notify(PROVIDER, &job.id, webhook);
        // The URLs of requests have no more than the first two parts of the model's path.
        let app = model.iter().take(2).copied().collect::<Vec<_>>().join("/");
        let path = self.url(PROVIDER, &format!("/{app}/requests/{}", job.id));
        QueuedRequest::new(job.id, path.clone(), format!("{path}/status"), format!("{path}/cancel"))
    }

    /// Returns the output of a job that has succeeded.
    pub(crate) fn output(&self, job: &Job) -> Value {
        let medium = self.jobs().medium(&job.model);
        let files: Vec<Value> = match &job.plan {
            Plan::Outputs(urls) => urls.iter().map(|url| json!({"url": url})).collect(),
            _ => vec![json!({
                "url": self.medium_url(medium),
                "content_type": medium.content_type(),
                "file_name": medium.file_name(),
                "file_size": medium.bytes().len(),
            })],
        };
        let first = files.first();
        match medium {
            Medium::Picture => {
                let has_nsfw_concepts = vec![false; files.len()];
                json!({"image": first, "images": files, "has_nsfw_concepts": has_nsfw_concepts})
            }
            Medium::Sound => json!({"audio": first}),
            Medium::Film => json!({"video": first}),
        }
    }
}

/// Returns the error of a model for an input that it could not serve.
fn refusal(job: &Job) -> Option<InvalidDetailItem> {
    let name = if job.end == Some(End::Refused) { "content_policy_violation" } else { "generation_failed" };
    let location = vec!["body".to_owned(), "prompt".to_owned()];
    Some(InvalidDetailItem::new(location, job.error()?, name))
}

impl FalApi for Shared {
    type Principal = ();

    async fn submit(&self, _: Context<()>, input: SubmitInput) -> Result<QueuedRequest, Failure<NoError>> {
        Ok(self.queued(&[&input.owner, &input.name], input.body, input.fal_webhook))
    }

    async fn submit_below(
        &self,
        _: Context<()>,
        input: SubmitBelowInput,
    ) -> Result<QueuedRequest, Failure<NoError>> {
        Ok(self.queued(&[&input.owner, &input.name, &input.first], input.body, input.fal_webhook))
    }

    async fn submit_two_below(
        &self,
        _: Context<()>,
        input: SubmitTwoBelowInput,
    ) -> Result<QueuedRequest, Failure<NoError>> {
        Ok(self.queued(
            &[&input.owner, &input.name, &input.first, &input.second],
            input.body,
            input.fal_webhook,
        ))
    }

    async fn submit_three_below(
        &self,
        _: Context<()>,
        input: SubmitThreeBelowInput,
    ) -> Result<QueuedRequest, Failure<NoError>> {
        let model = [&input.owner, &input.name, &input.first, &input.second, &input.third];
        Ok(self.queued(&model.map(String::as_str), input.body, input.fal_webhook))
    }

    async fn get_status(
        &self,
        _: Context<()>,
        input: GetStatusInput,
    ) -> Result<RequestStatus, Failure<ApiError>> {
        let job = self.jobs().poll(PROVIDER, &input.id).ok_or_else(missing)?;
        let mut status = RequestStatus::new(match job.end {
            None if job.percent() == 0 => RequestStatusStatus::InQueue,
            None => RequestStatusStatus::InProgress,
            Some(_) => RequestStatusStatus::Completed,
        });
        if input.logs.is_some_and(|logs| logs != 0) {
            status.logs = Some(vec![RequestStatusLogsItem::new(format!("{}%", job.percent()))]);
        }
        if let Some(refusal) = refusal(&job) {
            (status.error, status.error_type) = (Some(refusal.msg), Some(refusal.r#type));
        }
        Ok(status)
    }

    async fn get_result(&self, _: Context<()>, input: GetResultInput) -> Result<Json, Failure<ApiError>> {
        let job = self.jobs().find(PROVIDER, &input.id).cloned().ok_or_else(missing)?;
        if let Some(refusal) = refusal(&job) {
            return Err(ApiError::Invalid(Invalid::new(vec![refusal])).into());
        }
        match job.end {
            Some(End::Succeeded) => Ok(self.output(&job)),
            _ => Err(missing().into()),
        }
    }

    async fn cancel_request(
        &self,
        _: Context<()>,
        input: CancelRequestInput,
    ) -> Result<Json, Failure<ApiError>> {
        self.jobs().cancel(PROVIDER, &input.id).ok_or_else(missing)?;
        Ok(json!({"status": "CANCELLATION_REQUESTED"}))
    }
}
