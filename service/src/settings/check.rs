//! Checks of setting values.
//!
//! An invalid value is an error; none is corrected silently.

use std::fmt;
use std::ops::RangeInclusive;

use url::Url;

use super::Settings;
use crate::http::Pace;
use crate::tasks::sweep;

/// The minimum room for bodies: twice the largest body that the API accepts, because a key gets half of it.
const LEAST_BODIES_MIB: u64 = 84;

/// How long the largest body may take to arrive, in seconds.
const LONGEST_BODY: u64 = Pace::DEFAULT.longest(LEAST_BODIES_MIB / 2 * 1024 * 1024);

/// An invalid setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct InvalidSetting {
    /// The setting's key in the file, such as `worker.lease-seconds`.
    pub setting: String,
    /// What is wrong, with the setting's key.
    why: String,
}

impl InvalidSetting {
    /// Creates the error of a setting with a constraint, given as words that follow `must be`.
    #[must_use]
    pub fn must_be(setting: impl Into<String>, expected: impl fmt::Display) -> Self {
        let setting = setting.into();
        Self { why: format!("`{setting}` must be {expected}"), setting }
    }

    /// Creates the error of a setting, given as what is wrong.
    #[must_use]
    pub fn because(setting: impl Into<String>, why: impl fmt::Display) -> Self {
        let setting = setting.into();
        Self { why: format!("`{setting}`: {why}"), setting }
    }
}

/// The maximum time of a statement, in seconds: a day. PostgreSQL's own maximum is 24 days.
const LONGEST_STATEMENT: u64 = 24 * 60 * 60;

/// The minimum age of orphans, in seconds.
const YOUNGEST_ORPHAN: u64 = 600;

type Checked = Result<(), InvalidSetting>;

/// Checks settings.
///
/// Only tests, which never run a release build, remove orphans whatever their age is.
pub(super) fn settings(settings: &Settings) -> Checked {
    values(settings)?;
    if cfg!(debug_assertions) {
        return at_least("retention.orphan-seconds", settings.retention.orphan_seconds, 1);
    }
    orphans(settings)
}

/// Checks that a file is no orphan while the request that stores it, and then its task, is in progress.
fn orphans(settings: &Settings) -> Checked {
    let given =
        settings.retention.orphan_seconds.unwrap_or_else(|| sweep::Settings::default().orphan_age.as_secs());
    let request = settings.http.request_seconds.saturating_add(LONGEST_BODY);
    let least = YOUNGEST_ORPHAN.max(request.saturating_add(1));
    if given >= least {
        return Ok(());
    }
    let expected = format!(
        "at least {least}: a request may take {} seconds for its body and then `http.request-seconds`",
        LONGEST_BODY
    );
    Err(InvalidSetting::must_be("retention.orphan-seconds", expected))
}

fn values(settings: &Settings) -> Checked {
    if let Some(url) = &settings.base_url {
        base_url(url).map_err(|expected| InvalidSetting::must_be("base-url", expected))?;
    }
    from_to("statement-seconds", settings.statement_seconds, 1..=LONGEST_STATEMENT)?;
    for (name, tier) in &settings.tiers {
        rate(&format!("tiers.{name}"), tier.burst, tier.per_second)?;
        for (setting, given) in [
            ("concurrent-requests", u64::from(tier.concurrent_requests)),
            ("open-tasks", u64::from(tier.open_tasks)),
            ("webhook-events", u64::from(tier.webhook_events)),
            ("webhook-hosts", u64::from(tier.webhook_hosts)),
            ("result-mib", tier.result_mib),
            ("stored-mib", tier.stored_mib),
        ] {
            at_least(&format!("tiers.{name}.{setting}"), Some(given), 1)?;
        }
    }
    let failures = &settings.authentication.failures;
    rate("authentication.failures", failures.burst, failures.per_second)?;
    rate("http.open", settings.http.open.burst, settings.http.open.per_second)?;
    for (index, origin) in settings.http.cors_origins.iter().enumerate() {
        self::origin(&format!("http.cors-origins[{index}]"), origin)?;
    }
    at_least("http.open.downloads", Some(u64::from(settings.http.open.downloads)), 1)?;
    at_least("http.connections", Some(settings.http.connections as u64), 1)?;
    at_least("http.bodies-mib", Some(settings.http.bodies_mib), LEAST_BODIES_MIB)?;
    at_least("http.request-seconds", Some(settings.http.request_seconds), 1)?;
    at_least("http.stalled-seconds", Some(settings.http.stalled_seconds), 1)?;
    for (family, seconds) in &settings.deadlines {
        at_least(&format!("deadlines.{family}"), Some(*seconds), 1)?;
    }
    at_least("worker.lease-seconds", settings.worker.lease_seconds, 1)?;
    at_least("worker.running-per-key", settings.worker.running_per_key.map(u64::from), 1)?;
    at_least("worker.max-attempts", settings.worker.max_attempts.map(u64::from), 1)?;
    from_to("webhooks.deadline-seconds", settings.webhooks.deadline_seconds, 1..=60)?;
    at_least("retention.sweep-seconds", settings.retention.sweep_seconds, 1)
}

fn rate(place: &str, burst: u32, per_second: f64) -> Checked {
    at_least(&format!("{place}.burst"), Some(u64::from(burst)), 1)?;
    if per_second.is_finite() && per_second > 0.0 {
        return Ok(());
    }
    let expected = "a number above 0, or callers would wait forever once the burst is used up".to_owned();
    Err(InvalidSetting::must_be(format!("{place}.per-second"), expected))
}

fn at_least(setting: &str, given: Option<u64>, least: u64) -> Checked {
    if given.is_none_or(|given| given >= least) {
        return Ok(());
    }
    Err(InvalidSetting::must_be(setting, format_args!("at least {least}")))
}

fn from_to(setting: &str, given: Option<u64>, allowed: RangeInclusive<u64>) -> Checked {
    if given.is_none_or(|given| allowed.contains(&given)) {
        return Ok(());
    }
    let expected = format!("from {} to {}", allowed.start(), allowed.end());
    Err(InvalidSetting::must_be(setting, expected))
}

/// Checks an origin. It is compared with what browsers send, so it must be written in the same way.
fn origin(setting: &str, text: &str) -> Checked {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let url = url.filter(|_| !text.contains('*'));
    let written = url.map(|url| url.origin().ascii_serialization());
    let expected = match written {
        Some(origin) if origin == text => return Ok(()),
        Some(origin) => format!("the origin alone, as browsers write it: `{origin}`"),
        None => "an origin that begins with http:// or https://, such as https://app.example.com or \
                 http://localhost:5173; each origin has to be listed"
            .to_owned(),
    };
    Err(InvalidSetting::must_be(setting, expected))
}

/// Checks the public URL of the service, which result URLs start with.
///
/// # Errors
/// Returns the constraint, as words that follow `must be`.
pub fn base_url(text: &str) -> Result<(), &'static str> {
    const EXPECTED: &str = "an absolute URL that begins with http:// or https://, such as https://assets.example.com, \
                            without user, query or fragment";
    let url = Url::parse(text).map_err(|_| EXPECTED)?;
    let is_plain = matches!(url.scheme(), "http" | "https")
        && text.contains("://")
        && url.has_host()
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    if is_plain { Ok(()) } else { Err(EXPECTED) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Option<String> {
        let read: Settings = toml::from_str(text).unwrap();
        settings(&read).err().map(|invalid| invalid.to_string())
    }

    #[test]
    fn an_invalid_value_is_reported_by_name() {
        for (text, setting) in [
            ("base-url = 'assets.example.com'", "base-url"),
            ("statement-seconds = 0", "statement-seconds"),
            ("statement-seconds = 86401", "statement-seconds"),
            ("[tiers.gold]\nburst = 0", "tiers.gold.burst"),
            ("[http]\nrequest-seconds = 0", "http.request-seconds"),
            ("[http]\nstalled-seconds = 0", "http.stalled-seconds"),
            ("[deadlines]\nvoiceover = 0", "deadlines.voiceover"),
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
            ("[retention]\norphan-seconds = 0", "retention.orphan-seconds"),
        ] {
            let told = told(text);
            assert!(
                told.as_ref().is_some_and(|told| told.contains(&format!("`{setting}`"))),
                "{text}: {told:?}"
            );
        }
        assert_eq!(told(""), None);
        assert_eq!(told("statement-seconds = 86400"), None);
        // Zero is a valid value of these settings.
        assert_eq!(told("[worker]\nthreads = 0\n[retention]\ntask-days = 0"), None);
    }

    #[test]
    fn an_origin_is_written_as_browsers_write_it() {
        let told =
            |origin: &str| told(&format!("[http]\ncors-origins = ['http://localhost:5173', '{origin}']"));
        for good in ["https://app.example.com", "http://127.0.0.1:3000", "http://[::1]:3000"] {
            assert_eq!(told(good), None, "{good}");
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
            assert_eq!(told(bad), Some(expected), "{bad}");
        }
        for bad in
            ["", "*", "null", "app.example.com", "//app.example.com", "ftp://a", "https://*.example.com"]
        {
            let told = told(bad).unwrap();
            assert!(
                told.starts_with(&format!("{setting} an origin that begins with http://")),
                "{bad}: {told}"
            );
        }
    }

    #[test]
    fn an_orphan_is_older_than_any_request() {
        let told = |text: &str| orphans(&toml::from_str(text).unwrap()).err().map(|error| error.to_string());
        let young = told("[retention]\norphan-seconds = 599").unwrap();
        assert!(young.starts_with("`retention.orphan-seconds` must be at least 600: "), "{young}");
        for good in ["", "[retention]\norphan-seconds = 600", "[http]\nrequest-seconds = 80000"] {
            assert_eq!(told(good), None, "{good}");
        }
        // The body, then the time of the request.
        let least = LONGEST_BODY + 1000 + 1;
        for (seconds, is_enough) in [(least - 1, false), (least, true)] {
            let text = format!("[http]\nrequest-seconds = 1000\n[retention]\norphan-seconds = {seconds}");
            assert_eq!(told(&text).is_none(), is_enough, "{seconds}");
        }
        assert!(told("[http]\nrequest-seconds = 90000").is_some(), "the default is a day");
    }

    #[test]
    fn urls_of_results_are_whole_ones() {
        for good in [
            "http://localhost:8080",
            "https://assets.example.com",
            "https://example.com/assets/",
            "HTTPS://a",
        ] {
            assert_eq!(base_url(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "localhost:8080",
            "assets.example.com",
            "//assets.example.com",
            "ftp://a",
            "http:a",
            "https://",
            "https://user@a",
            "https://a?b",
            "https://a#b",
            "http://a b",
        ] {
            assert!(base_url(bad).is_err(), "{bad}");
        }
    }
}
