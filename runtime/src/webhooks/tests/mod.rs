//! Signatures and the receiver, against hostile senders.

mod receiver;
mod signatures;

use super::*;

fn secret(byte: u8) -> Secret {
    Secret::new([byte; 32]).unwrap()
}
