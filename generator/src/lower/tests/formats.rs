//! The setting `formats`.

use std::collections::BTreeSet;

use super::{alias_named, struct_named, with_schemas};
use crate::{
    diagnostics::Diagnostics,
    document::Document,
    ir::{Api, TextFormat, TextType, Type, Width},
    lower::lower,
    options::{Formats, Options},
};

const NAMES: [&str; 23] = [
    "date-time",
    "date",
    "time",
    "duration",
    "uuid",
    "uri",
    "url",
    "uri-reference",
    "iri",
    "iri-reference",
    "uri-template",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "json-pointer",
    "relative-json-pointer",
    "regex",
    "byte",
    "base64",
    "password",
];

/// Lowers an object with a property for each name, and `encoded`.
fn with(formats: Formats) -> Api {
    let property = |name: &str| format!("    {name}: {{type: string, format: {name}}}\n");
    let properties = NAMES.map(property).concat();
    let text = with_schemas(
        "3.1.0",
        &format!(
            "A:\n  type: object\n  properties:\n{properties}    encoded: {{type: string, contentEncoding: base64}}\n"
        ),
    );
    let document = Document::parse("test.yaml", &text).document.unwrap();
    let options = Options { formats, ..Options::new("x", "x") };
    let mut diagnostics = Diagnostics::default();
    let api = lower(&document, &options, &mut diagnostics).api;
    assert_eq!(diagnostics.report(&document).to_string(), "", "each format is known");
    api
}

/// Returns the type of each property, and the format that its row checks.
fn rows(api: &Api) -> Vec<(String, TextType, Option<TextFormat>)> {
    let rows = struct_named(api, "A").fields.iter().map(|field| {
        let Type::Text(rules) = &field.schema.ty else { panic!("{} is not a string", field.wire) };
        (field.wire.clone(), rules.ty, rules.checked_format())
    });
    rows.collect()
}

#[test]
fn annotations_check_nothing() {
    let api = with(Formats::Annotation);
    for (name, ty, format) in rows(&api) {
        assert_eq!((ty, format), (TextType::String, None), "{name}");
    }
    assert_eq!(api.formats, BTreeSet::new());
}

#[test]
fn common_formats_have_types_or_lenient_checks() {
    let api = with(Formats::Common);
    let typed = ["date-time", "date", "uuid", "byte", "base64", "encoded"];
    let checked = ["uri", "url", "email", "ipv4", "ipv6"];
    for (name, ty, format) in rows(&api) {
        let is_typed = typed.contains(&name.as_str());
        assert_eq!(ty != TextType::String, is_typed, "{name}");
        assert_eq!(format.is_some(), is_typed || checked.contains(&name.as_str()), "{name}");
    }
    assert!(api.formats.iter().all(|format| format.feature().is_none()), "{:?}", api.formats);
}

#[test]
fn all_formats_of_json_schema_are_asserted() {
    let api = with(Formats::Assert);
    for (name, ty, format) in rows(&api) {
        let expected = match name.as_str() {
            "password" => None,
            "encoded" | "base64" => Some("byte"),
            "url" => Some("uri"),
            name => Some(name),
        };
        assert_eq!(format.map(TextFormat::name), expected, "{name}");
        assert_eq!(ty, format.map_or(TextType::String, TextFormat::ty), "{name}");
    }
    let strictly = |name: &str| TextFormat::from_name(name, Formats::Assert);
    assert_eq!((strictly("uri"), strictly("url")), (Some(TextFormat::StrictUri), Some(TextFormat::Uri)));
    let features: BTreeSet<&str> = api.formats.iter().filter_map(|format| format.feature()).collect();
    assert_eq!(features, BTreeSet::from(["formats", "formats-idn"]));
}

/// Formats of numbers select a type, so that the setting does not matter.
#[test]
fn numbers_keep_their_types() {
    for &formats in Formats::ALL {
        let text =
            with_schemas("3.1.0", "A: {type: integer, format: int32}\nB: {type: string, format: binary}");
        let document = Document::parse("test.yaml", &text).document.unwrap();
        let options = Options { formats, ..Options::new("x", "x") };
        let api = lower(&document, &options, &mut Diagnostics::default()).api;
        assert!(matches!(&alias_named(&api, "A").ty, Type::Integer(rules) if rules.width == Width::I32));
        assert_eq!(alias_named(&api, "B").ty, Type::Bytes);
    }
}
