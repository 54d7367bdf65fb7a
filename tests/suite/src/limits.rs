//! The keywords of ajv-formats that limit dates and instants, for the other validator.

use std::cmp::Ordering;

use jsonschema::{Keyword, ValidationError};
use openapi_crates_runtime::types::Timestamp;
use serde_json::Value;

type IsWithin = fn(Ordering) -> bool;

/// Each keyword, with the orders that it allows between a value and its limit.
pub const ALL: [(&str, IsWithin); 4] = [
    ("formatMinimum", Ordering::is_ge),
    ("formatExclusiveMinimum", Ordering::is_gt),
    ("formatMaximum", Ordering::is_le),
    ("formatExclusiveMaximum", Ordering::is_lt),
];

/// A limit of dates or instants.
pub struct Limit {
    limit: String,
    is_within: IsWithin,
}

impl Limit {
    /// Creates the check of a limit. The generator reports a limit that is not a string, and ignores it.
    pub fn new(limit: &Value, is_within: IsWithin) -> Self {
        Self { limit: limit.as_str().unwrap_or_default().to_owned(), is_within }
    }

    /// Returns the order of a text and the limit: of dates by their letters, of instants by the runtime's type.
    fn order(&self, text: &str) -> Option<Ordering> {
        let is_date = |text: &str| text.len() == "2020-01-01".len() && !text.contains(':');
        if is_date(text) && is_date(&self.limit) {
            return Some(text.cmp(&self.limit));
        }
        Some(text.parse::<Timestamp>().ok()?.cmp(&self.limit.parse().ok()?))
    }
}

impl<'i> Keyword<'i> for Limit {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        match self.is_valid(instance) {
            true => Ok(()),
            false => Err(ValidationError::custom("the text is beyond the limit of its format")),
        }
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        instance.as_str().and_then(|text| self.order(text)).is_none_or(self.is_within)
    }
}
