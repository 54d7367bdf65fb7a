//! The table of schema keywords.
//!
//! Each keyword is a row, and a field of [`Keywords`]. `keywords` has the functions of the column `type`. It also has code
//! for the keywords whose meaning depends on others, as `merge` and `json_schemas` have.

use crate::{
    ir::{Keyword, Kinds},
    lower::resolver::literal::{self, literal},
    tree::{Node, NodeRef},
};

/// Returns the type of a field.
macro_rules! field {
    (flag) => {
        bool
    };
    (string) => {
        Option<&'d str>
    };
    ($other:ident) => {
        Option<NodeRef<'d>>
    };
}

/// Returns whether a column says that a field matters, and the field is set.
macro_rules! says {
    ($column:ident if no, $field:expr) => {
        false
    };
    (restricts if filled, $field:expr) => {
        $field.is_some_and(is_filled)
    };
    (restricts if $other:ident, $field:expr) => {
        $field.is_set()
    };
    (needs_json_schema if more, $field:expr) => {
        $field.is_set()
    };
    (needs_json_schema if $other:ident, $field:expr) => {
        false
    };
    (shapes if yes, $field:expr) => {
        $field.is_set()
    };
}

/// Adds the kind that a field implies.
macro_rules! imply {
    ($implied:ident nothing, $field:expr) => {};
    ($implied:ident $kind:ident, $field:expr) => {
        $implied.$kind |= $field.is_set()
    };
}

/// Declares [`Keywords`].
///
/// | column | values |
/// |---|---|
/// | type | a method of `Keywords` that checks the value: `flag`, `string`, `text` … |
/// | parts | a function below: which value counts if several parts of a schema have one; `merge` has code for more of them |
/// | row | a function below: how a JSON Schema row has it; `apart`: `json_schemas` has code for it |
/// | constrains | whether a part with it restricts the values; `more`: also beyond what Rust types can say; `filled`: unless the list or object is empty |
/// | shapes | whether the schema has more than `type`, `format`, values and unions |
/// | implies | the type of a schema that has the keyword and no `type` |
macro_rules! keywords {
    ($($name:literal $type:ident $field:ident $parts:ident $row:ident $constrains:ident $shapes:ident $implies:ident;)*) => {
        /// The keywords of one schema object, or those of several parts as one.
        #[derive(Debug, Default)]
        pub(in crate::lower) struct Keywords<'d> {
            $(pub $field: field!($type),)*
            /// The kinds in `type`, without `null`, or `None` without `type`.
            pub kinds: Option<Kinds>,
            /// Whether `nullable`, `type`, `enum` or `const` allow null.
            pub nullable: bool,
            /// Keywords that can be conditions, such as `not`, `if` and `dependentRequired`.
            pub assertions: Vec<(&'d str, NodeRef<'d>)>,
            /// The node itself.
            pub node: Option<NodeRef<'d>>,
            /// The errors in single keywords.
            pub errors: Vec<KeywordError<'d>>,
        }

        impl<'d> Keywords<'d> {
            /// Reads a keyword of the table. Returns whether it is one.
            pub(super) fn in_table(&mut self, name: &'d str, value: NodeRef<'d>) -> bool {
                match name {
                    $($name => self.$field = self.$type(name, value),)*
                    _ => return false,
                }
                true
            }

            /// Adds the keywords of a part.
            pub(super) fn combine(&mut self, part: &Self) {
                $($parts(&mut self.$field, part.$field);)*
            }

            /// Returns whether any keyword besides `type` restricts the values.
            pub fn constrains(&self) -> bool {
                $(says!(restricts if $constrains, self.$field) ||)*
                !self.assertions.is_empty()
            }

            /// Returns whether any keyword has a constraint that no Rust type can express, with any other keywords.
            pub fn needs_json_schema(&self) -> bool {
                $(says!(needs_json_schema if $constrains, self.$field) ||)*
                false
            }

            /// Returns whether only `type`, `format`, values and unions restrict the values.
            pub fn is_bare_but_format(&self) -> bool {
                !($(says!(shapes if $shapes, self.$field) ||)* false)
            }

            /// Returns the kinds of values that the keywords imply.
            pub fn implied(&self) -> Kinds {
                let mut implied = Kinds::default();
                $(imply!(implied $implies, self.$field);)*
                implied
            }

            /// Adds the keywords of a JSON Schema row whose meaning does not depend on others.
            pub(super) fn plain(&self, found: &mut Vec<Keyword>) {
                $(found.extend($row($name, self.$field));)*
            }
        }

        /// The keywords, which are suggested for misspelled ones.
        pub(super) const KNOWN: &[&str] = &[
            $($name,)*
            "type",
            "nullable",
            "examples",
            "not",
            "if",
            "then",
            "else",
            "dependentRequired",
            "dependentSchemas",
            "externalDocs",
            "xml",
        ];
    };
}

keywords! {
    // keyword               type    field                     parts   row   constrains shapes implies
    "format"                 text    format                    first   apart yes        no     nothing;
    "contentEncoding"        string  content_encoding          first   no    yes        no     string;
    "contentMediaType"       string  content_media_type        first   no    no         no     nothing;
    "contentSchema"          schema  content_schema            first   no    no         no     nothing;
    "pattern"                text    pattern                   first   apart yes        yes    string;
    "minLength"              count   min_length                highest apart yes        yes    string;
    "maxLength"              count   max_length                lowest  apart yes        yes    string;
    "minItems"               count   min_items                 highest least yes        yes    array;
    "maxItems"               count   max_items                 lowest  most  yes        yes    array;
    "minProperties"          count   min_properties            highest least yes        yes    object;
    "maxProperties"          count   max_properties            lowest  most  yes        yes    object;
    "uniqueItems"            flag    unique_items              any     flag  yes        yes    nothing;
    "minimum"                number  minimum                   highest bound yes        yes    number;
    "exclusiveMinimum"       bound   exclusive_minimum         highest bound yes        yes    number;
    "maximum"                number  maximum                   lowest  bound yes        yes    number;
    "exclusiveMaximum"       bound   exclusive_maximum         lowest  bound yes        yes    number;
    "multipleOf"             number  multiple_of               highest step  yes        yes    number;
    "enum"                   list    values                    first   apart yes        no     nothing;
    "const"                  any     constant                  first   apart yes        no     nothing;
    "properties"             map     properties                filled  apart filled     yes    object;
    "patternProperties"      map     pattern_properties        filled  apart yes        yes    object;
    "required"               list    required                  filled  apart filled     yes    object;
    "additionalProperties"   schema  additional                first   apart filled     yes    object;
    "items"                  schema  items                     first   apart yes        yes    array;
    "prefixItems"            list    prefix_items              first   apart yes        yes    array;
    // The items after `prefixItems`, in older drafts.
    "additionalItems"        schema  other_items               first   apart no         no     nothing;
    "propertyNames"          schema  property_names            first   apart yes        yes    object;
    "unevaluatedProperties"  schema  unevaluated_properties    first   apart yes        no     object;
    "unevaluatedItems"       schema  unevaluated_items         first   apart yes        no     array;
    "contains"               schema  contains                  first   apart more       no     nothing;
    "minContains"            count   min_contains              first   apart no         no     nothing;
    "maxContains"            count   max_contains              first   apart no         no     nothing;
    // Of ajv-formats: limits of dates and times.
    "formatMinimum"          any     format_minimum            first   bound more       no     nothing;
    "formatExclusiveMinimum" any     format_exclusive_minimum  first   bound more       no     nothing;
    "formatMaximum"          any     format_maximum            first   bound more       no     nothing;
    "formatExclusiveMaximum" any     format_exclusive_maximum  first   bound more       no     nothing;
    "$ref"                   any     reference                 first   apart no         no     nothing;
    "allOf"                  list    all_of                    first   apart no         no     nothing;
    "oneOf"                  list    one_of                    first   apart yes        no     nothing;
    "anyOf"                  list    any_of                    first   apart yes        no     nothing;
    "discriminator"          map     discriminator             first   apart no         no     nothing;
    "title"                  string  title                     first   no    no         no     nothing;
    "description"            string  description               first   no    no         no     nothing;
    "default"                any     default                   first   no    no         no     nothing;
    "example"                any     example                   first   no    no         no     nothing;
    "deprecated"             flag    deprecated                any     no    no         no     nothing;
    "readOnly"               flag    read_only                 any     no    no         no     nothing;
    "writeOnly"              flag    write_only                any     no    no         no     nothing;
    "x-rules"                list    rules                     filled  no    yes        yes    nothing;
    "x-media"                any     media                     first   no    no         yes    nothing;
    "x-unchecked"            any     unchecked                 first   apart no         yes    nothing;
}

/// An error in a keyword.
#[derive(Debug)]
pub(in crate::lower) enum KeywordError<'d> {
    /// The value does not have the expected type.
    Type(NodeRef<'d>, &'d str, &'static str),
    /// The value is not one of the words that the keyword allows.
    Word(NodeRef<'d>, &'static str, &'static str),
    /// The keyword is known, but not supported.
    Unsupported(NodeRef<'d>, &'d str),
    /// The extension belongs to another kind of node.
    NoEffect(NodeRef<'d>, &'d str, &'static str),
    /// The keyword is unknown.
    Unknown(NodeRef<'d>, &'d str),
    /// `required` is a boolean, as in draft 3 of JSON Schema.
    BooleanRequired(NodeRef<'d>),
}

/// A field of [`Keywords`].
trait Field {
    /// Returns whether the schema has the keyword.
    fn is_set(&self) -> bool;
}

impl Field for bool {
    fn is_set(&self) -> bool {
        *self
    }
}

impl<T> Field for Option<T> {
    fn is_set(&self) -> bool {
        self.is_some()
    }
}

/// Returns whether a keyword restricts the values: an empty list or object does not.
fn is_filled(node: NodeRef<'_>) -> bool {
    !node.items().is_empty() || node.entries().len() > 0 || node.as_bool() == Some(false)
}

fn first<T>(all: &mut Option<T>, part: Option<T>) {
    *all = all.take().or(part);
}

fn filled<'d>(all: &mut Option<NodeRef<'d>>, part: Option<NodeRef<'d>>) {
    first(all, part.filter(|node| is_filled(node)));
}

fn any(all: &mut bool, part: bool) {
    *all |= part;
}

fn highest<'d>(all: &mut Option<NodeRef<'d>>, part: Option<NodeRef<'d>>) {
    if all.is_none() || part.and_then(Node::as_f64) > all.and_then(Node::as_f64) {
        *all = part.or(*all);
    }
}

fn lowest<'d>(all: &mut Option<NodeRef<'d>>, part: Option<NodeRef<'d>>) {
    if all.is_none() || part.is_some_and(|part| part.as_f64() < all.and_then(Node::as_f64)) {
        *all = part.or(*all);
    }
}

/// No row has the keyword.
fn no<T>(_: &str, _: T) -> Option<Keyword> {
    None
}

/// `json_schemas` reads the keyword.
fn apart<T>(_: &str, _: T) -> Option<Keyword> {
    None
}

fn flag(name: &'static str, is_set: bool) -> Option<Keyword> {
    is_set.then_some(Keyword::Flag(name))
}

fn least(name: &'static str, limit: Option<NodeRef<'_>>) -> Option<Keyword> {
    Some(Keyword::Count(name, literal::least(limit)?))
}

fn most(name: &'static str, limit: Option<NodeRef<'_>>) -> Option<Keyword> {
    Some(Keyword::Count(name, limit.and_then(Node::as_u64)?))
}

/// Reads a bound of numbers.
fn bound(name: &'static str, bound: Option<NodeRef<'_>>) -> Option<Keyword> {
    Some(Keyword::Bound(name, literal(bound?)))
}

/// Reads the step of numbers. A number that is not above 0 has no effect.
fn step(name: &'static str, step: Option<NodeRef<'_>>) -> Option<Keyword> {
    bound(name, step.filter(|step| step.as_f64().is_some_and(|step| step > 0.0)))
}
