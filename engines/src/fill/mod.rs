//! Fills the unknown parts of a picture with texture from the known parts.
//!
//! It works from coarse to fine (Wexler, Shechtman and Irani). Each unknown pixel takes the mean of the known
//! patches that look most like its surroundings. A randomised search finds these patches (Barnes'
//! PatchMatch).
//!
//! Pictures that are too large for the search are searched at a smaller size. The matches of the small picture
//! then determine which pixels of the large one are copied.

mod level;
mod search;
mod transfer;
mod vote;

use level::Level;
use search::Matches;

use crate::random::hash_at;
use crate::{Failure, Job};

/// The radius of a patch: half its side, without the middle pixel.
const RADIUS: usize = 3;
/// The side of a patch.
const SIDE: usize = 2 * RADIUS + 1;
/// The minimum for the shorter side of a level. Smaller levels are not built.
const MIN_SIDE: usize = 24;
/// The minimum number of known patches in a level.
const MIN_SOURCES: usize = 64;

/// A picture with unknown parts.
#[derive(Clone)]
pub(crate) struct Canvas {
    pub width: usize,
    /// All pixels. Those marked in `unknown` have no meaning.
    pub pixels: Vec<[u8; 4]>,
    pub unknown: Vec<bool>,
}

/// The amount of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Effort {
    /// The largest number of pixels that is searched for patches.
    pub area: usize,
    /// Rounds of search and averaging at the finest searched level.
    ///
    /// Coarser levels get more.
    pub rounds: usize,
}

impl Effort {
    pub const FAST: Self = Self { area: 150_000, rounds: 1 };
    pub const NORMAL: Self = Self { area: 400_000, rounds: 3 };
    pub const THOROUGH: Self = Self { area: 800_000, rounds: 6 };
}

/// Fills the unknown pixels. The known ones stay unchanged.
pub(crate) fn fill(canvas: &mut Canvas, effort: Effort, job: &Job) -> Result<(), Failure> {
    if !canvas.unknown.contains(&true) {
        return Ok(());
    }
    let (mut levels, scale) = pyramid(canvas, effort)?;
    let finest = levels.len() - 1;
    let mut matches: Option<Matches> = None;
    let mut voted = None;
    for (at, level) in levels.iter_mut().enumerate() {
        job.check()?;
        let mut current = Matches::new(level, hash_at(job.seed, at as u64));
        match &matches {
            Some(coarser) => {
                current.refine(level, coarser);
                vote::vote(level, &current, vote::Weighting::All);
            }
            None => level.spread_known(),
        }
        for _ in 0..effort.rounds + 3 * (finest - at) {
            current.measure(level);
            for backwards in [false, true, false, true] {
                job.check()?;
                current.search(level, backwards);
            }
            voted = Some(vote::vote(level, &current, vote::Weighting::Near));
        }
        matches = Some(current);
    }
    let (Some(level), Some(matches), Some(voted)) = (levels.last_mut(), matches, voted) else {
        return Err(Failure::Internal("the picture has no level that can be searched".into()));
    };
    let seam = vote::seam(level, &voted);
    job.check()?;
    transfer::transfer(canvas, level, &matches, &seam, scale, job)
}

/// Builds the levels from coarse to fine, with the scale of the finest.
///
/// The scale is the factor by which the finest searched level is smaller than the canvas.
fn pyramid(canvas: &Canvas, effort: Effort) -> Result<(Vec<Level>, usize), Failure> {
    let mut sizes = vec![canvas.clone()];
    let mut scale = 1;
    while let [size] = sizes.as_mut_slice()
        && size.pixels.len() > effort.area
        && size.width.min(size.pixels.len() / size.width) >= 2 * SIDE
    {
        *size = size.halved();
        scale *= 2;
    }
    let mut levels: Vec<Level> = Vec::new();
    while let Some(size) = sizes.pop() {
        let coarser = size.halved();
        let short_side = size.width.min(size.pixels.len() / size.width);
        let level = Level::new(size);
        if levels.is_empty() && level.sources() == 0 {
            let message = "Too little of the image is left to fill the rest from; use a larger image or a smaller mask.";
            return Err(Failure::media("nothing_to_fill_from", message));
        }
        if !levels.is_empty() && (short_side < MIN_SIDE || level.sources() < MIN_SOURCES) {
            break;
        }
        levels.push(level);
        sizes.push(coarser);
    }
    levels.reverse();
    Ok((levels, scale))
}
