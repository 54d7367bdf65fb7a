//! A lane: the tasks that one attached engine serves.
//!
//! They need no thread of the worker, so they don't wait for one. The engine's concurrency limits them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::breaker::Breaker;
use super::{NONE, known};
use crate::config::InvalidSetting;
use crate::engine::call::OnUncertain;
use crate::engine::settings::{EngineSettings, FamilySettings};
use crate::engine::work::BUILT_IN;

/// The lane of an attached engine.
#[derive(Debug)]
pub struct Lane {
    /// The engine's name in the settings.
    pub name: String,
    /// The engine's kind.
    pub kind: String,
    /// The maximum number of requests of this process in progress.
    pub concurrency: usize,
    /// The action if it is unknown whether the engine accepted a request.
    pub on_uncertain: OnUncertain,
    /// The families of the tasks that the engine serves.
    pub families: Vec<&'static str>,
    /// Stops claims while the engine does not work.
    pub breaker: Breaker,
}

/// The requests of an attached engine in progress, by default.
const CONCURRENCY: usize = 4;

/// Returns the lanes of the attached engines.
pub(super) fn lanes(
    engines: &BTreeMap<String, EngineSettings>,
    families: &BTreeMap<String, FamilySettings>,
) -> Result<Vec<Arc<Lane>>, InvalidSetting> {
    let lane = |(name, settings): (&String, &EngineSettings)| {
        if name == NONE || BUILT_IN.contains(&name.as_str()) {
            let why = "this is the name of a built-in engine or of none; choose another name";
            return Err(InvalidSetting::because(format!("engines.{name}"), why));
        }
        if settings.concurrency == Some(0) {
            let setting = format!("engines.{name}.concurrency");
            return Err(InvalidSetting::must_be(setting, "at least 1"));
        }
        let serves = |settings: &FamilySettings| settings.engine.as_ref() == Some(name);
        let served = families.iter().filter(|(_, settings)| serves(settings));
        Ok(Arc::new(Lane {
            name: name.clone(),
            kind: settings.kind.clone(),
            concurrency: settings.concurrency.unwrap_or(CONCURRENCY),
            on_uncertain: settings.on_uncertain.unwrap_or(match settings.kind.as_str() {
                // A program on this machine costs nothing.
                "command" => OnUncertain::Retry,
                _ => OnUncertain::Fail,
            }),
            families: served
                .map(|(family, _)| Ok(known("families", family)?.name))
                .collect::<Result<_, InvalidSetting>>()?,
            breaker: Breaker::default(),
        }))
    };
    engines.iter().map(lane).collect()
}
