//! Tests of JSONPaths that are wrong or select nothing.

use proptest::prelude::*;

use super::{super::path::parse, applied};

#[test]
fn wrong_paths_are_repaired() {
    for (wrong, right) in [
        ("$.paths./pets.get", "$.paths['/pets'].get"),
        ("$.paths./pets/{id}.get.responses.200", "$.paths['/pets/{id}'].get.responses['200']"),
        ("$.paths./v1.0/users.get", "$.paths['/v1.0/users'].get"),
        ("$.paths.'/pets'.get", "$.paths['/pets'].get"),
        ("$.info.x-logo", "$.info['x-logo']"),
        ("$..x-internal", "$..['x-internal']"),
        ("$.paths.*.get.x-tag[?(@.x-name == 'a')]", "$.paths.*.get['x-tag'][?(@['x-name'] == 'a')]"),
        ("$.tags[?(@.name in ['a', 'b'])]", "$.tags[?(@.name == 'a' || @.name == 'b')]"),
        ("$.tags[?@.name in ['a']]", "$.tags[?(@.name == 'a')]"),
        (
            "$.tags[?@.a == 1 and @.b not in [\"x, y\", 2]]",
            "$.tags[?@.a == 1 && !(@.b == \"x, y\" || @.b == 2)]",
        ),
        ("$.paths[?('paged' in @.get.x-traits)]", "$.paths[?(@.get['x-traits'][?@ == 'paged'])]"),
        ("paths.*.get", "$.paths.*.get"),
        ("['paths']", "$['paths']"),
        (".paths", "$.paths"),
        ("#/paths/~1pets~1{id}/get/parameters/0", "$.paths['/pets/{id}'].get.parameters[0]"),
        ("/components/schemas/Pet", "$.components.schemas.Pet"),
        (" $.paths ", "$.paths"),
        ("$.servers.0", "$.servers[0]"),
        ("$.a[?(@.b == 1 or @.c == 1.5)]", "$.a[?(@.b == 1 || @.c == 1.5)]"),
    ] {
        let help = parse(wrong).unwrap_err().help;
        assert_eq!(help, Some(format!("in the syntax of RFC 9535, this may be `{right}`")), "{wrong}");
        assert!(parse(right).is_ok(), "{right}");
    }
}

#[test]
fn paths_without_a_repair_show_the_wrong_part() {
    for (wrong, message) in [
        ("$.paths['/pets'", "`$.paths['/pets'` is not complete"),
        ("$.paths.", "`$.paths.` is not complete"),
        ("$.tags[(@.length-1)]", "`[(@.length-1)]` can't follow `$.tags`"),
        ("$.tags[?@.name =~ /x/]", "`=~ /x/]` can't follow `$.tags[?@.name `"),
        ("$.paths[*]~", "`~` can't follow `$.paths[*]`"),
        ("", "`` is not complete"),
    ] {
        let found = parse(wrong).unwrap_err();
        assert_eq!(found.message, format!("invalid JSONPath: {message}"));
        assert_eq!(found.help, None, "{wrong}");
    }
}

/// The time of the parser and the number of selected nodes can grow exponentially.
#[test]
fn paths_have_limits() {
    let nested = |levels: usize| format!("${}{}", "[?@".repeat(levels), "]".repeat(levels));
    assert!(parse(&nested(8)).is_ok());
    for path in [nested(9), "$[?".to_owned() + &"(".repeat(3_000)] {
        assert_eq!(parse(&path).unwrap_err().message, "the JSONPath has more than 8 nested brackets");
    }
    assert!(parse("$..a..b..c['..']").is_ok());
    assert_eq!(parse("$..a..b..c..*").unwrap_err().message, "the JSONPath has `..` more than 3 times");
    assert_eq!(parse(&"$".repeat(5_000)).unwrap_err().message, "the JSONPath has more than 4000 bytes");
}

#[test]
fn a_path_that_selects_nothing_is_explained() {
    let document = "openapi: 3.1.0\npaths: {/pets: {get: {tags: [a]}, post: {}}, /more: {$ref: more.yaml}}\n";
    for (path, help) in [
        (
            "$.paths['/pets'].gett.tags",
            "`$.paths['/pets']` exists, but has no `.gett`; a field with a similar name exists: `get`",
        ),
        (
            "$.paths.*.delete",
            "`$.paths.*` is a reference to `more.yaml`; overlays are applied before references",
        ),
        ("$.paths['/pets'].*.summary", "`$.paths['/pets'].*` selects 2 nodes, but none has `.summary`"),
        ("$.paths['/pets'].get.tags[1]", "`$.paths['/pets'].get.tags` exists, but has no `[1]`"),
        ("$.openapi.x", "`$.openapi` exists, but is a string"),
        ("$['infos']", "`$` exists, but has no `['infos']`"),
        ("$.path", "`$` exists, but has no `.path`; a field with a similar name exists: `paths`"),
    ] {
        let report =
            applied(document, &format!("  - target: {path}\n    remove: true\n")).report().to_string();
        assert!(report.contains("1.overlay.yaml:4:13: warning[overlay-no-match]: no node"), "{report}");
        assert!(report.contains(&format!("= help: {help}")), "{path}: {report}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Any text is a path or is explained, and a repaired path is one.
    #[test]
    fn any_text_is_read(text in r#"\$?([$.\[\]?()@'"\\ ,/x1=&|*~ä-]|\.a|\['a'\]|\[\?@\.| in | and | not |\.\.){0,20}"#) {
        match parse(&text) {
            Ok(path) => _ = path.query_located(&serde_json::json!({"a": [{"a": 1}, "x"], "x": {"a": {}}})),
            Err(wrong) => {
                let repaired = wrong.help.as_deref().and_then(|help| help.split_once('`')?.1.strip_suffix('`'));
                prop_assert_eq!(wrong.help.is_some(), repaired.is_some());
                prop_assert!(repaired.is_none_or(|path| parse(path).is_ok()), "{} {:?}", text, repaired);
            }
        }
    }
}
