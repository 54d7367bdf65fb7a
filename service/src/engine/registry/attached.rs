//! An engine that is attached to one family: the settings that all kinds share.

use std::sync::Arc;

use asset_engines::picture::Info;
use async_trait::async_trait;
use serde_json::Value;
use tokio::time::Instant;

use super::lane::Lane;
use crate::config::{InvalidSetting, unknown};
use crate::engine::context::Context;
use crate::engine::family::Family;
use crate::engine::limits::{self, Limits, cost, loras};
use crate::engine::request::field;
use crate::engine::settings::{Attachment, FamilySettings};
use crate::engine::{Engine, Failure, Input, Medium, Output, Probe, Refusal, Request, schema};

/// An engine that is attached to one family.
pub(super) struct Attached {
    pub(super) lane: Arc<Lane>,
    pub(super) settings: FamilySettings,
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
        check_with(&settings.with, family)?;
        check_limits("limits", &settings.limits, family)?;
        for (index, rule) in settings.rules.iter().enumerate() {
            rule.check(&format!("families.{}.rules[{index}]", family.name))?;
            check_limits(&format!("rules[{index}].when"), &rule.when, family)?;
            check_limits(&format!("rules[{index}].limits"), &rule.limits, family)?;
        }
        loras::check(&settings.loras, family)?;
        settings.cost.iter().try_for_each(|cost| cost.check(family))?;
        let sample = loras::sample();
        let ignored = engine.ignored(Request { family, input: Some(&sample), work: None });
        if !settings.loras.is_empty() && !loras::applies(&ignored) {
            let expected = "absent, or applied: no template of the family reads `request.loras`";
            return Err(InvalidSetting::must_be(format!("families.{}.loras", family.name), expected));
        }
        Ok(Self { lane, settings: settings.clone(), engine })
    }

    /// Returns whether the engine serves requests with this input.
    pub(super) fn takes(&self, input: &Input) -> bool {
        let with = &self.settings.with;
        with.is_empty() || with.iter().any(|name| field(&input.body, name).is_some())
    }

    /// Counts a finished call for the key of the task.
    ///
    /// The work is done and may be charged, so a failure here is only logged.
    async fn count(&self, request: Request<'_>, outputs: &[Output], context: &Context) {
        let engine = (self.lane.name.as_str(), self.lane.kind.as_str());
        let Some(charge) = cost::charge(self.settings.cost.as_ref(), engine, request, outputs) else {
            return;
        };
        match context.calls.count(&charge).await {
            Ok(true) => {}
            Ok(false) => return,
            Err(failure) => {
                let reason = failure.for_log();
                tracing::error!(engine = charge.engine, reason, "a finished call is not counted for its key");
            }
        }
        let (name, priced) = (charge.engine, if charge.price.is_some() { "yes" } else { "no" });
        metrics::counter!("engine_calls_total", "engine" => name.clone(), "priced" => priced).increment(1);
        if let Some(price) = charge.price {
            let millionths = (price * charge.units * 1e6).round() as u64;
            metrics::counter!("engine_cost_millionths_total", "engine" => name, "currency" => charge.currency)
                .increment(millionths);
        }
    }
}

/// Checks that requests of the family can have the fields with limits, and that the limits fit the fields.
fn check_limits(setting: &str, limits: &Limits, family: &Family) -> Result<(), InvalidSetting> {
    limits.iter().try_for_each(|(name, limit)| {
        let path = format!("families.{}.{setting}.{name}", family.name);
        if schema::lacks(family, name) {
            return Err(unknown_field(&path, name, family));
        }
        limit.check(&path, &schema::of_field(family, name))
    })
}

/// Checks that requests of the family can have these fields.
fn check_with(with: &[String], family: &Family) -> Result<(), InvalidSetting> {
    with.iter().enumerate().try_for_each(|(index, name)| match schema::of_field(family, name).is_empty() {
        true => Err(unknown_field(&format!("families.{}.with[{index}]", family.name), name, family)),
        false => Ok(()),
    })
}

fn unknown_field(setting: &str, name: &str, family: &Family) -> InvalidSetting {
    let known = schema::beside(family, name);
    unknown(setting, "field", name, &known.iter().map(String::as_str).collect::<Vec<_>>())
}

#[async_trait]
impl Engine for Attached {
    fn name(&self) -> &str {
        self.engine.name()
    }

    fn refuse(&self, request: Request<'_>, pictures: &[Option<Info>]) -> Vec<Refusal> {
        let limits = limits::refuse(&self.settings.limits, request).into_iter();
        let limits = limits.chain(self.settings.rules.iter().flat_map(|rule| rule.refuse(request)));
        let loras = loras::refuse(&self.settings.loras, request);
        limits.chain(loras).chain(self.engine.refuse(request, pictures)).collect()
    }

    fn ignored(&self, request: Request<'_>) -> Vec<String> {
        let input = loras::with_loras(&self.settings.loras, request);
        let ignored = self.engine.ignored(Request { input: input.as_ref(), ..request });
        loras::ignored(ignored, request)
    }

    fn voices(&self) -> Vec<&str> {
        self.engine.voices()
    }

    fn sandbox(&self) -> Option<String> {
        self.engine.sandbox()
    }

    async fn probe(&self) -> Result<Probe, Failure> {
        self.engine.probe().await
    }

    async fn abandon(&self, job: Value) {
        self.engine.abandon(job).await;
    }

    async fn run(
        &self,
        request: Request<'_>,
        media: Vec<Medium>,
        context: &Context,
    ) -> Result<Vec<Output>, Failure> {
        let input = loras::with_loras(&self.settings.loras, request);
        let request = Request { input: input.as_ref(), ..request };
        let result = self.engine.run(request, media, context).await.map_err(Failure::with_bounded_wait);
        if let Ok(outputs) = &result {
            self.count(request, outputs, context).await;
        }
        self.lane.breaker.record(result.as_ref().err(), Instant::now());
        if let Err(failure) = &result {
            let engine = &self.lane.name;
            // This level of the log may contain user text; all others must not.
            tracing::debug!(engine, %failure, "an engine failed");
            if failure.is_of_engine() {
                tracing::warn!(engine, reason = failure.for_log(), "an engine does not work");
                metrics::counter!("engine_failures_total", "engine" => engine.clone()).increment(1);
            }
        }
        match result {
            Err(failure) => Err(context.calls.under_policy(failure, self.lane.on_uncertain).await),
            result => result,
        }
    }
}
