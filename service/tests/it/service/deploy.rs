//! The files in `service/deploy`: a unit, an image, and a proxy with TLS.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use asset_service::cli::Arguments;
use clap::{CommandFactory, Parser};
use tempfile::TempDir;

use super::bare::Bare;
use super::ports::free_address;
use super::waiting::eventually;
use crate::service::http_client;

pub(super) fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy").join(name);
    std::fs::read_to_string(path).unwrap()
}

/// Returns all variables that the service reads.
pub(super) fn variables() -> Vec<String> {
    fn collect(command: &clap::Command, into: &mut Vec<String>) {
        let variables = command.get_arguments().filter_map(clap::Arg::get_env);
        into.extend(variables.map(|name| name.to_string_lossy().into_owned()));
        command.get_subcommands().for_each(|command| collect(command, into));
    }
    let mut known = Vec::new();
    collect(&Arguments::command(), &mut known);
    known
}

#[test]
fn the_unit_and_the_image_start_the_service() {
    let (unit, image) = (file("asset-service.service"), file("Containerfile"));
    let started = unit.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/local/bin/")).unwrap();
    Arguments::try_parse_from(started.split_whitespace()).unwrap();
    assert!(image.contains("ENTRYPOINT [\"asset-service\"]") && image.contains("CMD [\"serve\"]"));
    let known = variables();
    let set = unit.lines().filter_map(|line| line.strip_prefix("Environment="));
    let set = set.chain(image.lines().filter_map(|line| line.strip_prefix("ENV ASSET").map(|_| &line[4..])));
    let set: Vec<&str> = set.filter_map(|line| Some(line.split_once('=')?.0)).collect();
    assert_eq!(set.len(), 5, "{set:?}");
    for name in set {
        assert!(known.iter().any(|known| known == name), "{name}");
    }
    let toolchain = std::fs::read_to_string(
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("rust-toolchain.toml"),
    );
    let toolchain = toolchain.unwrap();
    let channel = toolchain.lines().find_map(|line| line.strip_prefix("channel = ")).unwrap();
    assert!(image.contains(&format!("RUSTUP_TOOLCHAIN={}", channel.trim_matches('"'))), "{channel}");
}

/// The system calls that the sandbox of programs needs, and those that it does not.
#[test]
fn the_unit_lets_programs_be_confined() {
    let unit = file("asset-service.service");
    let allowed = unit.lines().find_map(|line| line.strip_prefix("SystemCallFilter=")).unwrap();
    for call in [
        "@system-service",
        "landlock_create_ruleset",
        "landlock_add_rule",
        "landlock_restrict_self",
        "seccomp",
    ] {
        assert!(allowed.split(' ').any(|one| one == call), "{call}");
    }
    // A call that an older program does not expect is refused, and does not kill it.
    assert!(unit.contains("\nSystemCallErrorNumber=EPERM\n"));
    // A service that drains must not lose its programs.
    assert!(unit.contains("\nKillMode=mixed\n"));
    for needed in
        ["NoNewPrivileges=yes", "RestrictNamespaces=yes", "MemoryDenyWriteExecute=yes", "PrivateDevices=yes"]
    {
        assert!(unit.lines().any(|line| line == needed), "{needed}");
    }
    for more in ["MemoryDenyWriteExecute=no", "PrivateDevices=no", "MemoryMax=8G"] {
        assert!(unit.lines().any(|line| line.trim_start_matches('#').trim() == more), "{more}");
    }
}

/// A proxy that is stopped on drop.
struct Nginx(Child);

impl Drop for Nginx {
    fn drop(&mut self) {
        // SIGTERM also ends the worker processes.
        let _ = Command::new("kill").arg(self.0.id().to_string()).status();
        let _ = self.0.wait();
    }
}

fn nginx() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    folders.map(|folder| folder.join("nginx")).find(|program| program.is_file())
}

/// Starts nginx with the documented settings, apart from ports and paths.
fn proxy(program: &Path, folder: &Path, port: u16, upstreams: &[String]) -> Nginx {
    const UPSTREAM: &str = "server 127.0.0.1:8080 max_fails=0;";
    assert!(file("nginx.conf").contains(UPSTREAM));
    let server =
        |upstream: &String| UPSTREAM.replace("127.0.0.1:8080", upstream.trim_start_matches("http://"));
    let servers: Vec<String> = upstreams.iter().map(server).collect();
    let site = file("nginx.conf")
        .replace("listen 443 ssl", &format!("listen 127.0.0.1:{port} ssl"))
        .replace("/etc/ssl/assets.example.com.pem", folder.join("cert.pem").to_str().unwrap())
        .replace("/etc/ssl/private/assets.example.com.key", folder.join("key.pem").to_str().unwrap())
        .replace(UPSTREAM, &servers.join("\n"));
    let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|name| format!("{name}_temp_path {};\n", folder.join(name).display()));
    let whole = format!(
        "daemon off;\nuser root;\npid {}/pid;\nerror_log {0}/error.log;\nevents {{}}\n\
         http {{\naccess_log off;\n{}{site}}}\n",
        folder.display(),
        paths.concat()
    );
    std::fs::write(folder.join("nginx.conf"), whole).unwrap();
    let mut command = Command::new(program);
    command.arg("-p").arg(folder).arg("-c").arg(folder.join("nginx.conf"));
    command.args(["-e", folder.join("error.log").to_str().unwrap()]);
    Nginx(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
}

/// The name of the site.
const HOST: &str = "assets.example.com";

/// A site behind nginx with TLS.
struct Site {
    port: u16,
    url: String,
    client: reqwest::Client,
    certificate: String,
    key: String,
    folder: TempDir,
}

impl Site {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let certified = rcgen::generate_simple_self_signed([HOST.to_owned()]).unwrap();
        let (certificate, key) = (certified.cert.pem(), certified.signing_key.serialize_pem());
        let port = free_address().port();
        let trusted = reqwest::Certificate::from_pem(certificate.as_bytes()).unwrap();
        let client = http_client::builder().tls_certs_only([trusted]);
        let client = client.resolve(HOST, ([127, 0, 0, 1], port).into()).build().unwrap();
        Self { port, url: format!("https://{HOST}:{port}"), client, certificate, key, folder }
    }

    /// Starts nginx in front of these processes, and waits until it responds.
    async fn start(&self, program: &Path, upstreams: &[String]) -> Nginx {
        std::fs::write(self.folder.path().join("cert.pem"), &self.certificate).unwrap();
        std::fs::write(self.folder.path().join("key.pem"), &self.key).unwrap();
        let proxy = proxy(program, self.folder.path(), self.port, upstreams);
        let health = async || self.client.get(format!("{}/healthz", self.url)).send().await.ok();
        eventually("the proxy does not respond", health).await;
        proxy
    }
}

/// Returns the program, or `None` if the test has to be skipped.
fn installed() -> Option<PathBuf> {
    let program = nginx();
    if program.is_none() {
        assert!(std::env::var_os("CI").is_none(), "CI must run the test of the proxy");
        eprintln!("SKIPPED: the test of the proxy, because nginx is not installed");
    }
    program
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_proxy_with_tls_passes_everything_on() {
    let Some(program) = installed() else { return };
    let site = Site::new();
    let Site { url, client, .. } = &site;
    let bare = Bare::new(&format!(
        "base-url = \"{url}\"\ntrusted-proxies = [\"127.0.0.1/32\"]\n\
         [authentication.failures]\nburst = 2\nper-second = 0.001\n"
    ));
    let key = bare.key(&[]);
    let service = bare.serve("warn", &["--listen", "127.0.0.1:0"]);
    let _proxy = site.start(&program, &[service.url()]).await;
    let sounds = format!("{url}/v1/ai/sound-effects");
    let body = serde_json::json!({"text": "click", "duration_seconds": 0.5});
    let created = client.post(&sounds).header("x-service-api-key", &key).json(&body).send().await.unwrap();
    let created: serde_json::Value = created.json().await.unwrap();
    let task = format!("{sounds}/{}", created["data"]["task_id"].as_str().unwrap());
    let generated = async || {
        let shown = client.get(&task).header("x-service-api-key", &key).send().await.unwrap();
        let shown: serde_json::Value = shown.json().await.unwrap();
        shown["data"]["generated"][0].as_str().map(ToOwned::to_owned)
    };
    let generated = eventually("the task has no result", generated).await;
    assert!(generated.starts_with(url.as_str()), "{generated}");
    assert_eq!(client.get(generated).send().await.unwrap().status(), 200);

    // A body of ten megabytes passes, and its violation is the service's.
    let large = serde_json::json!({"image": "A".repeat(10_000_000)});
    let request = client.post(format!("{url}/v1/ai/image-to-prompt")).header("x-service-api-key", &key);
    let refused = request.json(&large).send().await.unwrap();
    let (status, text) = (refused.status(), refused.text().await.unwrap());
    assert!(status == 400 && text.contains("invalid_params"), "{status} {text}");

    // A client can't choose the address that counts for limits.
    let mut statuses = Vec::new();
    for number in 0..4 {
        let request = client.get(&sounds).header("x-service-api-key", "svc_wrong");
        let request = request.header("x-forwarded-for", format!("192.0.2.{number}"));
        statuses.push(request.send().await.unwrap().status().as_u16());
    }
    assert_eq!(statuses, [401, 401, 429, 429]);
}

/// The minimum number of requests of each client during a restart.
const REQUESTS: usize = 300;

/// Sends requests with and without small bodies, none of which has a key: at least [`REQUESTS`], and more until `is_over`.
///
/// Returns the responses that the service did not give.
async fn foreign_responses(site: &Site, is_over: &AtomicBool) -> Vec<String> {
    let mut foreign = Vec::new();
    let mut sent = 0;
    while sent < REQUESTS || !is_over.load(Ordering::Relaxed) {
        sent += 1;
        let post = |path: &str| {
            site.client.post(format!("{}{path}", site.url)).body("{\"text\": \"click\"}".repeat(500))
        };
        let (request, expected) = match sent % 3 {
            0 => (site.client.get(format!("{}/healthz", site.url)), 200),
            1 => (post("/v1/ai/sound-effects"), 401),
            _ => (post("/v1/ai/nowhere"), 404),
        };
        match request.send().await {
            Ok(response) if response.status() == expected => {}
            Ok(response) => foreign.push(response.status().to_string()),
            Err(error) => foreign.push(error.to_string()),
        }
    }
    foreign
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_restart_of_one_of_two_processes_is_not_seen_behind_the_proxy() {
    let Some(program) = installed() else { return };
    let site = Site::new();
    let bares = [0, 1].map(|_| {
        Bare::new(
            "trusted-proxies = [\"127.0.0.1/32\"]\ndrain-seconds = 2\n[authentication.failures]\nburst = 1000000\n",
        )
    });
    let address = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let addresses = [address(), address()];
    let serve =
        |number: usize| bares[number].serve("warn", &["--threads", "0", "--listen", &addresses[number]]);
    let mut services = [serve(0), serve(1)];
    let _proxy = site.start(&program, &addresses).await;
    let is_over = AtomicBool::new(false);
    let restarts = async {
        for signal in ["TERM", "HUP"] {
            for (number, service) in services.iter_mut().enumerate() {
                service.signal(signal);
                let has_ended = async || service.has_ended().then_some(());
                eventually("the process does not end", has_ended).await;
                // Only the other one serves for a while.
                tokio::time::sleep(Duration::from_millis(500)).await;
                *service = serve(number);
            }
        }
        is_over.store(true, Ordering::Relaxed);
    };
    let client = || foreign_responses(&site, &is_over);
    let (a, b, c, d, ()) = tokio::join!(client(), client(), client(), client(), restarts);
    let log = std::fs::read_to_string(site.folder.path().join("error.log")).unwrap();
    assert_eq!([a, b, c, d].concat(), Vec::<String>::new(), "{log}");
}
