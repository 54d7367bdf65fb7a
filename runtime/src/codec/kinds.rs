//! Sets of JSON kinds.

use super::Kind;

/// A set of JSON kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kinds(u8);

impl Kinds {
    /// `null`.
    pub const NULL: Self = Self(1);
    /// Booleans.
    pub const BOOLEAN: Self = Self(1 << 1);
    /// Numbers that are integers.
    pub const INTEGER: Self = Self(1 << 2);
    /// All numbers.
    pub const NUMBER: Self = Self(1 << 3 | Self::INTEGER.0);
    /// Strings.
    pub const STRING: Self = Self(1 << 4);
    /// Arrays.
    pub const ARRAY: Self = Self(1 << 5);
    /// Objects.
    pub const OBJECT: Self = Self(1 << 6);
    /// All kinds.
    pub const ANY: Self = Self(0x7f);

    /// Returns the kinds of both sets.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns whether this set contains all kinds of `other`.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns whether a value of this kind may belong to this set.
    ///
    /// A number may belong to [`INTEGER`](Self::INTEGER), whether or not it is an integer. Text may be any
    /// scalar.
    ///
    /// ```
    /// use openapi_crates_runtime::codec::{Kind, Kinds};
    ///
    /// let kinds = Kinds::STRING.or(Kinds::NULL);
    /// assert!(kinds.fits(Kind::Null) && kinds.fits(Kind::Text));
    /// assert!(!kinds.fits(Kind::Array));
    /// ```
    #[must_use]
    pub const fn fits(self, kind: Kind) -> bool {
        let kinds = match kind {
            Kind::Null => Self::NULL,
            Kind::Boolean => Self::BOOLEAN,
            Kind::Number => Self::NUMBER,
            Kind::String => Self::STRING,
            Kind::Array => Self::ARRAY,
            Kind::Object => Self::OBJECT,
            Kind::Text => Self::NULL.or(Self::BOOLEAN).or(Self::NUMBER).or(Self::STRING),
        };
        self.0 & kinds.0 != 0
    }

    /// Returns whether the only numbers in this set are integers.
    pub(super) const fn wants_integer(self) -> bool {
        self.contains(Self::INTEGER) && !self.contains(Self::NUMBER)
    }
}
