//! `serve`: wires all components together and runs them until a signal arrives.

mod arguments;

use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use tokio::signal::unix::{self, SignalKind, signal};

pub(super) use self::arguments::Arguments;
use self::arguments::base_url;
use super::components::{Components, exporter, process_name};
use super::shutdown::{self, Phase, stopped_by};
use super::{CommandError, Instance, output};
use crate::http::Addresses;
use crate::http::connections::{self, Limits};
use crate::quiesce::{self, Quiesce};
use crate::settings::Settings;
use crate::store::{Schema, SharedStore};
use crate::{log, machine, telemetry};

/// How long requests and engines may take to finish on shutdown, by default.
pub(super) const GRACE: Duration = Duration::from_secs(10);
/// How long a load balancer has to notice that the service stops, by default.
pub(super) const DRAIN: Duration = Duration::from_secs(5);
/// How long each phase of the shutdown may take for cleanup, after the grace period of its work.
const AFTER_GRACE: Duration = Duration::from_secs(10);
/// The maximum number of connections to the operators' own address.
const ADMIN_CONNECTIONS: usize = 64;
/// How long a start waits for a database that may be starting.
const STARTING: Duration = Duration::from_secs(15);
/// The delay before the service retries to reach the database, or to read the catalogue.
const AGAIN: Duration = Duration::from_secs(1);

pub(super) async fn run(instance: &Instance, arguments: &Arguments) -> Result<(), CommandError> {
    let _log = log::start(arguments.log_json).map_err(CommandError::io("can't write the log"))?;
    let ended = serve(instance, arguments).await;
    if !arguments.log_json {
        return ended;
    }
    // Every line on stderr is JSON.
    ended.map_err(|error| {
        let error = instance.located(error);
        tracing::error!("{error}");
        CommandError::Logged { is_refused: error.is_refused() }
    })
}

/// Serves until a signal arrives or a part of the service ends.
async fn serve(instance: &Instance, arguments: &Arguments) -> Result<(), CommandError> {
    machine::allow_files();
    let settings = arguments.over(instance.settings()?)?;
    let _lock = instance.lock_embedded(&settings)?;
    let schema = if settings.migrate.unwrap_or(true) { Schema::Migrate } else { Schema::Expect };
    let store = opened(instance, &settings, schema).await?;
    log_unknown_tiers(&store, &settings).await?;
    let files = instance.files(&store).await?;
    let listen = arguments.listen(&settings);
    if settings.admin_listen == Some(listen) && listen.port() != 0 {
        return Err(CommandError::Refused(format!(
            "`listen` and `admin-listen` are both {listen}; give operators an address of their own"
        )));
    }
    let listener = bind(listen, "listen").await?;
    let admin = match settings.admin_listen {
        Some(address) => {
            telemetry::keys::collect();
            Some(bind(address, "admin-listen").await?)
        }
        None => None,
    };
    let address = listener.local_addr().map_err(CommandError::io("can't read the listening address"))?;
    let base_url = base_url(&settings, address);

    let metrics = telemetry::install()
        .map_err(|error| CommandError::Refused(format!("can't install the metrics recorder: {error}")))?;
    let name = process_name();
    let exporter = exporter(&settings, &name)?;
    let (quiesce, quiesced) = Quiesce::read(&store).await?;
    let components =
        Components::new(arguments, &settings, store, files, quiesce, &base_url, &instance.data_dir)?;
    let grace = settings.shutdown_seconds.map_or(GRACE, Duration::from_secs);
    let mut requests = Phase::new("requests", grace + AFTER_GRACE);
    let mut work = Phase::new("work", grace + AFTER_GRACE);
    let mut upkeep = Phase::new("upkeep", AFTER_GRACE);
    // Operators see the state of the process until it ends.
    let mut administration = Phase::new("administration", AFTER_GRACE);
    components.start_work(&settings, grace, &name, &mut work)?;
    components.start_upkeep(&settings, &name, &mut upkeep);
    if let Some(exporter) = exporter {
        upkeep.spawn("traces", |stop| exporter.run(stopped_by(stop)));
    }
    let store = Arc::clone(&components.store);
    upkeep.spawn("quiescence", |stop| quiesce::follow(quiesced, store, stopped_by(stop)));
    let (store, files) = (Arc::clone(&components.store), components.files.clone());
    let running = settings.worker.running_per_key;
    upkeep.spawn("metrics", |stop| telemetry::run(metrics.clone(), store, files, running, stopped_by(stop)));
    let addresses = Addresses::new(&settings.trusted_proxies);
    let state = components.routes_state(metrics);
    let readiness = state.readiness.clone();
    if let Some(listener) = &admin {
        let address = listener.local_addr().map_err(CommandError::io("can't read the listening address"))?;
        tracing::info!(%address, "operators have health, readiness, metrics and the administration on an address of their own");
    }
    let front = components.front(&settings, state.clone(), admin.is_some())?;
    if let Some(listener) = admin {
        let front = components.administration(&settings, state)?;
        let handler = move |exchange, request| front.clone().respond(exchange, request);
        let limits = Limits { connections: ADMIN_CONNECTIONS, grace: Duration::ZERO, ..Limits::default() };
        administration.spawn("operators' address", |stop| {
            connections::serve(listener, handler, Addresses::new(&[]), limits, stopped_by(stop))
        });
    }
    // A reader of the line below may stop the service at once.
    let mut signals = Signals::catch().map_err(CommandError::io("can't catch signals"))?;
    tracing::info!(%address, "listening");
    // Scripts read this first line on stdout. The service continues even if it is not read.
    let line = format!("listening on http://{address}");
    if arguments.log_json {
        output::as_json();
    }
    let _ = output::line(line);

    let stalled = Duration::from_secs(settings.http.stalled_seconds);
    let limits = Limits { connections: settings.http.connections, stalled, grace, ..Limits::default() };
    let handler = move |exchange, request| front.clone().respond(exchange, request);
    requests.spawn("connections", |stop| {
        connections::serve(listener, handler, addresses, limits, stopped_by(stop))
    });
    if settings.has_catalogue() {
        upkeep.spawn("catalogue", |stop| read_catalogue(Arc::clone(&components.store), stopped_by(stop)));
    }
    let ended = tokio::select! {
        ended = demo(arguments, &components, instance, &base_url) => ended.map(|()| Signal::Interrupt),
        failed = requests.failed() => Err(failed),
        failed = work.failed() => Err(failed),
        failed = upkeep.failed() => Err(failed),
        failed = administration.failed() => Err(failed),
        name = components.store.ended() => Err(shutdown::ended(name, "it belongs to the store")),
        signal = signals.next() => Ok(signal),
    };
    tracing::info!(signal = ended.as_ref().ok().map(|signal| signal.name()), "stopping");
    readiness.stop();
    if ended.as_ref().is_ok_and(|signal| signal.drains()) && !arguments.demo {
        let drain = settings.drain_seconds.map_or(DRAIN, Duration::from_secs);
        // Another signal skips the wait.
        let _ = tokio::time::timeout(drain, signals.next()).await;
    }
    requests.end().await;
    work.end().await;
    upkeep.end().await;
    shutdown::bounded("store", AFTER_GRACE, components.store.close()).await;
    administration.end().await;
    tracing::info!("stopped");
    ended.map(drop)
}

/// Opens the store. A database may start together with the service, so this waits a while for one.
async fn opened(
    instance: &Instance,
    settings: &Settings,
    schema: Schema,
) -> Result<SharedStore, CommandError> {
    let begun = Instant::now();
    let mut is_logged = false;
    loop {
        match instance.open(settings, schema).await {
            Err(CommandError::Store(error)) if error.is_starting() && begun.elapsed() < STARTING => {
                if !is_logged {
                    let seconds = STARTING.as_secs();
                    tracing::warn!(%error, "waiting up to {seconds} seconds for the database, which may be starting");
                    is_logged = true;
                }
                tokio::time::sleep(AGAIN).await;
            }
            opened => return opened,
        }
    }
}

/// Listens on the address of this setting.
async fn bind(address: SocketAddr, setting: &str) -> Result<TcpListener, CommandError> {
    TcpListener::bind(address).await.map_err(|source| {
        let why = match source.kind() {
            io::ErrorKind::AddrInUse => "another process uses it, ",
            io::ErrorKind::AddrNotAvailable => "this machine has no such address, ",
            io::ErrorKind::PermissionDenied => "this user may not use the port, ",
            _ => "",
        };
        let what = format!(
            "can't listen on {address}: {why}so choose another address with `--{setting}`, or `{setting}` in the settings file \
             (port 0 picks a free port)"
        );
        CommandError::Io { what, source }
    })
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
    components: &Components,
    instance: &Instance,
    base_url: &str,
) -> Result<(), CommandError> {
    if arguments.demo {
        let say = |text: &str| {
            let _ = output::line(text);
        };
        say(&crate::demo::prepare(&components.store, &components.files, &instance.data_dir, base_url, say)
            .await?);
        say(
            "Real models: `asset-service engines add <name>` attaches one, and a restart of `serve` uses it:",
        );
        components.offers.iter().for_each(|offer| say(&format!("  {offer}")));
    }
    pending().await
}

/// Warns of each active key whose tier the settings don't define.
async fn log_unknown_tiers(store: &SharedStore, settings: &Settings) -> Result<(), CommandError> {
    let keys = store.keys().await?;
    for key in keys.iter().filter(|key| key.revoked_at.is_none() && !settings.tiers.has(&key.tier)) {
        tracing::warn!(
            key = key.id,
            name = key.name,
            tier = key.tier,
            "the settings don't define this key's tier: the limits of the tier `default` apply"
        );
    }
    Ok(())
}

/// A request to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Signal {
    /// Ctrl-C: a person waits.
    Interrupt,
    /// SIGTERM: a supervisor stops the service.
    Terminate,
    /// SIGHUP: the terminal is gone, or an operator expects a reload, which the service does not have.
    HangUp,
}

impl Signal {
    const fn name(self) -> &'static str {
        match self {
            Self::Interrupt => "SIGINT",
            Self::Terminate => "SIGTERM",
            Self::HangUp => "SIGHUP",
        }
    }

    /// Returns whether the listener stays open for `drain-seconds`.
    const fn drains(self) -> bool {
        !matches!(self, Self::Interrupt)
    }
}

/// The signals that stop the process. They are caught as long as this exists.
struct Signals {
    interrupts: unix::Signal,
    terminations: unix::Signal,
    /// `None` if the parent process made it ignore them, as `nohup` does.
    hang_ups: Option<unix::Signal>,
}

impl Signals {
    fn catch() -> io::Result<Self> {
        Ok(Self {
            interrupts: signal(SignalKind::interrupt())?,
            terminations: signal(SignalKind::terminate())?,
            hang_ups: (!machine::ignores_hang_ups()).then(|| signal(SignalKind::hangup())).transpose()?,
        })
    }

    async fn next(&mut self) -> Signal {
        let hang_up = async {
            match &mut self.hang_ups {
                Some(hang_ups) => hang_ups.recv().await,
                None => pending().await,
            }
        };
        tokio::select! {
            _ = self.interrupts.recv() => Signal::Interrupt,
            _ = self.terminations.recv() => Signal::Terminate,
            _ = hang_up => Signal::HangUp,
        }
    }
}
