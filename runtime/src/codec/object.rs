//! The macro by which generated code implements the codecs of structs, their setters and conversions.

/// Implements [`Decode`](crate::codec::Decode) and [`Encode`](crate::codec::Encode) for a struct.
///
/// The first line names the struct:
///
/// - `Pet` ignores additional properties.
/// - `closed Pet` rejects them.
/// - `Pet + others` keeps them in the field `others`.
/// - `Pet from PetFields` also implements the conversion from the struct of the required fields.
/// - `Pet from (String, i64)` also implements the conversion from a tuple of the arguments of `new`. Each item of the tuple
///   can have any type that converts into the type of the argument. A single argument needs no tuple.
/// - `Pet from ()` also implements the conversion from nothing, if no field is required.
/// - `Pet from {name: String}` also implements the conversions from nothing and from one optional field.
///
/// - `Pet from (PetId: (String), (i64))` also implements the conversions from the types that convert into a single argument.
///
/// A single argument or optional field of the type `rt::Nullable<T>` converts from a `T`, an `Option<T>` and a
/// `Nullable<T>`.
///
/// Each further line is a field, after its wire name if that differs. A required field that can be null is in
/// parentheses; its type is an `Option`. An optional field is in brackets. It can have a setter: `[age with_age: i64]`, or
/// `[name with_name => String]` for a setter that converts its argument. `[@null age]` decodes null as absent.
///
/// # Examples
/// ```
/// use openapi_crates_runtime::codec::{from_json, to_json};
///
/// #[derive(Default)]
/// struct Pet {
///     name: String,
///     owner: Option<String>,
///     home_town: Option<String>,
/// }
///
/// openapi_crates_runtime::object! {
///     Pet;
///     name,
///     (owner),
///     "homeTown" => [home_town with_home_town => String],
/// }
///
/// let pet: Pet = from_json(br#"{"name": "Mia", "owner": null}"#)?;
/// assert_eq!(to_json(&pet.with_home_town("Rome")), br#"{"name":"Mia","owner":null,"homeTown":"Rome"}"#);
/// # Ok::<(), openapi_crates_runtime::codec::DecodeError>(())
/// ```
#[macro_export]
macro_rules! object {
    ($(#[$attribute:meta])* closed $name:ident $(from $from:tt)?; $($fields:tt)*) => {
        $crate::object!(@ [$($attribute)*] $name [Closed None] [] [$($from)?] $($fields)*);
    };
    ($(#[$attribute:meta])* $name:ident $(from $from:tt)?; $($fields:tt)*) => {
        $crate::object!(@ [$($attribute)*] $name [Ignore None] [] [$($from)?] $($fields)*);
    };
    ($(#[$attribute:meta])* $name:ident + $others:ident $(from $from:tt)?; $($fields:tt)*) => {
        $crate::object!(@ [$($attribute)*] $name [] [$others] [$($from)?] $($fields)*);
    };
    (
        @ [$($attribute:meta)*] $name:ident [$($rest:ident $none:ident)?] [$($others:ident)?] [$($from:tt)?]
        $(
            $($wire:literal =>)?
            $($required:ident)?
            $(($nullable:ident))?
            $([$(@ $null:ident)? $optional:ident $($setter:ident $(: $given:ty)? $(=> $into:ty)?)?])?,
        )*
    ) => {
        $(#[$attribute])*
        impl $crate::model::Decode for $name {
            fn decode(from: &mut dyn $crate::model::Reader) -> Result<Self, $crate::model::DecodeError> {
                $($(let mut $required = None;)? $(let mut $nullable = None;)? $(let mut $optional = None;)?)*
                $(let mut $others = $crate::model::Map::new();)?
                from.object(
                    &[$($crate::object!(= [$($wire)?] $($required)? $($nullable)? $($optional)?)),*],
                    &mut [$(
                        $(&mut $crate::model::Needed(&mut $required))?
                        $(&mut $crate::model::Needed(&mut $nullable))?
                        $($crate::object!(? [$($null)?] $optional))?
                    ),*],
                    $($crate::model::AdditionalProperties::$rest)?
                    $($crate::model::AdditionalProperties::Keep(&mut |name, from| $crate::model::keep(&mut $others, name, from)))?
                )?;
                $($crate::object!(! [$($wire)?] $($required)? $($nullable)?);)*
                Ok(Self { $($($required)? $($nullable)? $($optional)?,)* $($others)? })
            }
        }

        impl $crate::model::Encode for $name {
            fn encode(&self, into: &mut dyn $crate::model::Writer) {
                into.object(
                    &[$((
                        $crate::object!(= [$($wire)?] $($required)? $($nullable)? $($optional)?),
                        $(&self.$required)? $(&$crate::model::Present(&self.$nullable))? $(&self.$optional)?
                    )),*],
                    $($none)? $(Some(&mut $crate::model::entries(&self.$others)))?
                );
            }
        }

        $crate::object!(* $name $($($([$optional $setter $(: $given)? $(=> $into)?])?)?)*);
        $crate::object!(
            % [$($from)?] $name [$($others)?] [$($($required)? $($nullable)?)*] [$($($optional)?)*]
        );
    };
    // The wire name of a field.
    (= [$wire:literal] $field:ident) => { $wire };
    (= [] $field:ident) => { stringify!($field) };
    // The slot of an optional field.
    (? [] $field:ident) => { &mut $field };
    (? [null] $field:ident) => { &mut $crate::model::NullIsAbsent(&mut $field) };
    // The value of a required field. `let … else` instead of `?`: the compiler has no error conversion to
    // instantiate for each field.
    (! [$($wire:literal)?]) => {};
    (! [$($wire:literal)?] $field:ident) => {
        let Some($field) = $field else {
            return Err($crate::model::DecodeError::missing($crate::object!(= [$($wire)?] $field)));
        };
    };
    // The setters of the optional fields.
    (* $name:ident) => {};
    (* $name:ident $([$field:ident $setter:ident $(: $given:ty)? $(=> $into:ty)?])+) => {
        impl $name {
            $(
                /// Sets the field of this name.
                #[must_use]
                pub fn $setter(mut self, value: $($given)? $(impl Into<$into>)?) -> Self {
                    $(let value: $into = value.into();)?
                    self.$field = Some(value.into());
                    self
                }
            )+
        }
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
    // The conversion from nothing.
    (% [()] $name:ident $($rest:tt)*) => {
        impl From<()> for $name {
            fn from((): ()) -> Self {
                Self::default()
            }
        }
    };
    // The conversions from one optional field, and from nothing.
    (% [{$field:ident: rt::Nullable<$ty:ty>}] $name:ident $($rest:tt)*) => {
        $crate::object!(^ $name $field [$ty] [Option<$ty>] [$crate::model::Nullable<$ty>]);
    };
    (% [{$field:ident: $ty:ty}] $name:ident $($rest:tt)*) => {
        $crate::object!(^ $name $field [$ty]);
    };
    (^ $name:ident $field:ident $([$ty:ty])+) => {
        $crate::object!(% [()] $name);
        $(
            impl From<$ty> for $name {
                fn from(value: $ty) -> Self {
                    Self { $field: Some(value.into()), ..Self::default() }
                }
            }
        )+
    };
    // The conversions from the arguments of `new`. The names of the parameters are not names of generated types.
    (% [(String)] $name:ident $($rest:tt)*) => {
        $crate::object!(& $name String);
        $crate::object!(& $name &str);
        $crate::object!(& $name &String);
    };
    (% [(rt::ByteStream)] $name:ident $($rest:tt)*) => {
        $crate::object!(& $name $crate::model::ByteStream);
        $crate::object!(& $name $crate::model::Bytes);
    };
    (% [(rt::Nullable<String>)] $name:ident $($rest:tt)*) => {
        $crate::object!(& $name &str);
        $crate::object!(& $name &String);
        $crate::object!(& $name String);
        $crate::object!(& $name Option<String>);
        $crate::object!(& $name $crate::model::Nullable<String>);
    };
    (% [(rt::Nullable<$a:ty>)] $name:ident $($rest:tt)*) => {
        $crate::object!(& $name $a);
        $crate::object!(& $name Option<$a>);
        $crate::object!(& $name $crate::model::Nullable<$a>);
    };
    (% [($a:ty: $($from:tt),+)] $name:ident $($rest:tt)*) => {
        $crate::object!(& $name $a);
        $($crate::object!(% [$from] $name);)+
    };
    (% [($a:ty)] $name:ident $($rest:tt)*) => { $crate::object!(& $name $a); };
    (% [($a:ty, $b:ty)] $name:ident $($rest:tt)*) => { $crate::object!(& $name [__A $a] [__B $b]); };
    (% [($a:ty, $b:ty, $c:ty)] $name:ident $($rest:tt)*) => {
        $crate::object!(& $name [__A $a] [__B $b] [__C $c]);
    };
    (% [($a:ty, $b:ty, $c:ty, $d:ty)] $name:ident $($rest:tt)*) => {
        $crate::object!(& $name [__A $a] [__B $b] [__C $c] [__D $d]);
    };
    (% [($a:ty, $b:ty, $c:ty, $d:ty, $e:ty)] $name:ident $($rest:tt)*) => {
        $crate::object!(& $name [__A $a] [__B $b] [__C $c] [__D $d] [__E $e]);
    };
    (% [($a:ty, $b:ty, $c:ty, $d:ty, $e:ty, $f:ty)] $name:ident $($rest:tt)*) => {
        $crate::object!(& $name [__A $a] [__B $b] [__C $c] [__D $d] [__E $e] [__F $f]);
    };
    (% [($a:ty, $b:ty, $c:ty, $d:ty, $e:ty, $f:ty, $g:ty)] $name:ident $($rest:tt)*) => {
        $crate::object!(& $name [__A $a] [__B $b] [__C $c] [__D $d] [__E $e] [__F $f] [__G $g]);
    };
    (& $name:ident $([$argument:ident $ty:ty])+) => {
        impl<$($argument: Into<$ty>),+> From<($($argument,)+)> for $name {
            #[allow(non_snake_case)]
            fn from(($($argument,)+): ($($argument,)+)) -> Self {
                Self::new($(<$argument as Into<$ty>>::into($argument)),+)
            }
        }
    };
    (& $name:ident $ty:ty) => {
        impl From<$ty> for $name {
            fn from(value: $ty) -> Self {
                Self::new(value)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::codec::{Kinds, Shape, from_json, to_json};
    use crate::types::{Map, Nullable};

    #[derive(Debug, Clone, PartialEq)]
    struct Letter {
        from: String,
        value: Option<i64>,
        into: Option<i64>,
        name: Map<i64>,
    }

    struct LetterFields {
        from: String,
        value: Option<i64>,
    }

    crate::object! {
        Letter + name from LetterFields;
        from,
        (value),
        "INTO" => [into with_into: i64],
    }

    #[derive(Debug, Default, PartialEq)]
    struct Ask {
        from: String,
        into: i64,
        page: Option<String>,
    }

    impl Ask {
        fn new(from: impl Into<String>, into: i64) -> Self {
            Self { from: from.into(), into, page: None }
        }
    }

    crate::object! {
        closed Ask from (String, i64);
        from,
        into,
        [page with_page => String],
    }

    #[derive(Debug, Default, PartialEq)]
    struct List {
        page: Option<i64>,
        body: Option<Vec<String>>,
    }

    crate::object! {
        closed List from {body: Vec<String>};
        [page],
        [body],
    }

    #[derive(Debug, Default, PartialEq)]
    struct Note {
        text: Option<String>,
        null: Option<i64>,
    }

    crate::object! {
        Note;
        "Text" => [@null text with_text => String],
        [null],
    }

    #[test]
    fn null_can_stand_for_an_absent_field() {
        let note: Note = from_json(br#"{"Text": null, "null": 1}"#).unwrap();
        assert_eq!(note, Note { text: None, null: Some(1) });
        assert_eq!(to_json(&note), br#"{"null":1}"#);
        assert_eq!(from_json::<Note>(br#"{"Text": "a"}"#).unwrap(), Note::default().with_text("a"));
        assert!(from_json::<Note>(br#"{"null": null}"#).is_err(), "a strict reader keeps the difference");
    }

    #[derive(Debug, PartialEq)]
    enum Id {
        Name(String),
        Number(i64),
    }

    crate::union! {
        Id;
        Name(String) => Shape::new("name", Kinds::STRING),
        Number(i64) => Shape::new("number", Kinds::NUMBER),
    }

    #[derive(Debug, PartialEq)]
    struct Find {
        id: Id,
    }

    impl Find {
        fn new(id: impl Into<Id>) -> Self {
            Self { id: id.into() }
        }
    }

    crate::object! {
        Find from (Id: (String), (i64));
        id,
    }

    #[test]
    fn a_union_is_made_of_its_alternatives() {
        let mia = Find { id: Id::Name("Mia".to_owned()) };
        assert_eq!(Find::from("Mia"), mia);
        assert_eq!(Find::from(&"Mia".to_owned()), mia);
        assert_eq!(Find::from("Mia".to_owned()), mia);
        assert_eq!(Find::from(Id::from("Mia")), mia);
        assert_eq!(Find::from(3), Find { id: Id::Number(3) });
    }

    #[derive(Debug, PartialEq)]
    struct Rename {
        name: Option<String>,
    }

    impl Rename {
        fn new(name: impl Into<Nullable<String>>) -> Self {
            Self { name: name.into().into_option() }
        }
    }

    crate::object! {
        Rename from (rt::Nullable<String>);
        (name),
    }

    #[derive(Debug, PartialEq)]
    struct Count {
        count: Option<Vec<i64>>,
    }

    impl Count {
        fn new(count: impl Into<Nullable<Vec<i64>>>) -> Self {
            Self { count: count.into().into_option() }
        }
    }

    crate::object! {
        Count from (rt::Nullable<Vec<i64>>);
        (count),
    }

    #[derive(Debug, Default, PartialEq)]
    struct Save {
        page: Option<i64>,
        body: Option<Nullable<Vec<i64>>>,
    }

    crate::object! {
        Save from {body: rt::Nullable<Vec<i64>>};
        [page],
        [body],
    }

    #[test]
    fn a_nullable_argument_is_a_value_or_an_option() {
        let mia = Rename { name: Some("Mia".to_owned()) };
        assert_eq!(Rename::from("Mia"), mia);
        assert_eq!(Rename::from("Mia".to_owned()), mia);
        assert_eq!(Rename::from(Some("Mia".to_owned())), mia);
        assert_eq!(Rename::from(Nullable::Null), Rename::from(None));
        assert_eq!(Count::from(vec![1]), Count::from(Some(vec![1])));
        assert_eq!(Count::from(Nullable::Null), Count { count: None });
        assert_eq!(Save::from(vec![1]), Save { page: None, body: Some(Nullable::Value(vec![1])) });
        assert_eq!(Save::from(Some(vec![1])), Save::from(Nullable::Value(vec![1])));
        assert_eq!(Save::from(None), Save { page: None, body: Some(Nullable::Null) });
    }

    #[test]
    fn fields_do_not_shadow_the_variables_of_the_macro() {
        let letter: Letter = from_json(br#"{"from": "Mia", "value": 2, "INTO": 1, "rest": 2}"#).unwrap();
        assert_eq!(to_json(&letter), br#"{"from":"Mia","value":2,"INTO":1,"rest":2}"#);
        assert_eq!(from_json::<Letter>(b"{}").unwrap_err().to_string(), "the field `from` is missing");
    }

    #[test]
    fn required_fields_make_a_value() {
        let letter = Letter::from(LetterFields { from: "Mia".to_owned(), value: None });
        assert_eq!(letter, Letter { from: "Mia".to_owned(), value: None, into: None, name: Map::new() });
        assert_eq!(letter.clone().with_into(3), Letter { into: Some(3), ..letter });
    }

    #[test]
    fn required_fields_are_null_and_never_absent() {
        let letter = Letter::from(LetterFields { from: "Mia".to_owned(), value: None });
        assert_eq!(to_json(&letter), br#"{"from":"Mia","value":null}"#);
        assert_eq!(from_json::<Letter>(br#"{"from":"Mia","value":null}"#).unwrap(), letter);
        let missing = from_json::<Letter>(br#"{"from":"Mia"}"#).unwrap_err();
        assert_eq!(missing.to_string(), "the field `value` is missing");
    }

    #[test]
    fn arguments_make_a_value() {
        let expected = Ask { from: "Mia".to_owned(), into: 3, page: None };
        assert_eq!(Ask::from(("Mia", 3)), expected);
        assert_eq!(Ask::from(("Mia".to_owned(), 3_i32)), expected);
        assert_eq!(Ask::from(("Mia", 3)).with_page("2"), Ask { page: Some("2".to_owned()), ..expected });
        assert_eq!(List::from(vec![]), List { page: None, body: Some(Vec::new()) });
    }
}
