//! The macros by which generated code implements the codecs of its types.

/// Implements [`Decode`](crate::codec::Decode) and [`Encode`](crate::codec::Encode) for a struct.
///
/// The first line names the struct:
///
/// - `Pet` ignores additional properties.
/// - `closed Pet` rejects them.
/// - `Pet + others` keeps them in the field `others`.
/// - `Pet from PetFields` also implements the conversion from the struct of the required fields.
///
/// Each further line is a field, after its wire name if that differs. An optional field is in brackets.
///
/// # Examples
/// ```
/// use openapi_crates_runtime::codec::{from_json, to_json};
///
/// struct Pet {
///     name: String,
///     home_town: Option<String>,
/// }
///
/// openapi_crates_runtime::object! {
///     Pet;
///     name,
///     "homeTown" => [home_town],
/// }
///
/// let pet: Pet = from_json(br#"{"name": "Mia", "homeTown": "Rome"}"#)?;
/// assert_eq!(to_json(&pet), br#"{"name":"Mia","homeTown":"Rome"}"#);
/// # Ok::<(), openapi_crates_runtime::codec::DecodeError>(())
/// ```
#[macro_export]
macro_rules! object {
    ($(#[$attribute:meta])* closed $name:ident $(from $from:ident)?; $($fields:tt)*) => {
        $crate::object!(@ [$($attribute)*] $name [Closed None] [] [$($from)?] $($fields)*);
    };
    ($(#[$attribute:meta])* $name:ident $(from $from:ident)?; $($fields:tt)*) => {
        $crate::object!(@ [$($attribute)*] $name [Ignore None] [] [$($from)?] $($fields)*);
    };
    ($(#[$attribute:meta])* $name:ident + $others:ident $(from $from:ident)?; $($fields:tt)*) => {
        $crate::object!(@ [$($attribute)*] $name [] [$others] [$($from)?] $($fields)*);
    };
    (
        @ [$($attribute:meta)*] $name:ident [$($rest:ident $none:ident)?] [$($others:ident)?] [$($from:ident)?]
        $($($wire:literal =>)? $($required:ident)? $([$optional:ident])?,)*
    ) => {
        $(#[$attribute])*
        impl $crate::model::Decode for $name {
            fn decode(from: &mut dyn $crate::model::Reader) -> Result<Self, $crate::model::DecodeError> {
                $($(let mut $required = None;)? $(let mut $optional = None;)?)*
                $(let mut $others = $crate::model::Map::new();)?
                from.object(
                    &[$($crate::object!(= [$($wire)?] $($required)? $($optional)?)),*],
                    &mut [$($(&mut $crate::model::Needed(&mut $required))? $(&mut $optional)?),*],
                    $($crate::model::Rest::$rest)?
                    $($crate::model::Rest::Keep(&mut |name, from| $crate::model::keep(&mut $others, name, from)))?
                )?;
                $($crate::object!(! [$($wire)?] $($required)?);)*
                Ok(Self { $($($required)? $($optional)?,)* $($others)? })
            }
        }

        impl $crate::model::Encode for $name {
            fn encode(&self, into: &mut dyn $crate::model::Writer) {
                into.object(
                    &[$((
                        $crate::object!(= [$($wire)?] $($required)? $($optional)?),
                        $(&self.$required)? $(&self.$optional)?
                    )),*],
                    $($none)? $(Some(&mut $crate::model::entries(&self.$others)))?
                );
            }
        }

        $crate::object!(% [$($from)?] $name [$($others)?] [$($($required)?)*] [$($($optional)?)*]);
    };
    // The wire name of a field.
    (= [$wire:literal] $field:ident) => { $wire };
    (= [] $field:ident) => { stringify!($field) };
    // The value of a required field. `let … else` instead of `?`: the compiler has no error conversion to
    // instantiate for each field.
    (! [$($wire:literal)?]) => {};
    (! [$($wire:literal)?] $field:ident) => {
        let Some($field) = $field else {
            return Err($crate::model::DecodeError::missing($crate::object!(= [$($wire)?] $field)));
        };
    };
    // The conversion from the struct of the required fields.
    (% [] $($rest:tt)*) => {};
    (% [$from:ident] $name:ident [$($others:ident)?] [$($required:ident)*] [$($optional:ident)*]) => {
        impl From<$from> for $name {
            fn from(fields: $from) -> Self {
                Self {
                    $($required: fields.$required,)*
                    $($optional: None,)*
                    $($others: $crate::model::Map::new(),)?
                }
            }
        }
    };
}

/// Implements `as_str`, the conversions and the codec of an enum of strings.
///
/// The first line names the enum. `Status + Unknown` decodes every other string into the variant `Unknown`.
///
/// # Examples
/// ```
/// enum Status {
///     Open,
///     Closed,
/// }
///
/// openapi_crates_runtime::string_enum! {
///     Status;
///     "open" => Open,
///     "closed" => Closed,
/// }
///
/// assert!(matches!("open".parse(), Ok(Status::Open)));
/// assert_eq!(Status::Closed.to_string(), "closed");
/// ```
#[macro_export]
macro_rules! string_enum {
    ($name:ident; $($wire:literal => $variant:ident),* $(,)?) => {
        $crate::string_enum!(
            @ $name [&'static str] [],
            other => Err($crate::model::DecodeError::not_allowed(other, &[$($wire),*])),
            $($wire => $variant,)*
        );
    };
    ($name:ident + $unknown:ident; $($wire:literal => $variant:ident),* $(,)?) => {
        $crate::string_enum!(
            @ $name [&str] [Self::$unknown(value) => value,],
            other => Ok(Self::$unknown(other.to_owned())),
            $($wire => $variant,)*
        );
    };
    (
        @ $name:ident [$text:ty] [$($unknown:tt)*],
        $other:ident => $others:expr,
        $($wire:literal => $variant:ident,)*
    ) => {
        impl $name {
            /// Returns the value as it is serialized.
            #[must_use]
            pub fn as_str(&self) -> $text {
                match self {
                    $(Self::$variant => $wire,)*
                    $($unknown)*
                }
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::model::DecodeError;

            fn from_str(text: &str) -> Result<Self, $crate::model::DecodeError> {
                match text {
                    $($wire => Ok(Self::$variant),)*
                    $other => $others,
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                formatter.pad(self.as_str())
            }
        }

        impl $crate::model::Decode for $name {
            fn decode(from: &mut dyn $crate::model::Reader) -> Result<Self, $crate::model::DecodeError> {
                $crate::model::parsed(from, str::parse)
            }
        }

        impl $crate::model::Encode for $name {
            fn encode(&self, into: &mut dyn $crate::model::Writer) {
                into.str(self.as_str());
            }
        }
    };
}

/// Implements the codec of an enum of alternatives, each with its row in a table.
///
/// The first line names the enum. Each further line maps the index of a row to a variant.
///
/// # Examples
/// ```
/// enum GetPetOutput {
///     Ok(String),
///     NotModified,
/// }
///
/// openapi_crates_runtime::choice! {
///     GetPetOutput;
///     0 => Ok(value),
///     1 => NotModified,
/// }
/// ```
#[macro_export]
macro_rules! choice {
    ($name:ident; $($place:literal => $variant:ident $(($value:ident))?),* $(,)?) => {
        impl $crate::model::Decode for $name {
            fn decode(from: &mut dyn $crate::model::Reader) -> Result<Self, $crate::model::DecodeError> {
                match from.choice() {
                    $($place => {
                        $crate::model::Decode::decode(from).map($crate::choice!(@ $variant $($value)?))
                    })*
                    unknown => Err($crate::model::DecodeError::unknown_choice(unknown)),
                }
            }
        }

        impl $crate::model::Encode for $name {
            fn encode(&self, into: &mut dyn $crate::model::Writer) {
                match self {
                    $(Self::$variant $(($value))? => into.choice($place, $crate::choice!(% $($value)?)),)*
                }
            }
        }
    };
    // The function from the content to the variant.
    (@ $variant:ident) => { |()| Self::$variant };
    (@ $variant:ident $value:ident) => { Self::$variant };
    // The content of a variant.
    (%) => { &() };
    (% $value:ident) => { $value };
}

#[cfg(test)]
mod tests {
    use crate::codec::{from_json, to_json};
    use crate::types::Map;

    #[derive(Debug, PartialEq)]
    struct Letter {
        from: String,
        into: Option<i64>,
        name: Map<i64>,
    }

    struct LetterFields {
        from: String,
    }

    crate::object! {
        Letter + name from LetterFields;
        from,
        "INTO" => [into],
    }

    #[test]
    fn fields_do_not_shadow_the_variables_of_the_macro() {
        let letter: Letter = from_json(br#"{"from": "Mia", "INTO": 1, "rest": 2}"#).unwrap();
        assert_eq!(to_json(&letter), br#"{"from":"Mia","INTO":1,"rest":2}"#);
        assert_eq!(from_json::<Letter>(b"{}").unwrap_err().to_string(), "the field `from` is missing");
    }

    #[test]
    fn required_fields_make_a_value() {
        let letter = Letter::from(LetterFields { from: "Mia".to_owned() });
        assert_eq!(letter, Letter { from: "Mia".to_owned(), into: None, name: Map::new() });
    }
}
