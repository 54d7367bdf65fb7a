//! Finds the most similar known patch for each patch with an unknown pixel.

use super::level::Level;
use super::{RADIUS, SIDE};
use crate::random::Random;

pub(super) struct Matches {
    width: usize,
    /// The centre of the best patch for each pixel.
    ///
    /// It is [`NONE`] where nothing is searched.
    pub best: Vec<u32>,
    /// The difference of both patches: sum of squares plus distance penalty.
    pub distance: Vec<u32>,
    random: Random,
}

const NONE: u32 = u32::MAX;

impl Matches {
    /// Assigns a random known patch to each target.
    pub fn new(level: &Level, seed: u64) -> Self {
        let sources: Vec<u32> =
            level.source.iter().enumerate().filter(|(_, source)| **source).map(|(at, _)| at as u32).collect();
        let mut random = Random::new(seed);
        let mut best = vec![NONE; level.pixels.len()];
        for &target in &level.targets {
            if let (Some(best), Some(&source)) =
                (best.get_mut(target), sources.get(random.below(sources.len())))
            {
                *best = source;
            }
        }
        Self { width: level.width, best, distance: vec![0; level.pixels.len()], random }
    }

    /// Takes over the matches of a level of half the size.
    ///
    /// A match is skipped if it is not a known patch on this level.
    pub fn refine(&mut self, level: &Level, coarser: &Self) {
        for &target in &level.targets {
            let (x, y) = (target % level.width, target / level.width);
            let Some((from_x, from_y)) = coarser.source_position(x / 2, y / 2) else { continue };
            let source = (from_y * 2 + y % 2) * level.width + from_x * 2 + x % 2;
            if level.is_source(source)
                && let Some(best) = self.best.get_mut(target)
            {
                *best = source as u32;
            }
        }
    }

    /// Returns the position that a pixel is copied from.
    ///
    /// It follows the pixel's own match, or that of the nearest position inside the border. There is none if
    /// that position has no match.
    pub fn source_position(&self, x: usize, y: usize) -> Option<(usize, usize)> {
        let height = self.best.len() / self.width;
        let inside =
            |at: usize, length: usize| at.clamp(RADIUS, (length - 1).saturating_sub(RADIUS).max(RADIUS));
        let (near_x, near_y) = (inside(x, self.width), inside(y, height));
        let best = *self.best.get(near_y * self.width + near_x).filter(|best| **best != NONE)? as usize;
        let (best_x, best_y) = (best % self.width, best / self.width);
        // The offset of the nearby match, clamped to the picture.
        let moved = |best: usize, at: usize, near: usize, length: usize| {
            (best + at).saturating_sub(near).min(length - 1)
        };
        Some((moved(best_x, x, near_x, self.width), moved(best_y, y, near_y, height)))
    }

    /// Measures all matches again after pixels have changed.
    pub fn measure(&mut self, level: &Level) {
        for &target in &level.targets {
            let Some(&best) = self.best.get(target) else { continue };
            let measured = difference(level, target, best as usize, u32::MAX);
            if let Some(distance) = self.distance.get_mut(target) {
                *distance = measured;
            }
        }
    }

    /// Searches for better matches near the neighbours' matches and at random.
    ///
    /// The random positions are around the best match so far.
    pub fn search(&mut self, level: &Level, backwards: bool) {
        if backwards {
            level.targets.iter().rev().for_each(|&target| self.improve(level, target, backwards));
        } else {
            level.targets.iter().for_each(|&target| self.improve(level, target, backwards));
        }
    }

    fn improve(&mut self, level: &Level, target: usize, backwards: bool) {
        let (Some(&best), Some(&distance)) = (self.best.get(target), self.distance.get(target)) else {
            return;
        };
        let (mut best, mut distance) = (best as usize, distance);
        let mut attempt = |candidate: usize, best: &mut usize| {
            if candidate != *best && level.is_source(candidate) {
                let measured = difference(level, target, candidate, distance);
                if measured < distance {
                    (*best, distance) = (candidate, measured);
                }
            }
        };
        for step in [1, self.width] {
            let beside = |at: usize, after: bool| if after { at + step } else { at.wrapping_sub(step) };
            let neighbour = beside(target, backwards);
            if let Some(&there) = self.best.get(neighbour).filter(|best| **best != NONE) {
                attempt(beside(there as usize, !backwards), &mut best);
            }
        }
        let height = self.best.len() / self.width;
        let mut reach = self.width.max(height) / 2;
        while reach > 1 {
            let mut near = |at: usize, length: usize| {
                (at + self.random.below(2 * reach + 1)).saturating_sub(reach).min(length - 1)
            };
            let (x, y) = (near(best % self.width, self.width), near(best / self.width, height));
            attempt(y * self.width + x, &mut best);
            reach /= 2;
        }
        if let (Some(kept), Some(measured)) = (self.best.get_mut(target), self.distance.get_mut(target)) {
            (*kept, *measured) = (best as u32, distance);
        }
    }
}

/// The penalty for a distance of the picture's whole diagonal.
///
/// It equals a difference of about sixteen levels in each colour value of the patch.
const MAX_PENALTY: usize = 40_000;

/// Returns the penalty for the distance between two positions.
///
/// A nearby patch is more likely to belong to its surroundings than a distant one that only looks similar,
/// such as an object on a background.
fn distance_penalty(level: &Level, a: usize, b: usize) -> u32 {
    let (width, height) = (level.width, level.height());
    let (x, y) = ((a % width).abs_diff(b % width), (a / width).abs_diff(b / width));
    (MAX_PENALTY * (x * x + y * y) / (width * width + height * height)) as u32
}

/// Returns the difference of two patches.
///
/// It is the sum of squares plus the distance penalty. The function stops early once the sum reaches
/// `bound`, and then returns any number that is not below `bound`.
fn difference(level: &Level, a: usize, b: usize, bound: u32) -> u32 {
    let corner = RADIUS * level.width + RADIUS;
    let (Some(a), Some(b)) = (a.checked_sub(corner), b.checked_sub(corner)) else { return u32::MAX };
    let mut sum = distance_penalty(level, a + corner, b + corner);
    for row in 0..SIDE {
        let row = row * level.width;
        let (Some(a), Some(b)) =
            (level.pixels.get(a + row..a + row + SIDE), level.pixels.get(b + row..b + row + SIDE))
        else {
            return u32::MAX;
        };
        sum += a
            .as_flattened()
            .iter()
            .zip(b.as_flattened())
            .map(|(a, b)| u32::from(a.abs_diff(*b)).pow(2))
            .sum::<u32>();
        if sum >= bound {
            break;
        }
    }
    sum
}
