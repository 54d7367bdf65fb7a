//! Tests of lowering with small documents.

mod cycles;
mod directions;
mod discriminators;
mod dynamic_references;
mod fallbacks;
mod formats;
mod imports;
mod json_schemas;
mod operations;
mod overlaps;
mod patterns;
mod practice;
mod renames;
mod robust;
mod schemas;
mod sharing;
mod stated;
mod streams;
mod unions;
mod version_3_2;
mod xml;

use super::lower;
use crate::{
    diagnostics::Diagnostics,
    document::Document,
    ir::{Api, Field, Kind, Operation, Schema, Stream, StructDef, Type, TypeDef},
    options::{Constructors, Options, Untyped},
};

/// Lowers a document. The second value is the text of all diagnostics.
pub(super) fn lowered(text: &str) -> (Api, String) {
    lowered_with(text, &Options::new("x", "x"))
}

/// Lowers a document with these options.
pub(super) fn lowered_with(text: &str, options: &Options) -> (Api, String) {
    let parsed = Document::parse("test.yaml", text);
    let document = parsed.document.unwrap();
    assert!(parsed.diagnostics.is_empty(), "the document can be read");
    let mut diagnostics = Diagnostics::default();
    let api = lower(&document, options, &mut diagnostics).api;
    let report = diagnostics.report(&document).to_string();
    (api, report)
}

/// Returns a document with these schemas (YAML without indentation) in this version.
pub(super) fn with_schemas(version: &str, schemas: &str) -> String {
    let schemas: String = schemas.trim_matches('\n').lines().map(|line| format!("    {line}\n")).collect();
    format!(
        "openapi: {version}\ninfo: {{title: t, version: '1'}}\npaths: {{}}\ncomponents:\n  schemas:\n{schemas}"
    )
}

/// Lowers schemas without errors.
pub(super) fn schemas(version: &str, schemas: &str) -> Api {
    let (api, report) = lowered(&with_schemas(version, schemas));
    assert_eq!(report, "");
    api
}

/// Returns a document with these paths and components (YAML without indentation).
pub(super) fn with_paths(paths: &str, components: &str) -> String {
    let indent =
        |text: &str| text.trim_matches('\n').lines().map(|line| format!("  {line}\n")).collect::<String>();
    let components =
        if components.is_empty() { String::new() } else { format!("components:\n{}", indent(components)) };
    format!("openapi: 3.0.3\ninfo: {{title: t, version: '1'}}\npaths:\n{}{components}", indent(paths))
}

pub(super) fn type_named<'a>(api: &'a Api, name: &str) -> &'a TypeDef {
    let names: Vec<&str> = api.types.iter().map(|def| def.name.0.as_str()).collect();
    api.types
        .iter()
        .find(|def| def.name.0 == name)
        .unwrap_or_else(|| panic!("no type {name} among {names:?}"))
}

/// Returns whether a component also has a JSON Schema.
pub(super) fn needs_json_schema(api: &Api, name: &str) -> bool {
    let def = type_named(api, name);
    let of_alias = |kind: &Kind| matches!(kind, Kind::Alias(Schema { also: Some(_), .. }));
    def.also.is_some() || of_alias(&def.kind)
}

pub(super) fn struct_named<'a>(api: &'a Api, name: &str) -> &'a StructDef {
    match &type_named(api, name).kind {
        Kind::Struct(def) => def,
        other => panic!("{name} is not a struct but {other:?}"),
    }
}

pub(super) fn alias_named<'a>(api: &'a Api, name: &str) -> &'a Schema {
    match &type_named(api, name).kind {
        Kind::Alias(schema) => schema,
        other => panic!("{name} is not an alias but {other:?}"),
    }
}

pub(super) fn field<'a>(def: &'a StructDef, wire: &str) -> &'a Field {
    def.fields.iter().find(|field| field.wire == wire).unwrap_or_else(|| panic!("no field {wire} in {def:?}"))
}

pub(super) fn operation<'a>(api: &'a Api, id: &str) -> &'a Operation {
    api.operations.iter().find(|operation| operation.id == id).unwrap_or_else(|| panic!("no operation {id}"))
}

/// Returns a schema in one short line: `[Pet]?`, `{integer}`, `box Node`.
pub(super) fn brief(api: &Api, schema: &Schema) -> String {
    let text = match &schema.ty {
        Type::Any => "any".to_owned(),
        Type::Unit => "()".to_owned(),
        Type::Boolean => "boolean".to_owned(),
        Type::Integer(rules) => format!("{:?}", rules.width).to_lowercase(),
        Type::Number(_) => "f64".to_owned(),
        Type::Text(rules) => format!("{:?}", rules.ty).to_lowercase(),
        Type::Bytes => "bytes".to_owned(),
        Type::File => "file".to_owned(),
        Type::Stream(stream) => match &**stream {
            Stream::Bytes => "bytes*".to_owned(),
            Stream::Items(item) => format!("{}*", brief(api, item)),
            Stream::Events(data) => format!("event of {}*", brief(api, data)),
        },
        Type::Array(rules) => format!("[{}]", brief(api, &rules.items)),
        Type::Tuple(items) => {
            format!("({})", items.iter().map(|item| brief(api, item)).collect::<Vec<_>>().join(", "))
        }
        Type::Map(rules) => format!("{{{}}}", brief(api, &rules.values)),
        Type::Named { id, boxed } => {
            format!("{}{}", if *boxed { "box " } else { "" }, api.type_def(*id).unwrap().name)
        }
    };
    format!("{text}{}", if schema.nullable { "?" } else { "" })
}

/// Returns the fields of a struct, one short line each: `name: string`, `age!: i64`.
pub(super) fn fields(api: &Api, name: &str) -> Vec<String> {
    let def = struct_named(api, name);
    let line = |field: &Field| {
        format!("{}{}: {}", field.ident, if field.required { "!" } else { "" }, brief(api, &field.schema))
    };
    def.fields.iter().map(line).collect()
}

/// Returns the variants of an enum, union or choice.
pub(super) fn variants(api: &Api, name: &str) -> Vec<String> {
    match &type_named(api, name).kind {
        Kind::StringEnum(def) => {
            def.variants.iter().map(|one| format!("{}={}", one.ident, one.wire)).collect()
        }
        Kind::IntegerEnum(def) => {
            def.variants.iter().map(|one| format!("{}={}", one.ident, one.wire)).collect()
        }
        Kind::Union(def) => {
            def.variants.iter().map(|one| format!("{}({})", one.ident, brief(api, &one.schema))).collect()
        }
        Kind::Choice(choice) => {
            choice.variants.iter().map(|one| format!("{}({})", one.ident, brief(api, &one.payload))).collect()
        }
        other => panic!("{name} has no variants but is {other:?}"),
    }
}
