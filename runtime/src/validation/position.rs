//! Locations in a request, and the names that violations get there.

use std::fmt::Write as _;

use super::{In, Violation, ViolationKind};
use crate::table::{ContentFormat, Location, Parameter, Style};

/// The maximum length, in characters, of a name's part that comes from the input.
///
/// Such parts are unknown fields and the keys of maps.
const MAX_KEY_CHARACTERS: usize = 100;

/// How the name of a part is derived from the name of the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Naming {
    /// `styling.colors[0].weight`
    Dotted,
    /// `filters[people][age]`
    Bracketed,
    /// Fields have the name of the whole. Items have their index: `ids[2]`.
    Whole,
}

/// A location in a request: the body, a parameter, or a value inside one of them.
#[derive(Debug, Clone)]
pub struct Position {
    location: In,
    naming: Naming,
    reason: Option<&'static str>,
    name: String,
}

impl Position {
    /// Returns the location of the body as a whole.
    #[must_use]
    pub const fn body() -> Self {
        Self { location: In::Body, naming: Naming::Dotted, reason: None, name: String::new() }
    }

    /// Returns the location of an item of a body that is a stream.
    #[cfg(feature = "http")]
    pub(super) fn item(index: usize) -> Self {
        let mut position = Self::body();
        position.enter_item(index);
        position
    }

    /// Returns the location of a parameter.
    #[must_use]
    pub fn parameter(parameter: &Parameter) -> Self {
        let naming = match (parameter.style, parameter.content) {
            (_, Some(ContentFormat::Json | ContentFormat::Form)) => Naming::Dotted,
            (Style::DeepObject, _) => Naming::Bracketed,
            _ => Naming::Whole,
        };
        let name = match parameter.location {
            // The name is not in the request, and the parts have names of their own.
            Location::QueryString if naming == Naming::Dotted => String::new(),
            _ => parameter.name.to_owned(),
        };
        Self { location: parameter.location.into(), naming, reason: parameter.reason, name }
    }

    /// Returns the location of a name in the query.
    #[cfg(feature = "server")]
    pub(crate) fn query(name: &str) -> Self {
        let mut position =
            Self { location: In::Query, naming: Naming::Whole, reason: None, name: String::new() };
        position.push_key(name);
        position
    }

    /// Creates a violation at this location.
    #[must_use]
    pub fn violation(&self, kind: ViolationKind) -> Violation {
        // The fixed reason is about the content of the value.
        let reason = self.reason.filter(|_| !kind.is_unreadable());
        let name = match self.naming {
            _ if self.name.is_empty() => self.location.as_str().to_owned(),
            // The name of an array can end with brackets for the index: `ids[]`.
            Naming::Whole => self.name.replacen("[][", "[", 1),
            Naming::Dotted | Naming::Bracketed => self.name.clone(),
        };
        Violation { location: self.location, name, kind, reason }
    }

    /// Returns the length of the name, for a later call of [`back`](Self::back).
    pub(super) const fn mark(&self) -> usize {
        self.name.len()
    }

    /// Cuts the name back to the length `mark`.
    pub(super) fn back(&mut self, mark: usize) {
        self.name.truncate(mark);
    }

    /// Enters a field.
    pub(super) fn enter_field(&mut self, field: &str) {
        match self.naming {
            Naming::Whole => {}
            Naming::Dotted => {
                if !self.name.is_empty() {
                    self.name.push('.');
                }
                self.push_key(field);
            }
            Naming::Bracketed => {
                self.name.push('[');
                self.push_key(field);
                self.name.push(']');
            }
        }
    }

    /// Enters an item of an array.
    pub(super) fn enter_item(&mut self, index: usize) {
        // Writing to a string never fails.
        let _ = write!(self.name, "[{index}]");
    }

    fn push_key(&mut self, key: &str) {
        let end =
            if key.len() > MAX_KEY_CHARACTERS { key.char_indices().nth(MAX_KEY_CHARACTERS) } else { None };
        match end {
            Some((end, _)) => {
                self.name.push_str(key.get(..end).unwrap_or_default());
                self.name.push('…');
            }
            None => self.name.push_str(key),
        }
    }
}
