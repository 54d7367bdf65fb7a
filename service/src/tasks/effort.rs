//! Estimates the time that work takes on one thread.
//!
//! The numbers are rough: they only separate quick work from slow work before anything is measured. The worker
//! corrects them by the times that it measures.

use std::collections::BTreeSet;

use asset_engines::picture::Info;

use crate::domain::{Demand, Engines};
use crate::engine::work::{Instructions, Step, StoredMedium, Work};

/// The assumed size of a medium that is not in the request, in megapixels.
const UNKNOWN: f64 = 4.0;

/// Frames of a video per second.
const FRAMES: f64 = 24.0;

/// The expected time of a step without its media, in milliseconds.
const STEP_MILLIS: f64 = 20.0;

/// The assumed time of a step of an attached engine, in milliseconds.
const ATTACHED: f64 = 30_000.0;

/// Returns the demand of a task's [stage](crate::engine::work::Assignment::stage), without reading its media.
pub fn demand(stage: &[Step]) -> Demand {
    let (mut families, mut attached, mut total) = (BTreeSet::new(), None, 0.0);
    for Step { family, instructions, media } in stage {
        total += STEP_MILLIS;
        match instructions {
            Instructions::BuiltIn(work) => {
                families.insert(family.clone());
                total += milliseconds(work, megapixels(media));
            }
            Instructions::Attached(_) => {
                attached = Some(family.clone());
                total += ATTACHED;
            }
        }
    }
    let engines = attached.map_or(Engines::BuiltIn(families), Engines::Attached);
    Demand { engines, size: size(total) }
}

/// Returns the size of a task that takes this long: the binary logarithm, rounded up.
pub fn size(milliseconds: f64) -> i16 {
    // The conversion saturates, and no duration has a logarithm above 1,024.
    milliseconds.max(1.0).log2().ceil() as i16
}

fn megapixels(media: &[StoredMedium]) -> f64 {
    let of = |info: Info| f64::from(info.width) * f64::from(info.height) / 1e6;
    media.iter().map(|medium| medium.picture().map_or(UNKNOWN, of)).sum()
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
    use crate::media::format::Kind;
    use crate::media::input::Source;

    fn step(family: &str, work: impl Into<Work>) -> Step {
        let instructions = Instructions::BuiltIn(work.into());
        Step { family: family.to_owned(), instructions, media: Vec::new() }
    }

    #[test]
    fn sizes_are_logarithms_rounded_up() {
        for (milliseconds, expected) in [(0.0, 0), (1.0, 0), (2.0, 1), (3.0, 2), (2000.0, 11), (2048.0, 11)] {
            assert_eq!(size(milliseconds), expected, "{milliseconds}");
        }
        assert_eq!(size(f64::INFINITY), i16::MAX, "nothing overflows");
    }

    #[test]
    fn longer_work_is_larger_and_families_are_named_once() {
        let speech = |length: usize| SpeechParameters::new("a".repeat(length), "narrator");
        let (short, long) = (step("voiceover", speech(50)), step("voiceover", speech(10_000)));
        let small = demand(std::slice::from_ref(&short));
        assert_eq!(small.engines, Engines::built_in(["voiceover"]));
        assert!(small.size <= 11, "{small:?}");
        assert!(demand(&[long]).size > 11);

        let upscale = PrecisionV2 { scale_factor: 2, ..PrecisionV2::default() };
        let of = |width| Some(Info { format: Format::Png, width, height: width });
        let sized = |picture| {
            let (name, source) = (String::new(), Source::Stored(String::new()));
            let media = vec![StoredMedium::Given { name, kind: Kind::Image, source, picture }];
            demand(&[Step { media, ..step("image-upscaler-precision-v2", upscale.clone()) }]).size
        };
        assert!(sized(of(64)) < sized(of(2000)) && sized(of(64)) < sized(None));

        let both = [short, step("image-edit", speech(10_000))];
        assert_eq!(
            demand(&[both.clone(), both].concat()).engines,
            Engines::built_in(["image-edit", "voiceover"])
        );
    }
}
