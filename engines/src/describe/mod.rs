//! Describes a picture by measured facts.
//!
//! It measures colours, light, contrast, lines and symmetry. It names no objects.

mod colour;
mod measure;
mod words;

use serde::{Deserialize, Serialize};

use crate::picture::decode;
use crate::{Engine, Failure, Job, Output};

/// The parameters of a description. It needs only a picture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Describe {}

/// Writes the measured facts as an English prompt.
#[derive(Debug, Clone, Copy, Default)]
pub struct Describer;

impl Engine<Describe> for Describer {
    const NAME: &'static str = "measured-description/1";

    type Media = Vec<u8>;

    fn run(&self, _: &Describe, media: Vec<u8>, job: &Job) -> Result<Vec<Output>, Failure> {
        let picture = decode(media)?;
        job.check()?;
        let small = measure::Small::of(&picture);
        job.check()?;
        let measures = small.measure(picture.width(), picture.height());
        Ok(vec![Output::Text(words::describe(&measures))])
    }
}
