//! Violations: the broken constraint and its location in the request.

use std::fmt;

use super::ViolationKind;
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

    /// Returns whether the list is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of violations.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the first violation.
    #[must_use]
    pub fn first(&self) -> Option<&Violation> {
        self.0.first()
    }

    /// Returns an iterator over the violations.
    pub fn iter(&self) -> std::slice::Iter<'_, Violation> {
        self.0.iter()
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

macro_rules! codes {
    ($($(#[$meta:meta])* $code:ident => $name:literal,)*) => {
        /// The kind of kind, in one word.
        ///
        /// Codes are stable: programs can rely on them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[$meta])* $code,)*
        }

        impl Code {
            /// All codes.
            pub const ALL: &[Self] = &[$(Self::$code,)*];

            /// Returns the code's name, such as `min-length`.
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
    /// A required parameter or field is missing.
    Missing => "missing",
    /// The schema does not allow a field, or a field of this name, or the operation has no such parameter.
    Unknown => "unknown",
    /// An object contains the same field twice.
    Duplicate => "duplicate",
    /// The value has the wrong type.
    WrongType => "wrong-type",
    /// The value is null, but the schema does not allow null.
    Null => "null",
    /// The number is not an integer.
    NotInteger => "not-integer",
    /// The number is outside the range of its type.
    OutOfRange => "out-of-range",
    /// The number is less than its minimum.
    Minimum => "minimum",
    /// The number is less than or equal to its exclusive minimum.
    ExclusiveMinimum => "exclusive-minimum",
    /// The number is greater than its maximum.
    Maximum => "maximum",
    /// The number is greater than or equal to its exclusive maximum.
    ExclusiveMaximum => "exclusive-maximum",
    /// The number is not a multiple of the required step.
    MultipleOf => "multiple-of",
    /// The string is too short.
    MinLength => "min-length",
    /// The string is too long.
    MaxLength => "max-length",
    /// The string does not match its pattern.
    Pattern => "pattern",
    /// The check of the string against its pattern took too many steps.
    PatternLimit => "pattern-limit",
    /// The string does not have its format.
    Format => "format",
    /// The value is not one of the allowed values.
    NotAllowed => "not-allowed",
    /// The schema allows no value here, or excludes this one.
    Forbidden => "forbidden",
    /// The array has too few items.
    MinItems => "min-items",
    /// The array has too many items.
    MaxItems => "max-items",
    /// The array contains equal items.
    UniqueItems => "unique-items",
    /// The array has too few or too many items that match a schema.
    Contains => "contains",
    /// The object has too few fields.
    MinProperties => "min-properties",
    /// The object has too many fields.
    MaxProperties => "max-properties",
    /// The value matches no variant of a union.
    NoVariant => "no-variant",
    /// The value matches several alternatives, but must match exactly one.
    Ambiguous => "ambiguous",
    /// The object breaks a rule over several fields.
    CrossField => "cross-field",
    /// A parameter that holds one value was given several times.
    Repeated => "repeated",
    /// The text can't be read: the percent-encoding, the UTF-8, the JSON or the style is invalid.
    Malformed => "malformed",
    /// The request has more parameters, fields or parts than the server reads.
    TooMany => "too-many",
    /// The check of the value took too many steps.
    TooComplex => "too-complex",
    /// Any other kind.
    Other => "other",
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}
