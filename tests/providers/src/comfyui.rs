//! Simulates ComfyUI's API for graphs of nodes.

use serde_json::{Value, json};
use simulated_providers_server::comfyui::ComfyuiApi;
use simulated_providers_server::models::comfyui::{
    CancelJobInput, ChangeQueueInput, GetHistoryInput, GetJobInput, GetQueueOutput, InterruptInput,
    ListModelsInput, QueuePromptInput, QueuePromptOutput, UploadImageInput, UploadImageOutput, ViewFileInput,
};
use simulated_providers_server::models::common::Json;
use simulated_providers_server::models::responses::ApiError;
use simulated_providers_server::models::types::{ByteStream, NoError};
use simulated_providers_server::{Context, Failure};

use crate::jobs::{End, Job, Plan};
use crate::media::{Medium, missing};
use crate::{Provider, Shared};

const PROVIDER: Provider = Provider::ComfyUi;

impl Shared {
    /// Returns the outputs of a graph by its nodes. Videos are among the images, as with the real server's nodes.
    fn outputs(&self, job: &Job) -> Value {
        let medium = self.graph_medium(job);
        let names = match &job.plan {
            Plan::Outputs(names) => names.clone(),
            _ => vec![medium.file_name().to_owned()],
        };
        let file = |name| json!({"filename": name, "subfolder": "", "type": "output"});
        let files: Vec<Value> = names.into_iter().map(file).collect();
        let list = if medium == Medium::Sound { "audio" } else { "images" };
        json!({"9": {list: files}})
    }

    fn graph_medium(&self, job: &Job) -> Medium {
        match self.jobs().medium(&job.model) {
            Medium::Film if job.model.contains("SaveImage") => Medium::Picture,
            Medium::Film if job.model.contains("SaveAudio") => Medium::Sound,
            medium => medium,
        }
    }

    fn history(&self, job: &Job, end: End) -> Value {
        let (status, error) = match end {
            End::Succeeded => ("success", Value::Null),
            _ => ("error", json!(job.error().unwrap_or("interrupted"))),
        };
        let messages = match end {
            End::Succeeded => json!([["execution_success", {"prompt_id": job.id}]]),
            End::Cancelled => json!([["execution_interrupted", {"prompt_id": job.id}]]),
            End::Refused | End::Failed => json!([["execution_error", {"exception_message": error}]]),
        };
        let outputs = if end == End::Succeeded { self.outputs(job) } else { json!({}) };
        json!({&job.id: {
            "prompt": [1, job.id, job.input],
            "outputs": outputs,
            "status": {"status_str": status, "completed": end == End::Succeeded, "messages": messages},
        }})
    }

    fn job(&self, job: &Job) -> Value {
        let status = match job.end {
            None if job.percent() == 0 => "pending",
            None => "in_progress",
            Some(End::Succeeded) => "completed",
            Some(End::Refused | End::Failed) => "failed",
            Some(End::Cancelled) => "cancelled",
        };
        json!({
            "id": job.id,
            "status": status,
            "outputs": (job.end == Some(End::Succeeded)).then(|| self.outputs(job)),
            "execution_error": job.error().map(|error| json!({"exception_message": error, "node_id": "3"})),
        })
    }
}

impl ComfyuiApi for Shared {
    async fn get_system_stats(&self, _: Context<()>) -> Result<Json, Failure<NoError>> {
        Ok(json!({"system": {"comfyui_version": "0.0.0"}, "devices": []}))
    }

    async fn list_models(&self, _: Context<()>, _: ListModelsInput) -> Result<Vec<String>, Failure<NoError>> {
        Ok(vec!["painter \"xl\".safetensors".to_owned(), "sketches/other.safetensors".to_owned()])
    }

    async fn queue_prompt(
        &self,
        _: Context<()>,
        input: QueuePromptInput,
    ) -> Result<QueuePromptOutput, Failure<NoError>> {
        let graph = input.body.prompt;
        let classes = graph.values().map(|node| node.class_type.as_str()).collect::<Vec<_>>().join(" ");
        let graph = serde_json::to_value(graph).map_err(Failure::internal)?;
        let mut jobs = self.jobs();
        let id = input.body.prompt_id.map(|id| id.to_string());
        let id = jobs.create(PROVIDER, classes, graph, id).id;
        let number = i64::try_from(jobs.all.len()).map_err(Failure::internal)?;
        Ok(QueuePromptOutput::new(id, number, json!({})))
    }

    async fn get_history(&self, _: Context<()>, input: GetHistoryInput) -> Result<Json, Failure<NoError>> {
        let job = self.jobs().poll(PROVIDER, &input.id);
        let ended = job.and_then(|job| Some((job.end?, job)));
        Ok(ended.map_or_else(|| json!({}), |(end, job)| self.history(&job, end)))
    }

    async fn get_queue(&self, _: Context<()>) -> Result<GetQueueOutput, Failure<NoError>> {
        let jobs = self.jobs();
        let entry = |job: &Job| json!([1, job.id, job.input, {}, []]);
        let (waiting, running): (Vec<&Job>, Vec<&Job>) =
            jobs.unfinished(PROVIDER).partition(|job| job.percent() == 0);
        let entries = |jobs: Vec<&Job>| jobs.into_iter().map(entry).collect();
        Ok(GetQueueOutput::new(entries(running), entries(waiting)))
    }

    async fn change_queue(&self, _: Context<()>, input: ChangeQueueInput) -> Result<(), Failure<NoError>> {
        let mut jobs = self.jobs();
        for id in input.body.delete.unwrap_or_default() {
            if jobs.find(PROVIDER, &id).is_some_and(|job| job.percent() == 0) {
                jobs.cancel(PROVIDER, &id);
            }
        }
        Ok(())
    }

    async fn interrupt(&self, _: Context<()>, input: InterruptInput) -> Result<(), Failure<NoError>> {
        let mut jobs = self.jobs();
        let named = input.body.and_then(|body| body.prompt_id);
        let running = |job: &&Job| job.percent() > 0 && named.as_ref().is_none_or(|id| *id == job.id);
        let stopped = jobs.unfinished(PROVIDER).find(running).map(|job| job.id.clone());
        stopped.and_then(|id| jobs.cancel(PROVIDER, &id));
        Ok(())
    }

    async fn upload_image(
        &self,
        _: Context<()>,
        input: UploadImageInput,
    ) -> Result<UploadImageOutput, Failure<NoError>> {
        let mut jobs = self.jobs();
        let given = input.body.image.file_name.unwrap_or_default();
        jobs.uploads.push(input.body.image.data);
        // The real server chooses another name if a file has this one.
        let name = format!("{} {given}", jobs.uploads.len());
        Ok(UploadImageOutput::new(name, input.body.subfolder.unwrap_or_default(), "input"))
    }

    async fn view_file(&self, _: Context<()>, input: ViewFileInput) -> Result<ByteStream, Failure<ApiError>> {
        let medium = Medium::named(&input.filename).ok_or_else(missing)?;
        Ok(ByteStream::from(medium.bytes()))
    }

    async fn get_job(&self, _: Context<()>, input: GetJobInput) -> Result<Json, Failure<ApiError>> {
        let job = self.jobs().poll(PROVIDER, &input.id).ok_or_else(missing)?;
        Ok(self.job(&job))
    }

    async fn cancel_job(&self, _: Context<()>, input: CancelJobInput) -> Result<Json, Failure<ApiError>> {
        let job = self.jobs().cancel(PROVIDER, &input.id).ok_or_else(missing)?;
        Ok(self.job(&job))
    }
}
