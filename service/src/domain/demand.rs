//! The demand of a task: the engines and the size of its next attempt.

use std::collections::BTreeSet;
use std::fmt;

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
    /// Engines of a kind that this version does not know, in the words of a later release.
    Unknown(String),
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
            Self::Unknown(words) => formatter.write_str(words),
        }
    }
}

/// Reads the words that the database stores.
impl From<String> for Engines {
    fn from(text: String) -> Self {
        let mut words = text.split(' ');
        match (words.next(), words.next(), words.next()) {
            (Some(BUILT_IN), ..) => Self::built_in(text.split(' ').skip(1)),
            (Some(ATTACHED), Some(family), None) => Self::Attached(family.to_owned()),
            _ => Self::Unknown(text),
        }
    }
}

/// The engines that a claim offers: it takes only tasks that need no others.
///
/// A family that a later release has added is not among them, so its tasks are left to processes of that release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offered {
    /// The built-in engines of these families.
    BuiltIn(Vec<&'static str>),
    /// The attached engines of these families.
    Attached(Vec<&'static str>),
}

impl Offered {
    /// Returns all words of the [`Engines`] that are offered.
    #[must_use]
    pub fn words(&self) -> Vec<&'static str> {
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
            assert_eq!((engines.to_string().as_str(), Engines::from(text.to_owned())), (text, engines));
        }
        for text in ["", "voiceover", "attached", "attached a b"] {
            let unknown = Engines::from(text.to_owned());
            assert_eq!((unknown.to_string().as_str(), &unknown), (text, &Engines::Unknown(text.to_owned())));
        }
    }
}
