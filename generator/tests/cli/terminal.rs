//! Texts of a document control no terminal, no line of a report and no Markdown.

use crate::support::{Ran, Scratch};

/// An escape sequence, line ends that begin another line, NUL, a control character of C1 and a directional override.
const EVIL: &str = r"\u001b[2J\r\n::FORGED\u0000\u009b\u202e";

/// Returns a document with [`EVIL`] in keys and values.
fn document(evil: &str) -> String {
    let schema = format!(
        r##"{{"type": "object", "required": ["{evil}"], "x{evil}": 1, "properties": {{
            "{evil}": {{"type": "string", "format": "{evil}", "enum": ["{evil}", "`|<b>@x"], "default": "{evil}"}},
            "gone{evil}": {{"$ref": "#/components/schemas/{evil}"}}}}}}"##
    );
    format!(
        r##"{{"openapi": "3.1.0", "info": {{"title": "{evil}", "version": "1"}}, "tags": [{{"name": "{evil}"}}],
        "paths": {{"/a{evil}": {{"post": {{"operationId": "a{evil}", "tags": ["{evil}"],
            "parameters": [{{"name": "{evil}", "in": "query", "schema": {{"type": "integer", "minimum": "{evil}"}}}}],
            "requestBody": {{"content": {{"application/json": {{"schema": {{"$ref": "#/components/schemas/S{evil}"}}}}}}}},
            "responses": {{"204": {{"description": "{evil}"}}, "4{evil}": {{"description": ""}}}}}}}}}},
        "components": {{"schemas": {{"S{evil}": {schema}}}}}}}"##
    )
}

#[track_caller]
fn is_harmless(ran: &Ran) {
    let all = format!("\n{}\n{}", ran.out, ran.err);
    let raw =
        all.find(|char: char| char.is_control() && char != '\n' || ('\u{202a}'..'\u{202f}').contains(&char));
    assert_eq!(raw, None, "{ran:?}");
    assert!(!all.contains("\n::FORGED"), "{ran:?}");
}

#[test]
fn texts_of_a_document_control_nothing() {
    let scratch = Scratch::new();
    scratch.put("evil.json", &document(EVIL));
    scratch.put("other.json", &document(&EVIL.replace("FORGED", "FORGED2")));
    // The readers refuse most characters in the text itself, and quote its line.
    scratch
        .put("raw.yaml", "openapi: 3.1.0\ninfo: {title: \u{202e}a\u{9b}, version: [}\r::FORGED\u{1b}[2J\n");
    scratch.put("overlay.yaml", &format!("overlay: 1.1.0\ninfo: {{title: x, version: '1'}}\nactions: [{{target: \"$.{EVIL}\", remove: true}}]\n"));
    scratch.put("body.json", &format!(r#"{{"{EVIL}": "{EVIL}"}}"#));
    let commands: &[&[&str]] = &[
        &["lint", "evil.json", "--lints", "quality,portable"],
        &["lint", "evil.json", "--overlay", "overlay.yaml"],
        &["lint", "evil.json", "--against", "body.json", "--operation", "POST /a", "--request"],
        &["lint", "raw.yaml"],
        &["outline", "evil.json"],
        &["generate", "evil.json", "--out", "out", "--name", "evil", "--all-warnings"],
        &["diff", "evil.json", "other.json"],
        &["diff", "evil.json", "other.json", "--format", "markdown"],
        &["diff", "evil.json", "other.json", "--format", "github"],
        &["diff", "raw.yaml", "other.json"],
    ];
    for command in commands {
        let ran = scratch.run(command);
        assert!(ran.out.len() + ran.err.len() > 40, "{command:?} prints nothing");
        is_harmless(&ran);
    }
    let markdown = scratch.run(commands[7]).out;
    for line in markdown.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| whom")) {
        assert_eq!(line.replace("\\|", "").matches('|').count(), 6, "a cell is split: {line}");
    }
    #[cfg(unix)]
    {
        scratch.put("a\u{1b}[2J\n::FORGED.json", &document(EVIL));
        let named = ["a\u{1b}[2J\n::FORGED.json"];
        is_harmless(&scratch.run(&[&["lint"], &named[..]].concat()));
        is_harmless(&scratch.run(&[&["diff", "evil.json"], &named[..]].concat()));
    }
}
