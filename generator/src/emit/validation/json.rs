//! JSON whose objects keep insertion order.

use serde_json::{Map, Value};

/// An object under construction.
#[derive(Debug, Clone, Default)]
pub(super) struct Object(Map<String, Value>);

impl Object {
    /// Creates an empty object.
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Adds a member.
    pub(super) fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    /// Adds a member if there is a value.
    pub(super) fn maybe(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds an array, unless it is empty.
    pub(super) fn list(self, name: &str, items: impl IntoIterator<Item = impl Into<Value>>) -> Self {
        let items: Vec<Value> = items.into_iter().map(Into::into).collect();
        if items.is_empty() { self } else { self.with(name, items) }
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

impl<N: Into<String>, V: Into<Value>> FromIterator<(N, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(members: I) -> Self {
        Self(members.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Object(object.0)
    }
}

/// Returns an integer, as a string if JSON has no such number.
pub(super) fn integer(value: i128) -> Value {
    serde_json::Number::from_i128(value).map_or_else(|| value.to_string().into(), Into::into)
}

/// Returns a number. A whole one is an integer, as documents usually write it.
pub(super) fn number(value: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "the number is small and whole")]
    if value.fract() == 0.0 && value.abs() < 1e15 { integer(value as i128) } else { value.into() }
}
