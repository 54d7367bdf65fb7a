//! The metrics are those of the documentation: their names, their labels, and the values of labels that have a fixed set.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use asset_api_client::models::sound_effects::{ListSoundEffectsInput, SoundEffectRequest};
use asset_service::telemetry::{self, Limit};
use asset_service::webhooks::dispatcher;

use super::http_client;
use super::ports::free_address;
use super::running::{Database, Running, on_both_databases};
use crate::pages::page;

/// The labels of a metric with their values; no values mean that the label may have any.
pub type Labels = BTreeMap<String, BTreeSet<String>>;

/// Returns the rows of the table of metrics.
fn documented() -> &'static BTreeMap<String, Labels> {
    static TABLE: OnceLock<BTreeMap<String, Labels>> = OnceLock::new();
    let bare = |text: &str| text.trim().trim_matches('`').to_owned();
    let label = |text: &str| {
        let (name, values) = text.split_once(':').unwrap_or((text, ""));
        (bare(name), values.split(',').map(bare).filter(|value| !value.is_empty()).collect())
    };
    TABLE.get_or_init(|| {
        let page = page("operate.md");
        let section =
            page.split("\n## Metrics\n").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap();
        let rows = section.lines().filter(|line| line.starts_with("| `"));
        rows.map(|row| {
            let cells: Vec<_> = row.trim_matches('|').split('|').collect();
            let labels = cells[1].split(';').filter(|label| !label.trim().is_empty());
            (bare(cells[0]), labels.map(label).collect())
        })
        .collect()
    })
}

/// Returns the name of a metric, or of the histogram to which it belongs.
pub fn family_of(name: &str) -> String {
    let whole = ["_bucket", "_sum", "_count"].iter().find_map(|part| name.strip_suffix(part));
    whole.filter(|whole| documented().contains_key(*whole)).unwrap_or(name).to_owned()
}

/// Returns the labels of a metric, or of the histogram to which it belongs.
pub fn labels_of(name: &str) -> Option<&'static Labels> {
    documented().get(&family_of(name))
}

/// Checks what `/metrics` prints. Every test that reads the metrics calls this.
pub fn check(text: &str) {
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (name, rest) = line.split_at(line.find(['{', ' ']).unwrap());
        let labels = labels_of(name).unwrap_or_else(|| panic!("undocumented: {line}"));
        let found = rest.rsplit_once('}').map_or("", |(labels, _)| &labels[1..]);
        let found = found.split("\",").filter_map(|label| label.split_once("=\""));
        let found: BTreeMap<_, _> = found.filter(|(name, _)| *name != "le").collect();
        assert!(found.keys().copied().eq(labels.keys().map(String::as_str)), "{line}: documented {labels:?}");
        for (label, value) in found {
            let (known, value) = (&labels[label], value.trim_end_matches('"'));
            assert!(known.is_empty() || known.contains(value), "{line}: documented {known:?}");
        }
    }
}

#[test]
fn every_metric_and_every_limit_is_documented() {
    let names: BTreeSet<_> = telemetry::names().collect();
    assert!(documented().keys().map(String::as_str).eq(names), "{:?}", documented().keys());
    let limits = Limit::ALL.map(|limit| limit.name().to_owned());
    assert_eq!(documented()["requests_limited_total"]["limit"], BTreeSet::from(limits.clone()));
    let settings = page("service-settings.md");
    for limit in limits {
        assert!(settings.contains(&format!("`limit=\"{limit}\"`")), "{limit}");
    }
    let dispatcher::Settings { concurrency, caps: of, .. } = dispatcher::Settings::default();
    let caps = format!(
        "{} of a key to a host, {} to a host, {} of a key, and {} of a process",
        of.per_lane, of.per_host, of.per_key, concurrency
    );
    let reserved = format!("{} of the {} slots of a host are reserved for keys", of.reserved, of.per_host);
    assert!(settings.contains(&caps) && settings.contains(&reserved), "{caps} {reserved}");
}

async fn a_process_exports_what_it_uses(database: Database) {
    let admin = free_address().to_string();
    let arguments = ["--threads", "1", "--admin-listen", &admin];
    let Some(running) = database.start("", &arguments).await else { return };
    let client = running.client();
    let id = client.create_sound_effect(SoundEffectRequest::new("rain", 0.5)).await.unwrap().data.task_id;
    running.sound(id).await;
    let key = running.key_id();
    let created = "{http_request_method=\"POST\",http_response_status_code=\"200\",http_route=\"/v1/ai/sound-effects\"}";
    let expected = [
        format!("http_server_request_duration_seconds_count{created} 1\n"),
        format!("key_tasks_total{{key=\"{key}\"}} 1\n"),
        format!("key_requests_total{{key=\"{key}\"}} "),
        format!("key_engine_milliseconds_total{{key=\"{key}\"}} "),
        "claim_seconds_count{queue=\"tasks\"} ".to_owned(),
        "claim_seconds_count{queue=\"webhooks\"} ".to_owned(),
        "database_connections{state=\"idle\"} ".to_owned(),
        "database_connections_limit ".to_owned(),
        "database_writes_waiting ".to_owned(),
        "clock_skew_seconds ".to_owned(),
        "tasks_oldest_running_seconds 0\n".to_owned(),
        format!("build_info{{version=\"{}\"}} 1\n", env!("CARGO_PKG_VERSION")),
        "http_unsent_bytes ".to_owned(),
        "process_start_time_seconds ".to_owned(),
    ];
    let response = http_client::get(format!("http://{admin}/metrics")).await.unwrap();
    let text = response.text().await.unwrap();
    check(&text);
    for line in expected {
        assert!(text.contains(&line), "{line}: {text}");
    }
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("{name} ")));
        line.unwrap_or_else(|| panic!("{name}: {text}")).parse::<f64>().unwrap()
    };
    #[cfg(target_os = "linux")]
    {
        assert!(value("process_resident_memory_bytes") > 1e6 && value("process_cpu_seconds_total") < 1e4);
        assert!(value("process_open_fds") < value("process_max_fds"));
    }
    assert!(value("database_connections_limit") >= 8.0);
}

on_both_databases! { a_process_exports_what_it_uses }

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clients_do_not_see_the_use_of_keys() {
    let running = Running::start(&["--threads", "0"]);
    running.client().list_sound_effects(ListSoundEffectsInput::default()).await.unwrap();
    let text = running.metrics().await;
    let has_route = text.contains("http_route=\"/v1/ai/sound-effects\"");
    assert!(has_route && !text.contains("key_requests_total"), "{text}");
}

#[test]
#[should_panic(expected = "documented {\"address\"")]
fn an_undocumented_value_of_a_label_is_found() {
    check("requests_limited_total{limit=\"key\"} 1\nrequests_limited_total{limit=\"moon\"} 1");
}
