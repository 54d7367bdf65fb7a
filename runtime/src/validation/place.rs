//! Places: where in a request the walk stands, and the name that violations there have.

use super::{In, Problem, Violation};
use crate::table::{ContentFormat, Location, Parameter, Style};

/// The longest part of a name that is taken from the input (a field that nobody knows, a key of a map), in characters.
const LONGEST_KEY: usize = 100;

/// How the name of a part follows from the name of the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Naming {
    /// `styling.colors[0].weight`
    Dotted,
    /// `filters[people][age]`; items have the name of their array, because that is what the sender wrote.
    Bracketed,
    /// Parts have the name of the whole.
    Whole,
}

/// A place in a request.
#[derive(Debug, Clone)]
pub struct Place {
    location: In,
    naming: Naming,
    reason: Option<&'static str>,
    name: String,
}

impl Place {
    /// The body as a whole.
    #[must_use]
    pub const fn body() -> Self {
        Self { location: In::Body, naming: Naming::Dotted, reason: None, name: String::new() }
    }

    /// A parameter.
    #[must_use]
    pub fn parameter(parameter: &Parameter) -> Self {
        let naming = match (parameter.style, parameter.content) {
            (_, Some(ContentFormat::Json)) => Naming::Dotted,
            (Style::DeepObject, _) => Naming::Bracketed,
            _ => Naming::Whole,
        };
        let name = match parameter.location {
            Location::Header => parameter.name.to_ascii_lowercase(),
            _ => parameter.name.to_owned(),
        };
        Self { location: parameter.location.into(), naming, reason: parameter.reason, name }
    }

    /// What is wrong here.
    #[must_use]
    pub fn violation(&self, problem: Problem) -> Violation {
        let name = if self.name.is_empty() && self.location == In::Body { "body" } else { &self.name };
        Violation { location: self.location, name: name.to_owned(), problem, reason: self.reason }
    }

    /// The length of the name, to come back to.
    pub(super) const fn mark(&self) -> usize {
        self.name.len()
    }

    /// Goes back to where the name was this long.
    pub(super) fn back(&mut self, mark: usize) {
        self.name.truncate(mark);
    }

    /// Goes to a field.
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

    /// Goes to an item.
    pub(super) fn enter_item(&mut self, index: usize) {
        if self.naming == Naming::Dotted {
            self.name.push_str(&format!("[{index}]"));
        }
    }

    fn push_key(&mut self, key: &str) {
        match key.char_indices().nth(LONGEST_KEY) {
            Some((end, _)) => {
                self.name.push_str(key.get(..end).unwrap_or_default());
                self.name.push('…');
            }
            None => self.name.push_str(key),
        }
    }
}
