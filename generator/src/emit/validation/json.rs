//! JSON whose objects keep insertion order.

use serde_json::{Map, Value};

/// A JSON value.
#[derive(Debug, Clone)]
pub(super) struct Json(pub(super) Value);

/// An object under construction.
#[derive(Debug, Clone, Default)]
pub(super) struct Object(Map<String, Value>);

impl Object {
    /// Creates an empty object.
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Adds a member.
    pub(super) fn with(mut self, name: impl Into<String>, value: impl Into<Json>) -> Self {
        self.0.insert(name.into(), value.into().0);
        self
    }

    /// Adds a member if there is a value.
    pub(super) fn maybe(self, name: &str, value: Option<impl Into<Json>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds `true` if the flag holds.
    pub(super) fn flag(self, name: &str, holds: bool) -> Self {
        if holds { self.with(name, true) } else { self }
    }

    /// Adds an array, unless it is empty.
    pub(super) fn list(self, name: &str, items: Vec<Json>) -> Self {
        if items.is_empty() { self } else { self.with(name, Json::from(items)) }
    }

    /// Adds an object, unless it is empty.
    pub(super) fn object(self, name: &str, object: Self) -> Self {
        if object.0.is_empty() { self } else { self.with(name, object) }
    }

    /// Returns the text. Members of the first three levels have a line each.
    pub(super) fn text(&self) -> String {
        lines(&self.0, 3, "\n")
    }
}

/// Writes an object whose members have a line each, down to some levels. `line` begins a line.
fn lines(object: &Map<String, Value>, levels: usize, line: &str) -> String {
    if object.is_empty() {
        return "{}".to_owned();
    }
    let within = format!("{line}  ");
    let members = object.iter().map(|(name, value)| {
        let value = match (value, levels) {
            (Value::Object(value), 2..) => lines(value, levels - 1, &within),
            (value, _) => value.to_string(),
        };
        format!("{within}{}: {value}", Value::from(name.as_str()))
    });
    format!("{{{}{line}}}", members.collect::<Vec<_>>().join(","))
}

impl From<Object> for Json {
    fn from(object: Object) -> Self {
        Self(Value::Object(object.0))
    }
}

impl From<Vec<Self>> for Json {
    fn from(items: Vec<Self>) -> Self {
        Self(items.into_iter().map(|item| item.0).collect())
    }
}

macro_rules! from_scalars {
    ($($scalar:ty),*) => {$(
        impl From<$scalar> for Json {
            fn from(value: $scalar) -> Self {
                Self(value.into())
            }
        }
    )*};
}

from_scalars!(bool, u16, u64, &str, String, Value);

impl From<i128> for Json {
    fn from(value: i128) -> Self {
        let number = serde_json::Number::from_i128(value);
        Self(number.map_or_else(|| value.to_string().into(), Into::into))
    }
}

impl From<f64> for Json {
    /// Converts a whole number to an integer, as documents usually write it.
    fn from(value: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "the number is small and whole")]
        if value.fract() == 0.0 && value.abs() < 1e15 {
            Self::from(value as i128)
        } else {
            Self(value.into())
        }
    }
}
