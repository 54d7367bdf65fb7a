//! Validates a request: its media, its webhook URL, and what the engines of its steps support.

use std::sync::Arc;

use asset_engines::picture::Info;

use super::media::{self, Prepared};
use super::{NotAccepted, Refusal, Request, Submitter};
use crate::apps::FilledStep;
use crate::engine::family::Family;
use crate::engine::registry::Registry;
use crate::engine::work::{Instructions, Work};
use crate::engine::{self, Engine, GivenMedium, Input, media_fields};
use crate::media::format::Kind;

impl Submitter {
    /// Validates a request and returns its steps.
    ///
    /// # Errors
    /// Returns all violations, or why no engine can do the work.
    pub(super) async fn validate(
        &self,
        key_id: &str,
        request: &Request<'_>,
        input: Option<Input>,
    ) -> Result<ValidRequest, NotAccepted> {
        let mut invalid = Vec::new();
        let mut media = Vec::with_capacity(request.media.len());
        for field in &request.media {
            media.push(self.read(field, &mut invalid).await);
        }
        let mut steps = Vec::new();
        if request.app.is_none() {
            let names = request.media.iter().map(|field| field.name.clone());
            let media = names.zip(media).collect();
            steps.push(PreparedStep { family: request.family, work: request.work.clone(), input, media });
        }
        for step in &request.steps {
            steps.push(self.prepare_step(key_id, step, &mut invalid).await?);
        }
        if let Some(url) = &request.webhook_url
            && let Err(refused) = self.policy.check_url(url)
        {
            media::hint("webhook_url", refused);
            invalid.push(Refusal::new("webhook_url", refused.to_string()));
        }
        invalid.extend(request.unmet.iter().cloned());
        let engines: Vec<_> = steps.iter().map(|step| self.registry.engine(step.request())).collect();
        for (index, (engine, step)) in engines.iter().zip(&steps).enumerate() {
            let media = step.given_media();
            for refusal in engine.iter().flat_map(|engine| engine.refuse(step.request(), &media)) {
                // The client of an app knows only the app's inputs, not the parameters of its steps.
                let filled = request.steps.get(index);
                let name = filled
                    .map_or_else(|| refusal.parameter.to_string(), |step| step.name_of(&refusal.parameter));
                invalid.push(Refusal::new(name, refusal.reason));
            }
        }
        if !invalid.is_empty() {
            return Err(NotAccepted::Invalid(invalid));
        }
        if !self.registry.has_model(request.family, request.model) {
            return Err(NotAccepted::UnknownModel);
        }
        // The run of an app has no such list: the app sets the parameters of its steps, not the client.
        let of_client = engines.iter().flatten().zip(&steps).filter(|_| request.app.is_none());
        let ignored = of_client.flat_map(|(engine, step)| engine.ignored(step.request())).collect();
        let name = |engine: &Option<Arc<dyn Engine>>| Some(engine.as_ref()?.name().to_owned());
        let engines: Option<Vec<_>> = engines.iter().map(name).collect();
        let steps: Option<Vec<_>> = steps.into_iter().map(|step| step.ready(&self.registry)).collect();
        match engines.zip(steps) {
            Some((engines, steps)) if !steps.is_empty() => Ok(ValidRequest { steps, engines, ignored }),
            _ => Err(NotAccepted::NoEngine),
        }
    }

    /// Prepares a step of a workflow app: for the attached engine of its family, else for the built-in one.
    async fn prepare_step(
        &self,
        key_id: &str,
        step: &FilledStep,
        invalid: &mut Vec<Refusal>,
    ) -> Result<PreparedStep, NotAccepted> {
        let (family, mut media) = (step.family, Vec::new());
        if let Some(filled) = step.attached(&self.registry) {
            let named = |param: &Refusal| Refusal::new(step.name_of(&param.parameter), &param.reason);
            invalid.extend(filled.violations.iter().map(named));
            for (name, kind, filled) in &filled.media {
                let expected = media_fields::expected(family, name, *kind);
                media.push((name.clone(), self.read_filled(key_id, filled, expected, invalid).await?));
            }
            let input = Some(filled.with_model(&self.registry, family));
            return Ok(PreparedStep { family, work: None, input, media });
        }
        let work = step.work.as_ref().map(|filled| &filled.work);
        let filled = step.work.as_ref().map(|filled| filled.media.as_slice()).unwrap_or_default();
        let asked = engine::Request { family, input: None, work };
        let engine = self.registry.engine(asked);
        let kinds = engine.and_then(|engine| engine.kinds(asked, filled.len())).unwrap_or_default();
        for (index, filled) in filled.iter().enumerate() {
            let kind = kinds.get(index).copied().unwrap_or(Kind::Image);
            let expected = media_fields::expected(family, "", kind);
            media.push((String::new(), self.read_filled(key_id, filled, expected, invalid).await?));
        }
        Ok(PreparedStep { family, work: work.cloned(), input: None, media })
    }
}

/// The steps of a valid request, and the engines that will run them.
pub(super) struct ValidRequest {
    pub(super) steps: Vec<ReadyStep>,
    pub(super) engines: Vec<String>,
    /// Fields of the request that the engine does not read.
    pub(super) ignored: Vec<String>,
}

struct PreparedStep {
    family: &'static Family,
    work: Option<Work>,
    input: Option<Input>,
    /// The media, by the fields that hold them.
    media: Vec<(String, Prepared)>,
}

impl PreparedStep {
    /// Returns the request to the engine.
    fn request(&self) -> engine::Request<'_> {
        engine::Request { family: self.family, input: self.input.as_ref(), work: self.work.as_ref() }
    }

    /// Returns the facts about the media that the engine gets before they are loaded.
    fn given_media(&self) -> Vec<GivenMedium<'_>> {
        let media = self.media.iter();
        media.map(|(name, prepared)| GivenMedium { name, picture: prepared.picture() }).collect()
    }

    /// Returns the step with what its engine is to do; `None` without an engine.
    fn ready(self, registry: &Registry) -> Option<ReadyStep> {
        let instructions = registry.instructions(self.family, self.input, self.work)?;
        Some(ReadyStep { family: self.family, instructions, media: self.media })
    }
}

/// A step of a valid request.
pub(super) struct ReadyStep {
    pub(super) family: &'static Family,
    pub(super) instructions: Instructions,
    /// The media, by the fields that hold them.
    pub(super) media: Vec<(String, Prepared)>,
}

impl ReadyStep {
    /// Returns what `effort::demand` reads of the step.
    pub(super) fn effort(&self) -> (&str, &Instructions, Vec<Option<Info>>) {
        let pictures = self.media.iter().map(|(_, prepared)| prepared.picture());
        (self.family.name, &self.instructions, pictures.collect())
    }
}
