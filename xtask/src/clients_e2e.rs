//! `cargo xtask clients-e2e`: generated clients against real servers on this machine, outside CI.

use std::{
    net::TcpListener,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};

use crate::{
    Outcome,
    background::Background,
    files, project,
    python::{self, Packages},
};

/// The examples in `--help`.
pub const EXAMPLES: &str = "\
Examples:
  cargo xtask clients-e2e           Chroma and Prefect, one after the other
  cargo xtask clients-e2e prefect   Prefect alone";

/// The programs and their settings, relative to the project's root.
const PROGRAMS: &str = "tests/clients";

/// The programs' sources, for rustfmt. cargo can't read their manifests before the clients are generated.
pub const SOURCES: [&str; 2] = ["tests/clients/chroma/src/main.rs", "tests/clients/prefect/src/main.rs"];

/// The folder for all output of a run, relative to the project's root.
const FOLDER: &str = "target/clients";

/// The maximum time until a server serves its document. The first start of Prefect creates a database.
const START: Duration = Duration::from_secs(300);

/// The maximum time of a program. Each needs seconds.
const RUN: Duration = Duration::from_secs(120);

#[derive(clap::Args)]
pub struct Arguments {
    /// Run the clients of these servers alone
    #[arg(value_enum)]
    servers: Vec<Server>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Server {
    Chroma,
    Prefect,
}

impl Server {
    /// Returns the Python packages. Their name is also that of its folders and of its program's package.
    fn packages(self) -> Packages {
        let (name, requirements) = match self {
            Self::Chroma => ("chroma", "tests/clients/chroma/requirements.txt"),
            Self::Prefect => ("prefect", "tests/clients/prefect/requirements.txt"),
        };
        Packages { name, requirements, alone: None }
    }

    fn name(self) -> &'static str {
        self.packages().name
    }

    /// Returns the path below which its operations are.
    fn base(self) -> &'static str {
        match self {
            Self::Chroma => "",
            Self::Prefect => "/api",
        }
    }

    /// Returns the command that serves on a port, with all data in a folder, and without reports to its makers.
    fn command(self, python: &Path, port: &str, data: &Path) -> Command {
        // The installed programs are in the folder of Python.
        let mut command = Command::new(python.with_file_name(self.name()));
        match self {
            Self::Chroma => {
                command.args(["run", "--host", "127.0.0.1", "--port", port, "--path"]).arg(data);
                command.env("ANONYMIZED_TELEMETRY", "False");
            }
            Self::Prefect => {
                command.args(["server", "start", "--host", "127.0.0.1", "--port", port, "--no-ui"]);
                command.env("PREFECT_HOME", data).env("PREFECT_SERVER_ANALYTICS_ENABLED", "false");
                command.env("DO_NOT_TRACK", "1");
            }
        }
        command.current_dir(data);
        command
    }
}

/// Runs the programs of some servers, or of all.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    // Here, so that the time of `generate` is that of the generator.
    project::succeed(&mut project::cargo(&["build", "--quiet", "--package", "openapi-crates"])?)?;
    let all = [Server::Chroma, Server::Prefect];
    let servers = if arguments.servers.is_empty() { &all } else { arguments.servers.as_slice() };
    for server in servers {
        let outcome = run_one(*server).with_context(|| format!("the client of {} fails", server.name()))?;
        if outcome != Outcome::Done {
            return Ok(outcome);
        }
    }
    Ok(Outcome::Done)
}

fn run_one(server: Server) -> Result<Outcome> {
    let name = server.name();
    let python = server.packages().install()?;
    let folder = project::root()?.join(FOLDER).join(name);
    let port = free_port()?;
    let (mut last, mut laps) = (Instant::now(), Vec::new());
    let mut lap = |step: &str| {
        laps.push(format!("{step} {:.1} s", last.elapsed().as_secs_f64()));
        last = Instant::now();
    };
    let log = folder.join("server.log");
    let mut running = start(server, &python, &port, &folder)?;
    let document = folder.join("openapi.json");
    let seen = || format!("see the server's log, {}", log.display());
    download(&python, &format!("http://127.0.0.1:{port}/openapi.json"), &document, &mut running)
        .with_context(seen)?;
    lap("start");
    generate(name, &document)?;
    lap("generate");
    build(name)?;
    lap("compile");
    let program = project::root()?.join("target/debug").join(format!("{name}-e2e"));
    let mut command = Command::new(program.with_extension(std::env::consts::EXE_EXTENSION));
    command.arg(format!("http://127.0.0.1:{port}{}", server.base())).env("RUST_BACKTRACE", "0");
    let status = Background::start("the program", &mut command)?.wait(RUN).with_context(seen)?;
    running.is_running().with_context(seen)?;
    lap("run");
    if !status.success() {
        eprintln!("the program of {PROGRAMS}/{name} failed with {status}; {}", seen());
        return Ok(Outcome::Failed);
    }
    println!("{name}: {}", laps.join(", "));
    Ok(Outcome::Done)
}

/// Starts a server with a new data folder.
fn start(server: Server, python: &Path, port: &str, folder: &Path) -> Result<Background> {
    let (data, log) = (folder.join("data"), folder.join("server.log"));
    files::recreate(&data)?;
    let mut command = server.command(python, port, &data);
    Background::start("the server", files::log_to(&log, &mut command)?)
}

/// Downloads the document as soon as the server responds.
fn download(python: &Path, url: &str, document: &Path, server: &mut Background) -> Result<()> {
    let started = Instant::now();
    loop {
        server.is_running()?;
        let output = python::download(python, url, document).output();
        let output = output.context("the installed Python can't be run")?;
        if output.status.success() {
            return Ok(());
        }
        if started.elapsed() > START {
            let reason = String::from_utf8_lossy(&output.stderr);
            let reason = reason.lines().last().unwrap_or_default();
            bail!("{url} can't be downloaded within {START:?}: {reason}");
        }
        thread::sleep(Duration::from_millis(200));
    }
}

/// Generates the crates with the settings in the folder of the program, as a user does.
fn generate(name: &str, document: &Path) -> Result<()> {
    let mut command = project::cargo(&["run", "--quiet", "--package", "openapi-crates", "--", "generate"])?;
    let settings = PathBuf::from(PROGRAMS).join(name).join("openapi-crates.toml");
    project::succeed(command.arg(document).arg("--config").arg(settings))
}

/// Compiles the program of a server.
fn build(name: &str) -> Result<()> {
    let root = project::root()?;
    let workspace = root.join(PROGRAMS).join(name);
    // The same versions as in the project, which are downloaded.
    files::copy(&root.join("Cargo.lock"), &workspace.join("Cargo.lock"))?;
    let mut command = project::cargo(&["build", "--quiet"])?;
    // The target folder has the dependencies that the project's own build has compiled.
    command.current_dir(workspace).env("CARGO_TARGET_DIR", root.join("target"));
    project::succeed(&mut command).with_context(|| {
        format!("the program of {PROGRAMS}/{name} does not fit the client generated from this version of the server")
    })
}

/// Returns a port of the loopback address that nothing uses.
fn free_port() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").context("no port is free")?;
    Ok(listener.local_addr()?.port().to_string())
}
