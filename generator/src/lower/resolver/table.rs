//! The table of schema keywords.
//!
//! Each keyword is a row. The modules that read, name and combine keywords use these columns of the table:
//!
//! - `keywords`: a field of [`Keywords`](super::keywords::Keywords) per row, with the type in the row. It also suggests
//!   names for misspelled keywords, and decides whether a schema constrains its values.
//! - `flat`: a field of [`Flat`](super::flat::Flat) per row that is combined; whether a schema is bare.
//! - `merge`: how the values of several parts become one.
//! - `kinds`: the type that a keyword implies where `type` is missing.
//! - `plain`: the contents of a JSON Schema row.
//!
//! `keywords`, `merge` and `json_schemas` have code for the keywords whose meaning depends on others.

use std::collections::HashMap;

use indexmap::IndexMap;

/// Calls a macro with all rows.
///
/// | column | values |
/// |---|---|
/// | type | a method of `Keywords` that checks the value: `flag`, `string`, `text` … |
/// | parts | a function of `merge`: which value counts if several parts of a schema have one |
/// | row | a function of `plain`: how a JSON Schema row has it; `apart`: `json_schemas` has code for it |
/// | constrains | whether a part with it restricts the values; `more`: also beyond what Rust types can say; `filled`: unless the list or object is empty |
/// | bare | whether the combined schema is still bare, that is, has only `type` and unions |
/// | implies | the type of a schema that has the keyword and no `type` |
///
/// `by_hand` is followed by the type of the field in `Flat`.
macro_rules! schema_keywords {
    ($consumer:ident) => {
        $consumer! {
            combined {
                // keyword              type    field                   parts         row   constrains bare implies
                // `Flat::is_bare` looks at `format` itself.
                "format"                text    format                  first         apart yes        yes  nothing;
                "contentEncoding"       string  content_encoding        first         no    yes        yes  string;
                "contentMediaType"      string  content_media_type      first         no    no         yes  nothing;
                "contentSchema"         schema  content_schema          first_schema  no    no         yes  nothing;
                "pattern"               text    pattern                 all           apart yes        no   string;
                "minLength"             count   min_length              largest       apart yes        no   string;
                "maxLength"             count   max_length              smallest      apart yes        no   string;
                "minItems"              count   min_items               largest       least yes        no   array;
                "maxItems"              count   max_items               smallest      most  yes        no   array;
                "minProperties"         count   min_properties          largest       least yes        no   object;
                "maxProperties"         count   max_properties          smallest      most  yes        no   object;
                "uniqueItems"           flag    unique_items            any           flag  yes        no   nothing;
                "minimum"               number  minimum                 highest       bound yes        no   number;
                "exclusiveMinimum"      bound   exclusive_minimum       highest       bound yes        no   number;
                "maximum"               number  maximum                 lowest        bound yes        no   number;
                "exclusiveMaximum"      bound   exclusive_maximum       lowest        bound yes        no   number;
                "multipleOf"            number  multiple_of             highest       step  yes        no   number;
                "enum"                  list    values                  by_hand       apart yes        no   nothing
                    (Option<Vec<NodeRef<'d>>>);
                "properties"            map     properties              by_hand       apart filled     no   object
                    (IndexMap<&'d str, Vec<Part<'d>>>);
                "patternProperties"     map     pattern_properties      by_hand       apart yes        no   object
                    (Vec<(&'d str, Part<'d>)>);
                // The nodes are those that require the property.
                "required"              list    required                by_hand       apart filled     no   object
                    (HashMap<&'d str, NodeRef<'d>>);
                "additionalProperties"  schema  additional              by_hand       apart filled     no   object
                    (Option<Part<'d>>);
                "items"                 schema  items                   all_schemas   apart yes        no   array;
                "prefixItems"           list    prefix_items            by_hand       apart yes        no   array
                    (Option<(NodeRef<'d>, SchemaPosition<'d>)>);
                "propertyNames"         schema  property_names          first_schema  apart yes        no   object;
                "unevaluatedProperties" schema  unevaluated_properties  is_set        apart yes        yes  object;
                "unevaluatedItems"      schema  unevaluated_items       is_set        apart yes        yes  array;
                "discriminator"         map     discriminator           by_hand       apart no         yes  nothing
                    (Option<NodeRef<'d>>);
                "x-rules"               list    rules                   all_items     no    yes        no   nothing;
                "x-media"               any     media                   first         no    no         no   nothing;
                "x-unchecked"           any     unchecked               all           apart no         no   nothing;
            }
            single {
                // keyword              type    field                   row   constrains
                "$ref"                  any     reference               apart no;
                "title"                 string  title                   no    no;
                "description"           string  description             no    no;
                "default"               any     default                 no    no;
                "example"               any     example                 no    no;
                "deprecated"            flag    deprecated              no    no;
                "readOnly"              flag    read_only               no    no;
                "writeOnly"             flag    write_only              no    no;
                "const"                 any     constant                apart yes;
                "contains"              schema  contains                apart more;
                "minContains"           count   min_contains            apart no;
                "maxContains"           count   max_contains            apart no;
                // Of ajv-formats: limits of dates and times.
                "formatMinimum"         any     format_minimum          bound more;
                "formatExclusiveMinimum" any    format_exclusive_minimum bound more;
                "formatMaximum"         any     format_maximum          bound more;
                "formatExclusiveMaximum" any    format_exclusive_maximum bound more;
                // The items after `prefixItems`, in older drafts.
                "additionalItems"       schema  other_items             apart no;
                "allOf"                 list    all_of                  apart no;
                "oneOf"                 list    one_of                  apart yes;
                "anyOf"                 list    any_of                  apart yes;
            }
        }
    };
}

pub(in crate::lower) use schema_keywords;

/// Returns the value of a column with `yes` or `no`.
macro_rules! says {
    (yes) => {
        true
    };
    (no) => {
        false
    };
}

pub(in crate::lower) use says;

/// A field of [`Keywords`](super::keywords::Keywords) or [`Flat`](super::flat::Flat).
pub(in crate::lower) trait Field {
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

impl<T> Field for Vec<T> {
    fn is_set(&self) -> bool {
        !self.is_empty()
    }
}

impl<K, V> Field for HashMap<K, V> {
    fn is_set(&self) -> bool {
        !self.is_empty()
    }
}

impl<K, V> Field for IndexMap<K, V> {
    fn is_set(&self) -> bool {
        !self.is_empty()
    }
}
