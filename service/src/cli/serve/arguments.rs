//! The arguments of `serve`, and what follows from them and the settings.

use std::net::SocketAddr;

use clap::Args;
use clap::builder::BoolishValueParser;
use ipnet::IpNet;

use crate::cli::CommandError;
use crate::config::{self, ADDRESS};
use crate::settings::Settings;

#[derive(Debug, Args)]
pub(in crate::cli) struct Arguments {
    /// Listen on this address and port; port 0 picks a free port [default: 127.0.0.1:8080]
    #[arg(long, env = "ASSET_SERVICE_LISTEN", value_name = "ADDRESS:PORT", value_parser = address)]
    pub(in crate::cli) listen: Option<SocketAddr>,
    /// Serve /healthz, /readyz, /metrics and the administration API on this address, with connections of its own; /metrics is
    /// then only there
    #[arg(long, env = "ASSET_SERVICE_ADMIN_LISTEN", value_name = "ADDRESS:PORT", value_parser = address)]
    pub(in crate::cli) admin_listen: Option<SocketAddr>,
    /// Serve operators also if they use these names of the host, separated by commas: assets.internal
    #[arg(long, env = "ASSET_SERVICE_ADMIN_HOSTS", value_delimiter = ',', value_name = "NAME", value_parser = host)]
    admin_host: Vec<String>,
    /// Start result URLs with this public URL of the service, such as https://assets.example.com [default:
    /// http://<listen>]
    #[arg(long, env = "ASSET_SERVICE_BASE_URL", value_name = "URL")]
    pub(in crate::cli) base_url: Option<String>,
    /// Import a small catalogue, create an API key that is valid for 30 days, and print calls that work
    ///
    /// The calls fetch an icon, search resources, create a sound and a picture, and poll a task. A restart on the same
    /// data folder keeps the catalogue, and keeps the key until its last day. If the service listens on a loopback
    /// address and has neither a base URL nor a trusted proxy, webhooks and media can be on this machine too, over plain
    /// HTTP and on any port.
    #[arg(long)]
    pub(in crate::cli) demo: bool,
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
    pub(in crate::cli) allow_private_networks: Option<bool>,
    /// Allow webhook and media URLs in these private networks, separated by commas: 10.1.0.0/16
    #[arg(long, env = "ASSET_SERVICE_ALLOW_SUBNETS", value_delimiter = ',', value_name = "NETWORK")]
    pub(in crate::cli) allow_subnet: Vec<IpNet>,
    /// Trust the X-Forwarded-For header of these proxies, separated by commas: 10.0.0.1/32
    #[arg(long, env = "ASSET_SERVICE_TRUSTED_PROXIES", value_delimiter = ',', value_name = "NETWORK")]
    pub(in crate::cli) trusted_proxy: Vec<IpNet>,
    /// Run at most this many engines at the same time; 0 accepts tasks and leaves the work to other processes
    /// [default: the number of processors]
    #[arg(long, env = "ASSET_SERVICE_THREADS", value_name = "NUMBER")]
    pub(in crate::cli) threads: Option<usize>,
    /// Refuse an older schema of the database instead of migrating it; `asset-service migrate` migrates
    #[arg(long, env = "ASSET_SERVICE_NO_MIGRATE")]
    pub(in crate::cli) no_migrate: bool,
    /// Do not load the catalogue into memory; searches for resources get 503. For processes that only work
    #[arg(long, env = "ASSET_SERVICE_NO_CATALOGUE")]
    no_catalogue: bool,
    /// Send spans to the collector at this base URL, by OTLP over HTTP: http://127.0.0.1:4318
    ///
    /// The variable OTEL_EXPORTER_OTLP_HEADERS has headers for it: name=value,other=value
    #[arg(long, env = "OTEL_EXPORTER_OTLP_ENDPOINT", value_name = "URL")]
    otlp_endpoint: Option<String>,
    /// Write the log as JSON, one object per line
    #[arg(long, env = "ASSET_SERVICE_LOG_JSON")]
    pub(in crate::cli) log_json: bool,
}

impl Arguments {
    /// Returns the settings with these arguments and environment variables over them.
    pub(in crate::cli) fn over(&self, mut settings: Settings) -> Result<Settings, CommandError> {
        settings.listen = Some(self.listen(&settings));
        settings.admin_listen = self.admin_listen.or(settings.admin_listen);
        given(&self.admin_host, &mut settings.admin_hosts);
        settings.base_url =
            chosen("--base-url", self.base_url.as_deref(), settings.base_url.as_deref())?.map(str::to_owned);
        settings.allow_private_networks = self.allow_private_networks.or(settings.allow_private_networks);
        given(&self.allow_subnet, &mut settings.allow_subnets);
        given(&self.trusted_proxy, &mut settings.trusted_proxies);
        settings.worker.threads = self.threads.unwrap_or(settings.worker.threads);
        settings.migrate = if self.no_migrate { Some(false) } else { settings.migrate };
        settings.catalogue = if self.no_catalogue { Some(false) } else { settings.catalogue };
        settings.traces.otlp_endpoint = self.otlp_endpoint(&settings)?.map(str::to_owned);
        Ok(settings)
    }

    /// Returns the address to listen on.
    pub(super) fn listen(&self, settings: &Settings) -> SocketAddr {
        self.listen.or(settings.listen).unwrap_or(SocketAddr::from(([127, 0, 0, 1], 8080)))
    }

    /// Returns whether this is the demo, for programs of this machine only: a proxy would let others in.
    ///
    /// The settings are those after [`over`](Self::over).
    pub(in crate::cli) fn is_local_demo(&self, settings: &Settings) -> bool {
        let has_proxy = settings.base_url.is_some() || !settings.trusted_proxies.is_empty();
        self.demo && self.listen(settings).ip().is_loopback() && !has_proxy
    }

    /// Returns the base URL of the collector of traces, if there is one.
    fn otlp_endpoint<'a>(&'a self, settings: &'a Settings) -> Result<Option<&'a str>, CommandError> {
        // An empty variable is one that is not set, as OpenTelemetry says.
        let argument = self.otlp_endpoint.as_deref().filter(|endpoint| !endpoint.is_empty());
        let name = "--otlp-endpoint, or OTEL_EXPORTER_OTLP_ENDPOINT,";
        chosen(name, argument, settings.traces.otlp_endpoint.as_deref())
    }
}

/// Returns the public URL: from the settings, else from the listening address.
pub(super) fn base_url(settings: &Settings, address: SocketAddr) -> String {
    if let Some(url) = &settings.base_url {
        return url.clone();
    }
    if address.ip().is_unspecified() {
        let url = format!("http://localhost:{}", address.port());
        tracing::warn!(
            "result URLs begin with {url}, which only works on this machine; set --base-url to the URL that clients use"
        );
        return url;
    }
    format!("http://{address}")
}

/// Replaces the values of the settings file by the argument's, if there are any.
fn given<T: Clone>(argument: &[T], file: &mut Vec<T>) {
    if !argument.is_empty() {
        *file = argument.to_vec();
    }
}

/// Returns the base URL of an argument, or else that of the settings, which were checked before.
fn chosen<'a>(
    name: &str,
    argument: Option<&'a str>,
    setting: Option<&'a str>,
) -> Result<Option<&'a str>, CommandError> {
    let Some(url) = argument else { return Ok(setting) };
    let checked = config::base_url(url).map(|_| Some(url));
    checked.map_err(|expected| CommandError::Refused(format!("{name} must be {expected}; it is `{url}`")))
}

/// Parses the name of a host.
fn host(text: &str) -> Result<String, String> {
    config::host(text.trim()).map_err(|expected| format!("expected {expected}"))
}

/// Parses an address to listen on.
fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| format!("expected {ADDRESS}"))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    #[test]
    fn a_demo_that_others_can_reach_is_not_local() {
        for (arguments, settings, is_local) in [
            ("--demo", "", true),
            ("--demo --listen [::1]:8080", "", true),
            ("", "", false),
            ("--demo --listen 0.0.0.0:8080", "", false),
            ("--demo --base-url https://api.example.com", "", false),
            ("--demo --trusted-proxy 127.0.0.1/32", "", false),
            ("--demo", "base-url = 'https://api.example.com'", false),
            ("--demo", "trusted-proxies = ['127.0.0.1/32']", false),
        ] {
            let line = Line::try_parse_from(std::iter::once("serve").chain(arguments.split_whitespace()));
            let arguments_of = line.unwrap().arguments;
            let settings_of = arguments_of.over(toml::from_str(settings).unwrap()).unwrap();
            let local = arguments_of.is_local_demo(&settings_of);
            assert_eq!(local, is_local, "{arguments} {settings:?}");
        }
    }
}
