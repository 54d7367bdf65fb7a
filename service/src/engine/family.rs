//! The API families of AI tasks: names, paths and default engines.

use crate::media::format::Kind;

/// The default model of every family with models.
pub const STANDARD: &str = "standard";

/// An API family: the tasks that one path lists.
#[derive(Debug, PartialEq, Eq)]
pub struct Family {
    /// The name of the family in the settings.
    pub name: &'static str,
    /// The path that lists the tasks; `{model}` stands for the model's name.
    pub path: &'static str,
    /// The built-in engine. `None`: none serves this family.
    pub engine: Option<&'static str>,
    /// The kind of the result; `None` for texts, and for the runs of apps.
    pub makes: Option<Kind>,
}

impl Family {
    /// Returns whether the path names a model.
    #[must_use]
    pub fn has_models(&self) -> bool {
        self.path.contains("{model}")
    }

    /// Returns the path that lists the tasks of a model.
    #[must_use]
    pub fn path_of(&self, model: Option<&str>) -> String {
        match model {
            Some(model) => self.path.replace("{model}", model),
            None => self.path.to_owned(),
        }
    }

    /// Returns the family with this name in the settings.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        ALL.iter().copied().find(|family| family.name == name)
    }
}

macro_rules! families {
    ($($constant:ident = $name:literal, $path:literal, $engine:expr, $makes:expr;)*) => {
        $(#[doc = concat!("`", $path, "`.")]
        pub static $constant: Family =
            Family {
                name: $name,
                path: $path,
                engine: $engine,
                makes: $makes,
            };)*

        /// All families, in the order of the spec.
        pub static ALL: &[&Family] = &[$(&$constant),*];
    };
}

const IMAGE: Option<Kind> = Some(Kind::Image);
const AUDIO: Option<Kind> = Some(Kind::Audio);
const VIDEO: Option<Kind> = Some(Kind::Video);
const TEXT: Option<Kind> = None;

families! {
    SKIN_ENHANCER = "skin-enhancer", "/v1/ai/skin-enhancer", Some("tone-retoucher"), IMAGE;
    IMAGEGEN = "imagegen", "/v1/ai/imagegen", Some("procedural-composition"), IMAGE;
    TEXT_TO_ICON = "text-to-icon", "/v1/ai/text-to-icon", Some("icon-retrieval"), IMAGE;
    VOICEOVER = "voiceover", "/v1/ai/voiceover", Some("formant-speech"), AUDIO;
    IMPROVE_PROMPT = "improve-prompt", "/v1/ai/improve-prompt", Some("template-expansion"), TEXT;
    KONTEXT_PRO = "text-to-image-kontext-pro", "/v1/ai/text-to-image/kontext-pro", Some("procedural-composition"), IMAGE;
    FAST_IMAGE = "text-to-image-fast", "/v1/ai/text-to-image/fast-model", Some("procedural-composition"), IMAGE;
    ULTRA_IMAGE = "text-to-image-ultra", "/v1/ai/text-to-image/ultra-model", Some("procedural-composition"), IMAGE;
    TEXT_TO_IMAGE = "text-to-image", "/v1/ai/text-to-image/{model}", Some("procedural-composition"), IMAGE;
    TEXT_TO_VIDEO_V2_6 = "text-to-video-v2-6", "/v1/ai/text-to-video/video-v2-6-720p", Some("procedural-animation"), VIDEO;
    TEXT_TO_VIDEO = "text-to-video", "/v1/ai/text-to-video/{model}", Some("procedural-animation"), VIDEO;
    IMAGE_TO_VIDEO = "image-to-video", "/v1/ai/image-to-video/{model}", Some("still-camera"), VIDEO;
    REFERENCE_TO_VIDEO = "reference-to-video", "/v1/ai/reference-to-video/{model}", None, VIDEO;
    LIP_SYNC = "lip-sync", "/v1/ai/lip-sync/{model}", None, VIDEO;
    LIP_SYNC_FAST = "lip-sync-fast", "/v1/ai/lip-sync/{model}-fast", None, VIDEO;
    VIDEO_UPSCALER = "video-upscaler", "/v1/ai/video-upscaler", None, VIDEO;
    VIDEO_UPSCALER_PRECISION = "video-upscaler-precision", "/v1/ai/video-upscaler-precision", None, VIDEO;
    VIDEO_PRO = "video-pro", "/v1/ai/video/{model}-pro", None, VIDEO;
    VIDEO_STD = "video-std", "/v1/ai/video/{model}-std", None, VIDEO;
    MOTION_CONTROL_PRO = "motion-control-pro", "/v1/ai/video/{model}-motion-control-pro", None, VIDEO;
    MOTION_CONTROL_STD = "motion-control-std", "/v1/ai/video/{model}-motion-control-std", None, VIDEO;
    IMAGE_CHANGE_CAMERA = "image-change-camera", "/v1/ai/image-change-camera", Some("plane-camera"), IMAGE;
    IMAGE_EXPAND = "image-expand", "/v1/ai/image-expand/{model}", Some("texture-expander"), IMAGE;
    IMAGE_EDIT = "image-edit", "/v1/ai/{model}-image-edit", Some("patch-inpainter"), IMAGE;
    IMAGE_PREVIEW = "image-preview", "/v1/ai/{model}-image-preview", None, IMAGE;
    IMAGE_UPSCALER_PRECISION = "image-upscaler-precision", "/v1/ai/image-upscaler-precision", Some("lanczos-upscaler"), IMAGE;
    IMAGE_UPSCALER_PRECISION_V2 = "image-upscaler-precision-v2", "/v1/ai/image-upscaler-precision-v2", Some("lanczos-upscaler"), IMAGE;
    SOUND_EFFECTS = "sound-effects", "/v1/ai/sound-effects", Some("procedural-sound"), AUDIO;
    IMAGE_TO_PROMPT = "image-to-prompt", "/v1/ai/image-to-prompt", Some("measured-description"), TEXT;
    APP_RUNS = "app-runs", "/v1/ai/apps/runs", None, TEXT;
}
