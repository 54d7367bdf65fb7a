//! `x-media` and `x-unchecked`.

use super::*;
use crate::ir::{Inline, MediaLimit, Stated};

fn stated(api: &Api, name: &str) -> Stated {
    match &alias_named(api, name).ty {
        Type::Text(rules) => rules.stated.as_deref().cloned().unwrap_or_default(),
        other => panic!("{name} is not a string: {other:?}"),
    }
}

#[test]
fn media_have_a_kind_and_may_have_types_and_limits() {
    let api = schemas(
        "3.0.3",
        "
Short: {type: string, x-media: sound}
Long:
  type: string
  x-media:
    kind: image
    max-side: 8000
    types: [image/png, image/jpeg]
    inline: data-uri
    min-side: 64
    max-bytes: 10485760
    max-seconds: 1.5
Plain: {type: string}
",
    );
    let short = stated(&api, "Short").media.unwrap();
    assert_eq!((short.kind.as_str(), short.types.len(), short.limits.len()), ("sound", 0, 0));
    let long = stated(&api, "Long").media.unwrap();
    assert_eq!(long.types, ["image/png", "image/jpeg"]);
    assert_eq!((short.inline, long.inline), (None, Some(Inline::DataUri)));
    assert_eq!(
        long.limits,
        [
            (MediaLimit::MaxBytes, 10_485_760.0),
            (MediaLimit::MinSide, 64.0),
            (MediaLimit::MaxSide, 8000.0),
            (MediaLimit::MaxSeconds, 1.5)
        ]
    );
    assert_eq!(stated(&api, "Plain"), Stated::default());
}

#[test]
fn an_unchecked_pattern_is_stated_and_in_no_table() {
    let api = schemas(
        "3.0.3",
        "
Checked: {type: string, pattern: '^a'}
Unchecked: {type: string, pattern: '^https://', x-unchecked: [pattern]}
",
    );
    let pattern = |name: &str| match &alias_named(&api, name).ty {
        Type::Text(rules) => rules.pattern.is_some(),
        _ => false,
    };
    assert_eq!((pattern("Checked"), stated(&api, "Checked").pattern), (true, None));
    assert_eq!(
        (pattern("Unchecked"), stated(&api, "Unchecked").pattern),
        (false, Some("^https://".to_owned()))
    );
    assert_eq!(api.patterns.len(), 1);
}

#[test]
fn invalid_extensions_are_errors() {
    for (schema, expected) in [
        ("{type: string, x-media: 5}", "`x-media` must be the kind of a medium"),
        ("{type: string, x-media: {types: [image/png]}}", "`x-media` must be the kind of a medium"),
        ("{type: string, x-media: {kind: image, max-size: 5}}", "unknown field `max-size` in `x-media`"),
        ("{type: string, x-media: {kind: image, max-bytes: -1}}", "`max-bytes` must be a number"),
        (
            "{type: string, x-media: {kind: image, types: [PNG]}}",
            "invalid media type; use one such as `image/png`",
        ),
        ("{type: string, x-media: {kind: image, types: image/png}}", "`types` must be a list"),
        ("{type: string, x-media: {kind: image, inline: url}}", "`inline` must be `base64` or `data-uri`"),
        ("{type: integer, x-media: image}", "`x-media` has no effect here; it belongs in a string"),
        ("{type: string, pattern: a, x-unchecked: pattern}", "`x-unchecked` must be a list of keywords"),
        (
            "{type: string, x-unchecked: [pattern]}",
            "`x-unchecked` names `pattern`, but the schema has no `pattern`",
        ),
        ("{type: string, pattern: a, x-unchecked: [minLength]}", "only `pattern` can be left unchecked"),
        ("{type: array, items: {}, x-unchecked: [pattern]}", "belongs in a string"),
        ("{type: string, x-meda: image}", "a field with a similar name exists: `x-media`"),
    ] {
        let (_, report) = lowered(&with_schemas("3.0.3", &format!("A: {schema}")));
        assert!(report.contains(expected), "{schema}: {report}");
    }
}
