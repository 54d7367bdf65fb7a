//! The jobs of all providers.

use std::collections::VecDeque;

use bytes::Bytes;
use serde_json::Value;
use uuid::Uuid;

use crate::Provider;
use crate::media::Medium;

/// The planned states of a job.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Plan {
    /// The job succeeds.
    #[default]
    Succeeds,
    /// The job is in progress until [`Providers::finish`](crate::Providers::finish).
    Slow,
    /// The job succeeds, and its outputs are these URLs; for ComfyUI, these file names.
    Outputs(Vec<String>),
    /// Moderation refuses the input.
    Refused,
    /// The job fails after it has reported progress.
    Fails,
    /// The job is accepted and in progress, and then the provider does not know it.
    Vanishes,
}

/// How a job has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It succeeded.
    Succeeded,
    /// Moderation refused its input.
    Refused,
    /// It failed.
    Failed,
    /// It was cancelled.
    Cancelled,
}

/// A job that a provider has accepted, and may charge for.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// The provider.
    pub provider: Provider,
    /// The job's id.
    pub id: String,
    /// The model's path or version; for ComfyUI, the classes of the nodes.
    pub model: String,
    /// The input, the graph, or the request's body.
    pub input: Value,
    /// How the job has ended; `None` while it is in progress.
    pub end: Option<End>,
    /// The plan of the job.
    pub plan: Plan,
    /// The URL that is notified of the end of the job.
    pub webhook: Option<String>,
    polls: u32,
    forgotten: bool,
}

impl Job {
    /// Returns the progress in percent.
    pub(crate) fn percent(&self) -> u32 {
        match self.end {
            Some(End::Succeeded) => 100,
            _ if self.polls == 0 => 0,
            _ => 40,
        }
    }

    /// Returns the error of a failed job.
    pub(crate) fn error(&self) -> Option<&'static str> {
        match self.end {
            Some(End::Refused) => Some("The input was flagged as sensitive (E005)"),
            Some(End::Failed) => Some("The model ran out of memory"),
            _ => None,
        }
    }
}

/// All jobs, and the plans of tests for them.
#[derive(Debug, Default)]
pub(crate) struct Jobs {
    pub all: Vec<Job>,
    pub plans: VecDeque<Plan>,
    pub makes: Vec<(String, Medium)>,
    pub uploads: Vec<Bytes>,
    finished: bool,
}

impl Jobs {
    /// Accepts a job, with an id of the caller or a new one.
    pub fn create(&mut self, provider: Provider, model: String, input: Value, id: Option<String>) -> Job {
        let id = id.unwrap_or_else(|| Uuid::new_v4().to_string());
        let plan = self.plans.pop_front().unwrap_or_default();
        // The response is the result.
        let is_at_once = matches!(provider, Provider::Piper | Provider::Stability);
        let end = is_at_once.then_some(End::Succeeded);
        let job = Job { provider, id, model, input, end, plan, webhook: None, polls: 0, forgotten: false };
        self.all.push(job.clone());
        job
    }

    /// Returns a job without a change of its state.
    pub fn find(&mut self, provider: Provider, id: &str) -> Option<&mut Job> {
        self.all.iter_mut().rev().find(|job| job.provider == provider && job.id == id && !job.forgotten)
    }

    /// Returns a job after some time has passed for it: the first poll finds it in progress, the second ended.
    pub fn poll(&mut self, provider: Provider, id: &str) -> Option<Job> {
        let finished = self.finished;
        let job = self.find(provider, id)?;
        job.polls += 1;
        if job.end.is_none() && job.polls > 1 {
            job.end = match job.plan {
                Plan::Slow if !finished => None,
                Plan::Succeeds | Plan::Slow | Plan::Outputs(_) => Some(End::Succeeded),
                Plan::Refused => Some(End::Refused),
                Plan::Fails => Some(End::Failed),
                Plan::Vanishes => {
                    job.forgotten = true;
                    return None;
                }
            };
        }
        Some(job.clone())
    }

    /// Cancels a job that has not ended.
    pub fn cancel(&mut self, provider: Provider, id: &str) -> Option<Job> {
        let job = self.find(provider, id)?;
        job.end.get_or_insert(End::Cancelled);
        Some(job.clone())
    }

    /// Sets the URL that is notified of the end of a job.
    pub fn notify(&mut self, provider: Provider, id: &str, webhook: Option<String>) {
        self.find(provider, id).into_iter().for_each(|job| job.webhook.clone_from(&webhook));
    }

    /// Ends the jobs in progress that have a webhook, and returns them.
    pub fn end_with_webhooks(&mut self) -> Vec<Job> {
        let jobs = self.all.iter_mut().filter(|job| job.end.is_none() && job.webhook.is_some());
        jobs.map(|job| {
            job.end = Some(End::Succeeded);
            job.clone()
        })
        .collect()
    }

    /// Returns the jobs of a provider that have not ended.
    pub fn unfinished(&self, provider: Provider) -> impl Iterator<Item = &Job> {
        self.all.iter().filter(move |job| job.provider == provider && job.end.is_none() && !job.forgotten)
    }

    /// Returns the medium of a model's results.
    pub fn medium(&self, model: &str) -> Medium {
        let rule = self.makes.iter().rev().find(|(part, _)| model.contains(part));
        rule.map_or(Medium::Film, |(_, medium)| *medium)
    }

    pub fn finish(&mut self) {
        self.finished = true;
    }

    pub fn forget(&mut self) {
        self.all.iter_mut().for_each(|job| job.forgotten = true);
    }
}
