//! Estimates the time that work takes on one thread.
//!
//! The numbers are rough: they only separate quick work from slow work before anything is measured. The worker
//! corrects them by the times that it measures.

use std::collections::BTreeSet;

use asset_engines::picture::Info;

use crate::domain::{Demand, Engines};
use crate::engine::work::{Assignment, Instructions, Step, Work};

/// The assumed size of a medium that is not in the request, in megapixels.
const UNKNOWN: f64 = 4.0;

/// Frames of a video per second.
const FRAMES: f64 = 24.0;

/// The expected time of a step without its media, in milliseconds.
const LEAST: f64 = 20.0;

/// The assumed time of a step of an attached engine, in milliseconds.
const ATTACHED: f64 = 30_000.0;

/// Returns the demand of a task's stage with these steps.
///
/// Each step comes with its family and with the pictures of the request, if their sizes are known.
pub fn demand<'a>(steps: impl IntoIterator<Item = (&'a str, &'a Instructions, Vec<Option<Info>>)>) -> Demand {
    let (mut families, mut attached, mut total) = (BTreeSet::new(), None, 0.0);
    for (family, instructions, pictures) in steps {
        total += LEAST;
        match instructions {
            Instructions::BuiltIn(work) => {
                families.insert(family.to_owned());
                total += milliseconds(work, megapixels(&pictures));
            }
            Instructions::Attached(_) => {
                attached = Some(family.to_owned());
                total += ATTACHED;
            }
        }
    }
    let engines = attached.map_or(Engines::BuiltIn(families), Engines::Attached);
    Demand { engines, size: size(total) }
}

/// Returns the demand of the next attempt at stored work, without reading its media.
pub fn demand_of(assignment: &Assignment) -> Demand {
    let unknown = |step: &Step| step.media.iter().map(|_| None).collect();
    demand(assignment.stage().iter().map(|step| (step.family.as_str(), &step.instructions, unknown(step))))
}

/// Returns the size of a task that takes this long: the binary logarithm, rounded up.
pub fn size(milliseconds: f64) -> i16 {
    // The conversion saturates, and no duration has a logarithm above 1,024.
    milliseconds.max(1.0).log2().ceil() as i16
}

fn megapixels(pictures: &[Option<Info>]) -> f64 {
    let of = |info: &Info| f64::from(info.width) * f64::from(info.height) / 1e6;
    pictures.iter().map(|info| info.as_ref().map_or(UNKNOWN, of)).sum()
}

/// Returns the expected time in milliseconds; `given` are the megapixels of the pictures.
fn milliseconds(work: &Work, given: f64) -> f64 {
    let area = |width: u32, height: u32| f64::from(width) * f64::from(height) / 1e6;
    match work {
        Work::Prompt(_) => 0.0,
        Work::Icon(_) => 20.0,
        Work::Describe(_) => 1000.0 * given,
        Work::Sound(sound) => 60.0 * sound.duration_seconds,
        Work::Speech(speech) => speech.text.len() as f64,
        Work::Retouch(_) | Work::Camera(_) => 1500.0 * given,
        Work::Upscale(_) => 1500.0 * given * 4.0,
        Work::UpscaleBy(upscale) => 1500.0 * given * f64::from(upscale.scale_factor).powi(2),
        Work::Expand(_) | Work::Remove(_) => 8000.0 * given,
        Work::Compose(scene) => 1000.0 * area(scene.width, scene.height) + 50.0 * given,
        Work::Animate(film) => 150.0 * FRAMES * f64::from(film.seconds) * area(film.width, film.height),
        Work::Move(film) => {
            150.0 * FRAMES * f64::from(film.seconds) * area(film.shorter_side, film.shorter_side)
                + 50.0 * given
        }
    }
}

#[cfg(test)]
mod tests {
    use asset_engines::picture::Format;
    use asset_engines::speech::SpeechParameters;
    use asset_engines::upscale::PrecisionV2;

    use super::*;

    #[test]
    fn sizes_are_logarithms_rounded_up() {
        for (milliseconds, expected) in [(0.0, 0), (1.0, 0), (2.0, 1), (3.0, 2), (2000.0, 11), (2048.0, 11)] {
            assert_eq!(size(milliseconds), expected, "{milliseconds}");
        }
        assert_eq!(size(f64::INFINITY), i16::MAX, "nothing overflows");
    }

    #[test]
    fn longer_work_is_larger_and_families_are_named_once() {
        let speech = |length: usize| {
            Instructions::BuiltIn(SpeechParameters::new("a".repeat(length), "narrator").into())
        };
        let (short, long) = (speech(50), speech(10_000));
        let small = demand([("voiceover", &short, Vec::new())]);
        assert_eq!(small.engines, Engines::built_in(["voiceover"]));
        assert!(small.size <= 11, "{small:?}");
        assert!(demand([("voiceover", &long, Vec::new())]).size > 11);

        let upscale = PrecisionV2 { scale_factor: 2, ..PrecisionV2::default() };
        let upscale = Instructions::BuiltIn(upscale.into());
        let of = |width| Some(Info { format: Format::Png, width, height: width });
        let sized = |info| demand([("image-upscaler-precision-v2", &upscale, vec![info])]).size;
        assert!(sized(of(64)) < sized(of(2000)) && sized(of(64)) < sized(None));

        let both = [("voiceover", &short, Vec::new()), ("image-edit", &long, Vec::new())];
        let steps = [both.clone(), both].concat();
        assert_eq!(demand(steps).engines, Engines::built_in(["image-edit", "voiceover"]));
    }
}
