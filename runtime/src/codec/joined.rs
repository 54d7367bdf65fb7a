//! A body that arrives in pieces.

use std::mem::take;

use super::Bytes;

/// The pieces of a body, joined as they arrive.
///
/// A list of them would take many times their size if they are small, and the sender chooses that.
#[derive(Debug, Default)]
pub(crate) struct Joined {
    /// The first one. The common case is that there is no other, and it needs no copy.
    first: Bytes,
    /// All of them, if there are several.
    all: Vec<u8>,
}

impl Joined {
    pub(crate) fn push(&mut self, piece: Bytes) {
        if self.first.is_empty() && self.all.is_empty() {
            self.first = piece;
        } else {
            self.all.extend_from_slice(&take(&mut self.first));
            self.all.extend_from_slice(&piece);
        }
    }

    pub(crate) fn into_bytes(self) -> Bytes {
        if self.all.is_empty() { self.first } else { self.all.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_pieces_take_no_more_than_their_bytes() {
        let mut joined = Joined::default();
        let mut expected = Vec::new();
        for number in 0..10_000_u32 {
            let piece = Bytes::copy_from_slice(&number.to_be_bytes()[3..]);
            expected.extend_from_slice(&piece);
            joined.push(piece);
        }
        assert!(joined.all.capacity() <= expected.len() * 2, "{}", joined.all.capacity());
        assert_eq!(joined.into_bytes(), expected);
        let whole = Bytes::from_static(b"whole");
        let mut joined = Joined::default();
        joined.push(Bytes::new());
        joined.push(whole.clone());
        assert_eq!(joined.into_bytes().as_ptr(), whole.as_ptr(), "one piece is not copied");
        assert_eq!(Joined::default().into_bytes(), Bytes::new());
    }
}
