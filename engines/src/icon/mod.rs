//! Icons from a text: finds an icon of the built-in set and draws it in a style.

mod geometry;
mod palette;
mod search;
mod set;
mod style;

use serde::{Deserialize, Serialize};

use crate::random::Random;
use crate::svg;
use crate::{Engine, Failure, File, Job, Output, Refusal};

pub use set::{EmbeddedIcon, SET_LICENSE, SET_NAME, embedded};

use search::Candidate;

/// The parameters of an icon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct IconParameters {
    /// The subject in English words. A colour word sets the colour.
    pub prompt: String,
    /// The style. Default: `solid`.
    pub style: IconStyle,
    /// The file format. Default: `png`. The same seed gives the same icon in both formats.
    pub format: IconFormat,
    /// The number of inference steps, 10 to 50. The built-in engine does not read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_inference_steps: Option<u32>,
    /// How strictly the text is followed, 0 to 10. Default: 7.
    ///
    /// At 10 the engine takes the icon that fits best. At 0 it takes a random one that fits at least half as
    /// well.
    pub guidance_scale: f64,
    /// Whether to make a quick preview with a quarter of the pixels.
    pub preview: bool,
}

impl Default for IconParameters {
    fn default() -> Self {
        Self::new("")
    }
}

impl IconParameters {
    /// Creates parameters with defaults.
    pub fn new(prompt: impl Into<String>) -> Self {
        Self {
            prompt: prompt.into(),
            style: IconStyle::default(),
            format: IconFormat::default(),
            num_inference_steps: None,
            guidance_scale: 7.0,
            preview: false,
        }
    }
}

/// The style of an icon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IconStyle {
    /// Filled bodies of one colour, with details cut out.
    #[default]
    Solid,
    /// Lines of one colour.
    Outline,
    /// Coloured bodies with dark contours.
    Color,
    /// Coloured areas without contours, half in shade, on a round background.
    Flat,
    /// Coloured, with a white border and a shadow.
    Sticker,
}

impl IconStyle {
    /// All styles.
    pub const ALL: [Self; 5] = [Self::Solid, Self::Outline, Self::Color, Self::Flat, Self::Sticker];
}

/// The file format of an icon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IconFormat {
    /// PNG with transparency: 512 by 512 pixels, or 256 by 256 as a preview.
    #[default]
    Png,
    /// SVG.
    Svg,
}

/// Finds the built-in icon that fits the text best, and restyles it.
///
/// It draws nothing new. If the set has no icon for a subject, it takes the icon whose name is most similar to a
/// word of the text. It refuses a text without a similar name.
#[derive(Debug, Clone, Copy, Default)]
pub struct IconRetrieval;

/// The number of best matches to choose from.
const CANDIDATES: usize = 10;

impl Engine<IconParameters> for IconRetrieval {
    const NAME: &'static str = "icon-retrieval/1";

    type Media = ();

    fn refuse(&self, parameters: &IconParameters) -> Vec<Refusal> {
        let steps = parameters.num_inference_steps;
        let unknown = format!(
            "must name, in English, something that the {} built-in icons show, such as bell, cat, house or rocket",
            embedded().len()
        );
        let bounds = [
            steps.and_then(|steps| Refusal::of_number("num_inference_steps", steps, 10..=50)),
            Refusal::of_number("guidance_scale", parameters.guidance_scale, 0.0..=10.0),
            Refusal::when(search::search(&parameters.prompt, 1).is_empty(), "prompt", unknown),
        ];
        bounds.into_iter().flatten().collect()
    }

    fn run(&self, parameters: &IconParameters, _: (), job: &Job) -> Result<Vec<Output>, Failure> {
        let mut random = Random::for_part(job.seed, "icon");
        let found = search::search(&parameters.prompt, CANDIDATES);
        job.check()?;
        let icon = chosen(&found, parameters.guidance_scale, &mut random)
            .ok_or_else(|| Failure::media("unsupported_parameters", "No built-in icon fits the prompt."))?;
        let palette = palette::palette(&parameters.prompt, icon, &mut random);
        let description = format!("{}, after \"{}\" of {SET_NAME} (ISC licence)", Self::NAME, icon.name);
        let shapes = geometry::shapes(icon)?;
        let svg = style::restyled(&shapes, parameters.style, &palette, &icon.name, &description);
        job.check()?;
        let (media_type, extension, bytes) = match parameters.format {
            IconFormat::Svg => ("image/svg+xml", "svg", svg.into_bytes()),
            IconFormat::Png => {
                let side = if parameters.preview { 256 } else { 512 };
                ("image/png", "png", svg::signed_png(&svg, side, Self::NAME)?)
            }
        };
        Ok(vec![Output::File(File { media_type, extension, bytes })])
    }
}

fn chosen(found: &[Candidate], guidance: f64, random: &mut Random) -> Option<&'static EmbeddedIcon> {
    let best = found.first()?.score;
    let least = best * (0.5 + 0.05 * guidance.clamp(0.0, 10.0));
    let fitting: Vec<&Candidate> = found.iter().filter(|candidate| candidate.score >= least).collect();
    random.pick(&fitting).map(|candidate| candidate.icon)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file_of(parameters: &IconParameters, seed: u64) -> File {
        match IconRetrieval.run(parameters, (), &Job::with_seed(seed)).unwrap().as_slice() {
            [Output::File(file)] => file.clone(),
            other => panic!("one file, not {other:?}"),
        }
    }

    #[test]
    fn every_icon_is_a_picture_in_every_style() {
        for icon in embedded() {
            let shapes = geometry::shapes(icon).unwrap();
            let palette = palette::palette("", icon, &mut Random::new(1));
            let mut covered = Vec::new();
            for style in IconStyle::ALL {
                let svg = style::restyled(&shapes, style, &palette, &icon.name, "test");
                assert!(!svg.contains("<script") && !svg.contains("href") && !svg.contains("NaN"), "{svg}");
                let coverage = svg::coverage(&svg, 32);
                assert!(coverage > 0.002, "{} in {style:?} is empty: {coverage}", icon.name);
                assert!(coverage < 0.93, "{} in {style:?} fills everything: {coverage}", icon.name);
                covered.push(coverage);
            }
            let [solid, outline, _, _, sticker] = covered[..] else { unreachable!() };
            assert!(sticker > outline, "{}: a sticker has a border", icon.name);
            assert!(solid > outline * 0.55, "{}: {solid} solid, {outline} outline", icon.name);
        }
    }

    #[test]
    fn files_have_the_content_of_their_media_type() {
        let png = file_of(&IconParameters::new("bell"), 1);
        assert_eq!((png.media_type, png.extension), ("image/png", "png"));
        let mut reader = png::Decoder::new(std::io::Cursor::new(&png.bytes)).read_info().unwrap();
        assert_eq!((reader.info().width, reader.info().height), (512, 512));
        let text: Vec<_> =
            reader.info().uncompressed_latin1_text.iter().map(|chunk| chunk.text.as_str()).collect();
        assert_eq!(text, ["icon-retrieval/1"]);
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(pixels[3], 0, "the corner is transparent");
        let preview = file_of(&IconParameters { preview: true, ..IconParameters::new("bell") }, 1);
        let reader = png::Decoder::new(std::io::Cursor::new(&preview.bytes)).read_info().unwrap();
        assert_eq!(reader.info().width, 256);
        let svg = file_of(&IconParameters { format: IconFormat::Svg, ..IconParameters::new("bell") }, 1);
        assert!(String::from_utf8(svg.bytes).unwrap().contains("icon-retrieval/1"));
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes_and_seeds_differ() {
        let parameters = IconParameters {
            style: IconStyle::Color,
            format: IconFormat::Svg,
            guidance_scale: 0.0,
            ..IconParameters::new("arrow")
        };
        assert_eq!(file_of(&parameters, 3), file_of(&parameters, 3));
        let different: std::collections::HashSet<_> =
            (0..12).map(|seed| file_of(&parameters, seed).bytes).collect();
        assert!(different.len() > 4, "{}", different.len());
    }

    #[test]
    fn guidance_narrows_the_choice() {
        let names = |guidance_scale| {
            let parameters = IconParameters {
                format: IconFormat::Svg,
                style: IconStyle::Outline,
                guidance_scale,
                ..IconParameters::new("arrow")
            };
            (0..40)
                .map(|seed| file_of(&parameters, seed).bytes)
                .collect::<std::collections::HashSet<_>>()
                .len()
        };
        assert_eq!(names(10.0), 1);
        assert!(names(0.0) > names(9.0));
    }

    #[test]
    fn a_text_that_names_no_icon_is_refused() {
        let refused = IconRetrieval.refuse(&IconParameters::new("qqqqqqqqq"));
        let [refusal] = refused.as_slice() else { panic!("one refusal, not {refused:?}") };
        assert_eq!(refusal.parameter, "prompt");
        for named in ["bell", "cat", "house", "rocket", "umbrela"] {
            assert_eq!(IconRetrieval.refuse(&IconParameters::new(named)), [], "{named}");
        }
    }

    #[test]
    fn parameters_have_the_defaults_and_names_of_the_wire() {
        let stored = r#"{"prompt":"bell","style":"sticker","format":"svg"}"#;
        let parameters: IconParameters = serde_json::from_str(stored).unwrap();
        let expected = IconParameters {
            style: IconStyle::Sticker,
            format: IconFormat::Svg,
            ..IconParameters::new("bell")
        };
        assert_eq!(parameters, expected);
    }
}
