//! Groups of lints: diagnostics that are off by default.

use std::collections::BTreeSet;

use super::Code;

/// A group of lints. Its codes are reported only if the group is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LintGroup {
    /// Parts of valid documents that other tools refuse or read in different ways.
    Portable,
    /// Parts of valid documents that make an API harder to use: undocumented, inconsistent or unused.
    Quality,
}

impl LintGroup {
    /// All groups.
    pub const ALL: &[Self] = &[Self::Portable, Self::Quality];

    /// Returns the name in settings and on the command line: `portable`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Quality => "quality",
        }
    }

    /// Returns the group with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|group| group.name() == name)
    }

    /// Returns the codes of the group.
    pub fn codes(self) -> impl Iterator<Item = Code> {
        Code::ALL.iter().copied().filter(move |code| code.group() == Some(self))
    }
}

impl Code {
    /// Returns the group of lints to which the code belongs, or `None` if the code is always reported.
    #[must_use]
    pub const fn group(self) -> Option<LintGroup> {
        match self {
            Self::PortableCallbackRef
            | Self::PortableNullable
            | Self::PortableEnumCase
            | Self::PortableIntegerWidth
            | Self::PortableDeepObject
            | Self::PortableRules => Some(LintGroup::Portable),
            Self::QualityNoExample
            | Self::QualityNoBounds
            | Self::QualityNameCase
            | Self::QualityPaging
            | Self::QualityUndescribed
            | Self::QualityUnusedComponent
            | Self::QualityNoClientError
            | Self::QualityAmbiguousPath => Some(LintGroup::Quality),
            _ => None,
        }
    }
}

/// The lints that are on, in addition to the diagnostics that are always reported. Default: none.
///
/// # Examples
/// ```
/// use openapi_crates::{Code, Input, LintGroup, Lints, lint_with};
///
/// let text = "openapi: 3.1.0\ninfo: {title: Pets, version: 1.0.0}\npaths: {}\ncomponents: {schemas: {Id: {type: integer}}}\n";
/// let input = Input::new("pets.yaml", text);
/// let portable = Lints::default().groups([LintGroup::Portable]);
/// assert_eq!(lint_with(&input, &portable).diagnostics.len(), 1);
/// assert_eq!(lint_with(&input, &portable.allow([Code::PortableIntegerWidth])).diagnostics.len(), 0);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Lints(BTreeSet<Code>);

impl Lints {
    /// Turns on the lints of these groups.
    #[must_use]
    pub fn groups(mut self, groups: impl IntoIterator<Item = LintGroup>) -> Self {
        self.0.extend(groups.into_iter().flat_map(LintGroup::codes));
        self
    }

    /// Turns off these lints.
    #[must_use]
    pub fn allow(mut self, codes: impl IntoIterator<Item = Code>) -> Self {
        for code in codes {
            self.0.remove(&code);
        }
        self
    }

    /// Returns whether this lint is on.
    #[must_use]
    pub fn has(&self, code: Code) -> bool {
        self.0.contains(&code)
    }
}
