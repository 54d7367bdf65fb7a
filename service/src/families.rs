//! The task families of the API, a row each. `engine::family` and `api::families` read them.
//!
//! A row is within the generated module and trait of its tag. It has the name in the settings, `[model]` if the path names
//! one, the kind of the result, and the built-in engine, if one serves the family. Then follow the operations, each with its
//! generated input:
//!
//! - `create` creates tasks. The function of `api::work` after `by` returns the work of the built-in engine.
//! - `list` and `get` show tasks, in the response after `->` if it is not the usual one.
//! - `other` calls the method of `Api` after `by`.
//!
//! Paths come from the generated tables, and the fields that hold media from `x-media` in the document.

macro_rules! task_families {
    ($read:ident) => {
        $read! {
            skin_enhancer::SkinEnhancerApi {
                SKIN_ENHANCER = "skin-enhancer" [], IMAGE, "tone-retoucher" {
                    create enhance_skin_creative(EnhanceSkinCreativeInput) by retouched_creatively;
                    create enhance_skin_faithful(EnhanceSkinFaithfulInput) by retouched_faithfully;
                    create enhance_skin_flexible(EnhanceSkinFlexibleInput) by retouched_flexibly;
                    list list_skin_enhancements(ListSkinEnhancementsInput);
                    get get_skin_enhancement(GetSkinEnhancementInput);
                }
            }
            imagegen::ImagegenApi {
                IMAGEGEN = "imagegen" [], IMAGE, "procedural-composition" {
                    create create_imagegen(CreateImagegenInput) by composed_in_style;
                    list list_imagegens(ListImagegensInput) -> ImagegenTaskListResponse;
                    get get_imagegen(GetImagegenInput) -> ImagegenTaskResponse;
                }
            }
            text_to_icon::TextToIconApi {
                TEXT_TO_ICON = "text-to-icon" [], IMAGE, "icon-retrieval" {
                    create create_icon(CreateIconInput) by icon;
                    create preview_icon(PreviewIconInput) by icon_preview;
                    list list_generated_icons(ListGeneratedIconsInput);
                    get get_generated_icon(GetGeneratedIconInput);
                    other render_icon(RenderIconInput) -> TaskResponse by rendered_icon;
                }
            }
            voiceover::VoiceoverApi {
                VOICEOVER = "voiceover" [], AUDIO, "formant-speech" {
                    create create_voiceover(CreateVoiceoverInput) by speech;
                    list list_voiceovers(ListVoiceoversInput);
                    get get_voiceover(GetVoiceoverInput);
                }
            }
            improve_prompt::ImprovePromptApi {
                IMPROVE_PROMPT = "improve-prompt" [], TEXT, "template-expansion" {
                    create improve_prompt(ImprovePromptInput) by improved_prompt;
                    list list_improved_prompts(ListImprovedPromptsInput);
                    get get_improved_prompt(GetImprovedPromptInput);
                }
            }
            text_to_image::TextToImageApi {
                KONTEXT_PRO = "text-to-image-kontext-pro" [], IMAGE, "procedural-composition" {
                    create create_kontext_pro_image(CreateKontextProImageInput) by composed_with_guidance;
                    list list_kontext_pro_images(ListKontextProImagesInput);
                    get get_kontext_pro_image(GetKontextProImageInput);
                }
                FAST_IMAGE = "text-to-image-fast" [], IMAGE, "procedural-composition" {
                    create create_fast_image(CreateFastImageInput) by composed_fast;
                    list list_fast_images(ListFastImagesInput);
                    get get_fast_image(GetFastImageInput);
                }
                ULTRA_IMAGE = "text-to-image-ultra" [], IMAGE, "procedural-composition" {
                    create create_ultra_image(CreateUltraImageInput) by composed_large;
                    list list_ultra_images(ListUltraImagesInput);
                    get get_ultra_image(GetUltraImageInput);
                }
                TEXT_TO_IMAGE = "text-to-image" [model], IMAGE, "procedural-composition" {
                    create create_text_to_image(CreateTextToImageInput) by composed_with_references;
                    list list_text_to_images(ListTextToImagesInput);
                    get get_text_to_image(GetTextToImageInput);
                }
            }
            text_to_video::TextToVideoApi {
                TEXT_TO_VIDEO_V2_6 = "text-to-video-v2-6" [], VIDEO, "procedural-animation" {
                    create create_text_to_video_v2_6(CreateTextToVideoV2_6Input) by animated_in_size;
                    list list_text_to_videos_v2_6(ListTextToVideosV2_6Input);
                    get get_text_to_video_v2_6(GetTextToVideoV2_6Input);
                }
                TEXT_TO_VIDEO = "text-to-video" [model], VIDEO, "procedural-animation" {
                    create create_text_to_video(CreateTextToVideoInput) by animated_in_shape;
                    list list_text_to_videos(ListTextToVideosInput);
                    get get_text_to_video(GetTextToVideoInput);
                }
            }
            image_to_video::ImageToVideoApi {
                IMAGE_TO_VIDEO = "image-to-video" [model], VIDEO, "still-camera" {
                    create create_image_to_video(CreateImageToVideoInput) by camera_move;
                    list list_image_to_videos(ListImageToVideosInput);
                    get get_image_to_video(GetImageToVideoInput);
                }
            }
            reference_to_video::ReferenceToVideoApi {
                REFERENCE_TO_VIDEO = "reference-to-video" [model], VIDEO {
                    create create_reference_to_video(CreateReferenceToVideoInput);
                    list list_reference_to_videos(ListReferenceToVideosInput);
                    get get_reference_to_video(GetReferenceToVideoInput);
                }
            }
            lip_sync::LipSyncApi {
                LIP_SYNC = "lip-sync" [model], VIDEO {
                    create create_lip_sync(CreateLipSyncInput);
                    list list_lip_syncs(ListLipSyncsInput);
                    get get_lip_sync(GetLipSyncInput);
                }
                LIP_SYNC_FAST = "lip-sync-fast" [model], VIDEO {
                    create create_fast_lip_sync(CreateFastLipSyncInput);
                    list list_fast_lip_syncs(ListFastLipSyncsInput);
                    get get_fast_lip_sync(GetFastLipSyncInput);
                }
            }
            video_upscaler::VideoUpscalerApi {
                VIDEO_UPSCALER = "video-upscaler" [], VIDEO {
                    create create_video_upscale(CreateVideoUpscaleInput);
                    create create_turbo_video_upscale(CreateTurboVideoUpscaleInput);
                    list list_video_upscales(ListVideoUpscalesInput);
                    get get_video_upscale(GetVideoUpscaleInput);
                }
            }
            video_upscaler_precision::VideoUpscalerPrecisionApi {
                VIDEO_UPSCALER_PRECISION = "video-upscaler-precision" [], VIDEO {
                    create create_precision_video_upscale(CreatePrecisionVideoUpscaleInput);
                    list list_precision_video_upscales(ListPrecisionVideoUpscalesInput);
                    get get_precision_video_upscale(GetPrecisionVideoUpscaleInput);
                }
            }
            video::VideoApi {
                VIDEO_PRO = "video-pro" [model], VIDEO {
                    create create_pro_video(CreateProVideoInput);
                    list list_pro_videos(ListProVideosInput);
                    get get_pro_video(GetProVideoInput);
                }
                VIDEO_STD = "video-std" [model], VIDEO {
                    create create_std_video(CreateStdVideoInput);
                    list list_std_videos(ListStdVideosInput);
                    get get_std_video(GetStdVideoInput);
                }
            }
            motion_control::MotionControlApi {
                MOTION_CONTROL_PRO = "motion-control-pro" [model], VIDEO {
                    create create_pro_motion_control(CreateProMotionControlInput);
                    list list_pro_motion_controls(ListProMotionControlsInput);
                    get get_pro_motion_control(GetProMotionControlInput);
                }
                MOTION_CONTROL_STD = "motion-control-std" [model], VIDEO {
                    create create_std_motion_control(CreateStdMotionControlInput);
                    list list_std_motion_controls(ListStdMotionControlsInput);
                    get get_std_motion_control(GetStdMotionControlInput);
                }
            }
            image_change_camera::ImageChangeCameraApi {
                IMAGE_CHANGE_CAMERA = "image-change-camera" [], IMAGE, "plane-camera" {
                    create create_camera_change(CreateCameraChangeInput) by camera_change;
                    list list_camera_changes(ListCameraChangesInput);
                    get get_camera_change(GetCameraChangeInput);
                }
            }
            image_expand::ImageExpandApi {
                IMAGE_EXPAND = "image-expand" [model], IMAGE, "texture-expander" {
                    create create_image_expansion(CreateImageExpansionInput) by expansion;
                    list list_image_expansions(ListImageExpansionsInput);
                    get get_image_expansion(GetImageExpansionInput);
                }
            }
            image_edit::ImageEditApi {
                IMAGE_EDIT = "image-edit" [model], IMAGE, "patch-inpainter" {
                    create create_image_edit(CreateImageEditInput) by removal;
                    list list_image_edits(ListImageEditsInput);
                    get get_image_edit(GetImageEditInput);
                }
            }
            image_preview::ImagePreviewApi {
                IMAGE_PREVIEW = "image-preview" [model], IMAGE {
                    create create_image_preview(CreateImagePreviewInput);
                    list list_image_previews(ListImagePreviewsInput);
                    get get_image_preview(GetImagePreviewInput);
                }
            }
            image_upscaler_precision::ImageUpscalerPrecisionApi {
                IMAGE_UPSCALER_PRECISION = "image-upscaler-precision" [], IMAGE, "lanczos-upscaler" {
                    create create_precision_image_upscale(CreatePrecisionImageUpscaleInput) by upscaled;
                    list list_precision_image_upscales(ListPrecisionImageUpscalesInput);
                    get get_precision_image_upscale(GetPrecisionImageUpscaleInput);
                }
                IMAGE_UPSCALER_PRECISION_V2 = "image-upscaler-precision-v2" [], IMAGE, "lanczos-upscaler" {
                    create create_precision_image_upscale_v2(CreatePrecisionImageUpscaleV2Input) by upscaled_v2;
                    list list_precision_image_upscales_v2(ListPrecisionImageUpscalesV2Input);
                    get get_precision_image_upscale_v2(GetPrecisionImageUpscaleV2Input);
                }
            }
            sound_effects::SoundEffectsApi {
                SOUND_EFFECTS = "sound-effects" [], AUDIO, "procedural-sound" {
                    create create_sound_effect(CreateSoundEffectInput) by sound;
                    list list_sound_effects(ListSoundEffectsInput);
                    get get_sound_effect(GetSoundEffectInput);
                }
            }
            image_to_prompt::ImageToPromptApi {
                IMAGE_TO_PROMPT = "image-to-prompt" [], TEXT, "measured-description" {
                    create create_image_to_prompt(CreateImageToPromptInput) by description;
                    list list_image_to_prompts(ListImageToPromptsInput);
                    get get_image_to_prompt(GetImageToPromptInput);
                }
            }
        }
    };
}

pub(crate) use task_families;
