//! Violations: what is wrong with a request, where, and what was expected.

use std::fmt;

use super::Problem;
use crate::table::Location;

/// Where in a request a violation is. The order is the one in which violations are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum In {
    /// In the path.
    Path,
    /// In the query.
    Query,
    /// In a header.
    Header,
    /// In a cookie.
    Cookie,
    /// In the body.
    Body,
}

impl In {
    /// The name that OpenAPI gives this location; `body` for a body.
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
            Location::Query => Self::Query,
            Location::Header => Self::Header,
            Location::Cookie => Self::Cookie,
        }
    }
}

/// One thing that is wrong with a request. It never holds the value that was sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Violation {
    /// Where it is.
    pub location: In,
    /// The parameter or field: `page`, `filters[people][age]`, `styling.colors[0].weight`; `body` for a body as a whole.
    pub name: String,
    /// What is wrong.
    pub problem: Problem,
    /// The fixed reason that the parameter's row gives for every fault in it.
    pub reason: Option<&'static str>,
}

impl Violation {
    /// The stable code of what is wrong.
    #[must_use]
    pub const fn code(&self) -> Code {
        self.problem.code()
    }

    /// What was expected, as the end of a sentence: `must be at most 100`.
    #[must_use]
    pub fn expected(&self) -> String {
        self.problem.to_string()
    }

    /// The limit that was broken, if there is one: `100`.
    #[must_use]
    pub fn limit(&self) -> Option<String> {
        self.problem.limit()
    }
}

/// Violations, in the order in which they were found. At most [`Violations::CAP`] are kept, because a request may hold
/// more of them than anybody wants to read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Violations(Vec<Violation>);

impl Violations {
    /// How many are kept.
    pub const CAP: usize = 64;

    /// None yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds one, unless there are enough already or an equal one is among them.
    pub fn push(&mut self, violation: Violation) {
        if !self.is_full() && !self.0.contains(&violation) {
            self.0.push(violation);
        }
    }

    /// Whether no more are kept.
    #[must_use]
    pub const fn is_full(&self) -> bool {
        self.0.len() >= Self::CAP
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// The first one.
    #[must_use]
    pub fn first(&self) -> Option<&Violation> {
        self.0.first()
    }

    /// All of them.
    pub fn iter(&self) -> std::slice::Iter<'_, Violation> {
        self.0.iter()
    }

    /// All of them.
    #[must_use]
    pub fn into_vec(self) -> Vec<Violation> {
        self.0
    }

    /// Orders them by location; within one location they stay as they are.
    pub fn sort(&mut self) {
        self.0.sort_by_key(|violation| violation.location);
    }

    /// Takes out those found since there were `mark` of them.
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

macro_rules! codes {
    ($($(#[$meta:meta])* $code:ident => $name:literal,)*) => {
        /// What is wrong, in one word. Codes are stable: programs may rely on them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[$meta])* $code,)*
        }

        impl Code {
            /// Every code.
            pub const ALL: &[Self] = &[$(Self::$code,)*];

            /// The code's name.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$code => $name,)*
                }
            }
        }
    };
}

codes! {
    /// A required parameter or field is not there.
    Missing => "missing",
    /// A field that the schema doesn't know, where it allows no others.
    Unknown => "unknown",
    /// A field stands twice in one object.
    Duplicate => "duplicate",
    /// A value of another type.
    WrongType => "wrong-type",
    /// A null where none is allowed.
    Null => "null",
    /// A number that is no integer.
    NotInteger => "not-integer",
    /// A number beyond what its type holds.
    OutOfRange => "out-of-range",
    /// A number that is too small.
    Minimum => "minimum",
    /// A number that is too small, or the bound itself.
    ExclusiveMinimum => "exclusive-minimum",
    /// A number that is too large.
    Maximum => "maximum",
    /// A number that is too large, or the bound itself.
    ExclusiveMaximum => "exclusive-maximum",
    /// A number that is not a multiple.
    MultipleOf => "multiple-of",
    /// A string that is too short.
    MinLength => "min-length",
    /// A string that is too long.
    MaxLength => "max-length",
    /// A string that doesn't match its pattern.
    Pattern => "pattern",
    /// A string that is not of its form.
    Format => "format",
    /// A value that is not among those allowed.
    NotAllowed => "not-allowed",
    /// An array of too few items.
    MinItems => "min-items",
    /// An array of too many items.
    MaxItems => "max-items",
    /// An array that holds an item twice.
    UniqueItems => "unique-items",
    /// An object of too few fields.
    MinProperties => "min-properties",
    /// An object of too many fields.
    MaxProperties => "max-properties",
    /// A value that is none of a union's.
    NoVariant => "no-variant",
    /// A rule over several fields.
    CrossField => "cross-field",
    /// A parameter that holds one value, given several times.
    Repeated => "repeated",
    /// Broken percent-encoding or UTF-8.
    Malformed => "malformed",
    /// More parameters, fields or parts than are read.
    TooMany => "too-many",
    /// Anything else.
    Other => "other",
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
