//! Scenes that are not outdoors.
//!
//! They are space, flowing sheets, fields of colour, tilings and a studio backdrop.

use super::super::brief::Brief;
use super::super::colour::{Colour, Ramp, scaled};
use super::super::lexicon::Idea;
use super::super::maths::wave;
use super::super::noise::Tile;
use super::super::view::{Layer, Scene, View};
use super::abstracts::{Mesh, Pattern, Sheet, Studio, Tiling};
use super::dots::{Dot, Dots, Look};
use super::space::{Nebula, Planet};
use crate::random::Random;

/// Colour schemes from dark to light, with the moods that they suit.
const SCHEMES: &[([u32; 5], &[Idea])] = &[
    ([0x1b_1f3b, 0x3d_4e8a, 0x7d_8bd6, 0xf2_a7c3, 0xff_e3d0], &[Idea::Soft, Idea::Pastel]),
    ([0x0b_132b, 0x1c_4b6e, 0x2f_8f9d, 0x8f_d6c8, 0xf3_f7ee], &[Idea::Calm, Idea::Cold]),
    ([0x2d_1420, 0x7a_1f3d, 0xd6_4541, 0xf5_9e4c, 0xfe_e8b6], &[Idea::Warm, Idea::Dramatic]),
    ([0x12_1212, 0x2e_2a3a, 0x5a_4a6f, 0xb4_7b84, 0xe8_cfc1], &[Idea::Dark]),
    ([0x10_0b2e, 0x4b_12a0, 0xd0_1fb8, 0xff_5f8f, 0x38_e8ff], &[Idea::Neon, Idea::Vivid]),
    ([0x18_2b22, 0x35_6b4c, 0x7f_a650, 0xd8_c66a, 0xf7_f0d4], &[Idea::Calm, Idea::Spring]),
    ([0xf4_b8c4, 0xf7_d6bf, 0xfb_f2d0, 0xc8_e7dc, 0xb9_cdf0], &[Idea::Pastel, Idea::Bright]),
    ([0x22_2831, 0x39_5b7c, 0x9f_b8c8, 0xe8_9c5d, 0xf6_ead8], &[Idea::Minimal, Idea::Flat]),
    ([0x2a_1a12, 0x6a_3d22, 0xb9_6f35, 0xe0_b36a, 0xf5_e6c8], &[Idea::Vintage, Idea::Autumn]),
];

/// Returns the colours of an abstract scene.
///
/// They are the requested colours, or a scheme that suits the mood.
fn scheme(brief: &Brief, colours: &[Colour], random: &mut Random) -> Vec<Colour> {
    let named: Vec<Colour> =
        [brief.sky, brief.water, brief.land, brief.light].into_iter().flatten().collect();
    let asked: Vec<Colour> = colours.iter().chain(&brief.colours).chain(&named).copied().collect();
    let mut scheme = match asked.as_slice() {
        [] => {
            let suits = |ideas: &&[Idea]| brief.first(ideas).is_some();
            let fitting: Vec<&[u32; 5]> =
                SCHEMES.iter().filter(|(_, ideas)| suits(ideas)).map(|(colours, _)| colours).collect();
            let any: Vec<&[u32; 5]> = SCHEMES.iter().map(|(colours, _)| colours).collect();
            let chosen = random.pick(if fitting.is_empty() { &any } else { &fitting });
            chosen.map(|scheme| scheme.map(Colour::hex).to_vec()).unwrap_or_default()
        }
        [one] => [-0.34, -0.18, 0.0, 0.12, 0.26]
            .map(|by| {
                let turned = Colour { red: one.red + 0.12 * by, yellow: one.yellow - 0.1 * by, ..*one };
                turned.saturated(1.0 - 0.9 * f32::abs(by)).lighter(by)
            })
            .to_vec(),
        several => several.iter().flat_map(|colour| [colour.lighter(-0.06), colour.lighter(0.06)]).collect(),
    };
    if brief.first(&[Idea::Night, Idea::Dark, Idea::Dusk]).is_some() {
        scheme.iter_mut().for_each(|colour| *colour = colour.lighter(-0.16));
    }
    scheme.sort_by(|a, b| a.lightness.total_cmp(&b.lightness));
    scheme
}

fn scene(tile: Tile, behind: Vec<Box<dyn Layer>>) -> Scene {
    Scene { tile, behind, water: None, front: Vec::new() }
}

pub(super) fn flow(brief: &Brief, colours: &[Colour], view: &View, random: &mut Random, tile: Tile) -> Scene {
    let mut scheme = scheme(brief, colours, random);
    if random.chance(0.5) {
        scheme.reverse();
    }
    let calm = if brief.first(&[Idea::Calm, Idea::Minimal, Idea::Soft]).is_some() { 0.6 } else { 1.0 };
    let sheets = if brief.has(Idea::Minimal) { 4 } else { 8 };
    let last = scheme.len().saturating_sub(1).max(1) as f32;
    let at = |place: f32| {
        let place = place.clamp(0.0, 1.0) * last;
        let low = scheme.get(place as usize).copied().unwrap_or_default();
        low.mix(scheme.get(place as usize + 1).copied().unwrap_or(low), place - place.floor())
    };
    let tilt = random.range(-0.5, 0.5) as f32;
    let mut behind: Vec<Box<dyn Layer>> = vec![Box::new(backdrop(at(0.0), at(0.25), view, random))];
    for number in 0..sheets {
        let place = (number as f32 + 0.6) / sheets as f32;
        let colour = at(place + 0.12 * random.signed() as f32);
        behind.push(Box::new(Sheet {
            seed: random.next(),
            base: view.bottom() * (0.1 + 0.92 * place),
            swing: calm * random.range(0.05, 0.15) as f32,
            waves: random.range(0.35, 0.95) as f32,
            tilt: tilt * random.range(0.5, 1.2) as f32,
            edge: colour.lighter(0.09).light(),
            body: colour.lighter(-0.13).light(),
            speed: calm * random.range(0.02, 0.06) as f32,
            near: 0.2 + place,
        }));
    }
    scene(tile, behind)
}

fn backdrop(a: Colour, b: Colour, view: &View, random: &mut Random) -> Mesh {
    let mut spot = |colour| {
        let x = random.range(-1.0, 1.0) as f32 * view.side();
        ((x, random.unit() as f32 * view.bottom()), colour, 1.0, random.unit() as f32)
    };
    Mesh { spots: vec![spot(a), spot(b), spot(a.mix(b, 0.5))], bend: 0.2 }
}

pub(super) fn gradient(
    brief: &Brief,
    colours: &[Colour],
    view: &View,
    random: &mut Random,
    tile: Tile,
) -> Scene {
    let scheme = scheme(brief, colours, random);
    let count = scheme.len().max(1);
    // The spots are spread out over the picture.
    let turn = random.unit() as f32;
    let spots = (0..count + 2)
        .map(|number| {
            let angle = turn + 0.618 * number as f32;
            let reach = if number == 0 { 0.1 } else { random.range(0.5, 1.05) as f32 };
            let x = reach * view.side() * wave(angle);
            let y = view.bottom() * (0.5 + 0.5 * reach * wave(angle + 0.25));
            let colour = scheme.get((number * 3 + 1) % count).copied().unwrap_or_default();
            ((x, y), colour, random.range(0.7, 1.3) as f32, random.unit() as f32)
        })
        .collect();
    let mut scene = scene(tile, vec![Box::new(Mesh { spots, bend: 0.55 })]);
    if brief.first(&[Idea::Sun, Idea::Stars, Idea::Soft, Idea::Night]).is_some() || random.chance(0.35) {
        let lights: Vec<Colour> = scheme.iter().rev().take(2).map(|colour| colour.lighter(0.14)).collect();
        scene.front.push(Box::new(blurs(&lights, view, 26, random)));
    }
    scene
}

/// Creates out-of-focus lights.
fn blurs(lights: &[Colour], view: &View, count: usize, random: &mut Random) -> Dots {
    let dots = (0..count)
        .map(|_| {
            let light =
                random.pick(lights).copied().unwrap_or_default().light().map(|value| value.clamp(0.0, 1.2));
            Dot {
                x: random.range(-1.1, 1.1) as f32 * view.side(),
                y: random.range(-0.05, 1.05) as f32 * view.bottom(),
                radius: random.range(0.012, 0.075) as f32,
                light,
                cover: random.range(0.08, 0.34) as f32,
                speed: (random.range(-0.008, 0.008) as f32, 0.0),
                twinkle: (0.5, random.unit() as f32),
            }
        })
        .collect();
    Dots { dots, look: Look::Blur, area: (view.side() + 0.1, view.bottom()), near: 0.6 }
}

pub(super) fn pattern(brief: &Brief, colours: &[Colour], random: &mut Random, tile: Tile) -> Scene {
    let scheme = scheme(brief, colours, random);
    let tilings = [Tiling::Triangles, Tiling::Hexagons, Tiling::Scales, Tiling::Arcs];
    let tiling = random.pick(&tilings).copied().unwrap_or(Tiling::Triangles);
    let size = if brief.has(Idea::Minimal) { 0.2 } else { random.range(0.07, 0.13) as f32 };
    let order = random.range(0.55, 1.0) as f32;
    let lights = scheme.iter().map(|colour| colour.light().map(|value| value.clamp(0.0, 1.0))).collect();
    scene(tile, vec![Box::new(Pattern { seed: random.next(), tiling, size, colours: lights, order })])
}

pub(super) fn studio(
    brief: &Brief,
    colours: &[Colour],
    view: &View,
    random: &mut Random,
    tile: Tile,
) -> Scene {
    let scheme = scheme(brief, colours, random);
    let at =
        |place: usize| scheme.get(place.min(scheme.len().saturating_sub(1))).copied().unwrap_or_default();
    let (dark, mid, bright) = (at(0), at(scheme.len() / 2), at(scheme.len()));
    let middle = (random.range(-0.08, 0.08) as f32, view.bottom() * random.range(0.36, 0.46) as f32);
    let backdrop = Studio {
        bright: mid.mix(bright, 0.45).light(),
        dark: dark.lighter(-0.03).light(),
        floor: mid.mix(bright, 0.3).light(),
        middle,
        bend: view.bottom() * 0.8,
        seed: random.next(),
    };
    let mut scene = scene(tile, vec![Box::new(backdrop)]);
    scene.front.push(Box::new(blurs(&[mid.lighter(0.1), bright], view, 18, random)));
    scene
}

pub(super) fn space(brief: &Brief, view: &View, random: &mut Random, tile: Tile) -> Scene {
    let hues: [[u32; 3]; 4] = [
        [0x1a_1240, 0xa0_3a8c, 0xff_c9a0],
        [0x08_1c3c, 0x1f_7a9c, 0xd8_f4e0],
        [0x2a_0e1e, 0xc0_4a2c, 0xff_dc9c],
        [0x10_1030, 0x4c_4cc8, 0xf0_b8f0],
    ];
    let [low, middle, high] = random.pick(&hues).copied().unwrap_or_default().map(Colour::hex);
    let middle = brief.colours.first().map_or(middle, |colour| middle.tinted(*colour, 0.8));
    let high = brief.colours.get(1).map_or(high, |colour| high.tinted(*colour, 0.8));
    let black = Colour::hex(0x05_0611);
    let colours = Ramp::new(&[(0.0, black), (0.3, low), (0.68, middle), (1.0, high)]);
    let nebula = Nebula {
        colours,
        place: (random.unit() as f32, random.unit() as f32),
        tilt: random.range(-0.7, 0.7) as f32,
        middle: view.bottom() * random.range(0.35, 0.65) as f32,
    };
    let mut behind: Vec<Box<dyn Layer>> = vec![Box::new(nebula)];
    if !brief.bans(Idea::Stars) {
        behind.push(Box::new(stars(view, view.bottom(), 620, random)));
    }
    if random.chance(0.75) {
        let side = if random.chance(0.5) { 1.0 } else { -1.0 };
        let radius = random.range(0.12, 0.3) as f32;
        let x = side * view.side() * random.range(0.15, 0.6) as f32;
        let y = view.bottom() * random.range(0.35, 0.75) as f32;
        let surface = Ramp::new(&[
            (0.0, middle.lighter(-0.25)),
            (0.4, middle),
            (0.7, high.lighter(-0.15)),
            (1.0, high),
        ]);
        let ring = random.chance(0.4).then(|| scaled(high.light(), 0.75));
        let air = middle.mix(high, 0.6).light();
        behind.push(Box::new(Planet {
            middle: (x, y),
            radius,
            surface,
            air,
            sun: [-0.72 * side, -0.5, 0.35],
            swirl: 0.5,
            ring,
        }));
    }
    scene(tile, behind)
}

/// Creates stars down to a height. Most of them are faint.
pub(super) fn stars(view: &View, down_to: f32, count: usize, random: &mut Random) -> Dots {
    let dots = (0..count)
        .map(|_| {
            let bright = random.unit() as f32;
            let bright = bright * bright * bright;
            let warm = random.range(-0.12, 0.12) as f32;
            Dot {
                x: random.range(-1.2, 1.2) as f32 * view.side(),
                y: random.unit() as f32 * down_to,
                radius: 0.0011 + 0.0028 * bright,
                light: [0.95 + warm, 0.95, 0.98 - warm],
                cover: 0.3 + 0.9 * bright,
                speed: (0.0, 0.0),
                twinkle: (0.6, random.unit() as f32),
            }
        })
        .collect();
    Dots { dots, look: Look::Spark, area: (1.2 * view.side(), view.bottom()), near: 0.02 }
}
