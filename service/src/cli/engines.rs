//! `engines`: shows who serves what, and tries the attached engines.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use clap::Subcommand;

use super::{CommandError, Place, out};
use crate::config::Settings;
use crate::engine::call::Calls;
use crate::engine::context::Context;
use crate::engine::family::{self, Family};
use crate::engine::registry::Registry;
use crate::engine::settings::Environment;
use crate::engine::{Engine, Failure, GivenMedium, Medium, Probe, Request, schema};
use crate::media::format::Kind;
use crate::net::fetch::Fetcher;
use crate::net::guard::Policy;
use crate::net::resolve::Guard;

/// The picture that a check sends.
const PICTURE: &[u8] = include_bytes!("../../assets/demo/coffee.jpg");

/// How long a check may take.
const DEADLINE: Duration = Duration::from_secs(10 * 60);

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// List the operations that create tasks, and the engine that serves each
    ///
    /// Example: asset-service engines list
    List,
    /// Try each attached engine, and print what works and how long it took
    ///
    /// Engines that cost nothing run the document's example of each operation. Of others, only what is free is tried, such
    /// as the list of models: --paid runs the examples too. The exit code is 1 if an engine does not work.
    ///
    /// Example: asset-service engines check --paid
    Check {
        /// Run the examples on engines that may cost money too
        #[arg(long)]
        paid: bool,
        /// Try only the engines with these names
        names: Vec<String>,
    },
}

pub(super) async fn run(place: &Place, command: Command) -> Result<(), CommandError> {
    let settings = place.settings()?;
    let registry = registry(place, &settings)?;
    match command {
        Command::List => list(&registry),
        Command::Check { paid, names } => check(&registry, paid, &names).await,
    }
}

/// Reads the settings of the engines, as `serve` does.
pub(super) fn registry(place: &Place, settings: &Settings) -> Result<Registry, CommandError> {
    let policy = Policy {
        allow_private_networks: settings.allow_private_networks.unwrap_or_default(),
        allow_subnets: settings.allow_subnets.clone(),
    };
    let guard = Guard::new(policy).map_err(CommandError::io("can't set up the resolution of host names"))?;
    let fetcher =
        Fetcher::new(guard).map_err(|error| CommandError::Refused(format!("can't set up TLS: {error}")))?;
    let base_url = settings.base_url.as_deref().unwrap_or("http://127.0.0.1:8080");
    let environment = Environment::new(&place.data_dir, fetcher, base_url);
    Ok(Registry::of(settings, &environment)?)
}

fn list(registry: &Registry) -> Result<(), CommandError> {
    out::line(format_args!("{:<36}{:<28}{:<12}operation", "family", "engine", "kind"))?;
    for family in families() {
        let with = registry.with(family);
        let attached = registry.lane(family.name).map(|lane| (lane.name.as_str(), lane.kind.as_str()));
        let built_in = registry.built_in_name(family).map(|name| (name, "built-in"));
        let others = if with.is_empty() { built_in.or(attached) } else { built_in }.unwrap_or(("none", "-"));
        for create in schema::creates(family) {
            let line = |(engine, kind), when: &str| {
                let (family, path) = (family.name, &create.path);
                out::line(format_args!("{family:<36}{engine:<28}{kind:<12}POST {path}{when}"))
            };
            line(others, "")?;
            let has = |field: &&String| schema::has_field(create.post, field);
            let fields: Vec<&str> = with.iter().filter(has).map(String::as_str).collect();
            if let Some(attached) = attached.filter(|_| !fields.is_empty()) {
                line(attached, &format!(" with {}", fields.join(" or ")))?;
            }
        }
    }
    Ok(())
}

/// Returns all families but the runs of apps, whose steps name the engines.
fn families() -> impl Iterator<Item = &'static Family> {
    family::ALL.iter().copied().filter(|family| family.name != family::APP_RUNS.name)
}

async fn check(registry: &Registry, paid: bool, names: &[String]) -> Result<(), CommandError> {
    let known = |name: &String| registry.lanes().iter().any(|lane| lane.name == *name);
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        return Err(CommandError::Refused(format!("the settings attach no engine `{unknown}`")));
    }
    let (mut tried, mut failed) = (0_u32, 0_u32);
    for family in families() {
        let Some((lane, engine)) = registry.attached(family) else { continue };
        if !names.is_empty() && !names.contains(&lane.name) {
            continue;
        }
        let begun = Instant::now();
        let probed = engine.probe().await;
        let took = begun.elapsed().as_secs_f64();
        let (name, of) = (&lane.name, family.name);
        let is_free = match probed {
            Ok(Probe::Free) => true,
            Ok(Probe::Works(what)) => {
                tried += 1;
                out::line(format_args!("{name:<20}{of:<36}works    {took:>7.2} s  {what}"))?;
                false
            }
            Err(failure) => {
                (tried, failed) = (tried + 1, failed + 1);
                out::line(format_args!("{name:<20}{of:<36}FAILED   {took:>7.2} s  {failure}"))?;
                continue;
            }
        };
        if !is_free && !paid {
            continue;
        }
        for create in schema::examples_with(family, registry.with(family)) {
            let begun = Instant::now();
            let outcome = sample(engine, family, &create).await;
            let took = begun.elapsed().as_secs_f64();
            let (word, what) = match outcome {
                Ok(Sample::Works(what)) => ("works", what),
                Ok(Sample::Skipped(why)) => ("skipped", why),
                Err(failure) => {
                    failed += 1;
                    ("FAILED", failure.to_string())
                }
            };
            tried += 1;
            out::line(format_args!("{name:<20}{of:<36}{word:<8} {took:>7.2} s  {create}: {what}"))?;
        }
    }
    match failed {
        0 => Ok(()),
        _ => Err(CommandError::Refused(format!("{failed} of {tried} checks failed"))),
    }
}

/// The outcome of an example.
enum Sample {
    Works(String),
    Skipped(String),
}

/// Runs the document's example of an operation.
async fn sample(
    engine: &dyn Engine,
    family: &'static Family,
    create: &schema::Create,
) -> Result<Sample, Failure> {
    let mut input = create.input(family, engine.voices().first().copied());
    let mut media = Vec::new();
    schema::take_media(create.post, &mut input.body, &mut |name, kind, _| {
        media.push((name.to_owned(), kind));
        true
    });
    if media.iter().any(|(_, kind)| *kind != Kind::Image) {
        let why = "its example needs a video or audio file; run a task instead".to_owned();
        return Ok(Sample::Skipped(why));
    }
    let request = Request { family, input: Some(&input), work: None };
    let given: Vec<_> = media.iter().map(|(name, _)| GivenMedium { name, picture: None }).collect();
    if let Some(refusal) = engine.refuse(request, &given).first() {
        return Ok(Sample::Skipped(format!(
            "the engine refuses the example: `{}` {}",
            refusal.parameter, refusal.reason
        )));
    }
    let medium = |(name, kind)| Medium { name, kind, bytes: Bytes::from_static(PICTURE), url: None };
    let calls = Calls::unrecorded(engine.name());
    let context = Context::new(0, tokio::time::Instant::now() + DEADLINE, calls, Arc::new(()));
    let outputs = engine.run(request, media.into_iter().map(medium).collect(), &context).await?;
    let shown = outputs.iter().map(shown).collect::<Vec<_>>().join(", ");
    Ok(Sample::Works(shown))
}

fn shown(output: &crate::engine::Output) -> String {
    use crate::engine::Output;

    match output {
        Output::Text(text) => format!("a text of {} characters", text.chars().count()),
        Output::File(file) => format!("{}, {} bytes", file.media_type, file.bytes.len()),
        Output::Long(file) => {
            format!("{}, {} bytes", file.media_type, file.content.length().unwrap_or_default())
        }
    }
}
