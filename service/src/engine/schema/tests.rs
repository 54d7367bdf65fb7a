//! Tests of the fields that the document gives to families.

use serde_json::json;

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
    let post = creates(&family::IMAGE_PREVIEW).remove(0).post;
    let mut body =
        json!({"prompt": "x", "reference_images": [{"image": 0, "text": "a"}, {"image": "{in_1}"}]});
    let mut taken = Vec::new();
    take_media(post, &mut body, &mut |path, kind, value| {
        taken.push((path.to_owned(), kind, value.clone()));
        value.is_number()
    });
    let of = |index: usize, value| (format!("reference_images[{index}].image"), Kind::Image, value);
    assert_eq!(taken, [of(0, json!(0)), of(1, json!("{in_1}"))]);
    assert_eq!(body, json!({"prompt": "x", "reference_images": [{"image": "", "text": "a"}, {}]}));
    assert_eq!(media(&family::LIP_SYNC), ["audio_url", "image_url"].map(str::to_owned).into());
    assert_eq!(media(&family::IMAGE_PREVIEW), ["reference_images"].map(str::to_owned).into());
    assert_eq!(media(&family::IMAGE_EDIT), ["image", "mask"].map(str::to_owned).into());
    let of_video = fields(&family::VIDEO_UPSCALER);
    assert_eq!((of_video.get("resolution"), of_video.get("fps_boost")), (Some(&true), Some(&true)));
}

#[test]
fn fields_have_media_of_a_length() {
    let seconds = |family, name, kind| expected(family, name, kind).seconds;
    assert_eq!(seconds(&family::MOTION_CONTROL_STD, "video_url", Kind::Video), Some(3.0..=30.0));
    assert_eq!(seconds(&family::LIP_SYNC, "audio_url", Kind::Audio), Some(1.0..=300.0));
    assert_eq!(seconds(&family::REFERENCE_TO_VIDEO, "video_urls[0].url", Kind::Video), None);
    let of_item = of_field(&family::REFERENCE_TO_VIDEO, "video_urls[1].url");
    let kinds = of_item.into_iter().flat_map(parts).filter_map(|part| part.pointer("/x-media/kind"));
    assert_eq!(kinds.collect::<Vec<_>>(), ["video"]);
}
