//! Unknown pixels from the patches that cover them, and what is left at the seam to the known ones.

use super::level::Level;
use super::search::Matches;
use super::{RADIUS, SIDE};

/// How much patches count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// All the same.
    All,
    /// The more the better they match: means of unlike patches are blurred.
    Near,
}

/// What the patches say of each pixel that they cover, known ones too.
pub(super) type Voted = Vec<Option<[f32; 4]>>;

/// Gives unknown pixels the mean of what the patches that cover them copy there.
pub(super) fn vote(level: &mut Level, matches: &Matches, trust: Trust) -> Voted {
    let spread = spread(level, matches);
    let mut sums = vec![[0.0_f32; 5]; level.pixels.len()];
    for &target in &level.targets {
        let (Some(&best), Some(&distance)) = (matches.best.get(target), matches.distance.get(target)) else {
            continue;
        };
        let weight = match trust {
            Trust::All => 1.0,
            Trust::Near => (-(distance as f32) / spread).exp().max(1e-4) * confidence(level, target),
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

/// Patches near what is known count more: inside, patches easily match what was copied from them, and only the border
/// tells what belongs there.
fn confidence(level: &Level, target: usize) -> f32 {
    const DECAY: f32 = 0.22;
    let depth = level.depth.get(target).copied().unwrap_or_default().min(60);
    (-DECAY * f32::from(depth)).exp()
}

/// The distance over which a patch loses its say: a part of what three in four stay below.
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

/// What is to be added to unknown pixels so that they meet the known ones without a step.
///
/// At the known pixels of the seam it is what the patches there get wrong; from there it fades smoothly (a screened
/// Poisson equation, by relaxation).
pub(super) fn seam(level: &Level, voted: &Voted) -> Vec<[f32; 4]> {
    const ROUNDS: usize = 60;
    const FADE: f32 = 0.98;
    // What differs by more is another thing, not the same one in another light.
    const MOST: f32 = 28.0;
    let mut added = vec![[0.0_f32; 4]; level.pixels.len()];
    for (((added, unknown), pixel), voted) in
        added.iter_mut().zip(&level.unknown).zip(&level.pixels).zip(voted)
    {
        if let (false, Some(voted)) = (unknown, voted) {
            for ((added, value), voted) in added.iter_mut().zip(pixel).zip(voted) {
                *added = (f32::from(*value) - voted).clamp(-MOST, MOST);
            }
        }
    }
    let open: Vec<usize> =
        level.unknown.iter().enumerate().filter(|(_, unknown)| **unknown).map(|(at, _)| at).collect();
    // In both directions in turn: what is known at one end of a row is known at the other after one round.
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
