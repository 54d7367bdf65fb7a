//! Simulates the webhooks of Replicate and fal at the end of jobs, without their signatures.

use serde_json::{Value, json};

use crate::jobs::Job;
use crate::{Provider, Providers, Shared};

impl Shared {
    /// Returns the body of the notification of a job's end.
    fn notification(&self, job: &Job) -> Value {
        match job.provider {
            Provider::Fal => json!({
                "request_id": job.id,
                "gateway_request_id": job.id,
                "status": "OK",
                "payload": self.output(job),
            }),
            _ => serde_json::to_value(self.prediction(job)).unwrap_or_default(),
        }
    }
}

impl Providers {
    /// Completes the jobs in progress that have a webhook, and notifies it of each.
    ///
    /// Returns the statuses of the responses. The process needs a default provider of cryptography for rustls.
    ///
    /// # Errors
    /// A webhook can't be reached.
    pub async fn notify(&self) -> Result<Vec<u16>, reqwest::Error> {
        let jobs = self.shared.jobs().end_with_webhooks();
        let client = reqwest::Client::new();
        let mut statuses = Vec::new();
        for job in jobs {
            let url = job.webhook.as_deref().unwrap_or_default();
            let reported = client.post(url).json(&self.shared.notification(&job)).send().await?;
            statuses.push(reported.status().as_u16());
        }
        Ok(statuses)
    }
}
