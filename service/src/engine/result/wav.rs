//! WAV files of attached engines: streaming servers leave lengths open, and long speech arrives in pieces.

use std::io::{self, Read, Seek, SeekFrom, Write};

use super::read_up_to;

/// The longest chunk `fmt ` that is read. Usual ones have 16 to 40 bytes.
const MAX_FORMAT_BYTES: u64 = 256;

/// The samples of a WAV file.
pub(in crate::engine) struct Samples {
    /// The content of the chunk `fmt `.
    format: Vec<u8>,
    /// Where the samples begin.
    begin: u64,
    /// The number of bytes that the file contains.
    length: u64,
    /// Whether the header leaves the length open.
    is_open: bool,
}

/// Finds the samples of a WAV file; `None` if it does not hold all of them.
pub(in crate::engine) fn samples(content: &mut (impl Read + Seek)) -> io::Result<Option<Samples>> {
    let end = content.seek(SeekFrom::End(0))?;
    let (mut position, mut format) = (12, Vec::new());
    loop {
        let mut header = [0; 8];
        content.seek(SeekFrom::Start(position))?;
        if read_up_to(content, &mut header)? < header.len() {
            return Ok(None);
        }
        let [a, b, c, d, size @ ..] = header;
        let (begin, size) = (position + 8, u64::from(u32::from_le_bytes(size)));
        match &[a, b, c, d] {
            // A file of such chunks must not fill the memory.
            b"fmt " if format.is_empty() => {
                content.by_ref().take(size.min(MAX_FORMAT_BYTES)).read_to_end(&mut format)?;
            }
            b"data" => {
                let there = end.saturating_sub(begin);
                let is_open = size == 0 || size >= 0x7fff_0000;
                if (size > there && !is_open) || there == 0 || format.is_empty() {
                    return Ok(None);
                }
                let length = if is_open { there } else { size };
                return Ok(Some(Samples { format, begin, length, is_open }));
            }
            _ => {}
        }
        // Chunks begin at even positions.
        position = begin + size + size % 2;
    }
}

/// Returns whether a WAV file holds all its samples, after it has repaired lengths that a streaming server left
/// open.
pub(in crate::engine) fn repair(content: &mut (impl Read + Write + Seek)) -> io::Result<bool> {
    let Some(samples) = samples(content)? else { return Ok(false) };
    if samples.is_open {
        let all = samples.begin + samples.length - 8;
        let (Ok(all), Ok(data)) = (u32::try_from(all), u32::try_from(samples.length)) else {
            return Ok(false);
        };
        content.seek(SeekFrom::Start(4))?;
        content.write_all(&all.to_le_bytes())?;
        content.seek(SeekFrom::Start(samples.begin - 4))?;
        content.write_all(&data.to_le_bytes())?;
    }
    Ok(true)
}

/// Writes the samples of several files as one file.
///
/// Returns whether it did: their formats may differ.
pub(in crate::engine) fn join(parts: &mut [impl Read + Seek], into: &mut impl Write) -> io::Result<bool> {
    let mut found = Vec::with_capacity(parts.len());
    for part in parts.iter_mut() {
        let Some(samples) = samples(part)? else { return Ok(false) };
        found.push(samples);
    }
    let Some(format) = found.first().map(|samples| samples.format.clone()) else { return Ok(false) };
    let data = found.iter().map(|samples| samples.length).sum::<u64>();
    let (Ok(length), Ok(data)) = (u32::try_from(format.len()), u32::try_from(data)) else { return Ok(false) };
    let Some(all) = data.checked_add(length).and_then(|sum| sum.checked_add(20)) else { return Ok(false) };
    if found.iter().any(|samples| samples.format != format) {
        return Ok(false);
    }
    into.write_all(b"RIFF")?;
    into.write_all(&all.to_le_bytes())?;
    into.write_all(b"WAVEfmt ")?;
    into.write_all(&length.to_le_bytes())?;
    into.write_all(&format)?;
    into.write_all(b"data")?;
    into.write_all(&data.to_le_bytes())?;
    for (part, samples) in parts.iter_mut().zip(found) {
        part.seek(SeekFrom::Start(samples.begin))?;
        io::copy(&mut part.by_ref().take(samples.length), into)?;
    }
    Ok(true)
}

#[cfg(test)]
pub(in crate::engine) mod tests {
    use std::io::Cursor;

    use super::*;

    /// Returns a file of 8-bit samples with this length in its header.
    pub(in crate::engine) fn wav(rate: u32, announced: u32, samples: &[u8]) -> Vec<u8> {
        let mut file = b"RIFF".to_vec();
        file.extend(announced.saturating_add(36).to_le_bytes());
        file.extend(b"WAVEfmt ");
        file.extend(16_u32.to_le_bytes());
        file.extend([1, 0, 1, 0]);
        file.extend(rate.to_le_bytes());
        file.extend(rate.to_le_bytes());
        file.extend([1, 0, 8, 0]);
        file.extend(b"data");
        file.extend(announced.to_le_bytes());
        file.extend(samples);
        file
    }

    #[test]
    fn files_of_one_format_are_joined() {
        let mut parts = [Cursor::new(wav(8000, u32::MAX, &[1, 2, 3])), Cursor::new(wav(8000, 2, &[4, 5, 9]))];
        let mut joined = Vec::new();
        assert!(join(&mut parts, &mut joined).unwrap());
        assert_eq!(joined, wav(8000, 5, &[1, 2, 3, 4, 5]));
        let mut others = [Cursor::new(wav(8000, 1, &[1])), Cursor::new(wav(16000, 1, &[1]))];
        assert!(!join(&mut others, &mut Vec::new()).unwrap());
        let none: &mut [Cursor<Vec<u8>>] = &mut [];
        assert!(!join(none, &mut Vec::new()).unwrap());
    }
}
