//! The difference between the readers of a server and those of a client.

use crate::codec::JsonReader;

/// How values are read, which differs for requests and responses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadMode {
    /// Whether values may have more than the document describes.
    pub(crate) is_tolerant: bool,
    /// Whether a date-time without an offset is one in UTC.
    pub(crate) assumes_utc: bool,
}

impl ReadMode {
    /// The mode of a server.
    pub(crate) const STRICT: Self = Self { is_tolerant: false, assumes_utc: false };

    /// Returns the mode of a client.
    #[cfg(feature = "client")]
    pub(crate) const fn tolerant(assumes_utc: bool) -> Self {
        Self { is_tolerant: true, assumes_utc }
    }

    pub(crate) fn json(self, text: &[u8]) -> JsonReader<'_> {
        let reader = if self.is_tolerant { JsonReader::tolerant(text) } else { JsonReader::strict(text) };
        reader.assuming_utc(self.assumes_utc)
    }
}
