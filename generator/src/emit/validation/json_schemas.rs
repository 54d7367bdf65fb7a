//! Table rows of schemas with all keywords of JSON Schema.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::docs::capitalised;
use super::super::literal::{self, count, kinds, option};
use super::super::scope::{Scope, ident, variant};
use super::schemas::{path, pattern_path};
use crate::ir::{JsonSchema, JsonSchemaDef, JsonSchemaId, Keyword, PatternId};

/// Emits the static of a schema.
///
/// ```text
/// pub static FIGURE_JSON_SCHEMA: JsonSchema = JsonSchema::new(&[Keyword::OneOf(&[&CIRCLE_JSON_SCHEMA, …])]);
/// ```
pub(super) fn row(scope: &Scope<'_>, def: &JsonSchemaDef) -> TokenStream {
    let name = ident(&def.constant);
    let schema = schema(scope, &def.schema);
    quote! {
        pub static #name: JsonSchema = #schema;
    }
}

/// Returns the path of a schema's static.
pub(super) fn path_of(scope: &Scope<'_>, id: JsonSchemaId) -> TokenStream {
    match scope.api.json_schemas.get(id.0) {
        Some(def) => path(scope, def.module, &def.constant),
        None => quote!(JsonSchema::ANY),
    }
}

fn schema(scope: &Scope<'_>, schema: &JsonSchema) -> TokenStream {
    if let Some(name) = constant(schema) {
        let name = super::bare(name);
        return quote!(JsonSchema::#name);
    }
    let keywords = schema.0.iter().map(|one| keyword(scope, one));
    quote!(JsonSchema::new(&[#(#keywords),*]))
}

/// Returns the constant of the runtime for a schema.
fn constant(schema: &JsonSchema) -> Option<&'static str> {
    match schema.0.as_slice() {
        [] => Some("ANY"),
        [Keyword::Type(kinds)] => match kinds.names().collect::<Vec<_>>().as_slice() {
            ["boolean"] => Some("BOOLEAN"),
            ["integer"] => Some("INTEGER"),
            ["number"] => Some("NUMBER"),
            ["string"] => Some("STRING"),
            ["null", "string"] | ["string", "null"] => Some("STRING_OR_NULL"),
            _ => None,
        },
        _ => None,
    }
}

/// Emits a reference to a schema: to a static if the schema only refers to that.
fn reference(scope: &Scope<'_>, of: &JsonSchema) -> TokenStream {
    let row = match of.0.as_slice() {
        [Keyword::Ref(id)] => path_of(scope, *id),
        _ => schema(scope, of),
    };
    quote!(&#row)
}

fn keyword(scope: &Scope<'_>, keyword: &Keyword) -> TokenStream {
    use Keyword::*;
    let one = |schema: &JsonSchema| reference(scope, schema);
    let maybe = |schema: &Option<Box<JsonSchema>>| option(schema.as_deref(), one);
    let several = |schemas: &[JsonSchema]| {
        let schemas = schemas.iter().map(one);
        quote!(&[#(#schemas),*])
    };
    let named = |schemas: &[(String, JsonSchema)]| {
        let schemas = schemas.iter().map(|(name, schema)| {
            let schema = one(schema);
            quote!((#name, #schema))
        });
        quote!(&[#(#schemas),*])
    };
    // A variant has the name of its keyword.
    let name = super::bare(&capitalised(keyword.name().trim_start_matches('$')));
    let with = |value: TokenStream| quote!(#name(#value));
    let keyword = match keyword {
        False | Flag(_) => name,
        Type(of) => with(kinds(*of, &quote!(Kinds))),
        Enum(values) => {
            let values = values.iter().map(literal::row);
            with(quote!(&[#(#values),*]))
        }
        Bound(_, bound) => with(literal::row(bound)),
        Count(_, limit) => with(count(*limit)),
        Pattern(id) => with(pattern(scope, *id)),
        Format(format) => {
            let format = variant(format);
            with(quote!(Format::#format))
        }
        Items { prefix, others } => match (prefix.as_slice(), others) {
            ([], Some(others)) => {
                let others = one(others);
                quote!(items(#others))
            }
            _ => {
                let (prefix, others) = (several(prefix), maybe(others));
                quote!(prefix_items(#prefix, #others))
            }
        },
        Contains { schema, minimum, maximum } => {
            let (schema, minimum, maximum) = (one(schema), count(*minimum), option(*maximum, count));
            quote!(contains(#schema, #minimum, #maximum))
        }
        Required(names) => with(quote!(&[#(#names),*])),
        Properties { listed, patterns, others } => {
            let (is_plain, listed, others) =
                (patterns.is_empty() && others.is_none(), named(listed), maybe(others));
            let patterns = patterns.iter().map(|(id, schema)| {
                let (pattern, schema) = (pattern(scope, *id), one(schema));
                quote!((#pattern, #schema))
            });
            match is_plain {
                true => quote!(properties(#listed)),
                false => quote!(all_properties(#listed, &[#(#patterns),*], #others)),
            }
        }
        DependentRequired(each) => {
            let each = each.iter().map(|(name, names)| quote!((#name, &[#(#names),*])));
            with(quote!(&[#(#each),*]))
        }
        DependentSchemas(each) => with(named(each)),
        Ref(id) => {
            let path = path_of(scope, *id);
            with(quote!(&#path))
        }
        AllOf(schemas) | AnyOf(schemas) | OneOf(schemas) => with(several(schemas)),
        PropertyNames(schema) | Not(schema) | UnevaluatedItems(schema) | UnevaluatedProperties(schema) => {
            with(one(schema))
        }
        If { condition, then, otherwise } => {
            let (condition, then, otherwise) = (one(condition), maybe(then), maybe(otherwise));
            quote!(condition(#condition, #then, #otherwise))
        }
    };
    quote!(Keyword::#keyword)
}

fn pattern(scope: &Scope<'_>, id: PatternId) -> TokenStream {
    pattern_path(scope, id).unwrap_or_else(|| quote!(&Pattern::new("")))
}
