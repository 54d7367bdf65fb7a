//! Requests as values, written to HTTP independently of the runtime.

use openapi_crates_runtime::table::{Location, Operation, Parameter, Style};

use super::{json::Json, spec};

/// A request in which everything can still be changed.
#[derive(Debug, Clone)]
pub struct Draft {
    pub operation: &'static Operation,
    /// The values in the order of the operation's parameters.
    pub parameters: Vec<Option<Json>>,
    pub body: Option<Json>,
}

impl Draft {
    /// Creates the operation's example with all parameters and the body.
    pub fn example(operation: &'static Operation) -> Self {
        let parameter = |parameter: &Parameter| spec::parameter_example(operation, parameter).map(Json::from);
        Self {
            operation,
            parameters: operation.parameters.iter().map(parameter).collect(),
            body: spec::body_example(operation).map(Json::from),
        }
    }

    /// Returns the path and the query, percent-encoded.
    pub fn target(&self) -> String {
        let mut path = self.operation.path.to_owned();
        let mut query: Vec<String> = Vec::new();
        for (parameter, value) in self.operation.parameters.iter().zip(&self.parameters) {
            let Some(value) = value else { continue };
            match parameter.location {
                Location::Path => {
                    path = path.replace(&format!("{{{}}}", parameter.name), &encode(&plain(value)));
                }
                Location::Query => write_query(parameter, value, &mut query),
                Location::Header | Location::Cookie => {}
                _ => unreachable!("the tests know every kind of row"),
            }
        }
        if query.is_empty() { path } else { format!("{path}?{}", query.join("&")) }
    }

    /// Returns the header parameters.
    pub fn headers(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.operation
            .parameters
            .iter()
            .zip(&self.parameters)
            .filter(|(parameter, _)| parameter.location == Location::Header)
            .filter_map(|(parameter, value)| Some((parameter.name, plain(value.as_ref()?))))
    }
}

fn write_query(parameter: &Parameter, value: &Json, query: &mut Vec<String>) {
    match (parameter.style, parameter.explode, value) {
        (Style::DeepObject, ..) => write_deep(&encode(parameter.name), value, query),
        (Style::Form, true, Json::Array(items)) => {
            query.extend(items.iter().map(|item| pair(&encode(parameter.name), item)));
        }
        (Style::Form, _, Json::Array(_) | Json::Object(_)) | (_, _, Json::Object(_)) => {
            panic!("the tests can't write query parameter {}; add its style to `write_query`", parameter.name)
        }
        _ => query.push(pair(&encode(parameter.name), value)),
    }
}

fn write_deep(name: &str, value: &Json, query: &mut Vec<String>) {
    match value {
        Json::Object(fields) => {
            for (field, value) in fields {
                write_deep(&format!("{name}%5B{}%5D", encode(field)), value, query);
            }
        }
        Json::Array(items) => query.extend(items.iter().map(|item| pair(name, item))),
        _ => query.push(pair(name, value)),
    }
}

fn pair(name: &str, value: &Json) -> String {
    format!("{name}={}", encode(&plain(value)))
}

/// Returns a value as plain text.
fn plain(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        other => other.text(),
    }
}

/// Percent-encodes everything except unreserved characters.
pub fn encode(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}
