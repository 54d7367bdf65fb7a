//! Computes unknown pixels from overlapping patches, and seam corrections.

use super::level::Level;
use super::search::Matches;
use super::{RADIUS, SIDE};

/// The weighting of patches.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Weighting {
    /// All patches have the same weight.
    All,
    /// Better matches have more weight.
    ///
    /// The mean of very different patches would be blurred.
    Near,
}

/// The mean of the patches at each pixel that they cover, known pixels included.
pub(super) type Voted = Vec<Option<[f32; 4]>>;

/// Sets each unknown pixel to the mean of the patches that cover it.
pub(super) fn vote(level: &mut Level, matches: &Matches, weighting: Weighting) -> Voted {
    let spread = spread(level, matches);
    let mut sums = vec![[0.0_f32; 5]; level.pixels.len()];
    for &target in &level.targets {
        let (Some(&best), Some(&distance)) = (matches.best.get(target), matches.distance.get(target)) else {
            continue;
        };
        let weight = match weighting {
            Weighting::All => 1.0,
            Weighting::Near => (-(distance as f32) / spread).exp().max(1e-4) * confidence(level, target),
        };
        let corner = RADIUS * level.width + RADIUS;
        let (from, to) = ((best as usize).saturating_sub(corner), target.saturating_sub(corner));
        for row in 0..SIDE {
            let row = row * level.width;
            let source = level.pixels.get(from + row..from + row + SIDE).unwrap_or_default();
            let target = sums.get_mut(to + row..to + row + SIDE).unwrap_or_default();
            for (sum, pixel) in target.iter_mut().zip(source) {
                let [r, g, b, a, weights] = sum;
                for (sum, value) in [r, g, b, a].into_iter().zip(pixel) {
                    *sum += weight * f32::from(*value);
                }
                *weights += weight;
            }
        }
    }
    let voted: Voted = sums
        .iter()
        .map(|&[r, g, b, a, weights]| (weights > 0.0).then(|| [r, g, b, a].map(|sum| sum / weights)))
        .collect();
    for ((pixel, unknown), voted) in level.pixels.iter_mut().zip(&level.unknown).zip(&voted) {
        if let (true, Some(voted)) = (unknown, voted) {
            *pixel = voted.map(|value| (value + 0.5) as u8);
        }
    }
    voted
}

/// Returns a higher weight for patches near known pixels.
///
/// Far inside, patches easily match pixels that were copied from them. Only the border shows what belongs
/// there.
fn confidence(level: &Level, target: usize) -> f32 {
    const DECAY: f32 = 0.22;
    let depth = level.depth.get(target).copied().unwrap_or_default().min(60);
    (-DECAY * f32::from(depth)).exp()
}

/// Returns the distance over which a patch loses its weight.
///
/// It is a quarter of the third quartile of all distances.
fn spread(level: &Level, matches: &Matches) -> f32 {
    let mut distances: Vec<u32> =
        level.targets.iter().filter_map(|&target| matches.distance.get(target).copied()).collect();
    let at = distances.len() * 3 / 4;
    if at >= distances.len() {
        return 1.0;
    }
    let (_, quarter, _) = distances.select_nth_unstable(at);
    (*quarter as f32 / 4.0).max(1.0)
}

/// Returns corrections that make unknown pixels meet the known ones without a step.
///
/// At the known pixels of the seam, a correction is the error of the patches there. It fades smoothly with
/// the distance from the seam (a screened Poisson equation, solved by relaxation).
pub(super) fn seam(level: &Level, voted: &Voted) -> Vec<[f32; 4]> {
    const ROUNDS: usize = 60;
    const FADE: f32 = 0.98;
    // A larger difference means another object, not the same one in another light.
    const MAX_DIFFERENCE: f32 = 28.0;
    let mut added = vec![[0.0_f32; 4]; level.pixels.len()];
    for (((added, unknown), pixel), voted) in
        added.iter_mut().zip(&level.unknown).zip(&level.pixels).zip(voted)
    {
        if let (false, Some(voted)) = (unknown, voted) {
            for ((added, value), voted) in added.iter_mut().zip(pixel).zip(voted) {
                *added = (f32::from(*value) - voted).clamp(-MAX_DIFFERENCE, MAX_DIFFERENCE);
            }
        }
    }
    let open: Vec<usize> =
        level.unknown.iter().enumerate().filter(|(_, unknown)| **unknown).map(|(at, _)| at).collect();
    // Alternate directions: a value at one end of a row reaches the other end in one round.
    for round in 0..ROUNDS {
        let mut relax = |at: usize| {
            let mut sum = [0.0; 4];
            let mut count = 0.0;
            for next in level.neighbours(at).into_iter().flatten() {
                let there = added.get(next).copied().unwrap_or_default();
                sum.iter_mut().zip(there).for_each(|(sum, value)| *sum += value);
                count += 1.0;
            }
            if let Some(added) = added.get_mut(at) {
                *added = sum.map(|sum: f32| sum / f32::max(count, 1.0) * FADE);
            }
        };
        if round % 2 == 0 {
            open.iter().for_each(|&at| relax(at));
        } else {
            open.iter().rev().for_each(|&at| relax(at));
        }
    }
    added
}
