//! Unknown parts of a picture filled with what the known parts look like.
//!
//! From coarse to fine, each unknown place takes the mean of the known patches that look most like its surroundings
//! (Wexler, Shechtman and Irani), which a randomised search finds (Barnes' PatchMatch). Pictures larger than the search
//! can afford are searched smaller, and their own pixels are then moved as the small ones were.

mod level;
mod search;
mod transfer;
mod vote;

use level::Level;
use search::Matches;

use crate::picture::hash;
use crate::{Failure, Job};

/// Half the side of a patch, without its middle.
const RADIUS: usize = 3;
/// The side of a patch.
const SIDE: usize = 2 * RADIUS + 1;
/// A level whose shorter side would be less is not made.
const MIN_SIDE: usize = 24;
/// A level needs so many known patches to choose from.
const MIN_SOURCES: usize = 64;

/// A picture of which parts are unknown.
#[derive(Clone)]
pub(crate) struct Canvas {
    pub width: usize,
    /// What is known; the rest is of no meaning.
    pub pixels: Vec<[u8; 4]>,
    pub unknown: Vec<bool>,
}

/// How much work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Effort {
    /// The most pixels that patches are sought in.
    pub area: usize,
    /// Rounds of search and mean at the finest level that is searched; coarser ones get more.
    pub rounds: usize,
}

impl Effort {
    pub const FAST: Self = Self { area: 150_000, rounds: 1 };
    pub const NORMAL: Self = Self { area: 400_000, rounds: 3 };
    pub const THOROUGH: Self = Self { area: 800_000, rounds: 6 };
}

/// Fills what is unknown; what is known is not touched.
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
        let mut current = Matches::new(level, hash(job.seed, at as u64));
        match &matches {
            Some(coarser) => {
                current.refine(level, coarser);
                vote::vote(level, &current, vote::Trust::All);
            }
            None => level.spread_known(),
        }
        for _ in 0..effort.rounds + 3 * (finest - at) {
            current.measure(level);
            for backwards in [false, true, false, true] {
                job.check()?;
                current.search(level, backwards);
            }
            voted = Some(vote::vote(level, &current, vote::Trust::Near));
        }
        matches = Some(current);
    }
    let (Some(level), Some(matches), Some(voted)) = (levels.last_mut(), matches, voted) else {
        return Err(Failure::Internal("the picture has no level to search".into()));
    };
    let seam = vote::seam(level, &voted);
    job.check()?;
    transfer::transfer(canvas, level, &matches, &seam, scale, job)
}

/// The picture from its coarsest level to the finest that is searched, and how many times that is smaller.
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
            let message = "Too little of the image is known to fill the rest from it.";
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
