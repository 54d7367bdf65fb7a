//! Violations: the broken constraint and its location in the request.

use std::fmt;
use std::ops::Deref;

use super::{Code, ViolationKind};
use crate::table::Location;

/// The part of a request that a violation is in.
///
/// Violations are reported in the order of these variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum In {
    /// The path.
    Path,
    /// The query.
    Query,
    /// A header.
    Header,
    /// A cookie.
    Cookie,
    /// The body.
    Body,
}

impl In {
    /// Returns OpenAPI's name for this location, or `body` for the body.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
            Self::Body => "body",
        }
    }
}

impl fmt::Display for In {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl From<Location> for In {
    fn from(location: Location) -> Self {
        match location {
            Location::Path => Self::Path,
            Location::Query | Location::QueryString => Self::Query,
            Location::Header => Self::Header,
            Location::Cookie => Self::Cookie,
        }
    }
}

/// A violation: one broken constraint in a request.
///
/// A violation never holds the value that was sent.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Violation {
    /// The part of the request.
    pub location: In,
    /// The name of the parameter or field, such as `styling.colors[0].weight`.
    ///
    /// Other examples are `page` and `filters[people][age]`. The name is `body` for the body as a whole. A
    /// field name or key that comes from the input is cut to 100 characters.
    pub name: String,
    /// The broken constraint.
    pub kind: ViolationKind,
    /// The fixed reason for this parameter (`x-reason`), unless the value can't be read.
    pub reason: Option<&'static str>,
}

impl Violation {
    /// Returns the stable code of the kind.
    #[must_use]
    pub fn code(&self) -> Code {
        self.kind.code()
    }

    /// Returns what was expected, as the end of a sentence: `must be at most 100`.
    #[must_use]
    pub fn expected(&self) -> String {
        self.kind.to_string()
    }

    /// Returns the limit of the broken constraint, if it has one: `100`.
    #[must_use]
    pub fn limit(&self) -> Option<String> {
        self.kind.limit()
    }
}

/// A list of violations, in the order in which they were found.
///
/// It holds at most [`Violations::CAP`] of them, because a request can contain any number.
///
/// # Examples
/// ```
/// use openapi_crates_runtime::table::{Schema, Text};
/// use openapi_crates_runtime::validation::violations_of;
///
/// static NAME: Schema = Schema::text(Text::ANY.max_length(3));
/// let violations = violations_of(&NAME, &"Anna".into());
/// let expected: Vec<String> = violations.iter().map(|violation| violation.expected()).collect();
/// assert_eq!(expected, ["must be at most 3 characters long"]);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Violations(Vec<Violation>);

impl Deref for Violations {
    type Target = [Violation];

    fn deref(&self) -> &[Violation] {
        &self.0
    }
}

/// Displays all violations in one line: `` `name` must be at least 2 characters long; … ``
impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, violation) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}`{}` {}", violation.name, violation.expected())?;
        }
        Ok(())
    }
}

impl Violations {
    /// The maximum number of violations in a list.
    pub const CAP: usize = 64;

    /// Creates an empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a violation, unless the list is full or already contains an equal one.
    pub fn push(&mut self, violation: Violation) {
        if !self.is_full() && !self.0.contains(&violation) {
            self.0.push(violation);
        }
    }

    /// Returns whether the list is full.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.0.len() >= Self::CAP
    }

    /// Returns the violations as a vector.
    #[must_use]
    pub fn into_vec(self) -> Vec<Violation> {
        self.0
    }

    /// Sorts the violations by location.
    ///
    /// Violations in the same location keep their order.
    pub fn sort(&mut self) {
        self.0.sort_by_key(|violation| violation.location);
    }

    /// Removes and returns the violations from index `mark` on.
    pub(super) fn split_off(&mut self, mark: usize) -> Vec<Violation> {
        if mark >= self.0.len() { Vec::new() } else { self.0.split_off(mark) }
    }
}

impl Extend<Violation> for Violations {
    fn extend<T: IntoIterator<Item = Violation>>(&mut self, violations: T) {
        for violation in violations {
            self.push(violation);
        }
    }
}

impl<'a> IntoIterator for &'a Violations {
    type Item = &'a Violation;
    type IntoIter = std::slice::Iter<'a, Violation>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Violations {
    type Item = Violation;
    type IntoIter = std::vec::IntoIter<Violation>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
