//! Checks that a file of a known format is complete.
//!
//! Pictures and FLAC are decoded. The other formats are followed from part to part to the end of the file: a
//! truncated file ends within a part, or lacks the part that marks its end.

#[cfg(test)]
mod tests;

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use asset_engines::picture;
use flac_codec::byteorder::LittleEndian;
use flac_codec::decode::FlacByteReader;

use super::read_up_to;
use crate::media::measure::extent;

/// Returns whether a file with this extension is complete.
///
/// # Errors
/// The file can't be read.
pub(super) fn is_complete(content: &mut (impl Read + Seek), extension: &str) -> io::Result<bool> {
    let mut parts = Parts::of(content)?;
    let end = parts.end;
    match extension {
        "png" | "jpg" | "webp" => picture_decodes(parts.content, end),
        "flac" => {
            parts.metadata()?;
            sound_decodes(parts.content, MAX_SOUND_BYTES)
        }
        "mp4" | "mov" | "m4a" => parts.boxes(),
        "mp3" => parts.frames(),
        "ogg" => parts.pages(),
        "webm" => parts.elements(),
        _ => Ok(end > 0),
    }
}

/// Writes several MP3 files as one.
///
/// The leading tag of each file is left out, and so is a frame that announces the number of frames: it is wrong for the
/// joined file, and players would stop there.
///
/// # Errors
/// A file can't be read, or the joined one can't be written.
pub(in crate::engine) fn join_mp3(
    files: &mut [impl Read + Seek],
    into: &mut impl io::Write,
) -> io::Result<()> {
    for file in files {
        let mut parts = Parts::of(file)?;
        parts.tag()?;
        let (beginning, _) = parts.begin::<48>()?;
        if let Some(frame) = Frame::read(&beginning)
            && frame.announces(&beginning).is_some()
        {
            parts.skip(frame.length)?;
        }
        io::copy(&mut parts.content, into)?;
    }
    Ok(())
}

/// The largest picture file that an engine makes, in bytes. A decoder of JPEG keeps the whole file in memory.
const MAX_PICTURE_BYTES: u64 = 256 * 1024 * 1024;

/// Returns whether a picture decodes to its end.
fn picture_decodes(content: impl BufRead + Seek, length: u64) -> io::Result<bool> {
    if length > MAX_PICTURE_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    match picture::decode_result(content) {
        Ok(_) => Ok(true),
        Err(asset_engines::Failure::Media { code: "image_too_large", .. }) => {
            Err(io::ErrorKind::FileTooLarge.into())
        }
        Err(asset_engines::Failure::Media { .. }) => Ok(false),
        Err(failure) => Err(io::Error::other(failure)),
    }
}

/// The maximum size of the decoded sound of a FLAC file, in bytes: two hours of two channels with 24 bits at 96 kHz.
///
/// Silence needs so few bytes that a small file could occupy a thread for hours.
const MAX_SOUND_BYTES: u64 = 4 * 1024 * 1024 * 1024;

/// The maximum size of the metadata of a FLAC file, in bytes. The decoder keeps all of it in memory.
const MAX_METADATA_BYTES: u64 = 16 * 1024 * 1024;

/// Returns whether a FLAC file decodes to its end. Each of its frames has a checksum.
fn sound_decodes(content: impl Read, most: u64) -> io::Result<bool> {
    let decoder = FlacByteReader::endian(content, LittleEndian).map_err(io::Error::from);
    match decoder.and_then(|decoder| io::copy(&mut decoder.take(most + 1), &mut io::sink())) {
        Ok(decoded) if decoded > most => Err(io::ErrorKind::FileTooLarge.into()),
        Ok(decoded) => Ok(decoded > 0),
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof) => {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// A file that is a sequence of parts, each with its length at its beginning.
struct Parts<R> {
    content: BufReader<R>,
    position: u64,
    end: u64,
}

impl<R: Read + Seek> Parts<R> {
    fn of(mut content: R) -> io::Result<Self> {
        let end = content.seek(SeekFrom::End(0))?;
        content.rewind()?;
        Ok(Self { content: BufReader::new(content), position: 0, end })
    }

    /// Reads the beginning of the part at this position; the rest of the array is 0. Returns the number of bytes read.
    fn begin<const N: usize>(&mut self) -> io::Result<([u8; N], u64)> {
        let mut beginning = [0; N];
        let read = read_up_to(&mut self.content, &mut beginning)?;
        self.content.seek_relative(-(read as i64))?;
        Ok((beginning, read as u64))
    }

    /// Goes to the end of a part; returns `false` if the file ends before.
    fn skip(&mut self, length: u64) -> io::Result<bool> {
        match self.position.checked_add(length) {
            Some(next) if next <= self.end && length > 0 => {
                self.content.seek_relative(i64::try_from(length).unwrap_or(i64::MAX))?;
                self.position = next;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Follows the metadata of a FLAC file, and returns to its beginning.
    ///
    /// Fails if there is more than [`MAX_METADATA_BYTES`]. The decoder finds what else is wrong.
    fn metadata(&mut self) -> io::Result<()> {
        let mut is_last = !self.skip(4)?;
        while !is_last {
            let ([kind, a, b, c], _) = self.begin::<4>()?;
            let is_whole = self.skip(4 + u64::from(u32::from_be_bytes([0, a, b, c])))?;
            is_last = kind & 0x80 != 0 || !is_whole;
            if self.position > MAX_METADATA_BYTES {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
        }
        self.content.rewind()
    }

    /// Follows the boxes of an ISO base media file, which has an index.
    fn boxes(&mut self) -> io::Result<bool> {
        let mut has_index = false;
        while self.position < self.end {
            let (head, read) = self.begin::<16>()?;
            let head = head.get(..read as usize).unwrap_or_default();
            let Some((name, length)) = extent(head, self.end - self.position) else { return Ok(false) };
            has_index |= name == *b"moov";
            self.skip(length)?;
        }
        Ok(has_index)
    }

    /// Goes to the end of the tag that an MP3 file may begin with; returns `false` if the file ends before.
    fn tag(&mut self) -> io::Result<bool> {
        let ([b'I', b'D', b'3', _, _, flags, a, b, c, d], _) = self.begin::<10>()? else { return Ok(true) };
        // The length of a tag has seven bits in each byte. It does not count the header and the footer, of 10 bytes each.
        let length = [a, b, c, d].into_iter().fold(0, |length, byte| length << 7 | u64::from(byte & 0x7f));
        let has_footer = flags & FOOTER != 0;
        self.skip(length + if has_footer { 20 } else { 10 })
    }

    /// Follows the frames of an MP3 file, between its tags.
    ///
    /// If the first frame announces how many follow, all of them must be there. Without it, a file that was cut
    /// exactly between two frames looks complete.
    fn frames(&mut self) -> io::Result<bool> {
        if !self.tag()? {
            return Ok(false);
        }
        let (mut frames, mut announced) = (0_u64, None);
        loop {
            let (beginning, read) = self.begin::<48>()?;
            let [0xff, second, ..] = beginning else { break };
            let Some(frame) = Frame::read(&beginning) else {
                if read > 1 && second & 0xe0 != 0xe0 {
                    break;
                }
                // A broken header, or a free bit rate, whose frames have no length.
                return Ok(false);
            };
            if !self.skip(frame.length)? {
                return Ok(false);
            }
            match frame.announces(&beginning) {
                Some(number) if frames == 0 && announced.is_none() => announced = Some(u64::from(number)),
                _ => frames += 1,
            }
        }
        // Tags may follow the frames.
        Ok(frames > 0 && announced.is_none_or(|announced| frames >= announced))
    }

    /// Follows the pages of an Ogg file; each of its streams has a last page.
    fn pages(&mut self) -> io::Result<bool> {
        let mut open = Vec::new();
        let mut streams = 0_u32;
        while self.position < self.end {
            let (page, read) = self.begin::<282>()?;
            let [b'O', b'g', b'g', b'S', 0, flags, _, _, _, _, _, _, _, _, a, b, c, d, ..] = page else {
                return Ok(false);
            };
            let segments = page.get(26).copied().unwrap_or_default();
            let table = page.get(27..27 + usize::from(segments)).unwrap_or_default();
            let length = 27 + u64::from(segments) + table.iter().copied().map(u64::from).sum::<u64>();
            if read < 27 + u64::from(segments) || !self.skip(length)? {
                return Ok(false);
            }
            let stream = [a, b, c, d];
            if flags & FIRST != 0 {
                if open.len() == MAX_STREAMS {
                    return Err(io::ErrorKind::FileTooLarge.into());
                }
                streams += 1;
                open.push(stream);
            }
            if flags & LAST != 0 {
                open.retain(|one| *one != stream);
            }
        }
        Ok(streams > 0 && open.is_empty())
    }

    /// Follows the elements of a WebM file, which has a cluster of frames.
    ///
    /// A file that was streamed states no length of its outer elements: their content is followed.
    fn elements(&mut self) -> io::Result<bool> {
        let mut has_frames = false;
        while self.position < self.end {
            let (beginning, read) = self.begin::<12>()?;
            let Some((id, length)) = element(&beginning) else { return Ok(false) };
            let header = u64::from(id.1) + u64::from(length.1);
            has_frames |= id.0 == CLUSTER;
            let skipped = match (id.0, length.0) {
                (SEGMENT, Some(content)) if self.position + header + content > self.end => false,
                // The content of these decides.
                (SEGMENT, _) | (CLUSTER, None) => self.skip(header)?,
                (_, None) => false,
                (_, Some(content)) => self.skip(header.saturating_add(content))?,
            };
            if !skipped || read < header {
                return Ok(false);
            }
        }
        Ok(has_frames)
    }
}

/// The maximum number of streams of an Ogg file at the same time. Each page is compared with all of them.
const MAX_STREAMS: usize = 64;

/// The flag of an ID3 tag with a footer.
const FOOTER: u8 = 0x10;

/// The flags of the first and the last page of a stream.
const FIRST: u8 = 2;
const LAST: u8 = 4;

/// The ids of the elements of WebM that hold others.
const SEGMENT: u64 = 0x1853_8067;
const CLUSTER: u64 = 0x1f43_b675;

/// A number of EBML, and how many bytes it has.
type Number<T> = (T, u8);

/// Reads the id of an element and the length of its content: `None` if the element states no length.
fn element(beginning: &[u8]) -> Option<(Number<u64>, Number<Option<u64>>)> {
    let number = |bytes: &[u8]| {
        let length = u8::try_from(bytes.first()?.leading_zeros()).ok()? + 1;
        let bytes = bytes.get(..usize::from(length)).filter(|_| length <= 8)?;
        Some((bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)), length))
    };
    let id = number(beginning).filter(|id| id.1 <= 4)?;
    let (length, bytes) = number(beginning.get(usize::from(id.1)..)?)?;
    let mask = (1 << (7 * bytes)) - 1;
    let length = length & mask;
    Some((id, ((length != mask).then_some(length), bytes)))
}

/// A frame of MP3.
struct Frame {
    length: u64,
    /// The offset at which the first frame of a file may announce how many frames follow.
    announcement: usize,
}

/// Bit rates of layer III in kbit/s: of MPEG 1, and of MPEG 2 and 2.5.
const RATES: [[u64; 14]; 2] = [
    [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];

impl Frame {
    /// Reads the header of a frame of layer III.
    fn read(beginning: &[u8]) -> Option<Self> {
        let [0xff, second, third, fourth, ..] = beginning else { return None };
        if second & 0xe6 != 0xe2 {
            return None;
        }
        let (halvings, is_old) = match second >> 3 & 3 {
            3 => (0, 0),
            2 => (1, 1),
            0 => (2, 1),
            _ => return None,
        };
        let rate = RATES.get(is_old)?.get(usize::from(third >> 4).checked_sub(1)?)?;
        let samples = [44_100_u64, 48_000, 32_000].get(usize::from(third >> 2 & 3))? >> halvings;
        let padding = u64::from(third >> 1 & 1);
        let length = if is_old == 1 { 72_000 } else { 144_000 } * rate / samples + padding;
        let is_mono = fourth >> 6 == 3;
        let side = match (is_old == 1, is_mono) {
            (false, false) => 32,
            (true, true) => 9,
            _ => 17,
        };
        Some(Self { length, announcement: 4 + side })
    }

    /// Returns how many frames follow, if this one holds their number in place of sound.
    fn announces(&self, beginning: &[u8]) -> Option<u32> {
        let announced = beginning.get(self.announcement..)?;
        if !announced.starts_with(b"Xing") && !announced.starts_with(b"Info") {
            return None;
        }
        // The number may be missing, and frames are still no sound.
        match announced.get(4..12)? {
            [_, _, _, flags, a, b, c, d] if flags & 1 == 1 => Some(u32::from_be_bytes([*a, *b, *c, *d])),
            _ => Some(0),
        }
    }
}
