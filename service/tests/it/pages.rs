//! Tests what README.md and `docs/` say about the service: commands, settings, arguments.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use asset_service::cli::Arguments;
use asset_service::engine::environment::Environment;
use asset_service::engine::registry::Registry;
use asset_service::http::settings::{Authentication, Http};
use asset_service::keys::tier::Tier;
use asset_service::net::fetch::Fetcher;
use asset_service::net::guard::Policy;
use asset_service::net::resolve::Guard;
use asset_service::settings::Settings;
use asset_service::store::Access;
use asset_service::tasks::settings::Disk;
use asset_service::tasks::{sweep, worker};
use asset_service::trace::settings::Traces;
use asset_service::webhooks::deliver;
use clap::{Command, CommandFactory, Parser};

/// Returns README.md and the pages of `docs/`: name and text.
fn pages() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let docs = root.join("docs").read_dir().unwrap().map(|entry| entry.unwrap().path());
    docs.filter(|path| path.is_file())
        .chain([root.join("README.md")])
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).unwrap())
        })
        .collect()
}

/// Returns the text of a page of `docs/`.
pub fn page(name: &str) -> String {
    pages().into_iter().find(|(known, _)| known == name).unwrap().1
}

#[test]
fn commands_of_the_pages_are_understood() {
    let mut seen = 0;
    for (name, text) in pages() {
        for line in text.lines().filter_map(|line| line.strip_prefix("$ ")) {
            let command = line.split([';', '|', '#']).next().unwrap_or_default();
            let arguments = command
                .strip_prefix("asset-service ")
                .or_else(|| command.strip_prefix("cargo run -p asset-service -- "));
            let Some(arguments) = arguments else { continue };
            let words = std::iter::once("asset-service").chain(arguments.split_whitespace());
            if let Err(error) = Arguments::try_parse_from(words) {
                panic!("{name}: {line}\n{error}");
            }
            seen += 1;
        }
    }
    assert!(seen > 5, "the pages show commands");
}

/// Returns the settings file that the page shows.
fn settings_of_the_page() -> String {
    let page = page("service-settings.md");
    let shown = page.split("\n```toml\n").nth(1).and_then(|rest| rest.split("```").next());
    shown.unwrap().to_owned()
}

#[test]
fn settings_of_the_page_are_accepted_and_its_defaults_are_true() {
    let shown = settings_of_the_page();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("asset-service.toml"), shown).unwrap();
    let mut settings = Settings::load(None, folder.path()).unwrap();
    // What is installed on this machine must not count.
    settings.local_programs = Some(false);
    let guard = Guard::new(Policy::default()).unwrap();
    let fetcher = Fetcher::new(guard).unwrap();
    let environment = Environment::new(Path::new("."), fetcher, "http://127.0.0.1:8080");
    Registry::of(settings.engines(), &environment).unwrap();

    assert!(settings.statement_seconds.is_some() && settings.database_connections.is_some());
    assert_eq!((settings.access(), settings.catalogue), (Access::DEFAULT, Some(true)));
    assert_eq!(settings.http, Http::default());
    assert_eq!(settings.disk, Disk::default());
    assert_eq!(settings.authentication, Authentication::default());
    assert_eq!(Tier { daily_tasks: None, ..settings.tiers.get("default") }, Tier::default());
    let (default, shown) = (worker::Settings::default(), &settings.worker);
    assert_eq!(worker::Settings { threads: default.threads, ..shown.clone() }, default);
    assert_eq!(settings.webhooks.deadline_seconds.map(Duration::from_secs), Some(deliver::DEADLINE));
    assert_eq!(settings.retention, sweep::Settings::default());
    assert_eq!(Traces { otlp_endpoint: None, ..settings.traces }, Traces::default());
}

#[test]
fn arguments_of_serve_and_their_variables_are_in_the_page() {
    fn check(command: &Command, page: &str) -> usize {
        let mut variables = 0;
        for argument in command.get_arguments() {
            let Some(variable) = argument.get_env() else { continue };
            let long = format!("| `--{}", argument.get_long().unwrap());
            let variable = format!("`{}`", variable.to_string_lossy());
            let row = page.lines().find(|line| line.contains(&variable));
            assert!(row.is_some_and(|row| row.starts_with(&long)), "{long} {variable}");
            variables += 1;
        }
        variables + command.get_subcommands().map(|command| check(command, page)).sum::<usize>()
    }
    let known = check(&Arguments::command(), &page("service-settings.md"));
    assert!(known >= 10, "{known}");
}

/// Returns the keys that a section of the settings file may have.
fn keys(section: &str) -> BTreeSet<String> {
    let folder = tempfile::tempdir().unwrap();
    let header = if section.is_empty() { String::new() } else { format!("[{section}]\n") };
    std::fs::write(folder.path().join("asset-service.toml"), format!("{header}no-such-key = 1\n")).unwrap();
    let message = Settings::load(None, folder.path()).unwrap_err().to_string();
    let known = message.rsplit_once("; known: ").unwrap_or_else(|| panic!("{message}")).1;
    known.split(", ").map(ToOwned::to_owned).collect()
}

#[test]
fn every_setting_is_in_the_page() {
    const SECTIONS: [&str; 12] = [
        "",
        "http",
        "http.open",
        "authentication",
        "authentication.failures",
        "built-in",
        "disk",
        "tiers.default",
        "worker",
        "webhooks",
        "retention",
        "traces",
    ];
    let shown: toml::Table = toml::from_str(&settings_of_the_page()).unwrap();
    for section in SECTIONS {
        let names = section.split('.').filter(|name| !name.is_empty());
        let shown = names.fold(&shown, |table, name| table[name].as_table().unwrap());
        let shown: BTreeSet<String> = shown.keys().cloned().collect();
        // Engines have a page of their own.
        let known: BTreeSet<String> = keys(section).into_iter().filter(|key| key != "engines").collect();
        assert_eq!(shown, known, "[{section}]");
    }
}
