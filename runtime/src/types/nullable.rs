//! A value that may be null.

use crate::codec::{Decode, DecodeError, Encode, Reader, Writer};

/// A value that may be null.
///
/// A field that may be absent or null is an `Option<Nullable<T>>`. What can be null but not absent is an [`Option`].
///
/// Constructors and setters take anything that converts into it: a value, an `Option`, or a `&str` for a `String`.
///
/// ```
/// use openapi_crates_runtime::{codec::to_json, types::Nullable};
///
/// assert_eq!(to_json(&Nullable::Value(3)), b"3");
/// assert_eq!(to_json(&Nullable::<i32>::Null), b"null");
/// assert_eq!(Nullable::<i64>::from(3), Nullable::Value(3));
/// assert_eq!(Nullable::<i64>::from(Some(3)), Nullable::Value(3));
/// assert_eq!(Nullable::<String>::from("Mia"), Nullable::Value("Mia".to_owned()));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Nullable<T> {
    /// `null`.
    #[default]
    Null,
    /// A value.
    Value(T),
}

impl<T> Nullable<T> {
    /// Returns whether this is null.
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns a reference to the value, or `None` if this is null.
    #[must_use]
    pub const fn as_option(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Null => None,
        }
    }

    /// Returns a mutable reference to the value, or `None` if this is null.
    #[must_use]
    pub const fn as_option_mut(&mut self) -> Option<&mut T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Null => None,
        }
    }

    /// Returns the value, or `None` if this is null.
    #[must_use]
    pub fn into_option(self) -> Option<T> {
        self.into()
    }

    /// Applies `change` to the value; a null stays null.
    #[must_use]
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Nullable<U> {
        self.into_option().map(change).into()
    }
}

impl<T> From<T> for Nullable<T> {
    fn from(value: T) -> Self {
        Self::Value(value)
    }
}

impl<T> From<T> for Nullable<Box<T>> {
    fn from(value: T) -> Self {
        Self::Value(Box::new(value))
    }
}

impl From<&str> for Nullable<String> {
    fn from(value: &str) -> Self {
        Self::Value(value.to_owned())
    }
}

impl From<&String> for Nullable<String> {
    fn from(value: &String) -> Self {
        Self::Value(value.clone())
    }
}

impl<T> From<Option<T>> for Nullable<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Self::Value)
    }
}

impl<T> From<Nullable<T>> for Option<T> {
    fn from(value: Nullable<T>) -> Self {
        match value {
            Nullable::Value(value) => Some(value),
            Nullable::Null => None,
        }
    }
}

impl<T: Encode> Encode for Nullable<T> {
    fn encode(&self, writer: &mut dyn Writer) {
        match self {
            Self::Value(value) => value.encode(writer),
            Self::Null => writer.null(),
        }
    }
}

impl<T: Decode> Decode for Nullable<T> {
    const HOLDS_NULL: bool = true;

    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        Option::decode(reader).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: impl Into<Nullable<String>>) -> Option<String> {
        name.into().into_option()
    }

    #[test]
    fn arguments_are_values_or_options() {
        assert_eq!(named("Mia"), named(Some("Mia".to_owned())));
        let name = "Mia".to_owned();
        assert_eq!(named(&name), named("Mia"));
        assert_eq!(named("Mia".to_owned()), named(Nullable::Value("Mia".to_owned())));
        assert_eq!(named(None), None);
        assert_eq!(Nullable::<Box<i64>>::from(3), Nullable::Value(Box::new(3)));
    }

    #[test]
    fn converts_to_and_from_option() {
        let mut value = Nullable::Value(3);
        if let Some(inside) = value.as_option_mut() {
            *inside += 1;
        }
        assert_eq!(value.as_option(), Some(&4));
        assert_eq!(value.map(|value| value * 2), Nullable::Value(8));
        assert_eq!(Nullable::<i64>::from(None), Nullable::Null);
        assert!(Nullable::<i64>::default().is_null());
        assert_eq!(Nullable::<i64>::Null.into_option(), None);
    }
}
