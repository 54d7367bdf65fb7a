//! Outdoor scenes: mountains, hills, deserts, forests, cities, and the sea.
//!
//! A scene can have one of them or several behind each other.

use super::super::brief::Brief;
use super::super::colour::{Colour, Light, blend, scaled};
use super::super::lexicon::Idea;
use super::super::maths::mix;
use super::super::noise::Tile;
use super::super::palette::{Hour, Palette};
use super::super::view::{Layer, Scene, View, Water};
use super::city::City;
use super::inner::stars;
use super::land::{Ground, Outline, Ridge};
use super::sky::{Aurora, Clouds, Disc, Sky, Veil};
use super::trees::{Kind, Planting, Trees, Under};
use crate::random::Random;

/// The state that all parts of a scene are built with.
struct Maker<'a> {
    brief: &'a Brief,
    palette: Palette,
    view: View,
    random: Random,
    /// The y at which the ground begins.
    horizon: f32,
    /// The direction of the light, -1 to 1.
    light_from: f32,
    behind: Vec<Box<dyn Layer>>,
    front: Vec<Box<dyn Layer>>,
}

pub(super) fn scene(brief: &Brief, view: &View, random: &mut Random, tile: Tile) -> Scene {
    let palette = Palette::of(brief, random);
    let horizon = view.bottom() * horizon(brief, random);
    let mut maker = Maker {
        brief,
        palette,
        view: *view,
        random: random.fork(),
        horizon,
        light_from: 1.0,
        behind: Vec::new(),
        front: Vec::new(),
    };
    maker.sky();
    let has = |idea| brief.has(idea);
    let far = has(Idea::Mountains) || (has(Idea::Sea) && !has(Idea::City) && maker.random.chance(0.55));
    if far {
        let rise = if has(Idea::Mountains) { 1.0 } else { 0.25 };
        maker.mountains(rise, has(Idea::Sea));
    }
    if has(Idea::Hills) || (has(Idea::Meadow) && !far) {
        maker.hills();
    }
    if has(Idea::City) {
        maker.city();
    }
    if has(Idea::Forest) {
        maker.forest(has(Idea::Sea) || has(Idea::Meadow) || has(Idea::City));
    }
    let water = has(Idea::Sea).then(|| maker.water());
    if has(Idea::Desert) {
        maker.desert();
    } else if has(Idea::Meadow) || (!has(Idea::Sea) && !has(Idea::Forest) && !has(Idea::City)) {
        maker.meadow();
    }
    maker.air();
    Scene { tile, behind: maker.behind, water, front: maker.front }
}

/// Returns the y of the horizon, relative to the picture's height.
fn horizon(brief: &Brief, random: &mut Random) -> f32 {
    let base = match brief.layouts().next() {
        Some(Idea::Sky) => 0.86,
        Some(Idea::Sea) => 0.56,
        Some(Idea::Desert) => 0.58,
        Some(Idea::Meadow) => 0.52,
        Some(Idea::City) => 0.84,
        Some(Idea::Forest) => 0.7,
        _ => 0.66,
    };
    let base = if brief.has(Idea::Sky) { f32::max(base, 0.8) } else { base };
    base + random.range(-0.04, 0.04) as f32
}

impl Maker<'_> {
    fn range(&mut self, from: f32, to: f32) -> f32 {
        self.random.range(f64::from(from), f64::from(to)) as f32
    }

    fn sky(&mut self) {
        let (side, hour) = (self.view.side(), self.palette.hour);
        let x = self.range(-0.62, 0.62) * side;
        self.light_from = if x >= 0.0 { 1.0 } else { -1.0 };
        let height = match hour {
            Hour::Dawn | Hour::Sunset => self.range(0.03, 0.14),
            Hour::Day => self.range(0.55, 0.8),
            Hour::Dusk => self.range(0.3, 0.6),
            Hour::Night => self.range(0.42, 0.78),
        };
        let night = hour.is_dark();
        let wanted = if night { self.brief.has(Idea::Moon) } else { self.brief.has(Idea::Sun) };
        let banned = self.brief.bans(if night { Idea::Moon } else { Idea::Sun });
        let shown = wanted
            || (!banned && self.palette.cover < 0.9 && (hour != Hour::Dusk || self.random.chance(0.5)));
        let radius = if night { 0.026 } else { 0.034 } * if wanted { 1.5 } else { 1.0 };
        let halo = match hour {
            Hour::Night | Hour::Dusk => 0.13,
            Hour::Day => 0.2,
            _ => 0.34,
        };
        let strength = if night { 0.75 } else { 1.0 } * (1.0 - 0.5 * self.palette.fog);
        let disc = Disc {
            x,
            y: self.horizon * (1.0 - height),
            radius,
            light: scaled(self.palette.disc, strength),
            halo,
        };
        let place = (self.range(0.0, 1.0), self.range(0.0, 1.0));
        let clouds = (self.palette.cover > 0.02).then(|| Clouds {
            horizon: self.horizon,
            disc: shown.then_some(disc),
            lit: self.palette.cloud_lit,
            dark: self.palette.cloud_dark,
            cover: self.palette.cover,
            place,
            wind: 0.012,
            body: if self.palette.cover > 0.55 { 0.9 } else { 0.45 },
        });
        let sky =
            Sky { colours: self.palette.sky.clone(), horizon: self.horizon, disc: shown.then_some(disc) };
        self.behind.push(Box::new(sky));
        let starry = self.brief.has(Idea::Stars) || hour == Hour::Night;
        if starry && !self.brief.bans(Idea::Stars) && self.palette.cover < 0.85 {
            let count = if self.brief.has(Idea::Stars) { 700 } else { 300 };
            let stars = stars(&self.view, self.horizon * 0.97, count, &mut self.random);
            self.behind.push(Box::new(stars));
        }
        if self.brief.has(Idea::Aurora) {
            let lights = [Colour::hex(0x2c_e08c), Colour::hex(0x8a_3ad0)].map(Colour::light);
            self.behind.push(Box::new(Aurora { seed: self.random.next(), lights, height: self.horizon }));
        }
        if let Some(clouds) = clouds {
            self.behind.push(Box::new(clouds));
        }
    }

    /// Returns the lit and the shaded colour of a surface at a distance.
    fn sides(&self, surface: Light, distance: f32) -> (Light, Light) {
        let lit = self.palette.surface(surface, 1.0);
        let shade = scaled(self.palette.surface(surface, 0.12), 0.8);
        (self.palette.through_air(lit, distance), self.palette.through_air(shade, distance))
    }

    fn mountains(&mut self, rise: f32, before_water: bool) {
        let count = if self.brief.has(Idea::Minimal) || rise < 0.5 { 2 } else { 4 };
        for number in 0..count {
            let near = (number as f32 + 0.4) / count as f32;
            let distance = mix(0.86, if before_water { 0.35 } else { 0.2 }, near);
            let rock = blend(self.palette.rock, self.palette.forest, 0.55 * near * near);
            let (lit, shade) = self.sides(rock, distance);
            let snowy = self.palette.snow || self.random.chance(0.45);
            let snow = (snowy && number + 1 < count || self.palette.snow).then(|| {
                let (lit, shade) = self.sides([0.92, 0.94, 1.0], distance);
                (lit, shade, if self.palette.snow { 0.1 } else { 0.52 })
            });
            let height = self.horizon * rise * mix(0.62, 0.3, near) * self.range(0.85, 1.15);
            let (seed, crests) = (self.random.next(), mix(1.5, 2.3, near) * self.range(0.8, 1.2));
            let ridge = Ridge {
                seed,
                outline: Outline::Crags,
                base: self.horizon + if before_water { 0.005 } else { 0.05 * near },
                rise: height,
                crests,
                lit,
                shade,
                foot: self.palette.haze,
                mist: (mix(0.5, 0.2, near) + 0.4 * self.palette.fog) * if before_water { 0.5 } else { 1.0 },
                snow,
                relief: if self.brief.has(Idea::Flat) { 0.0 } else { 1.0 },
                near: 0.1 + 0.3 * near,
                light_from: self.light_from,
            };
            self.behind.push(Box::new(ridge));
        }
    }

    fn rolling(&mut self, near: f32, outline: Outline, surface: Light, (base, rise): (f32, f32)) -> Ridge {
        let (lit, shade) = self.sides(surface, mix(0.62, 0.0, near));
        let crests = match outline {
            Outline::Dunes => mix(1.9, 0.8, near),
            _ => mix(2.4, 1.1, near),
        } * self.range(0.85, 1.2);
        Ridge {
            seed: self.random.next(),
            outline,
            base,
            rise,
            crests,
            lit,
            shade,
            foot: self.palette.haze,
            mist: mix(0.35, 0.0, near) + 0.4 * self.palette.fog * (1.0 - near),
            snow: None,
            relief: if self.brief.has(Idea::Flat) { 0.0 } else { 1.0 },
            near: 0.2 + 0.7 * near,
            light_from: self.light_from,
        }
    }

    fn hills(&mut self) {
        let below = self.view.bottom() - self.horizon;
        for number in 0..4_u8 {
            let near = f32::from(number) / 4.0;
            let base = self.horizon + below * 0.6 * near * near + 0.03;
            let rise = self.range(0.09, 0.17) * mix(0.8, 1.1, near);
            let green = blend(self.palette.green, self.palette.forest, self.range(0.0, 0.7));
            let ridge = self.rolling(near, Outline::Rolling, green, (base, rise));
            let trees = (number > 0 && self.random.chance(0.7)).then(|| {
                let planting = Planting {
                    kind: if self.palette.snow { Kind::Conifer } else { Kind::Broadleaf },
                    height: mix(0.02, 0.075, near),
                    ground: Under::Ridge(&ridge),
                    density: 0.22,
                    side: self.view.side(),
                    near: ridge.near,
                };
                let (lit, shade) = self.sides(self.palette.forest, mix(0.7, 0.1, near));
                Trees::plant(&planting, lit, shade, &mut self.random)
            });
            self.behind.push(Box::new(ridge));
            if let Some(trees) = trees {
                self.behind.push(Box::new(trees));
            }
        }
    }

    fn city(&mut self) {
        let dark = self.palette.hour.is_dark() || self.palette.cover > 0.85;
        let lights: [u32; 2] =
            if self.brief.has(Idea::Neon) { [0xff_4fb0, 0x38_e0ff] } else { [0xff_c46a, 0xd8_e8ff] };
        let windows = lights.map(|light| scaled(Colour::hex(light).light(), if dark { 1.0 } else { 0.5 }));
        let wet = self.brief.has(Idea::Sea);
        let layers = if self.brief.has(Idea::Minimal) { 2 } else { 4 };
        for number in 0..layers {
            let near = (number as f32 + 0.5) / layers as f32;
            let distance = mix(0.8, 0.06, near);
            let height = self.horizon * mix(0.66, 0.42, near) * self.range(0.85, 1.1);
            let street = self.horizon
                + (self.view.bottom() - self.horizon) * if wet { 0.02 * near } else { 1.1 * near * near };
            let mut city = City::build(street, height, self.view.side(), near, &mut self.random);
            let (lit, shade) = self.sides(self.palette.wall, distance);
            city.wall = blend(shade, lit, mix(0.5, 0.25, near));
            city.street = blend(shade, self.palette.haze, 0.35 * (1.0 - near) + 0.2 * self.palette.fog);
            city.windows = windows.map(|light| self.palette.through_air(light, 0.6 * distance));
            city.lit = match self.palette.hour {
                Hour::Night => 0.42,
                Hour::Dusk => 0.36,
                Hour::Sunset => 0.2,
                _ => 0.05,
            };
            self.behind.push(Box::new(city));
            if number + 1 < layers {
                let amount = 0.25 + 0.5 * self.palette.fog;
                self.behind.push(Box::new(Veil::of(&self.palette, self.horizon, 0.22, amount)));
            }
        }
    }

    fn forest(&mut self, behind_something: bool) {
        let layers = if self.brief.has(Idea::Minimal) { 3 } else { 5 };
        let kind = if self.brief.first(&[Idea::Autumn, Idea::Spring]).is_some() {
            Kind::Broadleaf
        } else {
            Kind::Conifer
        };
        let below = self.view.bottom() - self.horizon;
        for number in 0..layers {
            let near = (number as f32 + 0.5) / layers as f32;
            let distance = mix(0.9, if behind_something { 0.45 } else { 0.04 }, near);
            let (lit, shade) = self.sides(self.palette.forest, distance);
            let reach = if behind_something { 0.0 } else { 1.15 };
            let base = self.horizon + below * reach * near * near + 0.01;
            let height = if behind_something { mix(0.06, 0.13, near) } else { mix(0.1, 0.62, near * near) };
            let planting = Planting {
                kind,
                height,
                ground: Under::Own(base, 0.05 * (1.0 - 0.5 * near)),
                density: if kind == Kind::Broadleaf { mix(3.4, 2.2, near) } else { mix(4.2, 1.9, near) },
                side: self.view.side(),
                near: 0.15 + 0.8 * near,
            };
            let foot = blend(
                shade,
                self.palette.haze,
                mix(0.6, 0.0, near) * if behind_something { 0.4 } else { 1.0 },
            );
            let trees = Trees::plant(&planting, blend(lit, shade, 0.4), foot, &mut self.random);
            self.behind.push(Box::new(trees));
            if number + 1 < layers {
                let amount = (0.22 + 0.6 * self.palette.fog) * (1.0 - near);
                self.behind.push(Box::new(Veil::of(&self.palette, base, 0.16, amount)));
            }
        }
    }

    fn water(&mut self) -> Water {
        let calm = self.brief.first(&[Idea::Calm, Idea::Minimal]).is_some();
        let rough = if self.brief.has(Idea::Storm) {
            1.0
        } else if calm {
            0.18
        } else {
            self.range(0.35, 0.65)
        };
        let deep = blend(self.palette.surface(self.palette.water, 0.55), self.palette.water, 0.25);
        let deep = scaled(deep, if self.palette.hour.is_dark() { 0.55 } else { 0.9 });
        let glare = blend(self.palette.sky.at(0.95), self.palette.disc, 0.35);
        Water { line: self.horizon, colour: deep, glare, rough }
    }

    fn meadow(&mut self) {
        let below = self.view.bottom() - self.horizon;
        let has_flowers = self.brief.has(Idea::Meadow) && !self.palette.snow;
        let reach = if self.brief.has(Idea::Meadow) { 0.12 } else { 0.4 };
        let base = self.horizon + below * reach;
        let edge = self.rolling(0.85, Outline::Rolling, self.palette.green, (base + 0.05, 0.1));
        let flowers = has_flowers.then(|| (self.palette.surface(self.palette.bloom, 0.95), 0.75));
        let texture = if self.brief.first(&[Idea::Flat, Idea::Minimal]).is_some() { 0.15 } else { 0.9 };
        let texture = if self.palette.snow { 0.2 } else { texture };
        self.front.push(Box::new(Ground { edge, flowers, texture }));
    }

    fn desert(&mut self) {
        let below = self.view.bottom() - self.horizon;
        for number in 0..4_u8 {
            let near = (f32::from(number) + 0.5) / 4.0;
            let base = self.horizon + below * 0.75 * near * near + 0.05;
            let rise = mix(0.1, 0.24, near) * self.range(0.8, 1.2);
            let ridge = self.rolling(near, Outline::Dunes, self.palette.sand, (base, rise));
            self.front.push(Box::new(ridge));
        }
    }

    /// Adds mist over the ground.
    fn air(&mut self) {
        if self.palette.fog > 0.3 {
            let veil = Veil::of(&self.palette, self.horizon + 0.03, 0.42, 0.75 * self.palette.fog);
            self.front.push(Box::new(veil));
        }
    }
}
