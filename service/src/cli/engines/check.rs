//! `engines check`: tries the attached engines.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::sample::Sample;
use super::{families, output};
use crate::cli::CommandError;
use crate::engine::call::Calls;
use crate::engine::context::Context;
use crate::engine::family::Family;
use crate::engine::registry::Registry;
use crate::engine::registry::lane::Lane;
use crate::engine::{Engine, Failure, Output, Probe, schema};

/// How long an example may take.
const DEADLINE: Duration = Duration::from_secs(10 * 60);

/// Tries the attached engines with these names, or all.
///
/// # Errors
/// An engine does not work, or nothing of it could be tried.
pub(super) async fn check(registry: &Registry, paid: bool, names: &[String]) -> Result<(), CommandError> {
    let known = |name: &String| registry.lanes().iter().any(|lane| lane.name == *name);
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        return Err(CommandError::Refused(format!("the settings attach no engine `{unknown}`")));
    }
    let is_asked = |lane: &Lane| names.is_empty() || names.contains(&lane.name);
    let mut tally = Tally::default();
    for lane in registry.lanes().iter().filter(|lane| is_asked(lane)) {
        let serves = |family| registry.attached(family).is_some_and(|(of, _)| of.name == lane.name);
        if !families().any(serves) {
            tally.untried.push((lane.name.clone(), "no family"));
        }
    }
    for family in families() {
        let Some((lane, engine)) = registry.attached(family) else { continue };
        if !is_asked(lane) {
            continue;
        }
        let mut lines = Lines { lane, family, tally: &mut tally, done: 0 };
        try_family(registry, engine, paid, &mut lines).await?;
        if lines.done == 0 {
            tally.untried.push((lane.name.clone(), family.name));
        }
    }
    tally.conclude()
}

/// The results of all checks.
#[derive(Default)]
struct Tally {
    done: u32,
    failed: u32,
    /// The engines of which no operation could be tried, each with the family.
    untried: Vec<(String, &'static str)>,
}

impl Tally {
    fn conclude(self) -> Result<(), CommandError> {
        for (engine, family) in &self.untried {
            output::line(format_args!(
                "warning: nothing of `{engine}` could be tried for {family}, so it may not work"
            ))?;
        }
        match (self.failed, self.untried.len()) {
            (0, 0) => Ok(()),
            (0, untried) => Err(CommandError::Refused(format!("{untried} checks could not be made"))),
            (failed, _) => Err(CommandError::Refused(format!("{failed} of {} checks failed", self.done))),
        }
    }
}

/// Prints and counts the checks of an engine for one family.
struct Lines<'a> {
    lane: &'a Lane,
    family: &'static Family,
    tally: &'a mut Tally,
    /// The checks that were made.
    done: u32,
}

impl Lines<'_> {
    fn done(&mut self, word: &str, took: Duration, what: &str) -> Result<(), CommandError> {
        self.done += 1;
        self.tally.done += 1;
        self.line(word, took, what)
    }

    fn failed(&mut self, took: Duration, what: &str) -> Result<(), CommandError> {
        self.tally.failed += 1;
        self.done("FAILED", took, what)
    }

    fn line(&self, word: &str, took: Duration, what: &str) -> Result<(), CommandError> {
        let (name, of, took) = (&self.lane.name, self.family.name, took.as_secs_f64());
        output::line(format_args!("{name:<20}{of:<36}{word:<8} {took:>7.2} s  {what}"))
    }
}

async fn try_family(
    registry: &Registry,
    engine: &dyn Engine,
    paid: bool,
    lines: &mut Lines<'_>,
) -> Result<(), CommandError> {
    let begun = Instant::now();
    let probed = engine.probe().await;
    let took = begun.elapsed();
    let is_free = match probed {
        Ok(Probe::Free) => true,
        Ok(Probe::Works(what)) => {
            lines.done("works", took, &what)?;
            false
        }
        Ok(Probe::Doubtful(why)) => {
            lines.done("warning", took, &why)?;
            false
        }
        Err(failure) => return lines.failed(took, &failure.to_string()),
    };
    if !is_free && !paid {
        return Ok(());
    }
    let family = lines.family;
    for create in schema::examples_with(family, registry.with(family)) {
        let sample = match Sample::new(&create, family, registry) {
            Ok(sample) => sample,
            Err(refusal) => {
                let (field, reason) = (refusal.parameter, refusal.reason);
                let why = format!("{create}: the engine refuses the example: `{field}` {reason}");
                lines.line("skipped", Duration::ZERO, &why)?;
                continue;
            }
        };
        let begun = Instant::now();
        let ran = run(engine, &sample).await;
        let took = begun.elapsed();
        match ran {
            Ok(outputs) => {
                let shown: Vec<_> = outputs.iter().map(shown).collect();
                lines.done("works", took, &format!("{create}{sample}: {}", shown.join(", ")))?;
            }
            Err(failure) => lines.failed(took, &format!("{create}{sample}: {failure}"))?,
        }
    }
    Ok(())
}

async fn run(engine: &dyn Engine, sample: &Sample) -> Result<Vec<Output>, Failure> {
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
