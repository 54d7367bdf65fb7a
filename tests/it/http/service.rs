//! Implements every trait: returns the spec's examples, and records the inputs.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};

use asset_api_server::Server;
use openapi_crates_runtime::{
    codec::{Decode, Encode, ValueReader, to_value},
    server::{
        Attempt, Authenticate, Context, Denied, Service,
        decode::{RawRequest, Refused, decode_input},
    },
    table::Operation,
    validation::check_input,
};
use serde_json::Value;

use super::{
    spec,
    wire::{ENTERPRISE_KEY, KEY},
};

/// Responds to every operation with its example.
#[derive(Default)]
pub struct Examples {
    /// The last input of each operation.
    inputs: Mutex<BTreeMap<&'static str, Value>>,
}

impl Examples {
    /// Returns the last input of an operation, if it was called.
    pub fn inputs(&self, id: &str) -> Option<Value> {
        self.inputs.lock().expect("the lock is not poisoned").get(id).cloned()
    }

    fn response<O: Decode>(&self, context: &Context<Caller>, input: Option<&dyn Encode>) -> O {
        let operation = context.operation;
        let input = input.map(to_value).unwrap_or_default();
        self.inputs.lock().expect("the lock is not poisoned").insert(operation.id, input);
        let (_, example) = spec::success_example(operation);
        O::decode(&mut ValueReader::strict(example)).expect("the example is an output")
    }
}

/// The caller, by its key.
pub struct Caller;

/// Knows two keys.
struct Keys;

impl Authenticate for Keys {
    type Principal = Caller;

    async fn authenticate(&self, attempt: Attempt<'_>) -> Result<Caller, Denied> {
        let key = attempt.credential(&asset_api_validation::security::API_KEY);
        match key.map(|key| key.secret()) {
            Some(ENTERPRISE_KEY) => Ok(Caller),
            Some(KEY) if attempt.operation.requires.is_empty() => Ok(Caller),
            Some(KEY) => Err(Denied::forbidden()),
            _ => Err(Denied::Invalid),
        }
    }
}

/// Receives a function that checks an input.
pub type WithCheck<'a> = dyn FnMut(&dyn Fn() -> bool) + 'a;

/// Functions that need only an operation's input type.
pub struct Typed {
    /// The `operationId`.
    pub id: &'static str,
    /// Reads and checks a request.
    pub decode: fn(&'static Operation, &RawRequest<'_>) -> Result<(), Refused>,
    /// Decodes an input and passes on a function that checks it.
    pub with_check: fn(&'static Operation, &Value, &mut WithCheck<'_>),
}

impl Typed {
    const fn new<I: Decode + Encode>(id: &'static str) -> Self {
        Self {
            id,
            decode: |operation, raw| decode_input::<I>(operation, raw).map(drop),
            with_check: |operation, input, run| {
                let input = I::decode(&mut ValueReader::strict(input)).expect("the example is an input");
                run(&|| check_input(operation, &input));
            },
        }
    }
}

/// Implements the traits. [`TYPED`] lists the ids, so that a test can find missing operations.
macro_rules! services {
    ($($module:ident::$api:ident { $($method:ident($($input:ty)?) -> $output:ty;)+ })+) => {
        /// The operations that are implemented.
        pub static TYPED: &[Typed] = &[$($($module::$method(),)+)+];

        /// Builds the service with all families.
        pub fn build(examples: &Arc<Examples>) -> Service {
            let builder = Server::builder(Keys)$(.$module(Arc::clone(examples)))+;
            builder.build().expect("no two operations have the same method and path")
        }

        $(mod $module {
            #[allow(unused_imports, reason = "some families have only types of their own")]
            use asset_api_models::{common::*, $module::*, responses::ApiError};
            use openapi_crates_runtime::server::{Context, Failure};

            use super::{Caller, Examples, Typed};

            impl asset_api_server::$module::$api for Examples {
                type Principal = Caller;
                $(services!(@method $method($($input)?) -> $output);)+
            }

            $(pub(super) const fn $method() -> Typed {
                services!(@typed $method($($input)?))
            })+
        })+
    };
    (@method $method:ident() -> $output:ty) => {
        async fn $method(&self, context: Context<Caller>) -> Result<$output, Failure<ApiError>> {
            Ok(self.response(&context, None))
        }
    };
    (@method $method:ident($input:ty) -> $output:ty) => {
        async fn $method(&self, context: Context<Caller>, input: $input) -> Result<$output, Failure<ApiError>> {
            Ok(self.response(&context, Some(&input)))
        }
    };
    (@typed $method:ident()) => {
        Typed::new::<()>(stringify!($method))
    };
    (@typed $method:ident($input:ty)) => {
        Typed::new::<$input>(stringify!($method))
    };
}

services! {
    icons::IconsApi {
        get_icon(GetIconInput) -> IconResponse;
    }
    resources::ResourcesApi {
        list_resources(ListResourcesInput) -> ResourceListResponse;
    }
    music::MusicApi {
        search_music(SearchMusicInput) -> MusicSearchResponse;
        download_music(DownloadMusicInput) -> Download;
    }
    sfx::SfxApi {
        search_sfx(SearchSfxInput) -> SfxSearchResponse;
        download_sfx(DownloadSfxInput) -> Download;
    }
    skin_enhancer::SkinEnhancerApi {
        enhance_skin_creative(EnhanceSkinCreativeInput) -> TaskCreatedResponse;
        enhance_skin_faithful(EnhanceSkinFaithfulInput) -> TaskCreatedResponse;
        enhance_skin_flexible(EnhanceSkinFlexibleInput) -> TaskCreatedResponse;
        list_skin_enhancements(ListSkinEnhancementsInput) -> TaskListResponse;
        get_skin_enhancement(GetSkinEnhancementInput) -> TaskResponse;
    }
    imagegen::ImagegenApi {
        create_imagegen(CreateImagegenInput) -> TaskCreatedResponse;
        list_imagegens(ListImagegensInput) -> ImagegenTaskListResponse;
        get_imagegen(GetImagegenInput) -> ImagegenTaskResponse;
    }
    loras::LorasApi {
        list_loras() -> LoraListResponse;
    }
    text_to_icon::TextToIconApi {
        create_icon(CreateIconInput) -> TaskCreatedResponse;
        list_generated_icons(ListGeneratedIconsInput) -> TaskListResponse;
        preview_icon(PreviewIconInput) -> TaskCreatedResponse;
        get_generated_icon(GetGeneratedIconInput) -> TaskResponse;
        render_icon(RenderIconInput) -> TaskResponse;
    }
    voiceover::VoiceoverApi {
        create_voiceover(CreateVoiceoverInput) -> TaskCreatedResponse;
        list_voiceovers(ListVoiceoversInput) -> TaskListResponse;
        get_voiceover(GetVoiceoverInput) -> TaskResponse;
    }
    improve_prompt::ImprovePromptApi {
        improve_prompt(ImprovePromptInput) -> TaskCreatedResponse;
        list_improved_prompts(ListImprovedPromptsInput) -> TaskListResponse;
        get_improved_prompt(GetImprovedPromptInput) -> TaskResponse;
    }
    text_to_image::TextToImageApi {
        create_kontext_pro_image(CreateKontextProImageInput) -> TaskCreatedResponse;
        list_kontext_pro_images(ListKontextProImagesInput) -> TaskListResponse;
        get_kontext_pro_image(GetKontextProImageInput) -> TaskResponse;
        create_fast_image(CreateFastImageInput) -> TaskCreatedResponse;
        list_fast_images(ListFastImagesInput) -> TaskListResponse;
        get_fast_image(GetFastImageInput) -> TaskResponse;
        create_ultra_image(CreateUltraImageInput) -> TaskCreatedResponse;
        list_ultra_images(ListUltraImagesInput) -> TaskListResponse;
        get_ultra_image(GetUltraImageInput) -> TaskResponse;
        create_text_to_image(CreateTextToImageInput) -> TaskCreatedResponse;
        list_text_to_images(ListTextToImagesInput) -> TaskListResponse;
        get_text_to_image(GetTextToImageInput) -> TaskResponse;
    }
    text_to_video::TextToVideoApi {
        create_text_to_video_v2_6(CreateTextToVideoV2_6Input) -> TaskCreatedResponse;
        list_text_to_videos_v2_6(ListTextToVideosV2_6Input) -> TaskListResponse;
        get_text_to_video_v2_6(GetTextToVideoV2_6Input) -> TaskResponse;
        create_text_to_video(CreateTextToVideoInput) -> TaskCreatedResponse;
        list_text_to_videos(ListTextToVideosInput) -> TaskListResponse;
        get_text_to_video(GetTextToVideoInput) -> TaskResponse;
    }
    image_to_video::ImageToVideoApi {
        create_image_to_video(CreateImageToVideoInput) -> TaskCreatedResponse;
        list_image_to_videos(ListImageToVideosInput) -> TaskListResponse;
        get_image_to_video(GetImageToVideoInput) -> TaskResponse;
    }
    reference_to_video::ReferenceToVideoApi {
        create_reference_to_video(CreateReferenceToVideoInput) -> TaskCreatedResponse;
        list_reference_to_videos(ListReferenceToVideosInput) -> TaskListResponse;
        get_reference_to_video(GetReferenceToVideoInput) -> TaskResponse;
    }
    lip_sync::LipSyncApi {
        create_lip_sync(CreateLipSyncInput) -> TaskCreatedResponse;
        list_lip_syncs(ListLipSyncsInput) -> TaskListResponse;
        get_lip_sync(GetLipSyncInput) -> TaskResponse;
        create_fast_lip_sync(CreateFastLipSyncInput) -> TaskCreatedResponse;
        list_fast_lip_syncs(ListFastLipSyncsInput) -> TaskListResponse;
        get_fast_lip_sync(GetFastLipSyncInput) -> TaskResponse;
    }
    video_upscaler::VideoUpscalerApi {
        create_video_upscale(CreateVideoUpscaleInput) -> TaskCreatedResponse;
        list_video_upscales(ListVideoUpscalesInput) -> TaskListResponse;
        create_turbo_video_upscale(CreateTurboVideoUpscaleInput) -> TaskCreatedResponse;
        get_video_upscale(GetVideoUpscaleInput) -> TaskResponse;
    }
    video_upscaler_precision::VideoUpscalerPrecisionApi {
        create_precision_video_upscale(CreatePrecisionVideoUpscaleInput) -> TaskCreatedResponse;
        list_precision_video_upscales(ListPrecisionVideoUpscalesInput) -> TaskListResponse;
        get_precision_video_upscale(GetPrecisionVideoUpscaleInput) -> TaskResponse;
    }
    video::VideoApi {
        create_pro_video(CreateProVideoInput) -> TaskCreatedResponse;
        list_pro_videos(ListProVideosInput) -> TaskListResponse;
        get_pro_video(GetProVideoInput) -> TaskResponse;
        create_std_video(CreateStdVideoInput) -> TaskCreatedResponse;
        list_std_videos(ListStdVideosInput) -> TaskListResponse;
        get_std_video(GetStdVideoInput) -> TaskResponse;
    }
    motion_control::MotionControlApi {
        create_pro_motion_control(CreateProMotionControlInput) -> TaskCreatedResponse;
        list_pro_motion_controls(ListProMotionControlsInput) -> TaskListResponse;
        get_pro_motion_control(GetProMotionControlInput) -> TaskResponse;
        create_std_motion_control(CreateStdMotionControlInput) -> TaskCreatedResponse;
        list_std_motion_controls(ListStdMotionControlsInput) -> TaskListResponse;
        get_std_motion_control(GetStdMotionControlInput) -> TaskResponse;
    }
    image_change_camera::ImageChangeCameraApi {
        create_camera_change(CreateCameraChangeInput) -> TaskCreatedResponse;
        list_camera_changes(ListCameraChangesInput) -> TaskListResponse;
        get_camera_change(GetCameraChangeInput) -> TaskResponse;
    }
    image_expand::ImageExpandApi {
        create_image_expansion(CreateImageExpansionInput) -> TaskCreatedResponse;
        list_image_expansions(ListImageExpansionsInput) -> TaskListResponse;
        get_image_expansion(GetImageExpansionInput) -> TaskResponse;
    }
    image_edit::ImageEditApi {
        create_image_edit(CreateImageEditInput) -> TaskCreatedResponse;
        list_image_edits(ListImageEditsInput) -> TaskListResponse;
        get_image_edit(GetImageEditInput) -> TaskResponse;
    }
    image_preview::ImagePreviewApi {
        create_image_preview(CreateImagePreviewInput) -> TaskCreatedResponse;
        list_image_previews(ListImagePreviewsInput) -> TaskListResponse;
        get_image_preview(GetImagePreviewInput) -> TaskResponse;
    }
    image_upscaler_precision::ImageUpscalerPrecisionApi {
        create_precision_image_upscale(CreatePrecisionImageUpscaleInput) -> TaskCreatedResponse;
        list_precision_image_upscales(ListPrecisionImageUpscalesInput) -> TaskListResponse;
        get_precision_image_upscale(GetPrecisionImageUpscaleInput) -> TaskResponse;
        create_precision_image_upscale_v2(CreatePrecisionImageUpscaleV2Input) -> TaskCreatedResponse;
        list_precision_image_upscales_v2(ListPrecisionImageUpscalesV2Input) -> TaskListResponse;
        get_precision_image_upscale_v2(GetPrecisionImageUpscaleV2Input) -> TaskResponse;
    }
    sound_effects::SoundEffectsApi {
        create_sound_effect(CreateSoundEffectInput) -> TaskCreatedResponse;
        list_sound_effects(ListSoundEffectsInput) -> TaskListResponse;
        get_sound_effect(GetSoundEffectInput) -> TaskResponse;
    }
    image_to_prompt::ImageToPromptApi {
        create_image_to_prompt(CreateImageToPromptInput) -> TaskCreatedResponse;
        list_image_to_prompts(ListImageToPromptsInput) -> TaskListResponse;
        get_image_to_prompt(GetImageToPromptInput) -> TaskResponse;
    }
    apps::AppsApi {
        list_apps(ListAppsInput) -> AppListResponse;
        list_own_apps() -> OwnAppListResponse;
        get_app(GetAppInput) -> AppDefinitionResponse;
        run_app(RunAppInput) -> AppRunStarted;
        get_app_run(GetAppRunInput) -> AppRunResponse;
    }
}
