//! A picture described by what can be measured of it: colours, light, contrast, lines, symmetry. It names no objects.

mod colour;
mod measure;
mod words;

use serde::{Deserialize, Serialize};

use crate::picture::decode;
use crate::{Engine, Failure, Job, Output, Parameters};

/// What a description is asked: nothing but its picture.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Describe {}

impl Parameters for Describe {
    type Media = Vec<u8>;
}

/// Writes what it measures as a prompt in English.
#[derive(Debug, Clone, Copy, Default)]
pub struct Describer;

impl Engine<Describe> for Describer {
    fn name(&self) -> &'static str {
        "measured-description/1"
    }

    fn run(&self, _: &Describe, media: Vec<u8>, job: &Job) -> Result<Vec<Output>, Failure> {
        let picture = decode(&media)?;
        drop(media);
        job.check()?;
        let small = measure::Small::of(&picture);
        job.check()?;
        let measures = small.measure(picture.width(), picture.height());
        Ok(vec![Output::Text(words::describe(&measures))])
    }
}
