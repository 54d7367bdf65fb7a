//! Table rows of schemas.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::literal::{self, count, flag, integer, list, number, option, set};
use super::super::scope::{Scope, ident, module_ident, variant};
use super::json_schemas;
use crate::ir::{
    Additional, Api, ArrayRules, CrossRule, Engine, EnumDef, Field, IntegerEnum, IntegerRules, JsonSchemaId,
    Kind, Literal, MapRules, Module, NameRules, NumberRules, PatternId, Schema, Stream, StructDef,
    StructRole, TextRules, Type, TypeDef, TypeId, UnionDef, Width, Xml, XmlNode,
};

/// Emits the static of a pattern.
///
/// ```text
/// pub(crate) static COLOR_PATTERN: Pattern = Pattern::new("^#[0-9a-f]{6}$");
/// pub(crate) static YEAR_PATTERN: Pattern = Pattern::translated("^\\d{4}$", "^[0-9]{4}$");
/// pub(crate) static SLUG_PATTERN: Pattern = Pattern::fancy("^(?!-)[a-z-]+$", "^(?!-)[a-z-]+$");
/// ```
pub(super) fn pattern(pattern: &crate::ir::Pattern) -> TokenStream {
    let crate::ir::Pattern { written, source, .. } = pattern;
    let name = ident(&pattern.constant);
    let value = match pattern.engine {
        Engine::Regex if written == source => quote!(new(#source)),
        Engine::Regex => quote!(translated(#written, #source)),
        Engine::Fancy => quote!(fancy(#written, #source)),
    };
    // A schema of another module can use the pattern.
    quote!(pub(crate) static #name: Pattern = Pattern::#value;)
}

/// Emits the static of a type. Inputs and choices have none, because the operation's row describes them. An
/// alias of another type has none, because it uses that type's static.
///
/// ```text
/// pub static NEW_PET: Schema = Schema::object(&[Field::required("name", &Schema::TEXT)]);
/// ```
pub(super) fn named(scope: &Scope<'_>, def: &TypeDef) -> Option<TokenStream> {
    let (row, also) = match &def.kind {
        Kind::Struct(body) if body.role == StructRole::Object => (object(scope, body), None),
        Kind::StringEnum(body) => (string_enum(body), None),
        Kind::IntegerEnum(body) => (integer_enum(body), None),
        Kind::Union(body) => (union(scope, def, body), None),
        Kind::Alias(schema) if def.also.is_some() || same(schema).is_none() => {
            (inline(scope, schema), schema.also)
        }
        Kind::Alias(_) | Kind::Struct(_) | Kind::Choice(_) => return None,
    };
    let also = also_call(scope, def.also.or(also));
    let name = ident(&def.constant);
    Some(quote! {
        pub static #name: Schema = #row #also;
    })
}

/// Emits a reference to the row of a schema.
///
/// It refers to a named static if the schema adds nothing to it, else to an inline row.
pub(super) fn reference(scope: &Scope<'_>, schema: &Schema) -> TokenStream {
    let schema = match &schema.ty {
        Type::Stream(stream) => match &**stream {
            Stream::Bytes => schema,
            Stream::Items(item) => item,
            Stream::Events(data) => {
                let data = reference(scope, data);
                return quote!(&Schema::object(&[
                    Field::optional("event", &Schema::TEXT),
                    Field::required("data", #data),
                    Field::optional("id", &Schema::TEXT),
                    Field::optional("retry", &Schema::integer(Integer::ANY.width(Width::U64).minimum(0))),
                ]));
            }
        },
        _ => schema,
    };
    if is_plain(schema)
        && let Some(path) = named_path(scope, &schema.ty)
    {
        return quote!(&#path);
    }
    let (row, also) = (inline(scope, schema), also_call(scope, schema.also));
    quote!(&#row #also)
}

/// Returns whether a schema adds nothing to its type.
const fn is_plain(schema: &Schema) -> bool {
    !schema.nullable && schema.allowed.is_empty() && schema.also.is_none()
}

/// Emits the row of a schema without the JSON Schema that applies as well: `Schema::TEXT.nullable()`.
fn inline(scope: &Scope<'_>, schema: &Schema) -> TokenStream {
    let of = ty(scope, &schema.ty);
    let (nullable, allowed) =
        (flag("nullable", schema.nullable), list("allowed", schema.allowed.iter().map(literal::row)));
    quote!(#of #nullable #allowed)
}

/// Emits the call that sets the JSON Schema that applies as well.
fn also_call(scope: &Scope<'_>, also: Option<JsonSchemaId>) -> Option<TokenStream> {
    let path = also.map(|id| json_schemas::path_of(scope, id));
    set("also", path.map(|path| quote!(&#path)))
}

/// Emits the constructor of a type's row, with the constraints of the type.
fn ty(scope: &Scope<'_>, ty: &Type) -> TokenStream {
    match ty {
        Type::Any | Type::Unit => quote!(Schema::ANY),
        Type::Boolean => quote!(Schema::BOOLEAN),
        Type::Integer(rules) => integer_rules(rules, false),
        Type::Number(rules) => number_rules(rules),
        Type::Text(rules) => text_rules(scope, rules),
        // `reference` emits the row of a stream's items.
        Type::Bytes | Type::File | Type::Stream(_) => quote!(Schema::BYTES),
        Type::Array(rules) => array(scope, rules),
        Type::Tuple(items) => {
            let items = items.iter().map(|item| reference(scope, item));
            quote!(Schema::tuple(&[#(#items),*]))
        }
        Type::Map(rules) => map(scope, rules),
        Type::Named { .. } => match named_path(scope, ty) {
            Some(path) => quote!(Schema::same(&#path)),
            None => quote!(Schema::ANY),
        },
    }
}

/// Returns the path of a named type's static, if it has one.
fn named_path(scope: &Scope<'_>, ty: &Type) -> Option<TokenStream> {
    let Type::Named { id, .. } = ty else { return None };
    let def = row_of(scope.api, *id)?;
    Some(path(scope, def.module, &def.constant))
}

/// Returns the type whose static is the row of a type, behind aliases that add nothing.
pub(in super::super) fn row_of(api: &Api, id: TypeId) -> Option<&TypeDef> {
    let mut def = api.type_def(id)?;
    for _ in 0..api.types.len() {
        let (Kind::Alias(schema), None) = (&def.kind, def.also) else { break };
        let Some(id) = same(schema) else { break };
        def = api.type_def(id)?;
    }
    Some(def).filter(|def| def.kind.has_derives() || matches!(def.kind, Kind::Alias(_)))
}

/// Returns the type that a schema refers to, if it adds nothing to that type.
fn same(schema: &Schema) -> Option<TypeId> {
    match schema.ty {
        Type::Named { id, .. } if is_plain(schema) => Some(id),
        _ => None,
    }
}

/// Returns the path of a static as seen from the scope.
pub(super) fn path(scope: &Scope<'_>, module: Module, constant: &crate::ir::Ident) -> TokenStream {
    let name = ident(constant);
    let path = module_ident(scope.api, module);
    match module {
        _ if module == scope.module => quote!(#name),
        Module::Common | Module::Responses => quote!(#path::#name),
        Module::Tag(_) => quote!(crate::#path::#name),
    }
}

/// Emits a reference to the static of a pattern.
pub(super) fn pattern_path(scope: &Scope<'_>, id: PatternId) -> Option<TokenStream> {
    let pattern = scope.api.patterns.get(id.0)?;
    let path = path(scope, pattern.module, &pattern.constant);
    Some(quote!(&#path))
}

/// Joins the calls that set fields; `None` if there are none.
fn chain<const N: usize>(calls: [Option<TokenStream>; N]) -> Option<TokenStream> {
    let calls: Vec<TokenStream> = calls.into_iter().flatten().collect();
    (!calls.is_empty()).then(|| quote!(#(#calls)*))
}

fn integer_rules(rules: &IntegerRules, closed: bool) -> TokenStream {
    let width = match rules.width {
        // `u16` is the width of statuses only, and statuses have no row.
        Width::I64 | Width::U16 => None,
        other => Some(variant(other)),
    };
    let calls = chain([
        set("width", width.map(|width| quote!(Width::#width))),
        set("minimum", rules.minimum.map(integer)),
        set("exclusive_minimum", rules.exclusive_minimum.map(integer)),
        set("maximum", rules.maximum.map(integer)),
        set("exclusive_maximum", rules.exclusive_maximum.map(integer)),
        set("multiple_of", rules.multiple_of.map(integer)),
        flag("closed", closed),
    ]);
    calls.map_or_else(|| quote!(Schema::INTEGER), |calls| quote!(Schema::integer(Integer::ANY #calls)))
}

fn number_rules(rules: &NumberRules) -> TokenStream {
    let calls = chain([
        set("minimum", rules.minimum.map(number)),
        set("exclusive_minimum", rules.exclusive_minimum.map(number)),
        set("maximum", rules.maximum.map(number)),
        set("exclusive_maximum", rules.exclusive_maximum.map(number)),
        set("multiple_of", rules.multiple_of.map(number)),
    ]);
    calls.map_or_else(|| quote!(Schema::NUMBER), |calls| quote!(Schema::number(Number::ANY #calls)))
}

fn text_rules(scope: &Scope<'_>, rules: &TextRules) -> TokenStream {
    let pattern = rules.pattern.and_then(|id| pattern_path(scope, id));
    let format = rules.checked_format().map(|format| {
        let name = variant(format);
        quote!(Format::#name)
    });
    let others = chain([
        set("min_length", rules.min_length.map(count)),
        set("max_length", rules.max_length.map(count)),
        set("pattern", pattern),
    ]);
    match (format, others) {
        (None, None) => quote!(Schema::TEXT),
        (Some(format), None) => quote!(Schema::format(#format)),
        (format, others) => {
            let format = set("format", format);
            quote!(Schema::text(Text::ANY #others #format))
        }
    }
}

fn array(scope: &Scope<'_>, rules: &ArrayRules) -> TokenStream {
    let items = reference(scope, &rules.items);
    let calls = chain([
        set("min_items", rules.min_items.map(count)),
        set("max_items", rules.max_items.map(count)),
        flag("unique", rules.unique),
    ]);
    match calls {
        None => quote!(Schema::array(#items)),
        Some(calls) => quote!(Array::new(#items) #calls.schema()),
    }
}

fn map(scope: &Scope<'_>, rules: &MapRules) -> TokenStream {
    let values = reference(scope, &rules.values);
    let calls = chain([
        set("min_properties", rules.min_properties.map(count)),
        set("max_properties", rules.max_properties.map(count)),
        set("names", rules.names.as_deref().map(|names| self::names(scope, names))),
    ]);
    match calls {
        None => quote!(Schema::map(#values)),
        Some(calls) => quote!(Object::new(&[]).kept(#values) #calls.schema()),
    }
}

fn object(scope: &Scope<'_>, body: &StructDef) -> TokenStream {
    let rows = body.fields.iter().map(|field| field_row(scope, field));
    let fields = quote!(&[#(#rows),*]);
    let names = match &body.additional {
        Additional::Kept { names, .. } => names.as_deref(),
        Additional::Ignored | Additional::Forbidden => None,
    };
    let calls = chain([
        set("min_properties", body.min_properties.map(count)),
        set("max_properties", body.max_properties.map(count)),
        list("rules", body.rules.iter().map(cross_rule)),
        set("names", names.map(|names| self::names(scope, names))),
    ]);
    let additional = match (&body.additional, &calls) {
        (Additional::Ignored, None) => return quote!(Schema::object(#fields)),
        (Additional::Forbidden, None) => return quote!(Schema::closed_object(#fields)),
        (Additional::Ignored, Some(_)) => None,
        (Additional::Forbidden, Some(_)) => Some(quote!(.closed())),
        (Additional::Kept { schema, .. }, _) => {
            let values = reference(scope, schema);
            Some(quote!(.kept(#values)))
        }
    };
    quote!(Object::new(#fields) #additional #calls.schema())
}

/// Emits `&Names::ANY.closed()`.
fn names(scope: &Scope<'_>, rules: &NameRules) -> TokenStream {
    let patterns = rules.patterns.iter().filter_map(|(id, schema)| {
        let pattern = pattern_path(scope, *id)?;
        let schema = option(schema.as_ref(), |schema| reference(scope, schema));
        Some(quote!((#pattern, #schema)))
    });
    let calls = chain([
        set("each", rules.each.as_ref().map(|schema| reference(scope, schema))),
        (!rules.patterns.is_empty()).then(|| quote!(.patterns(&[#(#patterns),*]))),
        set("others", rules.others.as_ref().map(|schema| reference(scope, schema))),
        flag("closed", rules.closed),
    ]);
    quote!(&Names::ANY #calls)
}

/// ```text
/// Field::optional("speed", &Schema::NUMBER).default(Literal::Number(1.0))
/// ```
fn field_row(scope: &Scope<'_>, field: &Field) -> TokenStream {
    let wire = &field.wire;
    let constructor = if field.required { quote!(required) } else { quote!(optional) };
    let schema = reference(scope, &field.schema);
    let default = set("default", field.default.as_ref().map(literal::row));
    let xml = set("xml", field.xml.as_ref().map(xml).map(|form| quote!(&#form)));
    quote!(Field::#constructor(#wire, #schema) #default #xml)
}

/// ```text
/// Xml::element("photos").items(&[Xml::element("photo")])
/// ```
pub(super) fn xml(form: &Xml) -> TokenStream {
    let name = &form.name;
    let of = match form.node {
        XmlNode::Element => quote!(Xml::element(#name)),
        XmlNode::Attribute => quote!(Xml::attribute(#name)),
        XmlNode::Text => quote!(Xml::TEXT),
        XmlNode::Cdata => quote!(Xml::CDATA),
        XmlNode::None => quote!(Xml::NONE),
    };
    let prefix = set("prefix", form.prefix.as_ref());
    let namespace = set("namespace", form.namespace.as_ref());
    let items = list("items", form.items.iter().map(xml));
    quote!(#of #prefix #namespace #items)
}

fn string_enum(body: &EnumDef) -> TokenStream {
    let values = body.variants.iter().map(|variant| {
        let wire = &variant.wire;
        quote!(Literal::Text(#wire))
    });
    match body.open {
        Some(_) => quote!(Schema::TEXT.allowed(&[#(#values),*])),
        None => quote!(Schema::text_enum(&[#(#values),*])),
    }
}

fn integer_enum(body: &IntegerEnum) -> TokenStream {
    let values = body.variants.iter().map(|variant| literal::row(&Literal::Integer(variant.wire.into())));
    let (of, allowed) =
        (integer_rules(&IntegerRules::default(), body.open.is_none()), list("allowed", values));
    quote!(#of #allowed)
}

fn union(scope: &Scope<'_>, def: &TypeDef, body: &UnionDef) -> TokenStream {
    let models = super::bare(scope.models.unwrap_or("crate"));
    let module = module_ident(scope.api, def.module);
    let name = ident(&def.name);
    let variants = body.variants.iter().map(|variant| reference(scope, &variant.schema));
    quote!(Schema::union(#models::#module::#name::SHAPE, &[#(#variants),*]))
}

/// Emits the row of a constraint across fields.
fn cross_rule(rule: &CrossRule) -> TokenStream {
    let pairs = |pairs: &[(String, Literal)]| {
        let pairs = pairs.iter().map(|(name, value)| {
            let value = literal::row(value);
            quote!((#name, #value))
        });
        quote!(&[#(#pairs),*])
    };
    match rule {
        CrossRule::When { name, when, require } => {
            let (when, require) = (pairs(when), pairs(require));
            quote!(CrossRule::when(#name, #when, #require))
        }
        CrossRule::NotTogether { name, fields } => {
            quote!(CrossRule::not_together(#name, &[#(#fields),*]))
        }
        CrossRule::AtLeastOne { name, fields, above } => {
            let above = option(*above, number);
            quote!(CrossRule::at_least_one(#name, &[#(#fields),*], #above))
        }
        CrossRule::ExactlyOne { name, fields } => {
            quote!(CrossRule::exactly_one(#name, &[#(#fields),*]))
        }
        CrossRule::TotalItems { name, fields, minimum, maximum } => {
            let (minimum, maximum) = (option(*minimum, count), option(*maximum, count));
            quote!(CrossRule::total_items(#name, &[#(#fields),*], #minimum, #maximum))
        }
    }
}
