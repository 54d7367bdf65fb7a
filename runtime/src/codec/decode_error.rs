//! Decode errors.

use std::{
    borrow::Cow,
    fmt::{self, Write as _},
};

use super::Kind;

/// A decode error: what is wrong with the input, and where.
///
/// The error is created at the value that causes it. Each enclosing field and array item adds its step to the
/// path.
///
/// ```
/// use openapi_crates_runtime::codec::{DecodeErrorKind, from_json};
///
/// let error = from_json::<Vec<Vec<bool>>>(b"[[true], [true, 1]]").unwrap_err();
/// assert_eq!(error.to_string(), "[1][1]: expected a boolean, found a number");
/// assert_eq!(error.path_text(), "[1][1]");
/// assert!(matches!(error.kind(), DecodeErrorKind::WrongKind { .. }));
/// ```
// It is one pointer wide, so that a `Result` with it stays small.
#[derive(Clone, PartialEq, Eq)]
pub struct DecodeError(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    kind: DecodeErrorKind,
    /// The path, innermost segment first.
    path: Vec<Segment>,
}

/// The kind of a decode error.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// The input is malformed: not JSON, for example.
    Syntax {
        /// The position, in bytes from the start of the input.
        offset: usize,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// The description of the error.
        message: &'static str,
    },
    /// The value has another kind than its type.
    WrongKind {
        /// The expected kind, with an article: `a string`.
        expected: &'static str,
        /// The kind of the value.
        found: Kind,
    },
    /// The number does not fit in its type.
    OutOfRange {
        /// The type, with an article: `a 32-bit integer`.
        expected: &'static str,
    },
    /// A required field is missing.
    Missing(&'static str),
    /// A closed object has a field that its type does not name.
    Unknown(String),
    /// An object has the same field more than once.
    Duplicate(String),
    /// The value is not in a closed list of values.
    NotAllowed {
        /// The value.
        found: String,
        /// The allowed values.
        allowed: Cow<'static, [&'static str]>,
    },
    /// The text does not have the format of its type.
    Malformed {
        /// The format, with an article if it needs one: `an RFC 3339 date and time`.
        format: &'static str,
    },
    /// The value matches no variant of a union.
    NoVariant {
        /// The name of the union.
        union: &'static str,
        /// The names of the variants that were tried.
        candidates: Vec<&'static str>,
    },
    /// The input is nested too deeply, or its unions are too ambiguous.
    ///
    /// Readers limit both to bound the cost of a hostile input.
    TooDeep,
    /// The type has no variant for the alternative with this index.
    ///
    /// See [`Reader::choice`](super::Reader::choice).
    UnknownChoice(usize),
    /// Any other error, as a message without a full stop.
    Custom(String),
}

/// One step of the path of a decode error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// A field of an object.
    Field(Cow<'static, str>),
    /// An item of an array, by its index.
    Index(usize),
}

impl DecodeError {
    /// Creates an error of this kind, located at the value that is being read.
    #[must_use]
    pub fn new(kind: DecodeErrorKind) -> Self {
        Self(Box::new(Inner { kind, path: Vec::new() }))
    }

    /// Creates an error for malformed text, at this position in bytes.
    pub(crate) fn syntax(text: &str, offset: usize, message: &'static str) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Self::new(DecodeErrorKind::Syntax {
            offset: before.len(),
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
            message,
        })
    }

    /// Creates an error for a value of another kind than `expected` (`a string`).
    #[must_use]
    pub fn wrong_kind(expected: &'static str, found: Kind) -> Self {
        Self::new(DecodeErrorKind::WrongKind { expected, found })
    }

    /// Creates an error for a number that `expected` (`a 32-bit integer`) can't hold.
    #[must_use]
    pub fn out_of_range(expected: &'static str) -> Self {
        Self::new(DecodeErrorKind::OutOfRange { expected })
    }

    /// Creates an error for a required field that is missing.
    #[must_use]
    pub fn missing(name: &'static str) -> Self {
        Self::new(DecodeErrorKind::Missing(name))
    }

    /// Creates an error for a field that a closed object does not name.
    #[must_use]
    pub fn unknown(name: impl Into<String>) -> Self {
        Self::new(DecodeErrorKind::Unknown(name.into()))
    }

    /// Creates an error for a field that occurs more than once in an object.
    #[must_use]
    pub fn duplicate(name: impl Into<String>) -> Self {
        Self::new(DecodeErrorKind::Duplicate(name.into()))
    }

    /// Creates an error for a value that is not in the list of allowed values.
    #[must_use]
    pub fn not_allowed(value: impl fmt::Display, allowed: impl Into<Cow<'static, [&'static str]>>) -> Self {
        Self::new(DecodeErrorKind::NotAllowed { found: value.to_string(), allowed: allowed.into() })
    }

    /// Creates an error for text that does not have this format (`a UUID`).
    #[must_use]
    pub fn malformed(format: &'static str) -> Self {
        Self::new(DecodeErrorKind::Malformed { format })
    }

    /// Creates an error for an alternative that the type has no variant for.
    #[must_use]
    pub fn unknown_choice(index: usize) -> Self {
        Self::new(DecodeErrorKind::UnknownChoice(index))
    }

    /// Creates an error from a message, which must not end in a full stop.
    #[must_use]
    pub fn custom(message: impl Into<String>) -> Self {
        Self::new(DecodeErrorKind::Custom(message.into()))
    }

    /// Prepends the field that holds the value to the path.
    ///
    /// An error about a duplicate of this very field is not changed, because its path already ends at the
    /// object.
    #[must_use]
    pub fn in_field(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        let name = name.into();
        let is_the_objects = self.0.path.is_empty()
            && matches!(&self.0.kind, DecodeErrorKind::Duplicate(duplicate) if *duplicate == name);
        if !is_the_objects {
            self.0.path.push(Segment::Field(name));
        }
        self
    }

    /// Prepends the index of the array item that holds the value to the path.
    #[must_use]
    pub fn at_index(mut self, index: usize) -> Self {
        self.0.path.push(Segment::Index(index));
        self
    }

    /// Returns the kind of this error.
    #[must_use]
    pub fn kind(&self) -> &DecodeErrorKind {
        &self.0.kind
    }

    /// Returns the path from the root of the input to the value, outermost step first.
    ///
    /// The path of a missing or duplicate field ends at its object.
    pub fn path(&self) -> impl DoubleEndedIterator<Item = &Segment> + ExactSizeIterator {
        self.0.path.iter().rev()
    }

    /// Returns the path as text: `data[3].status`, or an empty string at the root.
    #[must_use]
    pub fn path_text(&self) -> String {
        path_text(self.path())
    }

    /// Returns whether the input is malformed ([`DecodeErrorKind::Syntax`]).
    #[must_use]
    pub fn is_syntax(&self) -> bool {
        matches!(self.0.kind, DecodeErrorKind::Syntax { .. })
    }

    /// Returns whether any other attempt to read the same input would fail too.
    pub(crate) fn is_final(&self) -> bool {
        matches!(self.0.kind, DecodeErrorKind::Syntax { .. } | DecodeErrorKind::TooDeep)
    }
}

/// Returns a path as text, such as `data[3].status`.
pub(crate) fn path_text<'a>(path: impl Iterator<Item = &'a Segment>) -> String {
    let mut text = String::new();
    for segment in path {
        match segment {
            Segment::Field(name) if text.is_empty() => text.push_str(name),
            Segment::Field(name) => text.extend([".", name]),
            Segment::Index(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path_text();
        if !path.is_empty() {
            write!(f, "{}: ", Short(&path, 500))?;
        }
        self.0.kind.fmt(f)
    }
}

impl fmt::Debug for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DecodeError").field("path", &self.path_text()).field("kind", &self.0.kind).finish()
    }
}

impl std::error::Error for DecodeError {}

impl fmt::Display for DecodeErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { line, column, message, .. } => {
                write!(f, "{message} (line {line}, column {column})")
            }
            Self::WrongKind { expected, found } => write!(f, "expected {expected}, found {found}"),
            Self::OutOfRange { expected } => write!(f, "out of range for {expected}"),
            Self::Missing(name) => write!(f, "the field `{name}` is missing"),
            Self::Unknown(name) => write!(f, "the field `{}` is unknown", Short(name, 80)),
            Self::Duplicate(name) => write!(f, "the field `{}` occurs more than once", Short(name, 80)),
            Self::NotAllowed { found, allowed } => {
                write!(f, "`{}` is not one of {}", Short(found, 80), list(allowed))
            }
            Self::Malformed { format } => write!(f, "expected {format}"),
            Self::NoVariant { union, candidates } if candidates.is_empty() => {
                write!(f, "matches no variant of {union}")
            }
            Self::NoVariant { union, candidates } => {
                write!(f, "matches no variant of {union} (tried {})", list(candidates))
            }
            Self::TooDeep => f.write_str("nested too deeply"),
            Self::UnknownChoice(index) => write!(f, "the type has no alternative {index}"),
            Self::Custom(message) => f.write_str(message),
        }
    }
}

/// Text from the input in a message, in one line, and cut after a number of characters.
struct Short<'a>(&'a str, usize);

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut left = self.0.chars();
        let shown = |it: char| if it.is_control() { ' ' } else { it };
        left.by_ref().take(self.1).try_for_each(|it| f.write_char(shown(it)))?;
        if left.next().is_some() { f.write_char('…') } else { Ok(()) }
    }
}

/// Returns a list of names in a message.
fn list(names: &[&str]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
            Self::Text => "text",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_where_and_what() {
        let allowed: &'static [&'static str] = &["png", "svg"];
        for (error, text) in [
            (
                DecodeError::wrong_kind("a string", Kind::Number)
                    .in_field("status")
                    .at_index(3)
                    .in_field("data"),
                "data[3].status: expected a string, found a number",
            ),
            (DecodeError::missing("voice_id"), "the field `voice_id` is missing"),
            (DecodeError::unknown("x").at_index(0), "[0]: the field `x` is unknown"),
            (DecodeError::duplicate("x"), "the field `x` occurs more than once"),
            (DecodeError::not_allowed("gif", allowed), "`gif` is not one of `png`, `svg`"),
            (DecodeError::not_allowed(7, allowed), "`7` is not one of `png`, `svg`"),
            (DecodeError::malformed("a UUID"), "expected a UUID"),
            (DecodeError::out_of_range("a 32-bit integer"), "out of range for a 32-bit integer"),
            (DecodeError::unknown_choice(2), "the type has no alternative 2"),
            (
                DecodeError::duplicate("x").in_field("x").in_field("y"),
                "y: the field `x` occurs more than once",
            ),
            (DecodeError::custom("no").in_field("a").in_field("b"), "b.a: no"),
        ] {
            assert_eq!(error.to_string(), text);
        }
    }

    #[test]
    fn cuts_long_foreign_text() {
        let text = DecodeError::unknown("ä".repeat(1000)).to_string();
        assert_eq!(text, format!("the field `{}…` is unknown", "ä".repeat(80)));
    }

    #[test]
    fn is_one_pointer_wide() {
        assert_eq!(size_of::<Result<(), DecodeError>>(), size_of::<usize>());
    }
}
