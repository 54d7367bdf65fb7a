//! FLAC files: mono, 16 bits, with a comment that names the software. They are written as samples arrive.

use std::io::{BufWriter, ErrorKind};

use flac_codec::encode::{FlacSampleWriter, Options};

use crate::{Failure, Job, Scratch};

/// The number of samples in a frame, and between two checks of the job's cancellation.
const FRAME: usize = 4096;

/// Writes a FLAC file to a scratch file.
pub(crate) struct FlacWriter<'a> {
    encoder: FlacSampleWriter<BufWriter<Scratch>>,
    file: Scratch,
    waiting: Vec<i32>,
    job: &'a Job,
    outcome: Result<(), Failure>,
}

impl<'a> FlacWriter<'a> {
    /// Starts a file, made by `software`.
    pub(crate) fn new(rate: u32, software: &str, job: &'a Job) -> Result<Self, Failure> {
        let file = job.scratch()?;
        let options = Options::default().tag("ENCODER", software);
        let encoder = FlacSampleWriter::new(BufWriter::new(file.clone()), options, rate, 16, 1, None)
            .map_err(failure)?;
        Ok(Self { encoder, file, waiting: Vec::with_capacity(FRAME), job, outcome: Ok(()) })
    }

    /// Appends a sample, where 1 is full scale.
    ///
    /// After a failure, which [`Self::check`] returns, samples are dropped.
    pub(crate) fn push(&mut self, sample: f64) {
        if self.outcome.is_err() {
            return;
        }
        self.waiting.push(i32::from((sample.clamp(-1.0, 1.0) * 32767.0).round() as i16));
        if self.waiting.len() == FRAME {
            self.outcome = self.job.check().and_then(|()| self.encoder.write(&self.waiting).map_err(failure));
            self.waiting.clear();
        }
    }

    /// Returns the failure of the samples so far, if there was one.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        self.outcome.clone()
    }

    /// Returns the file.
    pub(crate) fn finish(mut self) -> Result<Scratch, Failure> {
        self.outcome?;
        self.encoder.write(&self.waiting).and_then(|()| self.encoder.finalize()).map_err(failure)?;
        Ok(self.file)
    }
}

fn failure(error: flac_codec::Error) -> Failure {
    match error {
        flac_codec::Error::Io(error) if error.kind() == ErrorKind::FileTooLarge => Failure::too_large(),
        error => Failure::Internal(format!("can't write a FLAC file: {error}")),
    }
}
