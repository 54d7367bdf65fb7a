//! The settings of HTTP: limits on connections, bodies and callers without a key.

use serde::{Deserialize, Serialize};
use url::Url;

use crate::config::{Checked, InvalidSetting, at_least, rate};

/// The minimum room for bodies: twice the largest body that the API accepts, because a key gets half of it.
pub(crate) const MIN_BODIES_MIB: u64 = 84;

/// Limits on failed authentication.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Authentication {
    /// How often an address may send an invalid key.
    pub failures: Failures,
}

impl Authentication {
    /// Checks the values of the table `authentication`.
    ///
    /// # Errors
    /// One is invalid.
    pub(crate) fn check(&self) -> Checked {
        rate("authentication.failures", self.failures.burst, self.failures.per_second)
    }
}

/// How often an address may fail to authenticate.
///
/// After that the address has to wait, except with a key that was valid before.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Failures {
    /// The maximum number of failures in a burst. Default: 20.
    pub burst: u32,
    /// Failures per second that refill the burst. Default: 0.2.
    pub per_second: f64,
}

impl Default for Failures {
    fn default() -> Self {
        Self { burst: 20, per_second: 0.2 }
    }
}

/// Limits on connections and request bodies, over all callers.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Http {
    /// The maximum number of open connections; further ones replace idle ones. Default: 512.
    pub connections: usize,
    /// The maximum size of all request bodies in progress, in MiB. Default: 512.
    pub bodies_mib: u64,
    /// Seconds from the last byte of a request until its response must begin. Default: 60.
    pub request_seconds: u64,
    /// Seconds that a response may wait until the client takes a byte of it. Default: 30.
    pub stalled_seconds: u64,
    /// How often an address may request routes that need no key.
    pub open: Open,
    /// Origins whose pages may call the API from a browser, such as `https://app.example.com`. Default: none.
    pub cors_origins: Vec<String>,
}

impl Default for Http {
    fn default() -> Self {
        Self {
            connections: 512,
            bodies_mib: 512,
            request_seconds: 60,
            stalled_seconds: 30,
            open: Open::default(),
            cors_origins: Vec::new(),
        }
    }
}

impl Http {
    /// Checks the values of the table `http`.
    ///
    /// # Errors
    /// One is invalid.
    pub(crate) fn check(&self) -> Checked {
        rate("http.open", self.open.burst, self.open.per_second)?;
        for (index, origin) in self.cors_origins.iter().enumerate() {
            self::origin(&format!("http.cors-origins[{index}]"), origin)?;
        }
        at_least("http.open.downloads", Some(u64::from(self.open.downloads)), 1)?;
        at_least("http.connections", Some(self.connections as u64), 1)?;
        at_least("http.bodies-mib", Some(self.bodies_mib), MIN_BODIES_MIB)?;
        at_least("http.request-seconds", Some(self.request_seconds), 1)?;
        at_least("http.stalled-seconds", Some(self.stalled_seconds), 1)
    }
}

/// Rate limit per address for routes without a key: files, pages, metrics.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Open {
    /// The maximum number of requests in a burst. Default: 500.
    pub burst: u32,
    /// Requests per second that refill the burst. Default: 100.
    pub per_second: f64,
    /// The maximum number of files that it may download at the same time. Default: 32.
    pub downloads: u32,
}

impl Default for Open {
    fn default() -> Self {
        Self { burst: 500, per_second: 100.0, downloads: 32 }
    }
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
