//! The metrics are those of the documentation: their names, their labels, and the values of labels that have a fixed set.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use asset_service::telemetry::{self, Limit};
use asset_service::webhooks::dispatcher;

use crate::pages::page;

/// The labels of a metric with their values; no values mean that the label may have any.
type Labels = BTreeMap<String, BTreeSet<String>>;

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

/// Checks what `/metrics` prints. Every test that reads the metrics calls this.
pub fn check(text: &str) {
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (name, rest) = line.split_at(line.find(['{', ' ']).unwrap());
        let whole = ["_bucket", "_sum", "_count"].iter().find_map(|part| name.strip_suffix(part));
        let table = documented();
        let labels =
            table.get(name).or_else(|| table.get(whole?)).unwrap_or_else(|| panic!("undocumented: {line}"));
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
    let webhooks = dispatcher::Settings::default();
    let caps = format!(
        "{} of a key to a host, {} to a host, {} of a key, and {} of a process",
        webhooks.per_lane, webhooks.per_host, webhooks.per_key, webhooks.concurrency
    );
    let reserved =
        format!("{} of the {} slots of a host are reserved for keys", webhooks.reserved, webhooks.per_host);
    assert!(settings.contains(&caps) && settings.contains(&reserved), "{caps} {reserved}");
}

#[test]
#[should_panic(expected = "documented {\"address\"")]
fn an_undocumented_value_of_a_label_is_found() {
    check("requests_limited_total{limit=\"key\"} 1\nrequests_limited_total{limit=\"moon\"} 1");
}
