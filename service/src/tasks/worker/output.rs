//! The results of an attempt: stores the outputs of its steps, with their facts.

use std::io::{Cursor, Seek};
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;

use super::Worker;
use crate::blocking;
use crate::crash;
use crate::domain::{Claimed, Content, Facts, Piece};
use crate::engine::context::Context;
use crate::engine::work::FinishedStep;
use crate::engine::{Failure, Output};
use crate::files::{Area, FilesError, attempt_of, result_key};
use crate::media::measure::{self, Measured};

/// A step of this attempt that is done.
pub(super) struct DoneStep {
    /// The name of its family.
    pub(super) family: String,
    /// The engine.
    pub(super) engine: String,
    pub(super) outputs: Vec<Output>,
    /// Whether each output is unsafe, if the engine has reported it.
    pub(super) nsfw: Option<Vec<bool>>,
}

/// Returns the size of all files of a result, if it is not too large.
fn size<'o>(outputs: impl IntoIterator<Item = &'o Output>, most: u64) -> Result<u64, Failure> {
    let mut size = 0_u64;
    for output in outputs {
        size = size.saturating_add(match output {
            Output::Text(_) => 0,
            Output::File(file) => file.bytes.len() as u64,
            Output::Long(file) => {
                file.content.length().map_err(|error| Failure::from(FilesError::Scratch(error)))?
            }
        });
    }
    if size > most { Err(Context::too_large()) } else { Ok(size) }
}

/// Stores the files of steps under keys of this attempt, if they are not too large together.
///
/// They are invisible until the task ends. The facts about them that only workflow apps show are left out otherwise.
pub(super) async fn put(
    worker: &Worker,
    claimed: &Claimed,
    done: Vec<DoneStep>,
    is_app: bool,
    most: u64,
) -> Result<Vec<FinishedStep>, Failure> {
    size(done.iter().flat_map(|step| &step.outputs), most)?;
    let (mut finished, mut index) = (Vec::with_capacity(done.len()), 0);
    for DoneStep { family, engine, outputs, nsfw } in done {
        let bytes = size(&outputs, u64::MAX)?;
        let mut pieces = Vec::with_capacity(outputs.len());
        for (number, output) in outputs.into_iter().enumerate() {
            let key = |extension| result_key(&claimed.task.folder, claimed.lease.attempt, index, extension);
            let (output, mut facts) =
                if is_app { of_step(&family, output).await? } else { (output, Facts::default()) };
            facts.nsfw = nsfw.as_ref().and_then(|found| found.get(number).copied());
            pieces.push(Piece { content: put_output(worker, output, key).await?, facts });
            index += 1;
        }
        finished.push(FinishedStep { engine, pieces, bytes });
    }
    Ok(finished)
}

/// Returns an output of a step of a workflow app, and the facts about it, as far as its header has them.
async fn of_step(family: &str, mut output: Output) -> Result<(Output, Facts), Failure> {
    let measured = blocking::on_own_thread(move || {
        // A file whose header can't be read is a result without these facts.
        let measured = catch_unwind(AssertUnwindSafe(|| measured(&mut output)));
        (output, measured.unwrap_or_default())
    });
    let (output, Measured { size, seconds }) =
        measured.await.map_err(|error| Failure::Internal(format!("can't measure a result: {error}")))?;
    let milliseconds = seconds.map(|seconds| (seconds * 1000.0).round() as u64);
    Ok((output, Facts { step: Some(family.to_owned()), size, milliseconds, nsfw: None }))
}

fn measured(output: &mut Output) -> Measured {
    match output {
        Output::Text(_) => Measured::default(),
        Output::File(file) => measure::of(&mut Cursor::new(&file.bytes), file.extension),
        Output::Long(file) => {
            let measured = measure::of(&mut file.content, file.extension);
            // A file that can't be read fails when it is stored.
            file.content.rewind().map(|()| measured).unwrap_or_default()
        }
    }
}

async fn put_output(
    worker: &Worker,
    output: Output,
    key: impl Fn(&'static str) -> String,
) -> Result<Content, Failure> {
    let (key, put) = match output {
        Output::Text(text) => return Ok(Content::Text(text)),
        Output::File(file) => {
            let key = key(file.extension);
            let put = worker.files.put(Area::Results, &key, Bytes::from(file.bytes)).await;
            (key, put)
        }
        Output::Long(file) => {
            let key = key(file.extension);
            let put = worker.files.put_long(Area::Results, &key, file.content).await;
            (key, put)
        }
    };
    put?;
    crash::point("after-file");
    Ok(Content::File(key))
}

/// Removes the files of an attempt whose result does not count.
pub(super) async fn discard(worker: &Worker, folder: &str, attempt: u32) {
    let Ok(files) = worker.files.list(Area::Results, folder).await else { return };
    for file in files.iter().filter(|file| attempt_of(&file.key) == Some(attempt)) {
        if let Err(error) = worker.files.remove(Area::Results, &file.key).await {
            tracing::warn!(%error, key = file.key, "can't remove a discarded file; the sweep will");
        }
    }
}
