//! The settings of webhooks.

use serde::{Deserialize, Serialize};

/// Delivery of webhooks.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct WebhookSettings {
    /// Seconds that a receiver may take to respond, from 1 to 60. Default: 20.
    pub deadline_seconds: Option<u64>,
}
