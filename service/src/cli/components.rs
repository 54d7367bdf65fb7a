//! The components of a running service, created from its settings.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use asset_api_server::runtime::BuildError;
use metrics_exporter_prometheus::PrometheusHandle;

use super::CommandError;
use super::serve::Arguments;
use super::shutdown::{Phase, stopped_by};
use crate::admin::changes::Changes;
use crate::api::operators::{self, OperatorsApi};
use crate::api::{self, Api};
use crate::apps::Apps;
use crate::engine::command::runs;
use crate::engine::environment::Environment;
use crate::engine::notifications::Notifications;
use crate::engine::registry::{self, Registry, known};
use crate::files::{FileUrls, Files};
use crate::http::{self, Callers, Description, Front, Readiness, RoutesState};
use crate::keys::bodies::BodyMemory;
use crate::keys::limits::Rate;
use crate::keys::together::{self, Limits};
use crate::net::fetch::Fetcher;
use crate::net::guard::Policy;
use crate::net::resolve::Guard;
use crate::quiesce::Quiesce;
use crate::settings::Settings;
use crate::store::SharedStore;
use crate::tasks::allowance::Allowances;
use crate::tasks::submit::Submitter;
use crate::tasks::sweep;
use crate::tasks::worker::{self, Worker};
use crate::time::Clock;
use crate::trace::otlp::Exporter;
use crate::webhooks::deliver::Sender;
use crate::webhooks::dispatcher::{self, Dispatcher};

/// The components that worker, webhooks, sweep and API share.
pub(super) struct Components {
    pub(super) store: SharedStore,
    pub(super) files: Files,
    registry: Arc<Registry>,
    apps: Apps,
    guard: Guard,
    fetcher: Fetcher,
    /// Engines that a command would attach.
    pub(super) offers: Vec<String>,
    urls: FileUrls,
    notifications: Notifications,
    quiesce: Quiesce,
    clock: Clock,
    limits: Arc<Limits>,
    has_catalogue: bool,
    /// The memory for bodies of clients and of operators.
    bodies: BodyMemory,
    /// The changes of operators in progress.
    changes: Changes,
    /// The folder of the private folders of programs.
    runs: PathBuf,
}

impl Components {
    /// Creates the components from the settings.
    pub(super) fn new(
        arguments: &Arguments,
        settings: &Settings,
        store: SharedStore,
        files: Files,
        quiesce: Quiesce,
        base_url: &str,
        data_dir: &Path,
    ) -> Result<Self, CommandError> {
        let private = settings.allow_private_networks;
        let (guard, fetcher) = guard_and_fetcher(Policy {
            allow_private_networks: private.unwrap_or_default(),
            allow_loopback: private.unwrap_or(true) && arguments.is_local_demo(settings),
            allow_subnets: settings.allow_subnets.clone(),
        })?;
        let environment = Environment::new(data_dir, fetcher, base_url);
        let registry = Registry::of(settings.engines(), &environment)?;
        for (engine, sandbox) in registry.sandboxes() {
            match sandbox.as_str() {
                "full" => tracing::info!(engine, sandbox, "the engine is a program"),
                _ => tracing::warn!(engine, sandbox, "the engine is a program without a full sandbox"),
            }
        }
        registry::check_families("deadlines", settings.deadlines.keys())?;
        Ok(Self {
            limits: Arc::new(Limits::new(&store, failures(settings))),
            has_catalogue: settings.has_catalogue(),
            bodies: BodyMemory::new(settings.http.bodies_mib.saturating_mul(1024 * 1024)),
            changes: Changes::default(),
            store,
            files,
            apps: Apps::load(data_dir, &registry)?,
            offers: known::offers(|family| registry.attached(family).is_some()),
            registry: Arc::new(registry),
            guard,
            fetcher: environment.fetcher,
            urls: environment.urls,
            notifications: environment.notifications,
            quiesce,
            clock: Clock::System,
            runs: data_dir.join(runs::RUNS),
        })
    }

    /// Starts the worker and the webhooks.
    pub(super) fn start_work(
        &self,
        settings: &Settings,
        grace: Duration,
        instance: &str,
        work: &mut Phase,
    ) -> Result<(), CommandError> {
        let mut sender = Sender::new(self.guard.clone(), self.clock.clone()).map_err(no_tls)?;
        let mut settings_of_webhooks = dispatcher::Settings { grace, ..Default::default() };
        if let Some(seconds) = settings.webhooks.deadline_seconds {
            let deadline = Duration::from_secs(seconds);
            sender = sender.with_deadline(deadline);
            settings_of_webhooks.lease = deadline * 3;
        }
        let dispatcher =
            Dispatcher::new(Arc::clone(&self.store), sender, self.clock.clone(), settings_of_webhooks);
        let quiesce = self.quiesce.clone();
        work.spawn("webhooks", async move |stop| {
            quiesce.until_resumed(stop, |stop| dispatcher.run(stopped_by(stop))).await.unwrap_or_default();
        });
        let settings_of_work = worker_settings(settings);
        if settings_of_work.threads > 0 {
            let worker = Worker {
                store: Arc::clone(&self.store),
                files: self.files.clone(),
                fetcher: self.fetcher.clone(),
                registry: Arc::clone(&self.registry),
                urls: self.urls.clone(),
                clock: self.clock.clone(),
                settings: settings_of_work,
                owner: instance.to_owned(),
            };
            let quiesce = self.quiesce.clone();
            work.spawn_fallible("worker", async move |stop| {
                quiesce.until_resumed(stop, |stop| worker.run(stop, grace)).await.unwrap_or(Ok(()))
            });
        }
        Ok(())
    }

    /// Starts the sweep, the reports to the other processes, and the end of changes.
    pub(super) fn start_upkeep(&self, settings: &Settings, instance: &str, upkeep: &mut Phase) {
        let (limits, store, instance) =
            (Arc::clone(&self.limits), Arc::clone(&self.store), instance.to_owned());
        upkeep.spawn("limits", |stop| together::run(limits, store, instance, stopped_by(stop)));
        let changes = self.changes.clone();
        upkeep.spawn("changes of operators", |stop| changes.run(stopped_by(stop)));
        let (store, notifications) = (Arc::clone(&self.store), self.notifications.clone());
        upkeep.spawn("notifications", async move |stop| {
            let wake = async {
                loop {
                    for key in store.forwarded_notifications().await {
                        notifications.arrived(key);
                    }
                }
            };
            tokio::select! {
                () = wake => {}
                () = stopped_by(stop) => {}
            }
        });
        let retention = settings.retention.clone();
        let (every, runs) = (retention.every, self.runs.clone());
        upkeep.spawn("sweep of programs", move |stop| runs::sweep(runs, every, stop));
        let (store, files, clock) = (Arc::clone(&self.store), self.files.clone(), self.clock.clone());
        let (urls, quiesce) = (self.urls.clone(), self.quiesce.clone());
        upkeep.spawn("sweep", async move |stop| {
            let sweep = |stop| sweep::run(store, files, urls, clock, retention, stop);
            quiesce.until_resumed(stop, sweep).await.unwrap_or_default();
        });
    }

    /// Returns the state of the routes outside the API.
    pub(super) fn routes_state(&self, metrics: PrometheusHandle) -> RoutesState {
        RoutesState {
            store: Arc::clone(&self.store),
            readiness: Readiness::new(Arc::clone(&self.store), self.quiesce.clone(), self.has_catalogue),
            files: self.files.clone(),
            metrics,
            description: Description::new(self.urls.base(), &self.registry),
            notifications: self.notifications.clone(),
        }
    }

    /// Returns the entry point of the operators' own address.
    pub(super) fn administration(
        &self,
        settings: &Settings,
        state: RoutesState,
    ) -> Result<Front, CommandError> {
        let api = OperatorsApi {
            store: Arc::clone(&self.store),
            files: self.files.clone(),
            changes: self.changes.clone(),
            registry: Arc::clone(&self.registry),
            tiers: settings.tiers.clone(),
            checking: Arc::default(),
            change_deadline: Duration::from_secs(settings.http.request_seconds).mul_f64(0.75),
        };
        // Clients that send invalid keys must not lock out operators behind the same address.
        let limits = Arc::new(Limits::alone(failures(settings)));
        let callers = self.callers(settings, limits).of_operators(self.changes.clone());
        let service = operators::service(api, callers).map_err(not_mounted)?;
        Ok(http::admin(service, state, &settings.http, &settings.admin_hosts))
    }

    /// Returns the authentication of callers.
    fn callers(&self, settings: &Settings, limits: Arc<Limits>) -> Callers {
        Callers::new(
            Arc::clone(&self.store),
            self.clock.clone(),
            settings.tiers.clone(),
            limits,
            self.bodies.clone(),
        )
    }

    /// Returns the entry point of all requests.
    pub(super) fn front(
        &self,
        settings: &Settings,
        state: RoutesState,
        has_admin: bool,
    ) -> Result<Front, CommandError> {
        let submitter = Submitter {
            store: Arc::clone(&self.store),
            files: self.files.clone(),
            registry: Arc::clone(&self.registry),
            policy: self.guard.policy().clone(),
            urls: self.urls.clone(),
            clock: self.clock.clone(),
            quiesce: self.quiesce.clone(),
            low_water: settings.disk.low_water_mib.saturating_mul(1024 * 1024),
            allowances: Allowances::default(),
            webhook_allowances: Allowances::default(),
        };
        let api = Api {
            store: Arc::clone(&self.store),
            submitter,
            apps: self.apps.clone(),
            urls: self.urls.clone(),
            has_catalogue: self.has_catalogue,
        };
        let callers = self.callers(settings, Arc::clone(&self.limits));
        let service = api::service(api, callers).map_err(not_mounted)?;
        Ok(http::front(service, state, &settings.http, has_admin))
    }
}

/// Returns the rate of invalid keys of an address.
const fn failures(settings: &Settings) -> Rate {
    let failures = &settings.authentication.failures;
    Rate { depth: failures.burst, per_second: failures.per_second }
}

/// Returns the guard of user-supplied URLs, and the fetcher that downloads from them.
pub(super) fn guard_and_fetcher(policy: Policy) -> Result<(Guard, Fetcher), CommandError> {
    let guard = Guard::new(policy).map_err(CommandError::io("can't set up the resolution of host names"))?;
    Ok((guard.clone(), Fetcher::new(guard).map_err(no_tls)?))
}

/// Starts to record spans, if a collector is given.
pub(super) fn exporter(settings: &Settings, instance: &str) -> Result<Option<Exporter>, CommandError> {
    let Some(endpoint) = settings.traces.otlp_endpoint.as_deref() else { return Ok(None) };
    // It is not an argument, because other users of the machine can read the arguments of a process.
    let headers = std::env::var("OTEL_EXPORTER_OTLP_HEADERS").unwrap_or_default();
    // The operator chooses the collector, which is often on this machine.
    let (guard, _) = guard_and_fetcher(Policy { allow_private_networks: true, ..Policy::default() })?;
    let client = guard.client().map_err(no_tls)?;
    let exporter = Exporter::start(endpoint, &headers, settings.traces.sample_ratio, client, instance);
    exporter.map(Some).map_err(|error| CommandError::Refused(error.to_string()))
}

/// Returns a new name for this process, which no other process has.
pub(super) fn process_name() -> String {
    format!("{}-{}", std::process::id(), uuid::Uuid::now_v7())
}

fn not_mounted(error: BuildError) -> CommandError {
    CommandError::Refused(format!("can't mount the operations: {error}"))
}

fn no_tls(error: reqwest::Error) -> CommandError {
    CommandError::Refused(format!("can't set up TLS: {error}"))
}

fn worker_settings(settings: &Settings) -> worker::Settings {
    let deadlines = settings.deadlines.iter();
    worker::Settings {
        deadlines: deadlines.map(|(family, limit)| (family.clone(), Duration::from_secs(*limit))).collect(),
        ..settings.worker.clone()
    }
}
