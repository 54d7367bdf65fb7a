//! Table rows of schemas as JSON Schema means them.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::literal::{self, count, option};
use super::super::scope::{Scope, ident};
use super::schemas::path;
use crate::ir::{JsonSchema, JsonSchemaDef, JsonSchemaId, Keyword, Kinds, PatternId};

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
    let keyword = match keyword {
        Keyword::False => quote!(False),
        Keyword::Type(of) => {
            let kinds = kinds(*of);
            quote!(Type(#kinds))
        }
        Keyword::Enum(values) => {
            let values = values.iter().map(literal::row);
            quote!(Enum(&[#(#values),*]))
        }
        Keyword::Bound(name, bound) => with(variant(name), literal::row(bound)),
        Keyword::Count(name, limit) => with(variant(name), count(*limit)),
        Keyword::Pattern(id) => with(quote!(Pattern), pattern(scope, *id)),
        Keyword::Format(format) => {
            let name = super::bare(format.variant());
            quote!(Format(Format::#name))
        }
        Keyword::UniqueItems => quote!(UniqueItems),
        Keyword::Items { prefix, others } => match (prefix.as_slice(), others) {
            ([], Some(others)) => with(quote!(items), one(others)),
            _ => {
                let (prefix, others) = (several(prefix), maybe(others));
                quote!(prefix_items(#prefix, #others))
            }
        },
        Keyword::Contains { schema, minimum, maximum } => {
            let (schema, minimum, maximum) = (one(schema), count(*minimum), option(*maximum, count));
            quote!(contains(#schema, #minimum, #maximum))
        }
        Keyword::Required(names) => quote!(Required(&[#(#names),*])),
        Keyword::Properties { listed, patterns, others } => {
            let (is_plain, listed, others) =
                (patterns.is_empty() && others.is_none(), named(listed), maybe(others));
            let patterns = patterns.iter().map(|(id, schema)| {
                let (pattern, schema) = (pattern(scope, *id), one(schema));
                quote!((#pattern, #schema))
            });
            match is_plain {
                true => with(quote!(properties), listed),
                false => quote!(all_properties(#listed, &[#(#patterns),*], #others)),
            }
        }
        Keyword::PropertyNames(schema) => with(quote!(PropertyNames), one(schema)),
        Keyword::DependentRequired(each) => {
            let each = each.iter().map(|(name, names)| quote!((#name, &[#(#names),*])));
            quote!(DependentRequired(&[#(#each),*]))
        }
        Keyword::DependentSchemas(each) => with(quote!(DependentSchemas), named(each)),
        Keyword::Ref(id) => {
            let path = path_of(scope, *id);
            quote!(Ref(&#path))
        }
        Keyword::AllOf(schemas) => with(quote!(AllOf), several(schemas)),
        Keyword::AnyOf(schemas) => with(quote!(AnyOf), several(schemas)),
        Keyword::OneOf(schemas) => with(quote!(OneOf), several(schemas)),
        Keyword::Not(schema) => with(quote!(Not), one(schema)),
        Keyword::If { condition, then, otherwise } => {
            let (condition, then, otherwise) = (one(condition), maybe(then), maybe(otherwise));
            quote!(condition(#condition, #then, #otherwise))
        }
        Keyword::UnevaluatedItems(schema) => with(quote!(UnevaluatedItems), one(schema)),
        Keyword::UnevaluatedProperties(schema) => with(quote!(UnevaluatedProperties), one(schema)),
    };
    quote!(Keyword::#keyword)
}

fn with(name: TokenStream, value: TokenStream) -> TokenStream {
    quote!(#name(#value))
}

/// Returns the variant of a keyword in the table, which has its name.
fn variant(name: &str) -> TokenStream {
    let (first, rest) = name.split_at_checked(1).unwrap_or((name, ""));
    let name = super::bare(&(first.to_uppercase() + rest));
    quote!(#name)
}

fn pattern(scope: &Scope<'_>, id: PatternId) -> TokenStream {
    match scope.api.patterns.get(id.0) {
        Some(pattern) => {
            let path = path(scope, pattern.module, &pattern.constant);
            quote!(&#path)
        }
        None => quote!(&Pattern::new("")),
    }
}

/// Emits a set of kinds: `Kinds::STRING.or(Kinds::NULL)`.
fn kinds(kinds: Kinds) -> TokenStream {
    let mut all = kinds.names().map(|name| {
        let name = super::bare(&name.to_uppercase());
        quote!(Kinds::#name)
    });
    let first = all.next().unwrap_or_else(|| quote!(Kinds::NULL));
    quote!(#first #(.or(#all))*)
}
