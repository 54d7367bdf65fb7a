//! Checks of setting values.
//!
//! An invalid value is an error; none is corrected silently.

use std::ops::RangeInclusive;

use super::Settings;
use crate::config::{Checked, InvalidSetting, at_least, base_url, from_to, host};
use crate::files::{BUCKET, bucket_url};
use crate::http::Pace;
use crate::http::settings::MIN_BODIES_MIB;

/// How long the largest body may take to arrive, in seconds.
const MAX_BODY_SECONDS: u64 = Pace::DEFAULT.longest(MIN_BODIES_MIB / 2 * 1024 * 1024);

/// The maximum time of a statement, in seconds: a day. PostgreSQL's own maximum is 24 days.
const MAX_STATEMENT_SECONDS: u64 = 24 * 60 * 60;

/// The connections to PostgreSQL. Batches of writes of all kinds take six, and claims two.
const CONNECTIONS: RangeInclusive<u64> = 8..=1000;

/// The maximum time of an attempt, in seconds: 30 days.
const MAX_DEADLINE_SECONDS: u64 = 30 * 24 * 60 * 60;

/// The minimum age of orphans, in seconds.
const YOUNGEST_ORPHAN: u64 = 600;

/// Checks settings.
///
/// Only tests, which never run a release build, remove orphans of any age.
pub(super) fn settings(settings: &Settings) -> Checked {
    values(settings)?;
    if cfg!(debug_assertions) {
        return at_least("retention.orphan-seconds", Some(settings.retention.orphan_age.as_secs()), 1);
    }
    orphans(settings)
}

/// Checks that a file is not an orphan while the request that stores it, and then its task, is in progress.
fn orphans(settings: &Settings) -> Checked {
    let given = settings.retention.orphan_age.as_secs();
    let request = settings.http.request_seconds.saturating_add(MAX_BODY_SECONDS);
    let least = YOUNGEST_ORPHAN.max(request.saturating_add(1));
    if given >= least {
        return Ok(());
    }
    let expected = format!(
        "at least {least}: a request may take {} seconds for its body and then `http.request-seconds`",
        MAX_BODY_SECONDS
    );
    Err(InvalidSetting::must_be("retention.orphan-seconds", expected))
}

fn values(settings: &Settings) -> Checked {
    if let Some(url) = &settings.base_url {
        base_url(url).map_err(|expected| InvalidSetting::must_be("base-url", expected))?;
    }
    if settings.files.as_deref().is_some_and(|files| bucket_url(files).is_none()) {
        return Err(InvalidSetting::must_be("files", BUCKET));
    }
    for (index, name) in settings.admin_hosts.iter().enumerate() {
        host(name).map_err(|expected| InvalidSetting::must_be(format!("admin-hosts[{index}]"), expected))?;
    }
    from_to("statement-seconds", settings.statement_seconds, 1..=MAX_STATEMENT_SECONDS)?;
    from_to("database-connections", settings.database_connections.map(u64::from), CONNECTIONS)?;
    settings.tiers.check()?;
    settings.authentication.check()?;
    settings.http.check()?;
    for (family, seconds) in &settings.deadlines {
        from_to(&format!("deadlines.{family}"), Some(*seconds), 1..=MAX_DEADLINE_SECONDS)?;
    }
    if let Some(url) = &settings.traces.otlp_endpoint {
        base_url(url).map_err(|expected| InvalidSetting::must_be("traces.otlp-endpoint", expected))?;
    }
    if !(0.0..=1.0).contains(&settings.traces.sample_ratio) {
        return Err(InvalidSetting::must_be("traces.sample-ratio", "from 0 to 1"));
    }
    let (worker, retention) = (&settings.worker, &settings.retention);
    at_least("worker.lease-seconds", Some(worker.lease.as_secs()), 1)?;
    at_least("worker.running-per-key", Some(worker.running_per_key.into()), 1)?;
    at_least("worker.max-attempts", Some(worker.max_attempts.into()), 1)?;
    from_to("webhooks.deadline-seconds", settings.webhooks.deadline_seconds, 1..=60)?;
    at_least("retention.sweep-seconds", Some(retention.every.as_secs()), 1)?;
    at_least("retention.waiting-days", Some(retention.waiting.as_secs()), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Option<String> {
        let read: Settings = toml::from_str(text).unwrap();
        settings(&read).err().map(|invalid| invalid.to_string())
    }

    #[test]
    fn an_invalid_value_is_reported_by_name() {
        for (text, setting) in [
            ("base-url = 'assets.example.com'", "base-url"),
            ("files = '/var/files'", "files"),
            ("files = 's3://key:secret@bucket/a'", "files"),
            ("admin-hosts = ['a.example', 'b.example:9090']", "admin-hosts[1]"),
            ("admin-hosts = ['http://a.example']", "admin-hosts[0]"),
            ("statement-seconds = 0", "statement-seconds"),
            ("statement-seconds = 86401", "statement-seconds"),
            ("database-connections = 7", "database-connections"),
            ("[tiers.gold]\nburst = 0", "tiers.gold.burst"),
            ("[http]\nrequest-seconds = 0", "http.request-seconds"),
            ("[http]\nstalled-seconds = 0", "http.stalled-seconds"),
            ("[deadlines]\nvoiceover = 0", "deadlines.voiceover"),
            ("[deadlines]\nvoiceover = 2592001", "deadlines.voiceover"),
            ("[tiers.gold]\nopen-tasks = 0", "tiers.gold.open-tasks"),
            ("[tiers.gold]\nwebhook-events = 0", "tiers.gold.webhook-events"),
            ("[tiers.gold]\nwebhook-hosts = 0", "tiers.gold.webhook-hosts"),
            ("[tiers.gold]\nresult-mib = 0", "tiers.gold.result-mib"),
            ("[tiers.gold]\nstored-mib = 0", "tiers.gold.stored-mib"),
            ("[tiers.gold]\nper-second = 0.0", "tiers.gold.per-second"),
            ("[tiers.gold]\nper-second = -1.0", "tiers.gold.per-second"),
            ("[tiers.gold]\nper-second = nan", "tiers.gold.per-second"),
            ("[tiers.gold]\nper-second = inf", "tiers.gold.per-second"),
            ("[authentication.failures]\nburst = 0", "authentication.failures.burst"),
            ("[http.open]\nper-second = 0.0", "http.open.per-second"),
            ("[http.open]\ndownloads = 0", "http.open.downloads"),
            ("[http]\nconnections = 0", "http.connections"),
            ("[http]\nbodies-mib = 83", "http.bodies-mib"),
            ("[worker]\nlease-seconds = 0", "worker.lease-seconds"),
            ("[worker]\nrunning-per-key = 0", "worker.running-per-key"),
            ("[worker]\nmax-attempts = 0", "worker.max-attempts"),
            ("[webhooks]\ndeadline-seconds = 0", "webhooks.deadline-seconds"),
            ("[webhooks]\ndeadline-seconds = 61", "webhooks.deadline-seconds"),
            ("[retention]\nsweep-seconds = 0", "retention.sweep-seconds"),
            ("[retention]\nwaiting-days = 0", "retention.waiting-days"),
            ("[retention]\norphan-seconds = 0", "retention.orphan-seconds"),
        ] {
            let message = message(text);
            assert!(
                message.as_ref().is_some_and(|message| message.contains(&format!("`{setting}`"))),
                "{text}: {message:?}"
            );
        }
        assert_eq!(message(""), None);
        assert_eq!(message("statement-seconds = 86400"), None);
        // Zero is a valid value of these settings.
        assert_eq!(message("[worker]\nthreads = 0\n[retention]\ntask-days = 0"), None);
    }

    #[test]
    fn an_origin_is_written_as_browsers_write_it() {
        let message =
            |origin: &str| message(&format!("[http]\ncors-origins = ['http://localhost:5173', '{origin}']"));
        for good in ["https://app.example.com", "http://127.0.0.1:3000", "http://[::1]:3000"] {
            assert_eq!(message(good), None, "{good}");
        }
        let setting = "`http.cors-origins[1]` must be";
        for (bad, origin) in [
            ("https://app.example.com/", "https://app.example.com"),
            ("https://app.example.com/path?a=b", "https://app.example.com"),
            ("HTTPS://App.example.com", "https://app.example.com"),
            ("https://app.example.com:443", "https://app.example.com"),
            ("https://user@app.example.com", "https://app.example.com"),
            ("https://bücher.example", "https://xn--bcher-kva.example"),
        ] {
            let expected = format!("{setting} the origin alone, as browsers write it: `{origin}`");
            assert_eq!(message(bad), Some(expected), "{bad}");
        }
        for bad in
            ["", "*", "null", "app.example.com", "//app.example.com", "ftp://a", "https://*.example.com"]
        {
            let message = message(bad).unwrap();
            assert!(
                message.starts_with(&format!("{setting} an origin that begins with http://")),
                "{bad}: {message}"
            );
        }
    }

    #[test]
    fn an_orphan_is_older_than_any_request() {
        let message =
            |text: &str| orphans(&toml::from_str(text).unwrap()).err().map(|error| error.to_string());
        let young = message("[retention]\norphan-seconds = 599").unwrap();
        assert!(young.starts_with("`retention.orphan-seconds` must be at least 600: "), "{young}");
        for good in ["", "[retention]\norphan-seconds = 600", "[http]\nrequest-seconds = 80000"] {
            assert_eq!(message(good), None, "{good}");
        }
        // The body, then the time of the request.
        let least = MAX_BODY_SECONDS + 1000 + 1;
        for (seconds, is_enough) in [(least - 1, false), (least, true)] {
            let text = format!("[http]\nrequest-seconds = 1000\n[retention]\norphan-seconds = {seconds}");
            assert_eq!(message(&text).is_none(), is_enough, "{seconds}");
        }
        assert!(message("[http]\nrequest-seconds = 90000").is_some(), "the default is a day");
    }
}
