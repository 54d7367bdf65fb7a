//! `serve`: wires all parts together and runs them until a signal arrives.

use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::response::Response;
use clap::Args;
use clap::builder::BoolishValueParser;
use hyper::body::Incoming;
use ipnet::IpNet;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tower_service::Service as _;

use super::background::Background;
use super::{CommandError, Place, out};
use crate::api::{self, Api, Callers};
use crate::apps::Apps;
use crate::config::{self, Settings};
use crate::engine::local;
use crate::engine::registry::{self, Registry};
use crate::engine::settings::Environment;
use crate::files::{FileUrls, Files};
use crate::http::connections::{self, Limits};
use crate::http::{self, Addresses, Beside, Description, Front, Readiness};
use crate::net::fetch::Fetcher;
use crate::net::guard::Policy;
use crate::net::resolve::Guard;
use crate::store::{Schema, SharedStore};
use crate::tasks::submit::Submitter;
use crate::tasks::sweep;
use crate::tasks::worker::{self, Worker};
use crate::time::Clock;
use crate::webhooks::deliver::Sender;
use crate::webhooks::dispatcher::{self, Dispatcher};
use crate::{log, machine, measure};

/// How long requests and engines may take to finish on shutdown, by default.
const GRACE: Duration = Duration::from_secs(10);
/// How much longer shutdown waits for cleanup after the grace period.
const AFTER_GRACE: Duration = Duration::from_secs(10);
/// The maximum number of connections to the operators' own address.
const ADMIN_CONNECTIONS: usize = 64;
/// The delay before the service retries to read the catalogue.
const AGAIN: Duration = Duration::from_secs(1);

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Listen on this address and port; port 0 picks a free port [default: 127.0.0.1:8080]
    #[arg(long, env = "ASSET_SERVICE_LISTEN", value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// Serve /healthz, /readyz and /metrics on this address too, with connections of its own; /metrics is then only there
    #[arg(long, env = "ASSET_SERVICE_ADMIN_LISTEN", value_name = "ADDRESS:PORT")]
    admin_listen: Option<SocketAddr>,
    /// Start result URLs with this public URL of the service, such as https://assets.example.com [default:
    /// http://<listen>]
    #[arg(long, env = "ASSET_SERVICE_BASE_URL", value_name = "URL")]
    base_url: Option<String>,
    /// Import a small catalogue, create an API key that is valid for 30 days, and print calls that work
    ///
    /// The calls fetch an icon, search resources, create a sound and a picture, and poll a task. A restart on the same
    /// data folder keeps the catalogue, and keeps the key until its last day.
    #[arg(long)]
    demo: bool,
    /// Allow webhook and media URLs in private networks, over plain HTTP and on any port; `=false`
    /// overrides the settings file
    #[arg(
        long,
        env = "ASSET_SERVICE_ALLOW_PRIVATE_NETWORKS",
        value_name = "BOOLEAN",
        value_parser = BoolishValueParser::new(),
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true"
    )]
    allow_private_networks: Option<bool>,
    /// Allow webhook and media URLs in these private networks, separated by commas: 10.1.0.0/16
    #[arg(long, env = "ASSET_SERVICE_ALLOW_SUBNETS", value_delimiter = ',', value_name = "NETWORK")]
    allow_subnet: Vec<IpNet>,
    /// Trust the X-Forwarded-For header of these proxies, separated by commas: 10.0.0.1/32
    #[arg(long, env = "ASSET_SERVICE_TRUSTED_PROXIES", value_delimiter = ',', value_name = "NETWORK")]
    trusted_proxy: Vec<IpNet>,
    /// Run at most this many engines at the same time; 0 accepts tasks and leaves the work to other processes
    /// [default: the number of processors]
    #[arg(long, env = "ASSET_SERVICE_THREADS", value_name = "NUMBER")]
    threads: Option<usize>,
    /// Refuse an older schema of the database instead of migrating it; `asset-service migrate` migrates
    #[arg(long, env = "ASSET_SERVICE_NO_MIGRATE")]
    no_migrate: bool,
    /// Write the log as JSON, one object per line
    #[arg(long, env = "ASSET_SERVICE_LOG_JSON")]
    log_json: bool,
}

pub(super) async fn run(place: &Place, arguments: &Arguments) -> Result<(), CommandError> {
    let _log = log::start(arguments.log_json).map_err(CommandError::io("can't write the log"))?;
    machine::allow_files();
    let settings = place.settings()?;
    let _alone = place.alone(&settings)?;
    let migrates = !arguments.no_migrate && settings.migrate.unwrap_or(true);
    let store = place.open(&settings, if migrates { Schema::Migrate } else { Schema::Expect }).await?;
    tell_unknown_tiers(&store, &settings).await?;
    let files = place.files(&store).await?;
    let listen = arguments.listen.or(settings.listen).unwrap_or(SocketAddr::from(([127, 0, 0, 1], 8080)));
    let listener = bind(listen).await?;
    let admin = match arguments.admin_listen.or(settings.admin_listen) {
        Some(address) => Some(bind(address).await?),
        None => None,
    };
    let address = listener.local_addr().map_err(CommandError::io("can't read the listening address"))?;
    let base_url = base_url(arguments, &settings, address)?;

    let metrics = measure::install()
        .map_err(|error| CommandError::Refused(format!("can't install the metrics recorder: {error}")))?;
    let parts = Parts::new(arguments, &settings, store, files, &base_url, &place.data_dir)?;
    let grace = settings.shutdown_seconds.map_or(GRACE, Duration::from_secs);
    let (stopper, stop) = watch::channel(false);
    let mut background = Background::default();
    parts.start(arguments, &settings, grace, &mut background, &stop)?;
    let (store, files) = (Arc::clone(&parts.store), parts.files.clone());
    background.spawn("metrics", measure::run(metrics.clone(), store, files, stopped_by(stop.clone())));
    let addresses = Addresses::new(&given(&arguments.trusted_proxy, &settings.trusted_proxies));
    let beside = parts.beside(metrics);
    let readiness = beside.readiness.clone();
    // Operators see the state of the process until it ends.
    let (admin_stopper, admin_stop) = watch::channel(false);
    let mut of_admin = Background::default();
    if let Some(listener) = &admin {
        let address = listener.local_addr().map_err(CommandError::io("can't read the listening address"))?;
        tracing::info!(%address, "operators find health, readiness and metrics on an address of their own");
    }
    let front = parts.front(&settings, addresses.clone(), beside.clone(), admin.is_some())?;
    if let Some(listener) = admin {
        let routes = http::admin(beside);
        let answer = move |_, request: Request<Incoming>| answered(routes.clone(), request);
        let limits = Limits { connections: ADMIN_CONNECTIONS, grace: Duration::ZERO, ..Limits::default() };
        let served =
            connections::serve(listener, answer, Addresses::new(&[]), limits, stopped_by(admin_stop));
        of_admin.spawn("operators' address", served);
    }
    // Whoever reads the line below may stop the service at once.
    let signalled = signalled().map_err(CommandError::io("can't catch signals"))?;
    // Scripts read this first line on stdout. The service runs on even if nobody reads it.
    let _ = out::line(format_args!("listening on http://{address}"));

    let limits = Limits { connections: settings.http.connections, grace, ..Limits::default() };
    let answer = move |peer, request| front.clone().answer(peer, request);
    background.spawn(
        "connections",
        connections::serve(listener, answer, addresses, limits, stopped_by(stop.clone())),
    );
    background.spawn("catalogue", read_catalogue(Arc::clone(&parts.store), stopped_by(stop)));
    let ended = tokio::select! {
        ended = demo(arguments, &parts, place, &base_url) => ended,
        failed = background.failed() => Err(failed),
        failed = of_admin.failed() => Err(failed),
        () = signalled => Ok(()),
    };
    tracing::info!("stopping");
    readiness.stop();
    if ended.is_ok() {
        tokio::time::sleep(Duration::from_secs(settings.drain_seconds.unwrap_or_default())).await;
    }
    let _ = stopper.send(true);
    match tokio::time::timeout(grace + AFTER_GRACE, background.finish()).await {
        Ok(()) => tracing::info!("stopped"),
        Err(_) => tracing::warn!("stopped with work in progress; its leases will expire"),
    }
    let _ = admin_stopper.send(true);
    of_admin.finish().await;
    ended
}

async fn bind(address: SocketAddr) -> Result<TcpListener, CommandError> {
    TcpListener::bind(address).await.map_err(CommandError::io(format!(
        "can't listen on {address} (`--listen 127.0.0.1:0` takes a free port)"
    )))
}

/// Serves a request of an operator.
async fn answered(mut routes: Router, request: Request<Incoming>) -> Response {
    let Ok(response) = routes.call(request).await;
    response
}

/// Reads the catalogue into memory and returns when the process stops.
async fn read_catalogue(store: SharedStore, stopped: impl Future<Output = ()> + Send) {
    let read = async {
        while let Err(error) = store.prepare_search().await {
            tracing::warn!(%error, "can't read the catalogue yet; retrying");
            tokio::time::sleep(AGAIN).await;
        }
        pending::<()>().await;
    };
    tokio::select! {
        () = read => {}
        () = stopped => {}
    }
}

/// Prepares the demo if asked for and prints its calls; returns only on failure.
async fn demo(
    arguments: &Arguments,
    parts: &Parts,
    place: &Place,
    base_url: &str,
) -> Result<(), CommandError> {
    if arguments.demo {
        let say = |text: &str| {
            let _ = out::line(text);
        };
        say(&crate::demo::prepare(&parts.store, &parts.files, &place.data_dir, base_url, say).await?);
        for (program, families) in &parts.missing {
            say(&format!("Install {program} and restart to serve {} too.", families.join(", ")));
        }
    }
    pending().await
}

/// Warns of each active key whose tier the settings don't define.
async fn tell_unknown_tiers(store: &SharedStore, settings: &Settings) -> Result<(), CommandError> {
    let keys = store.keys().await?;
    for key in keys.iter().filter(|key| key.revoked_at.is_none() && !settings.has_tier(&key.tier)) {
        tracing::warn!(
            key = key.id,
            name = key.name,
            tier = key.tier,
            "the settings don't define this key's tier: the limits of the tier `default` apply"
        );
    }
    Ok(())
}

/// Returns the public URL: from the settings, else from the listening address.
fn base_url(arguments: &Arguments, settings: &Settings, address: SocketAddr) -> Result<String, CommandError> {
    if let Some(url) = &arguments.base_url {
        config::base_url(url).map_err(|expected| {
            CommandError::Refused(format!("--base-url must be {expected}; it is `{url}`"))
        })?;
    }
    if let Some(url) = arguments.base_url.as_ref().or(settings.base_url.as_ref()) {
        return Ok(url.clone());
    }
    if address.ip().is_unspecified() {
        let url = format!("http://localhost:{}", address.port());
        tracing::warn!(
            "result URLs begin with {url}, which only works on this machine; set --base-url to the URL that clients use"
        );
        return Ok(url);
    }
    Ok(format!("http://{address}"))
}

/// The parts that worker, webhooks, sweep and API share.
struct Parts {
    store: SharedStore,
    files: Files,
    registry: Arc<Registry>,
    apps: Apps,
    guard: Guard,
    /// Programs that would serve families if they were installed.
    missing: Vec<(&'static str, Vec<String>)>,
    fetcher: Fetcher,
    urls: FileUrls,
    clock: Clock,
}

impl Parts {
    fn new(
        arguments: &Arguments,
        settings: &Settings,
        store: SharedStore,
        files: Files,
        base_url: &str,
        data_dir: &Path,
    ) -> Result<Self, CommandError> {
        let no_tls = |error: reqwest::Error| CommandError::Refused(format!("can't set up TLS: {error}"));
        let guard = Guard::new(Policy {
            allow_private_networks: arguments
                .allow_private_networks
                .or(settings.allow_private_networks)
                .unwrap_or_default(),
            allow_subnets: given(&arguments.allow_subnet, &settings.allow_subnets),
        })
        .map_err(CommandError::io("can't set up the resolution of host names"))?;
        let environment = Environment {
            data_dir: data_dir.to_owned(),
            fetcher: Fetcher::new(guard.clone()).map_err(no_tls)?,
            urls: FileUrls::new(base_url),
        };
        let registry = Registry::of(settings, &environment)?;
        registry::check_families(settings.deadlines.keys())?;
        Ok(Self {
            store,
            files,
            apps: Apps::load(data_dir, &registry)?,
            registry: Arc::new(registry),
            missing: local::missing(&environment),
            guard,
            fetcher: environment.fetcher,
            urls: environment.urls,
            clock: Clock::System,
        })
    }

    /// Starts the worker, the webhooks and the sweep.
    fn start(
        &self,
        arguments: &Arguments,
        settings: &Settings,
        grace: Duration,
        background: &mut Background,
        stop: &watch::Receiver<bool>,
    ) -> Result<(), CommandError> {
        let no_tls = |error: reqwest::Error| CommandError::Refused(format!("can't set up TLS: {error}"));
        let mut sender = Sender::new(self.guard.clone(), self.clock.clone()).map_err(no_tls)?;
        let mut settings_of_webhooks = dispatcher::Settings { grace, ..Default::default() };
        if let Some(seconds) = settings.webhooks.deadline_seconds {
            let deadline = Duration::from_secs(seconds);
            sender = sender.with_deadline(deadline);
            settings_of_webhooks.lease = deadline * 3;
        }
        let dispatcher =
            Dispatcher::new(Arc::clone(&self.store), sender, self.clock.clone(), settings_of_webhooks);
        let stopped = stop.clone();
        background.spawn("webhooks", dispatcher.run(stopped_by(stopped)));
        let settings_of_work = worker_settings(arguments, settings);
        if settings_of_work.threads > 0 {
            let worker = Worker {
                store: Arc::clone(&self.store),
                files: self.files.clone(),
                fetcher: self.fetcher.clone(),
                registry: Arc::clone(&self.registry),
                urls: self.urls.clone(),
                clock: self.clock.clone(),
                settings: settings_of_work,
                owner: format!("{}-{}", std::process::id(), uuid::Uuid::now_v7()),
            };
            background.spawn("worker", worker.run(stop.clone(), grace));
        }
        let mut retention =
            sweep::Settings { remove_files: settings.retention.remove_files, ..Default::default() };
        if let Some(days) = settings.retention.task_days {
            retention.retention = Duration::from_secs(days.saturating_mul(24 * 60 * 60));
        }
        if let Some(seconds) = settings.retention.sweep_seconds {
            retention.every = Duration::from_secs(seconds);
        }
        if let Some(seconds) = settings.retention.orphan_seconds {
            retention.orphan_age = Duration::from_secs(seconds);
        }
        let (store, files, clock) = (Arc::clone(&self.store), self.files.clone(), self.clock.clone());
        background.spawn("sweep", sweep::run(store, files, clock, retention, stop.clone()));
        Ok(())
    }

    fn beside(&self, metrics: PrometheusHandle) -> Beside {
        Beside {
            readiness: Readiness::new(Arc::clone(&self.store)),
            files: self.files.clone(),
            metrics,
            description: Description::new(self.urls.base(), &self.registry),
        }
    }

    fn front(
        &self,
        settings: &Settings,
        addresses: Addresses,
        beside: Beside,
        has_admin: bool,
    ) -> Result<Front, CommandError> {
        let submitter = Submitter {
            store: Arc::clone(&self.store),
            files: self.files.clone(),
            registry: Arc::clone(&self.registry),
            policy: self.guard.policy().clone(),
            urls: self.urls.clone(),
            clock: self.clock.clone(),
            low_water: settings.disk.low_water_mib.saturating_mul(1024 * 1024),
        };
        let api = Api {
            store: Arc::clone(&self.store),
            submitter,
            apps: self.apps.clone(),
            urls: self.urls.clone(),
        };
        let callers =
            Callers::new(Arc::clone(&self.store), self.clock.clone(), settings.clone(), addresses.clone());
        let service = api::service(api, callers)
            .map_err(|error| CommandError::Refused(format!("can't mount the operations: {error}")))?;
        Ok(http::front(service, beside, &settings.http, addresses, has_admin))
    }
}

fn worker_settings(arguments: &Arguments, settings: &Settings) -> worker::Settings {
    let given = &settings.worker;
    let default = worker::Settings::default();
    worker::Settings {
        threads: arguments.threads.or(given.threads).unwrap_or(default.threads),
        lease: given.lease_seconds.map_or(default.lease, Duration::from_secs),
        running_per_key: given.running_per_key.unwrap_or(default.running_per_key),
        max_attempts: given.max_attempts.unwrap_or(default.max_attempts),
        backoff: given.backoff_seconds.map_or(default.backoff, Duration::from_secs),
        max_outages: given.max_outages.unwrap_or(default.max_outages),
        deadlines: settings
            .deadlines
            .iter()
            .map(|(family, seconds)| (family.clone(), Duration::from_secs(*seconds)))
            .collect(),
        ..default
    }
}

/// Returns the argument's networks, or the settings file's if there are none.
fn given(argument: &[IpNet], file: &[IpNet]) -> Vec<IpNet> {
    if argument.is_empty() { file.to_vec() } else { argument.to_vec() }
}

/// Resolves when the process stops.
async fn stopped_by(mut stop: watch::Receiver<bool>) {
    let _ = stop.wait_for(|stop| *stop).await;
}

/// Resolves on Ctrl-C, or on SIGTERM on Unix. The signals are caught from this call on.
#[cfg(unix)]
fn signalled() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut interrupted, mut terminated) =
        (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupted.recv() => {}
            _ = terminated.recv() => {}
        }
    })
}

/// Resolves on Ctrl-C.
#[cfg(not(unix))]
fn signalled() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        let _ = tokio::signal::ctrl_c().await;
    })
}
