//! The macros by which generated code implements the codecs of enums.

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
    ($name:ident; $($index:literal => $variant:ident $(($value:ident))?),* $(,)?) => {
        impl $crate::model::Decode for $name {
            fn decode(from: &mut dyn $crate::model::Reader) -> Result<Self, $crate::model::DecodeError> {
                match from.choice() {
                    $($index => {
                        $crate::model::Decode::decode(from).map($crate::choice!(@ $variant $($value)?))
                    })*
                    unknown => Err($crate::model::DecodeError::unknown_choice(unknown)),
                }
            }
        }

        impl $crate::model::Encode for $name {
            fn encode(&self, into: &mut dyn $crate::model::Writer) {
                match self {
                    $(Self::$variant $(($value))? => into.choice($index, $crate::choice!(% $($value)?)),)*
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

/// Implements the codec of a union: an enum whose variant is found by looking ahead.
///
/// The first line names the enum:
///
/// - `Pet + Unknown` decodes every other value into the variant `Unknown`, if the reader is tolerant.
/// - `Pet by discriminator("kind")` is a union with a [discriminator](crate::codec::UnionShape::discriminator).
///
/// Each further line is a variant with its [shape](crate::codec::Shape). `Cat(Cat)` also implements the conversion from a
/// `Cat`, which the variant can hold in a box. `Name(String)` also implements it from a `&str` and a `&String`.
///
/// # Examples
/// ```
/// use openapi_crates_runtime::codec::{Kinds, Shape, from_json, to_json};
///
/// enum Size {
///     Name(String),
///     Pixels(Vec<i64>),
/// }
///
/// openapi_crates_runtime::union! {
///     Size;
///     Name(String) => Shape::new("name", Kinds::STRING),
///     Pixels(Vec<i64>) => Shape::new("pixels", Kinds::ARRAY),
/// }
///
/// let size: Size = from_json(b"[640, 480]")?;
/// assert!(matches!(&size, Size::Pixels(pixels) if pixels.len() == 2));
/// assert_eq!(to_json(&size), b"[640,480]");
/// assert_eq!(to_json(&Size::from("large")), br#""large""#);
/// # Ok::<(), openapi_crates_runtime::codec::DecodeError>(())
/// ```
#[macro_export]
macro_rules! union {
    (
        $name:ident $(+ $unknown:ident)? $(by $discriminator:ident($property:literal))?;
        $($variant:ident $(($($from:tt)+))? => $shape:expr),* $(,)?
    ) => {
        impl $name {
            /// The shapes by which decoding and validation select a variant.
            pub const SHAPE: &'static $crate::model::UnionShape =
                &$crate::model::UnionShape::new(stringify!($name), &[$($shape),*])$(.$discriminator($property))?;
        }

        impl $crate::model::Decode for $name {
            const HOLDS_NULL: bool = Self::SHAPE.holds_null();

            fn decode(from: &mut dyn $crate::model::Reader) -> Result<Self, $crate::model::DecodeError> {
                $crate::model::one_of(
                    from,
                    Self::SHAPE,
                    &[$(|from| $crate::model::Decode::decode(from).map(Self::$variant)),*],
                    $crate::union!(@ $($unknown)?),
                )
            }
        }

        impl $crate::model::Encode for $name {
            fn encode(&self, into: &mut dyn $crate::model::Writer) {
                /// The indices of the variants.
                enum Position {
                    $($variant),*
                }
                match self {
                    $(Self::$variant(value) => into.tagged(Self::SHAPE, Position::$variant as usize, value),)*
                    $(Self::$unknown(value) => into.value(value),)?
                }
            }
        }

        $($($crate::union!(% $name $variant $($from)+);)?)*
    };
    // The conversions into a variant.
    (% $name:ident $variant:ident String) => {
        $crate::union!(& $name $variant String);
        $crate::union!(& $name $variant &str);
        $crate::union!(& $name $variant &String);
    };
    (% $name:ident $variant:ident $from:ty) => { $crate::union!(& $name $variant $from); };
    (& $name:ident $variant:ident $from:ty) => {
        impl From<$from> for $name {
            fn from(value: $from) -> Self {
                Self::$variant(value.into())
            }
        }
    };
    (@) => { None };
    (@ $unknown:ident) => { Some(Self::$unknown) };
}
