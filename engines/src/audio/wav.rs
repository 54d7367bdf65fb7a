//! WAV files: mono, 16 bits, with a LIST/INFO chunk that names the software.

/// Writes a WAV file whose length is known in advance.
pub(crate) struct WavWriter {
    bytes: Vec<u8>,
    end: usize,
}

impl WavWriter {
    /// Starts a file of `samples` samples, made by `software`.
    pub(crate) fn new(rate: u32, samples: usize, software: &str) -> Self {
        let info = info_chunk(software);
        let data_length = samples * 2;
        let end = 12 + 24 + info.len() + 8 + data_length;
        let mut bytes = Vec::with_capacity(end);
        bytes.extend_from_slice(b"RIFF");
        bytes.extend_from_slice(&length_field(end - 8));
        bytes.extend_from_slice(b"WAVEfmt ");
        bytes.extend_from_slice(&16u32.to_le_bytes());
        bytes.extend_from_slice(&1u16.to_le_bytes()); // PCM
        bytes.extend_from_slice(&1u16.to_le_bytes()); // channels
        bytes.extend_from_slice(&rate.to_le_bytes());
        bytes.extend_from_slice(&(rate * 2).to_le_bytes());
        bytes.extend_from_slice(&2u16.to_le_bytes()); // bytes of a frame
        bytes.extend_from_slice(&16u16.to_le_bytes()); // bits of a sample
        bytes.extend_from_slice(&info);
        bytes.extend_from_slice(b"data");
        bytes.extend_from_slice(&length_field(data_length));
        Self { bytes, end }
    }

    /// Appends a sample, where 1 is full scale.
    ///
    /// Samples beyond the announced length are dropped.
    pub(crate) fn push(&mut self, sample: f64) {
        if self.bytes.len() < self.end {
            let value = (sample.clamp(-1.0, 1.0) * 32767.0).round() as i16;
            self.bytes.extend_from_slice(&value.to_le_bytes());
        }
    }

    /// Returns the file. Missing samples become silence.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.bytes.resize(self.end, 0);
        self.bytes
    }
}

fn info_chunk(software: &str) -> Vec<u8> {
    let mut text = software.as_bytes().to_vec();
    text.push(0);
    if text.len() % 2 == 1 {
        text.push(0);
    }
    let mut chunk = b"LIST".to_vec();
    chunk.extend_from_slice(&length_field(4 + 8 + text.len()));
    chunk.extend_from_slice(b"INFOISFT");
    chunk.extend_from_slice(&length_field(text.len()));
    chunk.extend_from_slice(&text);
    chunk
}

/// Encodes a chunk's length. The format can't express more than 4 GiB.
fn length_field(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_implementation_reads_it() {
        let mut wav = WavWriter::new(22_050, 4, "beeper/1");
        for sample in [0.0, 0.5, 7.0] {
            wav.push(sample);
        }
        let bytes = wav.finish();
        let mut reader = hound::WavReader::new(bytes.as_slice()).unwrap();
        assert_eq!(reader.spec().sample_rate, 22_050);
        assert_eq!(reader.spec().bits_per_sample, 16);
        let samples: Vec<i16> = reader.samples().map(Result::unwrap).collect();
        assert_eq!(samples, [0, 16384, 32767, 0]);
        assert!(bytes.windows(8).any(|window| window == b"beeper/1"));
    }

    #[test]
    fn samples_beyond_the_announced_length_are_dropped() {
        let mut wav = WavWriter::new(8_000, 1, "x");
        wav.push(0.1);
        wav.push(0.2);
        let bytes = wav.finish();
        assert_eq!(hound::WavReader::new(bytes.as_slice()).unwrap().len(), 1);
    }
}
