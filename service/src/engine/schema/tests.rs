//! Tests of the fields that the document gives to families.

use super::*;
use crate::engine::family;

#[test]
fn every_field_has_an_example() {
    for family in family::ALL.iter().filter(|family| family.name != family::APP_RUNS.name) {
        let all = creates(family);
        for name in fields(family).into_keys().filter(|name| name != LORAS) {
            let found = examples_with(family, std::slice::from_ref(&name));
            assert!(!found.is_empty(), "{}: {name}", family.name);
            for create in found {
                let in_document = all.iter().find(|one| one.operation == create.operation).unwrap();
                assert!(field(&create.example, &name).is_some(), "{create}: {name}");
                assert_eq!(create.added.is_some(), field(&in_document.example, &name).is_none());
            }
        }
    }
    let family = &family::IMAGE_TO_VIDEO;
    let of = |with: &[&str]| {
        let found = examples_with(family, &with.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        found.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let added = "`create_image_to_video` with `video_url`";
    assert_eq!(of(&[]), ["`create_image_to_video`"]);
    assert_eq!(of(&["video_url"]), [added]);
    assert_eq!(of(&["end_image_url", "video_url"]), ["`create_image_to_video`", added]);
    assert_eq!(of(&["unknown"]), [""; 0]);
    let nested = examples_with(&family::IMAGEGEN, &["styling.colors".to_owned()]);
    assert!(field(&nested[0].example, "styling.colors[0]").is_some(), "{}", nested[0].example);
}

#[test]
fn every_family_has_fields() {
    for family in family::ALL.iter().filter(|family| family.name != family::APP_RUNS.name) {
        assert!(!fields(family).is_empty(), "{}", family.name);
        let creates = creates(family);
        assert!(!creates.is_empty() && creates.iter().all(|create| create.example.is_object()));
    }
    let of_speech = fields(&family::VOICEOVER);
    assert_eq!((of_speech.get("text"), of_speech.get("voice_id")), (Some(&false), Some(&false)));
    assert_eq!((of_speech.get("speed"), of_speech.get("webhook_url")), (Some(&true), None));
    let of_video = fields(&family::VIDEO_UPSCALER);
    assert_eq!((of_video.get("resolution"), of_video.get("fps_boost")), (Some(&true), Some(&true)));
}
