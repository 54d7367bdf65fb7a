//! The properties that docs/implement-the-server.md shows.

// BEGIN docs/implement-the-server.md
use asset_api_models::voiceover::VoiceoverRequest;
use asset_api_validation::voiceover::VOICEOVER_REQUEST;
use openapi_crates_runtime::{samples, validation::violations_of};
use proptest::prelude::*;

proptest! {
    #[test]
    fn every_valid_request_can_be_decoded(json in samples::valid(&VOICEOVER_REQUEST)) {
        let request: VoiceoverRequest = serde_json::from_value(json).unwrap();
        prop_assert!(!request.text.is_empty());
    }

    #[test]
    fn a_violation_is_found(sample in samples::invalid(&VOICEOVER_REQUEST)) {
        let found = violations_of(&VOICEOVER_REQUEST, &sample.value);
        prop_assert!(!found.is_empty(), "{} at `{}`", sample.mutation, sample.path);
    }
}
// END docs/implement-the-server.md
