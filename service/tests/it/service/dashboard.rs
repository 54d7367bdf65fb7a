//! The dashboard and the alert rules use metrics and labels that the service has.

use std::collections::BTreeSet;
use std::path::Path;

use asset_service::telemetry;
use serde_json::Value;

use super::metrics::{family_of, labels_of};

/// Metrics without a panel: one that counts what another one has, and two for a closer look.
const UNSEEN: [&str; 3] = ["http_requests_total", "process_start_time_seconds", "webhook_duration_seconds"];

/// Labels that Prometheus adds.
const ADDED: [&str; 3] = ["instance", "job", "le"];

/// Words of PromQL between other words. A word before a parenthesis is a function.
const KEYWORDS: [&str; 4] = ["and", "or", "unless", "offset"];

/// Words before a list of labels.
const LISTS: [&str; 4] = ["by", "without", "on", "ignoring"];

fn read(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy").join(name)).unwrap()
}

/// Adds the expressions of a file.
fn expressions(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| expressions(item, into)),
        Value::Object(fields) => {
            into.extend(fields.get("expr").and_then(Value::as_str).map(ToOwned::to_owned));
            fields.values().for_each(|field| expressions(field, into));
        }
        _ => {}
    }
}

/// A label in braces, and its value.
type Matcher = (String, Option<String>);

/// What an expression uses.
#[derive(Debug, Default, PartialEq)]
struct Uses {
    /// The metrics, each with the labels in its braces, and their values if these are texts and not patterns.
    metrics: Vec<(String, Vec<Matcher>)>,
    /// The labels in lists.
    listed: BTreeSet<String>,
}

/// Reads an expression of PromQL, as far as the files use it.
fn uses(expression: &str) -> Uses {
    let (mut uses, mut rest, mut in_braces, mut in_list) = (Uses::default(), expression, false, false);
    while let Some(next) = rest.chars().next() {
        let is_word = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | ':');
        let end = rest.find(|char| !is_word(char)).unwrap_or(rest.len());
        if end == 0 {
            match next {
                '{' => in_braces = true,
                '}' => in_braces = false,
                ')' => in_list = false,
                // A range.
                '[' => rest = &rest[rest.find(']').unwrap()..],
                _ => {}
            }
            rest = &rest[next.len_utf8()..];
            continue;
        }
        let (word, after) = rest.split_at(end);
        rest = after.trim_start();
        if in_braces {
            let (operator, value) = rest.split_once('"').unwrap();
            let (value, after) = value.split_once('"').unwrap();
            let value = (operator.trim() == "=").then(|| value.to_owned());
            uses.metrics.last_mut().unwrap().1.push((word.to_owned(), value));
            rest = after;
        } else if in_list {
            uses.listed.insert(word.to_owned());
        } else if LISTS.contains(&word) {
            in_list = true;
        } else if !next.is_ascii_digit() && !rest.starts_with('(') && !KEYWORDS.contains(&word) {
            // An aggregation may have its list before its parenthesis.
            let is_aggregation = LISTS.iter().any(|list| rest.starts_with(&format!("{list} (")));
            if !is_aggregation || labels_of(word).is_some() {
                uses.metrics.push((word.to_owned(), Vec::new()));
            }
        }
    }
    uses
}

/// Returns what is wrong with an expression.
fn mistakes(expression: &str) -> Vec<String> {
    let (used, mut mistakes, mut known) = (uses(expression), Vec::new(), BTreeSet::from(ADDED));
    for (metric, labels) in &used.metrics {
        let Some(documented) = labels_of(metric) else {
            mistakes.push(format!("no metric {metric}"));
            continue;
        };
        known.extend(documented.keys().map(String::as_str));
        for (label, value) in labels {
            let values = documented.get(label);
            let is_known = |values: &BTreeSet<String>| {
                values.is_empty() || value.as_ref().is_none_or(|value| values.contains(value))
            };
            if !values.is_some_and(is_known) {
                mistakes.push(format!("{metric} has no {label} {value:?}"));
            }
        }
    }
    let unknown = used.listed.iter().filter(|label| !known.contains(label.as_str()));
    mistakes.extend(unknown.map(|label| format!("no label {label}")));
    mistakes
}

#[test]
fn dashboard_and_alerts_use_the_metrics_of_the_service() {
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    for (file, least) in [("grafana.json", 30), ("alerts.yaml", 15)] {
        let mut all = Vec::new();
        // JSON is YAML, too.
        expressions(&serde_yaml::from_str(&read(file)).unwrap(), &mut all);
        assert!(all.len() >= least, "{file}: {}", all.len());
        for expression in all {
            seen.extend(uses(&expression).metrics.into_iter().map(|(metric, _)| family_of(&metric)));
            found.extend(
                mistakes(&expression).into_iter().map(|mistake| format!("{file}: {expression}: {mistake}")),
            );
        }
    }
    assert_eq!(found, [""; 0]);
    let unseen = telemetry::names().filter(|name| !seen.contains(*name) && !UNSEEN.contains(name));
    assert_eq!(unseen.collect::<Vec<_>>(), [""; 0], "metrics without a panel and without an alert");
}

#[test]
fn mistakes_in_expressions_are_found() {
    for (expression, expected) in [
        ("sum by (family) (rate(tasks_created_total[5m])) > 0.01", ""),
        ("sum by (status) (rate(tasks_created_total[5m]))", "no label status"),
        ("max(tasks_wait) > 5e9", "no metric tasks_wait"),
        ("tasks_ended_total{status=\"gone\"}", "tasks_ended_total has no status Some(\"gone\")"),
        ("tasks_ended_total{status=~\"gone|failed\"}", ""),
        ("tasks_waiting{family=\"x\"}", "tasks_waiting has no family Some(\"x\")"),
        ("tasks_awaiting / on (instance) tasks_waiting or quiesced", "no metric tasks_awaiting"),
        (
            "topk(10, histogram_quantile(0.99, sum by (le, queue) (rate(claim_seconds_bucket[$__rate_interval]))))",
            "",
        ),
    ] {
        assert_eq!(mistakes(expression).join("; "), expected, "{expression}");
    }
}
