//! Layers of many round things: stars, snowflakes, out-of-focus lights.

use super::super::colour::{Light, add, over};
use super::super::maths::{smooth, wave};
use super::super::noise::Tile;
use super::super::view::{Layer, Painter, View};

#[derive(Debug, Clone, Copy)]
pub(super) struct Dot {
    pub x: f32,
    pub y: f32,
    pub radius: f32,
    pub light: Light,
    /// The opacity at its centre.
    pub cover: f32,
    /// The movement per second.
    pub speed: (f32, f32),
    /// The amount and the phase of its twinkle.
    pub twinkle: (f32, f32),
}

/// The appearance of a dot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// Brightest in the middle. It adds light.
    Spark,
    /// Soft at its edge.
    Flake,
    /// An even disc with a brighter rim, like an out-of-focus light.
    Blur,
}

pub(super) struct Dots {
    pub dots: Vec<Dot>,
    pub look: Look,
    /// The half width and the height of the area.
    ///
    /// Dots that leave it re-enter on the other side.
    pub area: (f32, f32),
    /// How far the dots move with the camera.
    pub near: f32,
}

impl Layer for Dots {
    fn seen<'a>(&'a self, view: &View, _: &'a Tile) -> Painter<'a> {
        let view = *view;
        let (side, height) = self.area;
        let dots: Vec<Dot> = self
            .dots
            .iter()
            .map(|dot| {
                let x = dot.x + dot.speed.0 * view.time - view.pan * self.near;
                let y = dot.y + dot.speed.1 * view.time;
                let (level, phase) = dot.twinkle;
                let glimmer = 1.0 - level * (0.5 + 0.5 * wave(phase + view.time * (0.3 + 0.4 * phase)));
                // A dot smaller than a pixel is dimmed instead.
                let radius = dot.radius.max(0.75 * view.pixel());
                let dim = glimmer * (dot.radius / radius) * (dot.radius / radius);
                Dot {
                    x: (x + side).rem_euclid(2.0 * side) - side,
                    y: if dot.speed.1 == 0.0 { y } else { (y + 0.05).rem_euclid(height + 0.1) - 0.05 },
                    radius,
                    cover: dot.cover * dim,
                    ..*dot
                }
            })
            .collect();
        Painter::new(move |y, row| {
            for dot in dots.iter().filter(|dot| (dot.y - y).abs() < dot.radius) {
                let rise = (dot.y - y) / dot.radius;
                let reach = dot.radius * (1.0 - rise * rise).max(0.0).sqrt();
                for (x, target) in super::between(&view, dot.x - reach, dot.x + reach, row) {
                    let across = (x - dot.x) / dot.radius;
                    let square = across * across + rise * rise;
                    match self.look {
                        Look::Spark => {
                            let fall = (1.0 - square).max(0.0);
                            add(target, dot.light, dot.cover * fall * fall);
                        }
                        Look::Flake => over(target, dot.light, dot.cover * smooth(1.0, 0.2, square)),
                        Look::Blur => {
                            let edge =
                                smooth(1.0, 1.0 - 4.0 * (view.pixel() / dot.radius).min(0.2) - 0.04, square);
                            let rim = 0.75 + 0.25 * smooth(0.6, 0.95, square);
                            over(target, dot.light, dot.cover * edge * rim);
                        }
                    }
                }
            }
        })
    }
}
