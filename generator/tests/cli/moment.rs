//! A type of one's own for `date-time`: the library of a test's crate `acme-time`.

use runtime::codec::{Decode, Encode, DecodeError, Reader, Writer};

// BEGIN docs/settings.md
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Moment(String);

impl Decode for Moment {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        String::decode(reader).map(Self)
    }
}

impl Encode for Moment {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.str(&self.0);
    }
}
// END docs/settings.md
