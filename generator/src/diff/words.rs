//! Types and values in messages, in the terms of the document.

use super::compare::{Resolved, resolved, type_name};
use crate::ir::{
    Api, ContentFormat, EnumDef, Framing, IntegerEnum, Kind, Schema, Stream, TextRules, Type, TypeDef,
};

/// Returns the kind of a value in the terms of the document: `string`, `array of integer`.
pub(super) fn described(api: &Api, schema: &Schema) -> String {
    described_type(api, &resolved(api, schema))
}

/// Returns the same of a schema with its aliases resolved.
pub(super) fn described_type(api: &Api, Resolved { ty, nullable, def, .. }: &Resolved<'_>) -> String {
    let null = if *nullable { " or null" } else { "" };
    let text = match (ty, def) {
        (_, Some(def)) => match &def.kind {
            Kind::Struct(_) => named("object", def),
            Kind::StringEnum(_) | Kind::IntegerEnum(_) => one_of(values_of(&def.kind)),
            Kind::Union(_) => named("union", def),
            Kind::Alias(_) | Kind::Choice(_) => type_name(def),
        },
        (Type::Any, _) => "any value".to_owned(),
        (Type::Unit, _) => "nothing".to_owned(),
        (Type::Boolean, _) => "boolean".to_owned(),
        (Type::Integer(_), _) => "integer".to_owned(),
        (Type::Number(_), _) => "number".to_owned(),
        (Type::Text(rules), _) => match rules.checked_format() {
            Some(format) => format!("string ({})", format.name()),
            None => "string".to_owned(),
        },
        (Type::Bytes | Type::File, _) => "bytes".to_owned(),
        (Type::Stream(stream), _) => match &**stream {
            Stream::Bytes => "bytes".to_owned(),
            Stream::Items(item) => format!("stream of {}", described(api, item)),
            Stream::Events(data) => format!("events of {}", described(api, data)),
        },
        (Type::Array(rules), _) => format!("array of {}", described(api, &rules.items)),
        (Type::Tuple(items), _) => format!("array of exactly {} items", items.len()),
        (Type::Map(rules), _) => format!("map of {}", described(api, &rules.values)),
        (Type::Named { .. }, None) => "any value".to_owned(),
    };
    format!("{text}{null}")
}

/// Returns ``object `Pet` ``, or where the schema is if it has no name: ``object at `owner` in schema `Pet` ``.
fn named(kind: &str, def: &TypeDef) -> String {
    let name = type_name(def);
    if name.contains('`') { format!("{kind} at {name}") } else { format!("{kind} `{name}`") }
}

/// Returns the values of an enum. Whether it is open follows from the direction, and is a variant in Rust.
pub(super) fn values_of(kind: &Kind) -> Vec<String> {
    match kind {
        Kind::StringEnum(EnumDef { variants, open: _ }) => {
            variants.iter().map(|variant| variant.wire.clone()).collect()
        }
        Kind::IntegerEnum(IntegerEnum { variants, open: _ }) => {
            variants.iter().map(|variant| variant.wire.to_string()).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the first values of an enum: `one of open, done`.
fn one_of(values: Vec<String>) -> String {
    const SHOWN: usize = 6;
    let more = if values.len() > SHOWN { ", …" } else { "" };
    format!("one of {}{more}", values.into_iter().take(SHOWN).collect::<Vec<_>>().join(", "))
}

/// The text for a map that refuses names without an entry.
pub(super) const NAMES_CLOSED: &str = "others refused";

/// Returns the constraints on each name: `each maxLength 3`.
pub(super) fn each_name(api: &Api, each: &Schema) -> String {
    let Resolved { ty, allowed, .. } = resolved(api, each);
    let mut facts = vec![described(api, each)];
    if let Type::Text(TextRules { min_length, max_length, pattern, .. }) = ty {
        facts.extend(min_length.map(|bound| format!("minLength {bound}")));
        facts.extend(max_length.map(|bound| format!("maxLength {bound}")));
        let pattern = pattern.and_then(|id| api.pattern_text(id));
        facts.extend(pattern.map(|pattern| format!("pattern {pattern}")));
    }
    facts.extend((!allowed.is_empty()).then(|| one_of(allowed.iter().map(ToString::to_string).collect())));
    format!("each {}", facts.join(", "))
}

/// Returns `100 → 80`, with `none` for a value that one document does not have.
pub(super) fn from_to(old: Option<&str>, new: Option<&str>) -> String {
    let shown = |value: Option<&str>| match value {
        Some("") => "\"\"".to_owned(),
        value => value.unwrap_or("none").to_owned(),
    };
    if old.or(new).is_some() { format!("{} → {}", shown(old), shown(new)) } else { String::new() }
}

/// Returns whether a value has several parts, so that `explode` has a meaning.
pub(super) fn is_composite(api: &Api, schema: &Schema) -> bool {
    let Resolved { ty, def, .. } = resolved(api, schema);
    match (ty, def) {
        (Type::Array(_) | Type::Tuple(_) | Type::Map(_) | Type::Any, _) => true,
        (_, Some(def)) => matches!(def.kind, Kind::Struct(_) | Kind::Union(_)),
        _ => false,
    }
}

pub(super) const fn format(format: ContentFormat) -> &'static str {
    match format {
        ContentFormat::Json => "JSON",
        ContentFormat::Form => "a form",
        ContentFormat::Multipart => "named parts",
        ContentFormat::Text => "text",
        ContentFormat::Xml => "XML",
        ContentFormat::Bytes => "bytes",
        ContentFormat::Items(Framing::Events) => "events",
        ContentFormat::Items(Framing::Lines) => "JSON lines",
        ContentFormat::Items(Framing::Sequence) => "a sequence of JSON texts",
        ContentFormat::Parts => "an array of parts",
        ContentFormat::PartStream => "a stream of parts",
    }
}
