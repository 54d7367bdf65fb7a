//! Faults: what was wrong with an input, and where.

use std::{borrow::Cow, fmt};

use super::Kind;

/// What was wrong with an input, and where in it.
///
/// A fault is made where it is found and gains its path on the way out. It is one pointer wide, so that the results
/// which never fail stay small.
#[derive(Clone, PartialEq, Eq)]
pub struct Fault(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    kind: FaultKind,
    /// The innermost segment first.
    path: Vec<Segment>,
}

/// What was wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// The input is not of its format at all.
    Syntax {
        /// Where, in bytes from the beginning.
        offset: usize,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// What is wrong there.
        message: &'static str,
    },
    /// A value of another kind.
    WrongKind {
        /// What the type takes: `a string`.
        expected: &'static str,
        /// What stands there.
        found: Kind,
    },
    /// A number that the type can't hold.
    OutOfRange {
        /// What the type takes: `a 32-bit integer`.
        expected: &'static str,
    },
    /// A required field is not there.
    Missing(&'static str),
    /// A closed object has a field that its type doesn't name.
    Unknown(String),
    /// A field stands twice in one object.
    Duplicate(String),
    /// A value outside a closed list.
    NotAllowed {
        /// The value.
        found: String,
        /// The list.
        allowed: Cow<'static, [&'static str]>,
    },
    /// Text that is not of the form its type needs.
    Malformed {
        /// The form: `an RFC 3339 date and time`.
        format: &'static str,
    },
    /// A value that is none of a union's variants.
    NoVariant {
        /// The union.
        union: &'static str,
        /// The variants that were considered.
        candidates: Vec<&'static str>,
    },
    /// The input is nested more deeply, or its nested unions are more ambiguous, than readers follow.
    TooDeep,
    /// A body or response has an alternative that its type doesn't know.
    UnknownChoice(usize),
    /// Anything else, in a sentence.
    Custom(String),
}

/// One step of a fault's path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// Into a field of an object.
    Field(Cow<'static, str>),
    /// Into an item of an array.
    Index(usize),
}

impl Fault {
    /// A fault of this kind, at the value that is being read.
    #[must_use]
    pub fn new(kind: FaultKind) -> Self {
        Self(Box::new(Inner { kind, path: Vec::new() }))
    }

    /// A value of another kind than expected (`a string`).
    #[must_use]
    pub fn wrong_kind(expected: &'static str, found: Kind) -> Self {
        Self::new(FaultKind::WrongKind { expected, found })
    }

    /// A number that the expected type (`a 32-bit integer`) can't hold.
    #[must_use]
    pub fn out_of_range(expected: &'static str) -> Self {
        Self::new(FaultKind::OutOfRange { expected })
    }

    /// A required field is not there.
    #[must_use]
    pub fn missing(name: &'static str) -> Self {
        Self::new(FaultKind::Missing(name))
    }

    /// A field that a closed object doesn't name.
    #[must_use]
    pub fn unknown(name: impl Into<String>) -> Self {
        Self::new(FaultKind::Unknown(name.into()))
    }

    /// A field that stands twice.
    #[must_use]
    pub fn duplicate(name: impl Into<String>) -> Self {
        Self::new(FaultKind::Duplicate(name.into()))
    }

    /// A value outside the closed list of those allowed.
    #[must_use]
    pub fn not_allowed(value: impl fmt::Display, allowed: impl Into<Cow<'static, [&'static str]>>) -> Self {
        Self::new(FaultKind::NotAllowed { found: value.to_string(), allowed: allowed.into() })
    }

    /// Text that is not of the form (`an RFC 3339 date and time`).
    #[must_use]
    pub fn malformed(format: &'static str) -> Self {
        Self::new(FaultKind::Malformed { format })
    }

    /// An alternative of a body or response that the type doesn't know.
    #[must_use]
    pub fn unknown_choice(index: usize) -> Self {
        Self::new(FaultKind::UnknownChoice(index))
    }

    /// Anything else, in a sentence without a full stop.
    #[must_use]
    pub fn custom(message: impl Into<String>) -> Self {
        Self::new(FaultKind::Custom(message.into()))
    }

    /// This fault, seen from the object whose field the value is. That a field stands twice is the object's fault
    /// already, and stays so.
    #[must_use]
    pub fn in_field(mut self, name: impl Into<Cow<'static, str>>) -> Self {
        let name = name.into();
        let is_the_objects = self.0.path.is_empty()
            && matches!(&self.0.kind, FaultKind::Duplicate(duplicate) if *duplicate == name);
        if !is_the_objects {
            self.0.path.push(Segment::Field(name));
        }
        self
    }

    /// This fault, seen from the array whose item the value is.
    #[must_use]
    pub fn at_index(mut self, index: usize) -> Self {
        self.0.path.push(Segment::Index(index));
        self
    }

    /// What was wrong.
    #[must_use]
    pub fn kind(&self) -> &FaultKind {
        &self.0.kind
    }

    /// The way from the input's root to the value, the outermost step first. A missing, unknown or duplicate field
    /// is a fault of the object, so the path ends there.
    pub fn path(&self) -> impl DoubleEndedIterator<Item = &Segment> + ExactSizeIterator {
        self.0.path.iter().rev()
    }

    /// The path as text: `data[3].status`; empty at the root.
    #[must_use]
    pub fn path_text(&self) -> String {
        let mut text = String::new();
        for segment in self.path() {
            match segment {
                Segment::Field(name) => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    text.push_str(name);
                }
                Segment::Index(index) => text.push_str(&format!("[{index}]")),
            }
        }
        text
    }

    /// Whether the input is not of its format at all, so that nothing else can be said of it.
    #[must_use]
    pub fn is_syntax(&self) -> bool {
        matches!(self.0.kind, FaultKind::Syntax { .. })
    }

    /// Whether no other reading of the same input could succeed.
    pub(crate) fn is_final(&self) -> bool {
        matches!(self.0.kind, FaultKind::Syntax { .. } | FaultKind::TooDeep)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path_text();
        if !path.is_empty() {
            write!(f, "{path}: ")?;
        }
        self.0.kind.fmt(f)
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fault").field("path", &self.path_text()).field("kind", &self.0.kind).finish()
    }
}

impl std::error::Error for Fault {}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { line, column, message, .. } => {
                write!(f, "{message} (line {line}, column {column})")
            }
            Self::WrongKind { expected, found } => write!(f, "expected {expected}, found {found}"),
            Self::OutOfRange { expected } => write!(f, "out of range for {expected}"),
            Self::Missing(name) => write!(f, "the field `{name}` is missing"),
            Self::Unknown(name) => write!(f, "the field `{}` is unknown", Short(name)),
            Self::Duplicate(name) => write!(f, "the field `{}` stands twice", Short(name)),
            Self::NotAllowed { found, allowed } => {
                write!(f, "`{}` is not one of {}", Short(found), List(allowed))
            }
            Self::Malformed { format } => write!(f, "expected {format}"),
            Self::NoVariant { union, candidates } if candidates.is_empty() => {
                write!(f, "fits no variant of {union}")
            }
            Self::NoVariant { union, candidates } => {
                write!(f, "fits no variant of {union}; considered {}", List(candidates))
            }
            Self::TooDeep => f.write_str("nested too deeply"),
            Self::UnknownChoice(index) => write!(f, "alternative {index} is unknown"),
            Self::Custom(message) => f.write_str(message),
        }
    }
}

/// Foreign text in a message, cut where it is long.
struct Short<'a>(&'a str);

impl fmt::Display for Short<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.char_indices().nth(80) {
            Some((end, _)) => write!(f, "{}…", self.0.get(..end).unwrap_or_default()),
            None => f.write_str(self.0),
        }
    }
}

/// Names in a message.
struct List<'a>(&'a [&'static str]);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            write!(f, "`{name}`")?;
        }
        Ok(())
    }
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
    fn tells_where_and_what() {
        let allowed: &'static [&'static str] = &["png", "svg"];
        for (fault, text) in [
            (
                Fault::wrong_kind("a string", Kind::Number).in_field("status").at_index(3).in_field("data"),
                "data[3].status: expected a string, found a number",
            ),
            (Fault::missing("voice_id"), "the field `voice_id` is missing"),
            (Fault::unknown("x").at_index(0), "[0]: the field `x` is unknown"),
            (Fault::duplicate("x"), "the field `x` stands twice"),
            (Fault::not_allowed("gif", allowed), "`gif` is not one of `png`, `svg`"),
            (Fault::not_allowed(7, allowed), "`7` is not one of `png`, `svg`"),
            (Fault::malformed("a UUID"), "expected a UUID"),
            (Fault::out_of_range("a 32-bit integer"), "out of range for a 32-bit integer"),
            (Fault::unknown_choice(2), "alternative 2 is unknown"),
            (Fault::duplicate("x").in_field("x").in_field("y"), "y: the field `x` stands twice"),
            (Fault::custom("no").in_field("a").in_field("b"), "b.a: no"),
        ] {
            assert_eq!(fault.to_string(), text);
        }
    }

    #[test]
    fn cuts_long_foreign_text() {
        let text = Fault::unknown("ä".repeat(1000)).to_string();
        assert_eq!(text, format!("the field `{}…` is unknown", "ä".repeat(80)));
    }

    #[test]
    fn is_one_pointer_wide() {
        assert_eq!(size_of::<Result<(), Fault>>(), size_of::<usize>());
    }
}
