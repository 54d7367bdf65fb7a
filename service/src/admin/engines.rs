//! The attached engines of this process: their breakers, and tries of them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use asset_admin_server::models::common::{self as models, Check, CheckOutcome, EngineBreaker};

use super::sample::Sample;
use super::{Admin, AdminError, Result, count};
use crate::engine::call::Calls;
use crate::engine::context::Context;
use crate::engine::family::{self, Family};
use crate::engine::registry::Registry;
use crate::engine::registry::lane::Lane;
use crate::engine::{Engine, Failure, Output, Probe, schema};

/// How long an example may take.
const DEADLINE: Duration = Duration::from_secs(10 * 60);

/// Returns all families but the runs of apps, whose steps name the engines.
pub fn families() -> impl Iterator<Item = &'static Family> {
    family::ALL.iter().copied().filter(|family| family.name != family::APP_RUNS.name)
}

/// Returns the attached engines with the state of their breakers.
#[must_use]
pub fn attached(registry: &Registry) -> Vec<models::Engine> {
    let now = tokio::time::Instant::now();
    let engine = |lane: &Arc<Lane>| {
        let (failures, open) = lane.breaker.state(now);
        let breaker = match open {
            Some(left) if !left.is_zero() => EngineBreaker::Open,
            Some(_) => EngineBreaker::HalfOpen,
            None => EngineBreaker::Closed,
        };
        let families = lane.families.iter().map(|family| (*family).to_owned()).collect();
        let concurrency = count(lane.concurrency as u64);
        let (name, kind) = (lane.name.as_str(), lane.kind.as_str());
        let mut engine = models::Engine::new(name, kind, families, concurrency, breaker, failures.into());
        engine.open_seconds = open.map(|left| left.as_secs_f64());
        engine
    };
    registry.lanes().iter().map(engine).collect()
}

impl Admin {
    /// Tries an attached engine by calls that cost nothing, and returns the checks.
    ///
    /// # Errors
    /// Fails if there is no such engine, if the checks take longer than the deadline, or if the store fails.
    pub async fn check_engine(
        &self,
        registry: &Registry,
        name: &str,
        deadline: Duration,
    ) -> Result<Vec<Check>> {
        let check = async {
            let (mut checks, names) = (Vec::new(), [name.to_owned()]);
            let untried = check(registry, false, &names, |check| {
                checks.push(check);
                Ok::<_, AdminError>(())
            });
            for (engine, family) in untried.await? {
                let why = "nothing of it could be tried, so it may not work";
                checks.push(Check::new(engine, family, CheckOutcome::Skipped, 0.0, why));
            }
            Ok(checks)
        };
        let result = |checks: &Vec<Check>| {
            let failed = checks.iter().filter(|check| check.outcome == CheckOutcome::Failed).count();
            format!("{failed} of {} failed", checks.len())
        };
        let too_slow = |_| {
            AdminError::Refused(format!(
                "the check took longer than {deadline:?}; `engines check {name}` at the command line may take longer"
            ))
        };
        let check = async {
            tokio::select! {
                checked = tokio::time::timeout(deadline, check) => checked.map_err(too_slow)?,
                stopping = self.stopped() => Err(stopping),
            }
        };
        self.change("check engine", name, check, result).await
    }
}

/// Tries the attached engines with these names, or all, and reports each try.
///
/// With `paid`, engines that may cost money are tried too. Returns the engines of which nothing could be tried, each with the
/// family.
///
/// # Errors
/// Fails if the settings have no such engine, or if `report` fails.
pub async fn check<E: From<AdminError>>(
    registry: &Registry,
    paid: bool,
    names: &[String],
    mut report: impl FnMut(Check) -> std::result::Result<(), E> + Send,
) -> std::result::Result<Vec<(String, &'static str)>, E> {
    let known = |name: &String| registry.lanes().iter().any(|lane| lane.name == *name);
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        return Err(AdminError::Missing(format!("the settings attach no engine `{unknown}`")).into());
    }
    let is_asked = |lane: &Lane| names.is_empty() || names.contains(&lane.name);
    let mut untried = Vec::new();
    for lane in registry.lanes().iter().filter(|lane| is_asked(lane)) {
        let serves = |family| registry.attached(family).is_some_and(|(of, _)| of.name == lane.name);
        if !families().any(serves) {
            untried.push((lane.name.clone(), "no family"));
        }
    }
    for family in families() {
        let Some((lane, engine)) = registry.attached(family) else { continue };
        if !is_asked(lane) {
            continue;
        }
        let mut is_untried = true;
        let mut report = |outcome: CheckOutcome, took: Duration, detail: String| {
            is_untried &= outcome == CheckOutcome::Skipped;
            report(Check::new(&lane.name, family.name, outcome, took.as_secs_f64(), detail))
        };
        check_family(registry, engine, family, paid, &mut report).await?;
        if is_untried {
            untried.push((lane.name.clone(), family.name));
        }
    }
    Ok(untried)
}

/// Reports a try: its outcome, how long it took, and details.
type Report<'a, E> = &'a mut (dyn FnMut(CheckOutcome, Duration, String) -> std::result::Result<(), E> + Send);

/// Tries the engine of a family, and reports each try.
async fn check_family<E>(
    registry: &Registry,
    engine: &dyn Engine,
    family: &'static Family,
    paid: bool,
    report: Report<'_, E>,
) -> std::result::Result<(), E> {
    let begun = Instant::now();
    let probed = engine.probe().await;
    let took = begun.elapsed();
    let is_free = match probed {
        Ok(Probe::Free) => true,
        Ok(Probe::Works(what)) => {
            report(CheckOutcome::Works, took, what)?;
            false
        }
        Ok(Probe::Doubtful(why)) => {
            report(CheckOutcome::Warning, took, why)?;
            false
        }
        Err(failure) => return report(CheckOutcome::Failed, took, failure.to_string()),
    };
    if !is_free && !paid {
        return Ok(());
    }
    for create in schema::examples_with(family, registry.with(family)) {
        let sample = match Sample::new(&create, family, registry) {
            Ok(sample) => sample,
            Err(refusal) => {
                let (field, reason) = (refusal.parameter, refusal.reason);
                let why = format!("{create}: the engine refuses the example: `{field}` {reason}");
                report(CheckOutcome::Skipped, Duration::ZERO, why)?;
                continue;
            }
        };
        let begun = Instant::now();
        let ran = run(engine, &sample).await;
        let took = begun.elapsed();
        match ran {
            Ok(outputs) => {
                let shown: Vec<_> = outputs.iter().map(shown).collect();
                let what = format!("{create}{sample}: {}", shown.join(", "));
                report(CheckOutcome::Works, took, what)?;
            }
            Err(failure) => {
                report(CheckOutcome::Failed, took, format!("{create}{sample}: {failure}"))?;
            }
        }
    }
    Ok(())
}

async fn run(engine: &dyn Engine, sample: &Sample) -> std::result::Result<Vec<Output>, Failure> {
    let calls = Calls::unrecorded(engine.name());
    let context = Context::new(0, tokio::time::Instant::now() + DEADLINE, calls, Arc::new(()));
    engine.run(sample.request(), sample.media()?, &context).await
}

fn shown(output: &Output) -> String {
    match output {
        Output::Text(text) => format!("a text of {} characters", text.chars().count()),
        Output::File(file) => format!("{}, {} bytes", file.media_type, file.bytes.len()),
        Output::Long(file) => {
            format!("{}, {} bytes", file.media_type, file.content.length().unwrap_or_default())
        }
    }
}
