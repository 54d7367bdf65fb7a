//! `rules.json`: the constraints as JSON, for web forms and other languages.
//!
//! The file has a block per tag, then the blocks `responses` and `common`. A block holds schemas and
//! operations. A schema that is more specific than its Rust type refers to the block's `json-schemas`, which apply as well.
//! Schemas are JSON Schema under the names of their Rust types; an alias of another type has no entry of its own.
//! Each `$ref` is a JSON pointer into the file, and constraints across fields are in `x-rules`. The block `common` always exists and is the
//! last, so that the text of the other blocks does not depend on their position.

use serde_json::Value;

use super::super::scope::module_name;
use super::super::{Contents, File, has_responses};
use super::json::{self, Object};
use super::json_schema_text;
use super::schemas::row_of;
use crate::ir::{
    Additional, Api, Body, CrossRule, Field, Inline, JsonSchemaDef, JsonSchemaId, Kind, Literal, Media,
    Module, NameRules, Operation, Parameter, Schema, StructDef, StructRole, TextFormat, TextRules, Type,
    TypeDef,
};

/// Returns the file.
pub(super) fn file(api: &Api) -> File<'_> {
    File { path: "validation/rules.json".to_owned(), contents: Contents::Json(Box::new(|| whole(api))) }
}

fn whole(api: &Api) -> String {
    let tags = api.tags.iter().enumerate();
    let tags = tags.map(|(index, tag)| (tag.module.0.as_str(), Module::Tag(crate::ir::TagId(index))));
    let responses = has_responses(api).then_some(("responses", Module::Responses));
    let blocks = tags.chain(responses).chain([("common", Module::Common)]);
    blocks.map(|(name, module)| (name, block(api, module))).collect::<Object>().text() + "\n"
}

fn block(api: &Api, module: Module) -> Object {
    let schemas = api.types_of(module).filter_map(|def| Some((def.name.0.clone(), named(api, def)?)));
    let exact = api.json_schemas.iter().filter(|def| def.module == module);
    let exact = exact.map(|def| (def.constant.0.clone(), json_schema_text::schema(api, &def.schema)));
    let block =
        Object::new().with("schemas", schemas.collect::<Object>()).object("json-schemas", exact.collect());
    let Module::Tag(tag) = module else { return block };
    let operations = api.operations_of(tag).map(|row| (row.id.clone(), operation(api, row)));
    block.with("operations", operations.collect::<Object>())
}

fn named(api: &Api, def: &TypeDef) -> Option<Object> {
    let rules = match &def.kind {
        Kind::Struct(body) if body.role == StructRole::Object => object(api, body),
        Kind::StringEnum(body) => {
            Object::new().with("type", "string").list("enum", body.variants.iter().map(|v| v.wire.as_str()))
        }
        Kind::IntegerEnum(body) => {
            Object::new().with("type", "integer").list("enum", body.variants.iter().map(|v| v.wire))
        }
        Kind::Union(body) => {
            let variants = body.variants.iter().map(|variant| schema(api, &variant.schema));
            let discriminator = body.discriminator.as_ref().map(|it| it.property.as_str());
            Object::new().list("oneOf", variants).maybe("discriminator", discriminator)
        }
        Kind::Alias(_) if row_of(api, def.id).is_some_and(|row| row.id != def.id) => return None,
        Kind::Alias(target) => schema(api, target),
        Kind::Struct(_) | Kind::Choice(_) => return None,
    };
    Some(with_also(api, rules, def.also))
}

fn object(api: &Api, body: &StructDef) -> Object {
    let properties = body.fields.iter().map(|row| (row.wire.clone(), field(api, row))).collect();
    let required = body.fields.iter().filter(|field| field.required).map(|field| field.wire.as_str());
    let object =
        Object::new().with("type", "object").object("properties", properties).list("required", required);
    let object = match &body.additional {
        Additional::Ignored => object,
        Additional::Forbidden => object.with("additionalProperties", false),
        Additional::Kept { schema, names, .. } => values(api, object, schema, names.as_deref()),
    };
    object
        .maybe("minProperties", body.min_properties)
        .maybe("maxProperties", body.max_properties)
        .list("x-rules", body.rules.iter().map(cross_rule))
}

/// Adds the constraints on additional properties.
fn values(api: &Api, object: Object, all: &Schema, names: Option<&NameRules>) -> Object {
    let Some(names) = names else { return object.with("additionalProperties", schema(api, all)) };
    let pattern = |(id, own): &(crate::ir::PatternId, Option<Schema>)| {
        let written = api.pattern_text(*id)?.to_owned();
        Some((written, schema(api, own.as_ref().unwrap_or(all))))
    };
    let patterns = names.patterns.iter().filter_map(pattern).collect();
    let others = match names.closed {
        true => Value::from(false),
        false => schema(api, names.others.as_ref().unwrap_or(all)).into(),
    };
    object
        .maybe("propertyNames", names.each.as_ref().map(|each| schema(api, each)))
        .object("patternProperties", patterns)
        .with("additionalProperties", others)
}

fn field(api: &Api, field: &Field) -> Object {
    schema(api, &field.schema).maybe("default", field.default.as_ref().map(literal))
}

fn schema(api: &Api, schema: &Schema) -> Object {
    let rules = match &schema.ty {
        Type::Any | Type::Unit => Object::new(),
        Type::Boolean => Object::new().with("type", "boolean"),
        Type::Integer(rules) => {
            let bounds = [rules.minimum, rules.exclusive_minimum, rules.maximum, rules.exclusive_maximum];
            bounded("integer", bounds, rules.multiple_of, json::integer)
        }
        Type::Number(rules) => {
            let bounds = [rules.minimum, rules.exclusive_minimum, rules.maximum, rules.exclusive_maximum];
            bounded("number", bounds, rules.multiple_of, json::number)
        }
        Type::Text(rules) => text(api, rules),
        Type::Bytes | Type::File => Object::new().with("type", "string").with("format", "binary"),
        Type::Stream(stream) => match stream.piece() {
            Some(piece) => self::schema(api, piece),
            None => Object::new().with("type", "string").with("format", "binary"),
        },
        Type::Array(rules) => Object::new()
            .with("type", "array")
            .with("items", self::schema(api, &rules.items))
            .maybe("minItems", rules.min_items)
            .maybe("maxItems", rules.max_items)
            .maybe("uniqueItems", rules.unique.then_some(true)),
        Type::Tuple(items) => Object::new()
            .with("type", "array")
            .list("prefixItems", items.iter().map(|item| self::schema(api, item)))
            .with("items", false)
            .with("minItems", items.len() as u64),
        Type::Map(rules) => {
            values(api, Object::new().with("type", "object"), &rules.values, rules.names.as_deref())
                .maybe("minProperties", rules.min_properties)
                .maybe("maxProperties", rules.max_properties)
        }
        Type::Named { id, .. } => match row_of(api, *id) {
            Some(def) => Object::new().with("$ref", pointer(api, def)),
            None => Object::new(),
        },
    };
    let rules = rules.maybe("nullable", schema.nullable.then_some(true));
    let rules = rules.list("enum", schema.allowed.iter().map(literal));
    with_also(api, rules, schema.also)
}

/// Adds the schema that applies as well.
fn with_also(api: &Api, rules: Object, also: Option<JsonSchemaId>) -> Object {
    let also = also.and_then(|id| api.json_schemas.get(id.0));
    rules.list("allOf", also.map(|def| Object::new().with("$ref", pointer_to(api, def))))
}

/// Returns the JSON pointer to the schema of a type in this file.
fn pointer(api: &Api, def: &TypeDef) -> String {
    format!("#/{}/schemas/{}", module_name(api, def.module), def.name)
}

/// Returns the JSON pointer to a schema with all keywords of JSON Schema.
pub(super) fn pointer_to(api: &Api, def: &JsonSchemaDef) -> String {
    format!("#/{}/json-schemas/{}", module_name(api, def.module), def.constant)
}

/// Returns the schema of a type of numbers with these bounds.
fn bounded<T>(kind: &str, bounds: [Option<T>; 4], step: Option<T>, value: fn(T) -> Value) -> Object {
    let names = ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"];
    let all = names.into_iter().zip(bounds.into_iter().chain([step]));
    all.fold(Object::new().with("type", kind), |object, (name, bound)| object.maybe(name, bound.map(value)))
}

fn text(api: &Api, rules: &TextRules) -> Object {
    let checked = rules.pattern.and_then(|id| api.pattern_text(id));
    let stated = rules.stated.as_deref();
    let unchecked = stated.and_then(|stated| stated.pattern.as_deref());
    Object::new()
        .with("type", "string")
        .maybe("minLength", rules.min_length)
        .maybe("maxLength", rules.max_length)
        .maybe("pattern", checked.or(unchecked))
        .maybe("format", rules.checked_format().map(TextFormat::name))
        .list("x-unchecked", unchecked.map(|_| "pattern"))
        .maybe("x-media", stated.and_then(|stated| stated.media.as_ref()).map(media))
}

/// Returns a medium as documents write it, in `x-media`.
fn media(media: &Media) -> Object {
    let object =
        Object::new().with("kind", media.kind.as_str()).list("types", media.types.iter().map(String::as_str));
    let object = object.maybe("inline", media.inline.map(Inline::name));
    media.limits.iter().fold(object, |object, (limit, value)| object.with(limit.name(), json::number(*value)))
}

pub(super) fn literal(literal: &Literal) -> Value {
    match literal {
        Literal::Null => Value::Null,
        Literal::Boolean(value) => (*value).into(),
        Literal::Integer(value) => json::integer(*value),
        Literal::Number(value) => json::number(*value),
        Literal::Text(value) => value.as_str().into(),
        Literal::Json(value) => value.clone(),
    }
}

/// Returns a constraint across fields as documents write it, in `x-rules`.
fn cross_rule(rule: &CrossRule) -> Object {
    let rule_for = |name: &str| Object::new().with("name", name);
    let fields = |names: &[String]| Value::from(names);
    let values = |pairs: &[(String, Literal)]| -> Object {
        pairs.iter().map(|(name, value)| (name.clone(), literal(value))).collect()
    };
    match rule {
        CrossRule::When { name, when, require } => {
            rule_for(name).with("when", values(when)).with("require", values(require))
        }
        CrossRule::NotTogether { name, fields: names } => rule_for(name).with("not_together", fields(names)),
        CrossRule::AtLeastOne { name, fields: names, above } => {
            rule_for(name).with("at_least_one", fields(names)).maybe("above", above.map(json::number))
        }
        CrossRule::ExactlyOne { name, fields: names } => rule_for(name).with("exactly_one", fields(names)),
        CrossRule::TotalItems { name, fields: names, minimum, maximum } => rule_for(name)
            .with("total_items", fields(names))
            .maybe("minimum", *minimum)
            .maybe("maximum", *maximum),
    }
}

fn operation(api: &Api, operation: &Operation) -> Object {
    let parameters = operation.parameters.iter().enumerate();
    let parameters = parameters.map(|(index, row)| parameter(api, row, input_field(api, operation, index)));
    Object::new()
        .with("method", operation.method.as_str())
        .with("path", operation.path.as_str())
        .list("parameters", parameters)
        .maybe("body", operation.body.as_ref().map(|row| body(api, row)))
        .list("requires", operation.requires.iter().map(String::as_str))
        .maybe("closed_query", operation.closed_query.then_some(true))
}

/// Returns the input's field for the parameter at this index. The field has the default.
fn input_field<'a>(api: &'a Api, operation: &Operation, index: usize) -> Option<&'a Field> {
    match &api.type_def(operation.input?)?.kind {
        Kind::Struct(body) => body.fields.get(index),
        _ => None,
    }
}

fn parameter(api: &Api, parameter: &Parameter, input: Option<&Field>) -> Object {
    let default = input.and_then(|field| field.default.as_ref());
    Object::new()
        .with("name", parameter.name.as_str())
        .with("in", parameter.location.name())
        .with("required", parameter.required)
        .with("schema", schema(api, &parameter.schema).maybe("default", default.map(literal)))
        .maybe("reason", parameter.reason.as_deref())
}

fn body(api: &Api, body: &Body) -> Object {
    let contents = body.contents.iter().flat_map(|row| {
        let types = std::iter::once(&row.media_type).chain(&row.also);
        types.map(|media_type| (media_type.clone(), schema(api, &row.schema)))
    });
    Object::new()
        .with("required", body.required)
        .maybe("limit", body.limit)
        .with("content", contents.collect::<Object>())
}
