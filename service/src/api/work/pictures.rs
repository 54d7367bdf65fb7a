//! The work for requests whose result is a picture.

use asset_api_server::models::{
    image_change_camera, image_edit, image_expand, image_upscaler_precision, imagegen, skin_enhancer,
    text_to_image,
};
use asset_engines::camera::{Camera, OutputFormat};
use asset_engines::compose::{Composition, Format, Share};
use asset_engines::expand::Expand;
use asset_engines::remove::{MagicPrompt, Remove, RenderingSpeed};
use asset_engines::retouch::{Mode, Retouch, Target};
use asset_engines::upscale::{Flavor, Precision, PrecisionV2};
use sha2::{Digest, Sha256};

use super::{SeededWork, level, not_negative, shapes};

/// The number of pixels of a picture if the request does not set a size.
const MEGAPIXEL: u32 = 1 << 20;

pub fn retouched_creatively(body: &skin_enhancer::SkinCreativeRequest) -> SeededWork {
    retouched(Mode::Creative, body.sharpen_or_default(), body.smart_grain_or_default())
}

pub fn retouched_faithfully(body: &skin_enhancer::SkinFaithfulRequest) -> SeededWork {
    let mode = Mode::Faithful { skin_detail: level(body.skin_detail_or_default()) };
    retouched(mode, body.sharpen_or_default(), body.smart_grain_or_default())
}

pub fn retouched_flexibly(body: &skin_enhancer::SkinFlexibleRequest) -> SeededWork {
    use skin_enhancer::SkinTarget;
    let optimized_for = match body.optimized_for_or_default() {
        SkinTarget::EnhanceSkin => Target::EnhanceSkin,
        SkinTarget::ImproveLighting => Target::ImproveLighting,
        SkinTarget::EnhanceEverything => Target::EnhanceEverything,
        SkinTarget::TransformToReal => Target::TransformToReal,
        SkinTarget::NoMakeUp => Target::NoMakeUp,
    };
    let mode = Mode::Flexible { optimized_for };
    retouched(mode, body.sharpen_or_default(), body.smart_grain_or_default())
}

fn retouched(mode: Mode, sharpen: i64, smart_grain: i64) -> SeededWork {
    Retouch { mode, sharpen: level(sharpen), smart_grain: level(smart_grain) }.into()
}

pub fn composed_in_style(body: &imagegen::ImagegenRequest) -> SeededWork {
    let side = match body.resolution_or_default() {
        imagegen::ImagegenResolution::N1k => 1024,
        imagegen::ImagegenResolution::N2k => 2048,
        imagegen::ImagegenResolution::N4k => 4096,
    };
    let (width, height) = shapes::longest(body.aspect_ratio_or_default().as_str(), side);
    let mut composition = Composition::new(body.prompt.clone().unwrap_or_default(), width, height);
    if let Some(styling) = &body.styling {
        let is_given = |count: Option<usize>| count.is_some_and(|count| count > 0);
        let styles = is_given(styling.styles.as_ref().map(Vec::len));
        composition.trained = (styles, is_given(styling.characters.as_ref().map(Vec::len)));
        let colours = styling.colors.iter().flatten();
        composition.colours =
            colours.map(|share| Share { colour: share.color.clone(), weight: share.weight }).collect();
    }
    SeededWork::new(composition, body.fixed_generation_or_default().then(|| seed_of(body)))
}

/// Derives the seed from the settings, so that equal settings give equal pictures.
fn seed_of(body: &imagegen::ImagegenRequest) -> i64 {
    let mut settings = body.clone();
    settings.webhook_url = None;
    // Models always serialize.
    let digest = Sha256::digest(serde_json::to_vec(&settings).unwrap_or_default());
    not_negative(i64::from_be_bytes(digest.first_chunk().copied().unwrap_or_default()))
}

pub fn composed_with_guidance(body: &text_to_image::KontextProRequest) -> SeededWork {
    let (width, height) = shapes::area(body.aspect_ratio_or_default().as_str(), MEGAPIXEL);
    let composition = Composition {
        expand: body.prompt_upsampling_or_default(),
        ..Composition::new(&body.prompt, width, height)
    };
    SeededWork::new(composition, body.seed.map(not_negative))
}

pub fn composed_fast(body: &text_to_image::TieredTextToImageRequest) -> SeededWork {
    composed_in_tier(body, MEGAPIXEL)
}

pub fn composed_large(body: &text_to_image::TieredTextToImageRequest) -> SeededWork {
    composed_in_tier(body, 4 * MEGAPIXEL)
}

fn composed_in_tier(body: &text_to_image::TieredTextToImageRequest, pixels: u32) -> SeededWork {
    let shape = body.aspect_ratio.as_ref().map_or("1:1", text_to_image::TieredAspectRatio::as_str);
    let (width, height) = shapes::area(shape, pixels);
    let options = body.output_options.as_ref();
    let compression = options.and_then(|options| options.compression).map(level);
    let composition = Composition {
        expand: body.enhance_prompt.unwrap_or_default(),
        format: match options.and_then(|options| options.mime_type.as_ref()) {
            Some(text_to_image::ImageMimeType::ImageJpeg) => Format::Jpeg(compression),
            _ => Format::Png(compression),
        },
        ..Composition::new(&body.prompt, width, height)
    };
    SeededWork::new(composition, body.seed)
}

pub fn composed_with_references(body: &text_to_image::TextToImageRequest) -> SeededWork {
    let side = match body.resolution_or_default() {
        text_to_image::TextToImageResolution::Low => 1024,
        text_to_image::TextToImageResolution::Medium => 2048,
        text_to_image::TextToImageResolution::High => 4096,
    };
    let shape = body.aspect_ratio.as_ref().map_or("1:1", text_to_image::TextToImageAspectRatio::as_str);
    let (width, height) = shapes::longest(shape, side);
    // The texts of the reference images are part of the prompt.
    let texts = body.reference_images.iter().flatten().filter_map(|reference| reference.text.as_deref());
    let prompt: Vec<&str> = std::iter::once(body.prompt.as_str()).chain(texts).collect();
    Composition::new(prompt.join(". "), width, height).into()
}

pub fn camera_change(body: &image_change_camera::CameraChangeRequest) -> SeededWork {
    let camera = Camera {
        horizontal_angle: u16::try_from(body.horizontal_angle_or_default()).unwrap_or_default(),
        vertical_angle: i16::try_from(body.vertical_angle_or_default()).unwrap_or_default(),
        zoom: level(body.zoom_or_default()),
        output_format: match body.output_format {
            Some(image_change_camera::CameraChangeFormat::Jpeg) => OutputFormat::Jpeg,
            _ => OutputFormat::Png,
        },
    };
    SeededWork::new(camera, body.seed)
}

pub fn expansion(body: &image_expand::ImageExpandRequest) -> SeededWork {
    let edge = |growth: Option<i64>| growth.and_then(|growth| u32::try_from(growth).ok()).unwrap_or_default();
    let expand = Expand {
        left: edge(body.left),
        right: edge(body.right),
        top: edge(body.top),
        bottom: edge(body.bottom),
        prompt: body.prompt.clone().unwrap_or_default(),
    };
    SeededWork::new(expand, body.seed)
}

pub fn removal(body: &image_edit::ImageEditRequest) -> SeededWork {
    let remove = Remove {
        prompt: body.prompt.clone(),
        rendering_speed: match body.rendering_speed {
            Some(image_edit::RenderingSpeed::Turbo) => RenderingSpeed::Turbo,
            Some(image_edit::RenderingSpeed::Quality) => RenderingSpeed::Quality,
            _ => RenderingSpeed::Default,
        },
        magic_prompt: match body.magic_prompt {
            Some(image_edit::MagicPrompt::On) => MagicPrompt::On,
            Some(image_edit::MagicPrompt::Off) => MagicPrompt::Off,
            _ => MagicPrompt::Auto,
        },
    };
    SeededWork::new(remove, body.seed)
}

pub fn upscaled(body: &image_upscaler_precision::PrecisionImageUpscaleRequest) -> SeededWork {
    let precision = Precision {
        sharpen: level(body.sharpen_or_default()),
        smart_grain: level(body.smart_grain_or_default()),
        ultra_detail: level(body.ultra_detail_or_default()),
    };
    precision.into()
}

pub fn upscaled_v2(body: &image_upscaler_precision::PrecisionImageUpscaleV2Request) -> SeededWork {
    use image_upscaler_precision::ImageFlavor;
    let precision = PrecisionV2 {
        sharpen: level(body.sharpen_or_default()),
        smart_grain: level(body.smart_grain_or_default()),
        ultra_detail: level(body.ultra_detail_or_default()),
        flavor: body.flavor.map(|flavor| match flavor {
            ImageFlavor::Sublime => Flavor::Sublime,
            ImageFlavor::Photo => Flavor::Photo,
            ImageFlavor::PhotoDenoiser => Flavor::PhotoDenoiser,
        }),
        scale_factor: u32::from(level(body.scale_factor_or_default())),
    };
    precision.into()
}
