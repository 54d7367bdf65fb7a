//! Tests that one run reports all errors in this project's spec, and that it knows the codes of violations.
//!
//! Each error has its line and column, and nothing is generated.

use openapi_crates::internals::VIOLATION_CODES;
use openapi_crates_runtime::validation::Code;

use crate::support::{SPEC, generate_project, spec};

#[test]
fn three_mistakes_are_reported_at_once() {
    let mistakes = [
        ("operationId: create_voiceover\n", "operationID: create_voiceover\n"),
        (
            "schema: {$ref: '#/components/schemas/VoiceoverRequest'}",
            "schema: {$ref: '#/components/schemas/VoiceoverReqest'}",
        ),
        ("\n    VoiceoverRequest:\n", "\n    VoiceoverRequest: {type: objekt}\n    VoiceoverRequest2:\n"),
    ];
    let mut text = spec();
    for (right, wrong) in mistakes {
        assert_eq!(text.matches(right).count(), 1, "the spec must contain this text once: {right}");
        text = text.replace(right, wrong);
    }
    let generated = generate_project(&text);
    assert!(generated.files.is_none(), "an invalid spec must not generate files");
    let report = generated.report.to_string();
    for (_, wrong) in mistakes {
        let line = text[..text.find(wrong).expect("the text was inserted")].lines().count()
            + usize::from(wrong.starts_with('\n'));
        let location = format!("{SPEC}:{line}:");
        assert!(report.contains(&location), "{location} is missing in the report:\n{report}");
    }
}

#[test]
fn the_generator_knows_the_violation_codes_of_the_runtime() {
    let codes: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(VIOLATION_CODES, codes);
}
