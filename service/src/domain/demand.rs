//! The demand of a task: the engines and the size of its next attempt.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// The engines and the size of the next attempt at a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Demand {
    /// The engines.
    pub engines: Engines,
    /// The binary logarithm of the milliseconds that it is expected to take, rounded up.
    pub size: i16,
}

/// The engines that an attempt needs.
///
/// The database stores them as words: `built-in image-edit voiceover`, or `attached voiceover`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Engines {
    /// The built-in engines of these families.
    BuiltIn(BTreeSet<String>),
    /// The attached engine of this family.
    Attached(String),
}

const BUILT_IN: &str = "built-in";
const ATTACHED: &str = "attached";

impl Engines {
    /// Returns the built-in engines of these families.
    pub fn built_in<F: Into<String>>(families: impl IntoIterator<Item = F>) -> Self {
        Self::BuiltIn(families.into_iter().map(Into::into).collect())
    }
}

impl fmt::Display for Engines {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn(families) => {
                formatter.write_str(BUILT_IN)?;
                families.iter().try_for_each(|family| write!(formatter, " {family}"))
            }
            Self::Attached(family) => write!(formatter, "{ATTACHED} {family}"),
        }
    }
}

/// A text that does not name engines.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected `{BUILT_IN}` with families, or `{ATTACHED}` with one")]
pub struct InvalidEngines;

impl FromStr for Engines {
    type Err = InvalidEngines;

    fn from_str(text: &str) -> Result<Self, InvalidEngines> {
        let mut words = text.split(' ');
        match (words.next(), words.next(), words.next()) {
            (Some(BUILT_IN), ..) => Ok(Self::built_in(text.split(' ').skip(1))),
            (Some(ATTACHED), Some(family), None) => Ok(Self::Attached(family.to_owned())),
            _ => Err(InvalidEngines),
        }
    }
}

/// The engines that a claim offers: it takes only tasks that need no others.
///
/// A family that a later release has added is not among them, so its tasks are left to processes of that release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Offered<'a> {
    /// The built-in engines of these families.
    BuiltIn(&'a [&'a str]),
    /// The attached engines of these families.
    Attached(&'a [&'a str]),
}

impl<'a> Offered<'a> {
    /// Returns all words of the [`Engines`] that are offered.
    #[must_use]
    pub fn words(self) -> Vec<&'a str> {
        let (kind, families) = match self {
            Self::BuiltIn(families) => (BUILT_IN, families),
            Self::Attached(families) => (ATTACHED, families),
        };
        std::iter::once(kind).chain(families.iter().copied()).collect()
    }
}

/// The largest [`Demand::size`] of a quick task.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Quick {
    /// By the engines, where it has been measured.
    pub measured: Vec<(Engines, i16)>,
    /// For all others.
    pub others: i16,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_stored_as_words() {
        for (text, engines) in [
            ("built-in", Engines::built_in([""; 0])),
            ("built-in image-edit voiceover", Engines::built_in(["voiceover", "image-edit"])),
            ("attached lip-sync", Engines::Attached("lip-sync".to_owned())),
        ] {
            assert_eq!((engines.to_string().as_str(), text.parse()), (text, Ok(engines)));
        }
        for text in ["", "voiceover", "attached", "attached a b"] {
            assert_eq!(text.parse::<Engines>(), Err(InvalidEngines), "{text}");
        }
    }
}
