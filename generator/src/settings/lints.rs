//! Reads `lints` and `allow`.

use serde::{Deserialize, Deserializer};

use super::named;
use crate::diagnostics::{Code, LintGroup};

/// Reads names of groups.
pub(super) fn groups<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<LintGroup>, D::Error> {
    named(&Vec::deserialize(deserializer)?, "group", LintGroup::ALL, LintGroup::name)
}

/// Reads codes of lints. Codes that belong to no group can't be allowed.
pub(super) fn codes<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Code>, D::Error> {
    let lints: Vec<Code> = LintGroup::ALL.iter().flat_map(|group| group.codes()).collect();
    named(&Vec::deserialize(deserializer)?, "lint", &lints, Code::name)
}
