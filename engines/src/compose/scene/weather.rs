//! Rain and snow, in front of everything else.

use super::super::brief::Brief;
use super::super::colour::{Light, add};
use super::super::lexicon::Idea;
use super::super::maths::smooth;
use super::super::noise::Tile;
use super::super::view::{Layer, Painter, View};
use super::dots::{Dot, Dots, Look};
use crate::random::Random;

/// Adds rain or snow to a scene.
pub(super) fn fall(brief: &Brief, view: &View, random: &mut Random, front: &mut Vec<Box<dyn Layer>>) {
    let wet = brief.first(&[Idea::Rain, Idea::Storm, Idea::Snow]);
    match wet {
        // With a clear sky, snow only lies on the ground.
        Some(Idea::Snow) if brief.has(Idea::Clear) => {}
        Some(Idea::Snow) => {
            for (count, radius, cover) in [(420, 0.0022, 0.55), (160, 0.0042, 0.6), (46, 0.009, 0.38)] {
                front.push(Box::new(snow(view, count, radius, cover, random)));
            }
        }
        Some(Idea::Rain | Idea::Storm) => {
            for (count, length, cover) in [(420, 0.05, 0.16), (170, 0.11, 0.2)] {
                front.push(Box::new(Rain::new(view, count, length, cover, random)));
            }
        }
        _ => {}
    }
}

fn snow(view: &View, count: usize, radius: f32, cover: f32, random: &mut Random) -> Dots {
    let (side, height) = (view.side() + 0.05, view.bottom());
    let dots = (0..count)
        .map(|_| Dot {
            x: random.range(-1.0, 1.0) as f32 * side,
            y: random.unit() as f32 * height,
            radius: radius * random.range(0.6, 1.4) as f32,
            light: [0.9, 0.93, 0.97],
            cover: cover * random.range(0.5, 1.0) as f32,
            speed: (0.012 + radius * random.range(-3.0, 3.0) as f32, 0.03 + 14.0 * radius),
            twinkle: (0.0, 0.0),
        })
        .collect();
    Dots { dots, look: Look::Flake, area: (side, height), near: 0.5 + 60.0 * radius }
}

/// Raindrops, drawn as lines.
struct Rain {
    drops: Vec<(f32, f32)>,
    length: f32,
    cover: f32,
    slant: f32,
    /// Half the width and the height of the area.
    area: (f32, f32),
}

impl Rain {
    fn new(view: &View, count: usize, length: f32, cover: f32, random: &mut Random) -> Self {
        let area = (view.side() + 0.1, view.bottom() + 2.0 * length);
        let mut drop = || (random.range(-1.0, 1.0) as f32 * area.0, random.unit() as f32 * area.1);
        Self { drops: (0..count).map(|_| drop()).collect(), length, cover, slant: 0.12, area }
    }
}

impl Layer for Rain {
    fn seen<'a>(&'a self, view: &View, _: &'a Tile) -> Painter<'a> {
        const LIGHT: Light = [0.7, 0.76, 0.84];
        let view = *view;
        let (side, height) = self.area;
        // Longer lines are nearer and faster.
        let fallen = view.time * (0.8 + 12.0 * self.length);
        let drops: Vec<(f32, f32)> = self
            .drops
            .iter()
            .map(|(x, y)| {
                let y = (y + fallen).rem_euclid(height) - self.length;
                let x = x - 0.4 * view.pan - self.slant * fallen;
                ((x + side).rem_euclid(2.0 * side) - side, y)
            })
            .collect();
        let half = (0.012 * self.length).max(0.6 * view.pixel());
        Painter::new(move |y, row| {
            for (x, top) in &drops {
                let along = (y - top) / self.length;
                if !(0.0..1.0).contains(&along) {
                    continue;
                }
                let x = x - self.slant * (y - top);
                let tail = smooth(0.0, 0.7, along) * smooth(1.0, 0.9, along);
                for (at, target) in super::between(&view, x - half, x + half, row) {
                    let edge = (1.0 - (at - x).abs() / (1.5 * half)).clamp(0.0, 1.0);
                    add(target, LIGHT, self.cover * tail * edge);
                }
            }
        })
    }
}
