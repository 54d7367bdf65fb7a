//! Combines a composition: the brief, its scene and the colour grading.

use super::brief::Brief;
use super::colour::Colour;
use super::finish::{Finish, Structure};
use super::grade::{Grade, Statistics, Wishes, shown};
use super::lexicon::Idea;
use super::view::{Scene, View};
use super::{Composition, pictures, scene};
use crate::picture::{Picture, from_display};
use crate::prompt::{PromptParameters, PromptPurpose, TemplateExpansion};
use crate::random::hash;
use crate::{Engine, Failure, Job, Output};

/// An analysed request.
pub(crate) struct Request {
    brief: Brief,
    shape: (usize, usize),
    colours: Vec<(Colour, f32)>,
    structure: Option<Structure>,
    style: Option<(Statistics, f32)>,
    dynamics: f32,
    detail: f32,
    grain: f32,
}

/// A scene that can be painted at any size and time.
pub(crate) struct Studio {
    scene: Scene,
    grade: Grade,
    finish: Finish,
    structure: Option<Structure>,
    seed: u64,
    /// The number of large pixels along the longer side, for pixel art.
    cells: Option<usize>,
}

/// The number of pixels in the preview that decides the colours.
const PREVIEW: usize = 128 * 128;

/// The number of pixels along the longer side of pixel art.
const CELLS: usize = 144;

impl Request {
    pub fn of(parameters: &Composition, media: &[Vec<u8>], job: &Job) -> Result<Self, Failure> {
        let prompt = if parameters.expand {
            expanded(&parameters.prompt, PromptPurpose::Image, job)?
        } else {
            parameters.prompt.clone()
        };
        let (structures, styles) =
            media.split_at(usize::from(parameters.structure.is_some()).min(media.len()));
        let share = f32::from(parameters.structure.unwrap_or_default().min(100)) / 100.0;
        let mut structure = None;
        for picture in pictures(structures) {
            structure = Some(Structure::of(&picture?, (parameters.width, parameters.height), share));
        }
        let mut statistics = Vec::new();
        for picture in pictures(styles) {
            job.check()?;
            statistics.push(Statistics::of(&sampled(&picture?)));
        }
        let keep = 1.0 - 0.5 * f32::from(parameters.adherence.min(100)) / 100.0;
        Ok(Self {
            brief: Brief::of(&prompt, &parameters.negative_prompt),
            shape: (parameters.width.max(1) as usize, parameters.height.max(1) as usize),
            colours: parameters
                .colours
                .iter()
                .filter_map(|share| Some((hex(&share.colour)?, share.weight as f32)))
                .collect(),
            structure,
            style: Statistics::together(&statistics).map(|style| (style, keep)),
            dynamics: f32::from(parameters.dynamics.min(100)) / 100.0,
            detail: f32::from(parameters.detail.min(100)) / 100.0,
            grain: f32::from(parameters.detail.min(100)) / 50.0,
        })
    }

    /// Creates a request from prompts alone, for frames of this shape.
    pub fn spoken(prompt: &str, negative: &str, shape: (usize, usize)) -> Self {
        Self {
            brief: Brief::of(prompt, negative),
            shape,
            colours: Vec::new(),
            structure: None,
            style: None,
            dynamics: 0.5,
            detail: 0.5,
            // Static grain looks like dirt on the lens, and moving grain can't be compressed.
            grain: 0.0,
        }
    }
}

impl Studio {
    /// Builds the scene and decides on its colours from a small preview.
    pub fn open(request: &Request, seed: u64) -> Self {
        let (width, height) = request.shape;
        let shape = View::still(width, height);
        let asked: Vec<Colour> = request.colours.iter().map(|(colour, _)| *colour).collect();
        let scene = scene::scene(&request.brief, &asked, &shape, request.detail, seed);
        let mut preview = Vec::with_capacity(PREVIEW + 512);
        let small = scaled_to(&shape, PREVIEW);
        let seen: Result<(), std::convert::Infallible> = scene.paint(&small, |row| {
            preview.extend(row.iter().map(|light| shown(*light)));
            Ok(())
        });
        let Ok(()) = seen;
        let bare = [Idea::Flow, Idea::Pattern, Idea::Gradient, Idea::Portrait, Idea::Space];
        let wishes = Wishes {
            colours: &request.colours,
            style: request.style,
            dynamics: request.dynamics,
            painted: request.brief.first(&bare).is_some(),
        };
        Self {
            grade: Grade::new(&request.brief, &wishes, &preview),
            finish: Finish::of(&request.brief, request.grain),
            structure: request.structure.clone(),
            cells: request.brief.has(Idea::Pixels).then_some(CELLS),
            scene,
            seed: hash(&seed.to_le_bytes()),
        }
    }

    /// Paints a frame, row by row.
    pub fn paint(
        &self,
        view: &View,
        job: &Job,
        mut row_done: impl FnMut(&[[u8; 3]]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let longest = view.width.max(view.height);
        let cell = self.cells.map_or(1, |cells| longest.div_ceil(cells).max(1));
        let coarse = View { width: view.width.div_ceil(cell), height: view.height.div_ceil(cell), ..*view };
        let mut pixels = Vec::with_capacity(coarse.width);
        let mut wide = Vec::with_capacity(view.width);
        let (mut number, mut done) = (0, 0);
        self.scene.paint(&coarse, |row| {
            if number % 16 == 0 {
                job.check()?;
            }
            let parts = (row, &self.grade, self.structure.as_ref());
            self.finish.row((&coarse, number, self.seed), parts, &self.scene.tile, &mut pixels);
            number += 1;
            if cell == 1 {
                return row_done(&pixels);
            }
            wide.clear();
            wide.extend(pixels.iter().flat_map(|pixel| std::iter::repeat_n(*pixel, cell)).take(view.width));
            for _ in 0..cell.min(view.height - done) {
                row_done(&wide)?;
                done += 1;
            }
            Ok(())
        })
    }
}

/// Returns the same view with about this many pixels, or fewer.
fn scaled_to(view: &View, pixels: usize) -> View {
    let scale = (pixels as f32 / (view.width * view.height) as f32).sqrt().min(1.0);
    let side = |side: usize| ((side as f32 * scale) as usize).max(8);
    View { width: side(view.width), height: side(view.height), ..*view }
}

/// Expands the prompt with the prompt engine.
pub(crate) fn expanded(prompt: &str, purpose: PromptPurpose, job: &Job) -> Result<String, Failure> {
    let shortened: String = prompt.chars().take(2000).collect();
    let made = TemplateExpansion.run(&PromptParameters::new(shortened, purpose), (), job)?;
    match made.into_iter().next() {
        // The part that the prompt engine did not see is appended.
        Some(Output::Text(text)) => Ok(format!("{text} {}", prompt.chars().skip(2000).collect::<String>())),
        _ => Ok(prompt.to_owned()),
    }
}

fn hex(text: &str) -> Option<Colour> {
    u32::from_str_radix(text.strip_prefix('#')?, 16).ok().map(Colour::hex)
}

/// Samples a picture's colours evenly.
fn sampled(picture: &Picture) -> Vec<Colour> {
    let step = ((picture.width() * picture.height()) as f32 / 40_000.0).sqrt().max(1.0) as usize;
    (0..picture.height())
        .step_by(step)
        .flat_map(|y| picture.row(y).iter().step_by(step))
        .map(|pixel| colour(*pixel))
        .collect()
}

/// Converts a pixel to a colour, laid on white where it is transparent.
fn colour([r, g, b, a]: [u8; 4]) -> Colour {
    let cover = f32::from(a) / 255.0;
    Colour::of([r, g, b].map(|value| from_display(f32::from(value) / 255.0 * cover + 1.0 - cover)))
}

impl Structure {
    /// Samples the centre of a picture, cropped to a shape, at a moderate size.
    fn of(picture: &Picture, (width, height): (u32, u32), share: f32) -> Self {
        const LONGEST: f32 = 1024.0;
        let shape = width as f32 / height.max(1) as f32;
        let (across, down) = (picture.width() as f32, picture.height() as f32);
        let (used_across, used_down) =
            if across > shape * down { (shape * down, down) } else { (across, across / shape) };
        let scale = (LONGEST / used_across.max(used_down)).min(1.0);
        let side = |side: f32| ((side * scale) as usize).max(1);
        let (columns, rows) = (side(used_across), side(used_down));
        let (left, top) = (0.5 * (across - used_across), 0.5 * (down - used_down));
        let mut lightness = Vec::with_capacity(columns * rows);
        for y in 0..rows {
            // One sample per position is good enough.
            let from =
                |at: usize, of: usize, used: f32, offset: f32| offset + (at as f32 + 0.5) * used / of as f32;
            let row = picture.row(from(y, rows, used_down, top) as usize);
            lightness.extend((0..columns).map(|x| {
                let place = from(x, columns, used_across, left) as usize;
                row.get(place).map_or(0.5, |pixel| colour(*pixel).lightness)
            }));
        }
        Self { width: columns, lightness, share }
    }
}
