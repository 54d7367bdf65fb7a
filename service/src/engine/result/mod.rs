//! The files that attached engines make: identified by their content, and checked to be complete.
//!
//! A program may exit with code 0 after it failed to write its output, and a connection may break in the middle
//! of a file. The content decides, not the exit code, the file name or the media type.

pub(super) mod complete;
pub(super) mod wav;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::{Arc, Weak};

use asset_engines::{LongFile, Scratch};
use bytes::Bytes;

use crate::engine::context::{CancelReason, Context};
use crate::engine::{Failure, Output};
use crate::files::media_type;
use crate::media::format::{Format, Kind};
use complete::is_complete;

/// The number of leading bytes that identify any format.
const BEGINNING: usize = 512;

/// Returns the file as an output if it is complete and of this kind.
///
/// It repairs the lengths in the header of a WAV file that was streamed. The check ends when the task does, or when
/// no task waits for it. Its thread keeps the permit of the attempt until then.
///
/// # Errors
/// Returns [`Failure::Internal`] if the engine wrote no such file, and [`Failure::Cancelled`] if the task has ended.
pub(super) async fn checked(content: Scratch, kind: Kind, context: &Context) -> Result<Output, Failure> {
    let (waits, hold) = (Arc::new(()), context.hold());
    let watch = Arc::downgrade(&waits);
    let check = on_blocking_thread(move || {
        let output = output(content, kind, &watch);
        drop(hold);
        output
    });
    let ended = async {
        // A shutdown does not stop the check, because the provider may have charged for the output.
        if context.cancellation.cancelled().await == CancelReason::Interrupted {
            std::future::pending::<()>().await;
        }
    };
    tokio::select! {
        biased;
        () = ended => Err(Failure::Cancelled),
        output = check => output,
    }
}

/// Does the work of [`checked`], unless its caller has been dropped.
fn output(mut content: Scratch, kind: Kind, waits: &Weak<()>) -> Result<Output, Failure> {
    let unreadable = |error: io::Error| Failure::Internal(format!("can't read the engine's output: {error}"));
    let mut beginning = vec![0; BEGINNING];
    content.rewind().map_err(unreadable)?;
    let length = read_up_to(&mut content, &mut beginning).map_err(unreadable)?;
    beginning.truncate(length);
    let unusable = |why: &str| Failure::Internal(format!("the engine's output {why}"));
    let (media_type, extension) = identify(&beginning, kind)
        .ok_or_else(|| unusable(&format!("has no known {} format", kind.name())))?;
    content.rewind().map_err(unreadable)?;
    let mut watched = Watched { content: &mut content, waits };
    let is_complete = match extension {
        "wav" => wav::repair(&mut watched),
        extension => is_complete(&mut watched, extension),
    };
    let is_complete = is_complete.map_err(|error| match error.kind() {
        io::ErrorKind::FileTooLarge => Context::too_large(),
        _ => unreadable(error),
    })?;
    if !is_complete {
        return Err(unusable(&format!("is an incomplete {}", kind.name())));
    }
    content.rewind().map_err(unreadable)?;
    Ok(Output::Long(LongFile { media_type, extension, content }))
}

/// A file whose reads fail once the caller has been dropped.
struct Watched<'a> {
    content: &'a mut Scratch,
    waits: &'a Weak<()>,
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.waits.strong_count() {
            0 => Err(io::Error::other("nobody waits for it any more")),
            _ => self.content.read(buffer),
        }
    }
}

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.content.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.content.flush()
    }
}

impl Seek for Watched<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.content.seek(to)
    }
}

/// Returns the media type and the extension of a file with this beginning.
pub(super) fn identify(beginning: &[u8], kind: Kind) -> Option<(&'static str, &'static str)> {
    let extension = match beginning {
        [b'f', b'L', b'a', b'C', ..] if kind == Kind::Audio => "flac",
        [b'O', b'g', b'g', b'S', ..] if kind == Kind::Audio => "ogg",
        _ => Format::sniff(beginning, kind)?.extension(),
    };
    Some((media_type(&format!(".{extension}")), extension))
}

pub(super) fn read_up_to(content: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while let Some(rest) = buffer.get_mut(length..).filter(|rest| !rest.is_empty()) {
        match content.read(rest)? {
            0 => break,
            read => length += read,
        }
    }
    Ok(length)
}

/// Opens the file that a program has written.
///
/// # Errors
/// There is no such file, or it is too large.
pub(super) fn written(path: &Path, most_bytes: u64) -> Result<Scratch, Failure> {
    let missing = |error: io::Error| Failure::Internal(format!("the program wrote no output: {error}"));
    let metadata = std::fs::symlink_metadata(path).map_err(missing)?;
    if !metadata.is_file() {
        return Err(Failure::Internal("the program's output is not a file".to_owned()));
    }
    if metadata.len() > most_bytes {
        return Err(asset_engines::Failure::too_large().into());
    }
    let file = File::options().read(true).write(true).open(path).map_err(missing)?;
    Ok(Scratch::from_file(file))
}

/// Runs work that blocks, such as work on files, on a thread for such work.
pub(super) async fn on_blocking_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Failure::Internal(format!("work on a file failed: {error}"))))
}

/// Appends to a file of the result.
pub(super) fn write(content: &mut Scratch, bytes: &[u8]) -> Result<(), Failure> {
    content.write_all(bytes).map_err(unwritable)
}

/// Returns the failure of a file that can't be written.
pub(super) fn unwritable(error: io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::FileTooLarge => Context::too_large(),
        _ => Failure::Internal(format!("can't write a result: {error}")),
    }
}

/// Stores a file of the result, and identifies it by its content.
pub(super) async fn stored(bytes: Bytes, kind: Kind, context: &Context) -> Result<Output, Failure> {
    let mut content = context.scratch()?;
    let content = on_blocking_thread(move || write(&mut content, &bytes).map(|()| content)).await?;
    checked(content, kind, context).await
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{Instant, sleep, timeout};

    use super::*;
    use crate::engine::call::Calls;

    fn checked_as(bytes: &[u8], kind: Kind) -> Result<(&'static str, Vec<u8>), String> {
        let mut scratch = Scratch::new(None, u64::MAX).unwrap();
        scratch.write_all(bytes).unwrap();
        let waits = Arc::new(());
        match output(scratch, kind, &Arc::downgrade(&waits)) {
            Ok(Output::Long(mut file)) => {
                let mut bytes = Vec::new();
                file.content.read_to_end(&mut bytes).unwrap();
                Ok((file.media_type, bytes))
            }
            Ok(other) => panic!("{other:?}"),
            Err(failure) => Err(failure.to_string()),
        }
    }

    fn wav(riff: u32, data: u32, samples: usize) -> Vec<u8> {
        let mut file = b"RIFF".to_vec();
        file.extend(riff.to_le_bytes());
        file.extend(b"WAVELIST");
        file.extend(3_u32.to_le_bytes());
        file.extend(b"abc\0fmt ");
        file.extend(16_u32.to_le_bytes());
        file.extend([1, 0, 1, 0, 64, 31, 0, 0, 64, 31, 0, 0, 1, 0, 8, 0]);
        file.extend(b"data");
        file.extend(data.to_le_bytes());
        file.resize(file.len() + samples, 128);
        file
    }

    #[test]
    fn streamed_lengths_are_repaired_and_cut_files_refused() {
        let whole = wav(48 + 100, 100, 100);
        assert_eq!(checked_as(&whole, Kind::Audio), Ok(("audio/wav", whole.clone())));
        for open in [u32::MAX, 0x7fff_ffff, 0x7fff_ffff - 36, 0] {
            assert_eq!(checked_as(&wav(u32::MAX, open, 100), Kind::Audio), Ok(("audio/wav", whole.clone())));
        }
        assert!(checked_as(&whole[..120], Kind::Audio).unwrap_err().contains("incomplete"));
        assert!(checked_as(&whole[..30], Kind::Audio).unwrap_err().contains("incomplete"));
        assert!(checked_as(&wav(0, 0, 0), Kind::Audio).unwrap_err().contains("incomplete"));
        let twice = [&whole[..12], &whole[12..48].repeat(2), &whole[48..]].concat();
        assert_eq!(
            checked_as(&twice, Kind::Audio),
            Ok(("audio/wav", twice.clone())),
            "the first format counts"
        );
        assert!(checked_as(b"<html>", Kind::Audio).unwrap_err().contains("no known audio format"));
        assert!(checked_as(b"", Kind::Image).unwrap_err().contains("no known image format"));
        assert!(checked_as(b"fLaC....", Kind::Audio).unwrap_err().contains("incomplete"));
    }

    #[test]
    fn pictures_decode_to_their_end() {
        let mut png = io::Cursor::new(Vec::new());
        image::RgbImage::new(64, 64).write_to(&mut png, image::ImageFormat::Png).unwrap();
        let png = png.into_inner();
        assert_eq!(checked_as(&png, Kind::Image).unwrap().0, "image/png");
        assert!(checked_as(&png[..png.len() / 2], Kind::Image).unwrap_err().contains("incomplete"));
        assert!(checked_as(&png, Kind::Video).is_err());
        // A failed read does not mean that the picture is incomplete.
        let mut content = Scratch::new(None, u64::MAX).unwrap();
        content.write_all(&png).unwrap();
        let refused = output(content, Kind::Image, &Weak::new()).unwrap_err().to_string();
        assert!(refused.contains("nobody waits"), "{refused}");
    }

    #[tokio::test]
    async fn a_check_ends_with_its_task() {
        let content = || {
            let mut content = Scratch::new(None, u64::MAX).unwrap();
            content.write_all(include_bytes!("complete/tone.flac")).unwrap();
            content
        };
        let context = || {
            let deadline = Instant::now() + Duration::from_secs(60);
            Context::new(0, deadline, Calls::unrecorded("e"), Arc::new(()))
        };
        // A process that stops still accepts a result.
        let stopping = context();
        stopping.cancellation.cancel(CancelReason::Interrupted);
        assert!(checked(content(), Kind::Audio, &stopping).await.is_ok());
        let ended = context();
        ended.cancellation.cancel(CancelReason::TaskEnded);
        let checked = checked(content(), Kind::Audio, &ended).await;
        assert!(matches!(checked, Err(Failure::Cancelled)), "{checked:?}");

        // Many chunks without content take long.
        let mut slow = Scratch::new(None, u64::MAX).unwrap();
        slow.write_all(b"RIFF\0\0\0\0WAVE").unwrap();
        slow.write_all(&vec![0; 16 * 1024 * 1024]).unwrap();
        let hold = Arc::new(());
        let held = Context::new(0, context().deadline, Calls::unrecorded("e"), hold.clone());
        let mut checking = Box::pin(super::checked(slow, Kind::Audio, &held));
        assert!(futures_util::poll!(&mut checking).is_pending());
        let besides_context = Arc::strong_count(&hold) - 2;
        assert_eq!(besides_context, 1, "the thread keeps the permit");
        drop(checking);
        drop(held);
        let is_free = async {
            while Arc::strong_count(&hold) > 1 {
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(Duration::from_secs(60), is_free).await.unwrap();

        let nobody = Weak::new();
        let refused = output(content(), Kind::Audio, &nobody).unwrap_err().to_string();
        assert!(refused.contains("nobody waits"), "{refused}");
    }

    #[test]
    fn boxes_end_within_the_file() {
        let part = |name: &[u8; 4], content: &[u8]| {
            let mut bytes = u32::try_from(content.len() + 8).unwrap().to_be_bytes().to_vec();
            bytes.extend(name);
            bytes.extend(content);
            bytes
        };
        let (brand, index, data) =
            (part(b"ftyp", b"isom\0\0\0\0"), part(b"moov", b"1234"), part(b"mdat", &[7; 50]));
        let whole = [brand.clone(), index.clone(), data.clone()].concat();
        assert_eq!(checked_as(&whole, Kind::Video).unwrap().0, "video/mp4");
        assert!(checked_as(&whole[..whole.len() - 1], Kind::Video).unwrap_err().contains("incomplete"));
        assert!(checked_as(&[brand, data].concat(), Kind::Video).unwrap_err().contains("incomplete"));
    }
}
