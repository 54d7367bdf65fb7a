//! The work for requests whose result is a video.

use asset_api_server::models::{common, image_to_video, text_to_video};
use asset_engines::film::{Animation, CameraMove, Shots};

use super::{SeededWork, level, not_negative, shapes};

pub fn animated_in_size(body: &text_to_video::TextToVideoV2_6Request) -> SeededWork {
    let size = body.size.as_ref().map_or("1280*720", text_to_video::TextToVideoV2_6Size::as_str);
    let (width, height) = shapes::numbers(size);
    let animation = Animation {
        prompt: body.prompt.clone(),
        negative_prompt: body.negative_prompt.clone().unwrap_or_default(),
        expand: body.enable_prompt_expansion_or_default(),
        width,
        height,
        seconds: body.duration_or_default().as_str().parse().unwrap_or(5),
        shots: match body.shot_type_or_default() {
            text_to_video::ShotType::Single => Shots::Single,
            text_to_video::ShotType::Multi => Shots::Multi,
        },
        audio: false,
    };
    SeededWork::new(animation, body.seed)
}

pub fn animated_in_shape(body: &text_to_video::TextToVideoRequest) -> SeededWork {
    let shape = body.aspect_ratio.as_ref().map_or("16:9", text_to_video::TextToVideoAspectRatio::as_str);
    let (width, height) = shapes::shortest(shape, shapes::lines(&body.resolution_or_default()));
    let settings = body.additional_settings.as_ref();
    let animation = Animation {
        prompt: body.prompt.clone(),
        negative_prompt: body.negative_prompt.clone().unwrap_or_default(),
        expand: settings.is_none_or(common::VideoGenerationSettings::prompt_extend_or_default),
        width,
        height,
        seconds: level(body.duration_or_default()).into(),
        shots: Shots::Single,
        audio: body.audio_url.is_some(),
    };
    SeededWork::new(animation, body.seed.map(not_negative))
}

pub fn camera_move(body: &image_to_video::ImageToVideoRequest) -> SeededWork {
    let camera_move = CameraMove {
        prompt: body.prompt.clone().unwrap_or_default(),
        negative_prompt: body.negative_prompt.clone().unwrap_or_default(),
        shorter_side: shapes::lines(&body.resolution_or_default()),
        seconds: level(body.duration_or_default()).into(),
        first: body.start_image_url.is_some(),
        last: body.end_image_url.is_some(),
        video: body.video_url.is_some(),
        audio: body.audio_url.is_some(),
    };
    SeededWork::new(camera_move, body.seed.map(not_negative))
}
