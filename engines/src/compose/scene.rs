//! Paints the composition: wavy bands of colour under a disc of light.

use std::fmt::Write as _;

use resvg::tiny_skia::{Pixmap, Transform};

use super::words;
use crate::picture::{Colour, quantise};
use crate::random::{Random, hash};
use crate::{Failure, Job, svg};

/// A scene that can be painted at any size and time. Its height is 1000 units.
pub(crate) struct Scene {
    bands: Vec<Band>,
    /// The sun or the moon: its colour, its horizontal position as a fraction of the width, its distance from the
    /// top, and its radius.
    disc: (Colour, f32, f32, f32),
}

/// A band covers everything below its edge.
struct Band {
    /// The distance of the edge without waves from the top of the scene.
    top: f32,
    colour: Colour,
    waves: [Wave; 3],
}

struct Wave {
    amplitude: f32,
    /// The spatial frequency, in turns per unit.
    frequency: f32,
    /// The speed, in turns per second.
    speed: f32,
    /// The phase at the left end and at the beginning, in turns.
    phase: f32,
}

/// The differences in lightness between a colour and its bands.
const BANDS: [f32; 2] = [0.025, -0.025];
/// The minimum distance between two points of an edge, in units and in pixels.
const STEP: (f32, f32) = (8.0, 2.0);
/// The number of rows that are painted between two checks of the job's cancellation.
const ROWS: usize = 256;

impl Scene {
    /// Creates the scene of a prompt alone.
    pub fn of_prompt(prompt: &str, negative: &str, seed: u64) -> Self {
        let mut chance = Random::for_part(seed ^ hash(prompt.as_bytes()), "palette");
        Self::new(&words::colours(prompt, negative, &mut chance).map(|colour| (colour, 1.0)), seed)
    }

    /// Creates a scene of these colours, from the top to the bottom, with their shares of the height.
    pub(super) fn new(colours: &[(Colour, f32)], seed: u64) -> Self {
        let mut random = Random::for_part(seed, "scene");
        let whole = colours.iter().map(|(_, share)| share).sum::<f32>().max(1e-6);
        let brightest = colours.iter().max_by(|a, b| a.0.lightness.total_cmp(&b.0.lightness));
        let colour = brightest.map(|(colour, _)| colour.lighter(0.16)).unwrap_or_default();
        let [across, down, radius] =
            [(0.2, 0.8), (120.0, 300.0), (45.0, 80.0)].map(|(from, to)| random.range(from, to));
        let mut scene = Self { bands: Vec::new(), disc: (colour, across as f32, down as f32, radius as f32) };
        let mut top = 0.0;
        for (colour, share) in colours {
            let height = 1000.0 * share / whole / BANDS.len() as f32;
            for lighter in BANDS {
                scene.bands.push(Band::new(top, height, colour.lighter(lighter), &mut random));
                top += height;
            }
        }
        if let Some(first) = scene.bands.first_mut() {
            first.top = -500.0;
        }
        scene
    }

    /// Paints a frame of this size at a moment in seconds, row by row.
    pub fn paint(
        &self,
        (width, height): (usize, usize),
        time: f32,
        job: &Job,
        mut row_done: impl FnMut(&mut [[u8; 4]]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let scale = height as f32 / 1000.0;
        let step = STEP.0.max(STEP.1 / scale);
        let tree = svg::parse(&self.drawn(width as f32 / scale, step, time))?;
        for top in (0..height).step_by(ROWS) {
            job.check()?;
            let side = |side: usize| u32::try_from(side).unwrap_or_default();
            let mut strip = Pixmap::new(side(width), side(ROWS.min(height - top)))
                .ok_or_else(|| Failure::Internal("a picture can't have a side of 0 pixels".into()))?;
            let transform = Transform::from_row(scale, 0.0, 0.0, scale, 0.0, -(top as f32));
            resvg::render(&tree, transform, &mut strip.as_mut());
            strip.data_mut().as_chunks_mut().0.chunks_exact_mut(width).try_for_each(&mut row_done)?;
        }
        Ok(())
    }

    /// Draws the scene as SVG, with this distance between two points of an edge.
    fn drawn(&self, width: f32, step: f32, time: f32) -> String {
        let (light, across, down, radius) = self.disc;
        let (light, x) = (hex(light), across * width);
        let mut svg = format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="1000" viewBox="0 0 {width} 1000">
            <radialGradient id="glow"><stop stop-color="{light}" stop-opacity="0.6"/>
            <stop offset="1" stop-color="{light}" stop-opacity="0"/></radialGradient>"#
        );
        for (number, band) in self.bands.iter().enumerate() {
            let (edge, below) = (hex(band.colour.lighter(0.05)), hex(band.colour.lighter(-0.05)));
            let top = band.top.max(0.0);
            let mut path = String::from("M-9 2000");
            for number in -1..=(width / step) as i32 + 2 {
                let x = number as f32 * step;
                // Writing to a string can't fail.
                let _ = write!(path, "L{x} {:.2}", band.edge(x, time));
            }
            let _ = write!(
                svg,
                r#"<linearGradient id="g{number}" gradientUnits="userSpaceOnUse" x2="0" y1="{top}" y2="{}">
                <stop stop-color="{edge}"/><stop offset="1" stop-color="{below}"/></linearGradient>
                <path fill="url(#g{number})" d="{path}V2000Z"/>"#,
                top + 300.0
            );
            if number == 0 {
                let halo = 3.5 * radius;
                let _ = write!(
                    svg,
                    r#"<circle fill="url(#glow)" cx="{x}" cy="{down}" r="{halo}"/>
                    <circle fill="{light}" cx="{x}" cy="{down}" r="{radius}"/>"#
                );
            }
        }
        svg + "</svg>"
    }
}

impl Band {
    fn new(top: f32, height: f32, colour: Colour, random: &mut Random) -> Self {
        let waves = [1.0, 2.0, 4.0].map(|fineness| {
            let direction = if random.chance(0.5) { 1.0 } else { -1.0 };
            Wave {
                amplitude: (0.6 * height).min(60.0) / fineness,
                frequency: fineness * random.range(0.000_35, 0.000_85) as f32,
                speed: direction * random.range(0.05, 0.11) as f32,
                phase: random.unit() as f32,
            }
        });
        Self { top, colour, waves }
    }

    /// Returns the distance of the edge from the top at a position and a time.
    fn edge(&self, across: f32, time: f32) -> f32 {
        let turns = |wave: &Wave| wave.frequency * across + wave.speed * time + wave.phase;
        self.top + self.waves.iter().map(|wave| wave.amplitude * sine(turns(wave))).sum::<f32>()
    }
}

/// Returns a colour as `#rrggbb`.
fn hex(colour: Colour) -> String {
    let [r, g, b] = colour.display().map(quantise);
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Approximates the sine of an angle in turns, the same on every machine.
fn sine(turns: f32) -> f32 {
    let x = 2.0 * (turns - turns.floor()) - 1.0;
    let arch = 4.0 * x * (1.0 - x.abs());
    -(0.225 * (arch * arch.abs() - arch) + arch)
}
