//! An attached engine as it serves one family: what the settings declare beside the engine's kind.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::time::Instant;

use super::context::Context;
use super::lane::Lane;
use super::limits::Limit;
use super::loras::{self, Lora};
use super::settings::Attachment;
use super::{Engine, Failure, GivenMedium, Medium, Output, Probe, Refusal, Request};
use crate::config::InvalidSetting;

/// An attached engine, as it serves one family.
pub(super) struct Attached {
    pub(super) lane: Arc<Lane>,
    pub(super) loras: Vec<Lora>,
    pub(super) limits: BTreeMap<String, Limit>,
    engine: Box<dyn Engine>,
}

impl Attached {
    /// Creates the engine with the limits and LoRAs of the family.
    ///
    /// # Errors
    /// The LoRAs are invalid, or the engine does not apply them.
    pub(super) fn new(
        lane: Arc<Lane>,
        engine: Box<dyn Engine>,
        attachment: &Attachment<'_>,
    ) -> Result<Self, InvalidSetting> {
        let (family, settings) = (attachment.family, attachment.settings);
        loras::check(&settings.loras, family)?;
        let sample = loras::sample();
        let ignored = engine.ignored(Request { family, input: Some(&sample), work: None });
        if !settings.loras.is_empty() && !loras::applies(&ignored) {
            let expected = "absent, or applied: no template of the family reads `request.loras`".to_owned();
            return Err(InvalidSetting { setting: format!("families.{}.loras", family.name), expected });
        }
        Ok(Self { lane, loras: settings.loras.clone(), limits: settings.limits.clone(), engine })
    }
}

#[async_trait]
impl Engine for Attached {
    fn name(&self) -> &str {
        self.engine.name()
    }

    fn refuse(&self, request: Request<'_>, media: &[GivenMedium<'_>]) -> Vec<Refusal> {
        let limits = self.limits.iter().filter_map(|(name, limit)| limit.refuse(name, request));
        let loras = loras::refuse(&self.loras, request);
        limits.chain(loras).chain(self.engine.refuse(request, media)).collect()
    }

    fn ignored(&self, request: Request<'_>) -> Vec<String> {
        let input = loras::with_loras(&self.loras, request);
        let ignored = self.engine.ignored(Request { input: input.as_ref(), ..request });
        loras::ignored(ignored, request)
    }

    fn voices(&self) -> Vec<&str> {
        self.engine.voices()
    }

    async fn probe(&self) -> Result<Probe, Failure> {
        self.engine.probe().await
    }

    async fn run(
        &self,
        request: Request<'_>,
        media: Vec<Medium>,
        context: &Context,
    ) -> Result<Vec<Output>, Failure> {
        let input = loras::with_loras(&self.loras, request);
        let request = Request { input: input.as_ref(), ..request };
        let result = self.engine.run(request, media, context).await;
        self.lane.breaker.record(result.as_ref().err(), Instant::now());
        if let Err(failure) = &result
            && failure.is_of_engine()
        {
            let engine = &self.lane.name;
            tracing::warn!(engine, %failure, "an engine does not work");
            metrics::counter!("engine_failures_total", "engine" => engine.clone()).increment(1);
        }
        result
    }
}
