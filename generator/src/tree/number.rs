//! Numbers of a document, with the text in which they are written.

use std::ops::Deref;

/// A number of a document.
///
/// Numbers are equal if their values are.
#[derive(Debug, Clone)]
pub struct Number {
    value: serde_json::Number,
    /// The text, if it differs from the usual form of the number.
    written: Option<Box<Written>>,
}

/// A text that is one pointer wide, because a large document has a million nodes.
#[derive(Debug, Clone)]
struct Written(String);

impl Number {
    /// Creates a number that is written as this text.
    pub(crate) fn written(value: serde_json::Number, text: &str) -> Self {
        let is_usual = !value.is_f64() && text.bytes().all(|byte| byte.is_ascii_digit());
        let differs = !is_usual && value.to_string() != text;
        Self { value, written: differs.then(|| Box::new(Written(text.to_owned()))) }
    }

    /// Returns the text of the number as it is written. Where a string is expected, `1.10` must not become `1.1`.
    pub fn text(&self) -> String {
        self.written.as_ref().map_or_else(|| self.value.to_string(), |written| written.0.clone())
    }
}

impl From<serde_json::Number> for Number {
    fn from(value: serde_json::Number) -> Self {
        Self { value, written: None }
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl Deref for Number {
    type Target = serde_json::Number;

    fn deref(&self) -> &Self::Target {
        &self.value
    }
}
