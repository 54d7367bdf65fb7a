//! Rows of trees.

use super::super::colour::{Light, blend, over};
use super::super::maths::{mix, smooth, wave};
use super::super::noise::{Tile, profile};
use super::super::view::{Layer, Painter, View};
use super::land::Ridge;
use crate::random::Random;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Conifer,
    Broadleaf,
}

#[derive(Debug, Clone, Copy)]
struct Tree {
    x: f32,
    foot: f32,
    height: f32,
    kind: Kind,
    phase: f32,
    /// The brightness relative to other trees.
    tone: f32,
}

/// Trees at one distance, and the ground below them.
pub(super) struct Trees {
    trees: Vec<Tree>,
    ground: Option<Slope>,
    /// The colours at their tops and at their feet.
    pub top: Light,
    pub foot: Light,
    pub near: f32,
}

/// Slightly rolling ground.
#[derive(Debug, Clone, Copy)]
struct Slope {
    seed: u64,
    base: f32,
    roll: f32,
    scale: f32,
}

impl Slope {
    fn at(&self, x: f32) -> f32 {
        self.base - self.roll * profile(self.seed, self.scale * x, 3, 0.4)
    }
}

/// The parameters of a row of trees.
pub(super) struct Planting<'a> {
    pub kind: Kind,
    pub height: f32,
    pub ground: Under<'a>,
    /// The number of trees along a distance of one tree height.
    pub density: f32,
    pub side: f32,
    pub near: f32,
}

/// The ground below trees.
pub(super) enum Under<'a> {
    /// Ground of their own: its y and its rise.
    Own(f32, f32),
    /// A ridge that is already painted.
    Ridge(&'a Ridge),
}

impl Trees {
    pub fn plant(planting: &Planting<'_>, top: Light, foot: Light, random: &mut Random) -> Self {
        let Planting { kind, height, density, near, .. } = *planting;
        let side = planting.side + height + 0.4 * near;
        let seed = random.next();
        let ground = match planting.ground {
            Under::Own(base, roll) => Some(Slope { seed: seed + 1, base, roll, scale: 0.55 / height }),
            Under::Ridge(_) => None,
        };
        let foot_at = |x: f32| match (&ground, &planting.ground) {
            (Some(ground), _) => ground.at(x),
            (None, Under::Ridge(ridge)) => ridge.top(x) + 0.15 * height,
            (None, Under::Own(base, _)) => *base,
        };
        let count = (2.0 * side * density / height).clamp(3.0, 900.0) as usize;
        let mut trees: Vec<Tree> = (0..count)
            .map(|number| {
                let place = (number as f32 + random.range(0.1, 0.9) as f32) / count as f32;
                let x = (2.0 * place - 1.0) * side;
                let grown = random.unit() as f32;
                // Clearings and thickets.
                let thick = mix(0.55, 1.1, profile(seed, 2.2 * x / height * 0.3, 2, 0.5));
                Tree {
                    x,
                    foot: foot_at(x),
                    height: height * mix(0.5, 1.0, grown) * thick,
                    kind,
                    phase: random.unit() as f32,
                    tone: random.range(0.82, 1.15) as f32,
                }
            })
            .collect();
        trees.sort_by(|a, b| b.height.total_cmp(&a.height));
        Self { trees, ground, top, foot, near }
    }
}

impl Tree {
    /// Returns half the width at a distance from the top, relative to the height.
    fn reach(&self, down: f32) -> f32 {
        match self.kind {
            Kind::Conifer => {
                if down > 0.93 {
                    return 0.012;
                }
                // Tiers of branches, wider at the bottom.
                let tiers = 9.0 * down + self.phase;
                let tier = tiers - tiers.floor();
                0.02 * smooth(0.0, 0.06, down) + 0.21 * down * (0.62 + 0.38 * tier)
            }
            Kind::Broadleaf => {
                if down > 0.72 {
                    return 0.018 + 0.02 * (down - 0.9).max(0.0);
                }
                let crown = (down - 0.38) / 0.39;
                let round = (1.0 - crown * crown).max(0.0).sqrt();
                round * (0.23 + 0.05 * self.phase + 0.035 * wave(2.3 * down + 5.0 * self.phase))
            }
        }
    }
}

impl Layer for Trees {
    fn seen<'a>(&'a self, view: &View, tile: &'a Tile) -> Painter<'a> {
        let view = *view;
        let shift = view.pan * self.near;
        let tops: Vec<f32> =
            self.ground.iter().flat_map(|ground| view.xs().map(|x| ground.at(x + shift))).collect();
        let solid = tops.iter().copied().fold(f32::NEG_INFINITY, f32::max) + view.pixel();
        let lowest = if tops.is_empty() { f32::INFINITY } else { solid };
        Painter::new(move |y, row| {
            for tree in &self.trees {
                let down = 1.0 - (tree.foot - y) / tree.height;
                if !(0.0..1.0).contains(&down) {
                    continue;
                }
                let sway = 0.004 * (1.0 - down) * tree.height * 6.0 * wave(0.21 * view.time + tree.phase);
                let x = tree.x - shift + sway;
                let reach = tree.reach(down) * tree.height;
                let light = blend(self.top, self.foot, smooth(0.1, 1.0, down)).map(|value| value * tree.tone);
                let fringe = if tree.kind == Kind::Broadleaf { 0.45 } else { 0.2 } * reach;
                for (at, target) in super::between(&view, x - reach - fringe, x + reach + fringe, row) {
                    // Leaves make the edge ragged, and one side of each tree is slightly lighter.
                    let ragged = fringe * 5.0 * (tile.at(2.1 * at + tree.phase, 2.1 * y) - 0.5);
                    let cover = ((reach + ragged - (at - x).abs()) / view.pixel() + 0.5).clamp(0.0, 1.0);
                    let leaves = 1.0 + 1.3 * (tile.at(2.9 * at + tree.phase, 3.3 * y) - 0.5);
                    let side = leaves + 0.2 * ((x - at) / reach.max(1e-4)).clamp(-1.0, 1.0);
                    over(target, light.map(|value| value * side.clamp(0.5, 1.6)), cover);
                }
            }
            for (top, target) in tops.iter().zip(row) {
                let cover = ((y - top) / view.pixel() + 0.5).clamp(0.0, 1.0);
                if cover > 0.0 {
                    over(target, self.foot.map(|value| value * (1.0 - 0.3 * unit_depth(y, *top))), cover);
                }
            }
        })
        .solid_from(lowest)
    }
}

fn unit_depth(y: f32, top: f32) -> f32 {
    smooth(0.0, 0.3, y - top)
}
