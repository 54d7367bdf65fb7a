//! The settings of traces: the table `traces`.

use serde::{Deserialize, Serialize};

/// Where spans are sent, and how many traces are recorded.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Traces {
    /// The base URL of a collector that receives OTLP over HTTP; spans are sent to `/v1/traces` below it.
    ///
    /// Default: none; no spans are recorded.
    pub otlp_endpoint: Option<String>,
    /// The part of the traces that is recorded, of those that begin here. Default: 1, all.
    ///
    /// A trace that a client has begun is recorded if its `traceparent` says so.
    pub sample_ratio: f64,
}

impl Default for Traces {
    fn default() -> Self {
        Self { otlp_endpoint: None, sample_ratio: 1.0 }
    }
}
