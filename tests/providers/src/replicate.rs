//! Simulates Replicate's predictions API.

use serde_json::{Value, json};
use simulated_providers_server::models::common::{
    Account, Prediction, PredictionStatus, PredictionUrls, UploadedFile, UploadedFileUrls,
};
use simulated_providers_server::models::replicate::{
    CancelPredictionInput, CreateFileInput, CreateModelPredictionInput, CreatePredictionInput,
    GetPredictionInput,
};
use simulated_providers_server::models::responses::ApiError;
use simulated_providers_server::models::types::NoError;
use simulated_providers_server::replicate::ReplicateApi;
use simulated_providers_server::{Context, Failure};

use crate::jobs::{End, Job, Plan};
use crate::media::missing;
use crate::{Provider, Shared};

const PROVIDER: Provider = Provider::Replicate;

impl Shared {
    pub(crate) fn prediction(&self, job: &Job) -> Prediction {
        let status = match job.end {
            None if job.percent() == 0 => PredictionStatus::Starting,
            None => PredictionStatus::Processing,
            Some(End::Succeeded) => PredictionStatus::Succeeded,
            Some(End::Refused | End::Failed) => PredictionStatus::Failed,
            Some(End::Cancelled) => PredictionStatus::Canceled,
        };
        let path = format!("/predictions/{}", job.id);
        let urls =
            PredictionUrls::new(self.url(PROVIDER, &path), self.url(PROVIDER, &format!("{path}/cancel")));
        let logs = format!("loading\n{:>3}%|####      |\n", job.percent());
        let mut prediction = Prediction::new(job.id.clone(), status, job.input.clone(), logs, urls);
        prediction.error = job.error().map(|error| Some(error.to_owned()).into());
        if job.end == Some(End::Succeeded) {
            prediction.output = Some(match &job.plan {
                Plan::Outputs(urls) => json!(urls),
                _ => Value::from(self.medium_url(self.jobs().medium(&job.model))),
            });
        }
        prediction
    }

    fn predict(&self, model: String, input: Value, webhook: Option<String>) -> Prediction {
        let job = self.jobs().create(PROVIDER, model, input, None);
        self.jobs().notify(PROVIDER, &job.id, webhook);
        self.prediction(&job)
    }
}

impl ReplicateApi for Shared {
    type Principal = ();

    async fn get_account(&self, _: Context<()>) -> Result<Account, Failure<NoError>> {
        Ok(Account::new("user", "somebody"))
    }

    async fn create_prediction(
        &self,
        _: Context<()>,
        input: CreatePredictionInput,
    ) -> Result<Prediction, Failure<NoError>> {
        Ok(self.predict(input.body.version, input.body.input, input.body.webhook))
    }

    async fn create_model_prediction(
        &self,
        _: Context<()>,
        input: CreateModelPredictionInput,
    ) -> Result<Prediction, Failure<NoError>> {
        Ok(self.predict(format!("{}/{}", input.owner, input.name), input.body.input, input.body.webhook))
    }

    async fn get_prediction(
        &self,
        _: Context<()>,
        input: GetPredictionInput,
    ) -> Result<Prediction, Failure<ApiError>> {
        let job = self.jobs().poll(PROVIDER, &input.id).ok_or_else(missing)?;
        Ok(self.prediction(&job))
    }

    async fn cancel_prediction(
        &self,
        _: Context<()>,
        input: CancelPredictionInput,
    ) -> Result<Prediction, Failure<ApiError>> {
        let job = self.jobs().cancel(PROVIDER, &input.id).ok_or_else(missing)?;
        Ok(self.prediction(&job))
    }

    async fn create_file(
        &self,
        _: Context<()>,
        input: CreateFileInput,
    ) -> Result<UploadedFile, Failure<NoError>> {
        let mut jobs = self.jobs();
        jobs.uploads.push(input.body.content.data);
        let id = format!("file-{}", jobs.uploads.len());
        let url = self.url(PROVIDER, &format!("/files/{id}"));
        Ok(UploadedFile::new(id, UploadedFileUrls::new(url)))
    }
}
