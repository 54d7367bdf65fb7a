//! The format of an API key: `svc_<id>_<secret><checksum>`.
//!
//! The id is public and finds the key in the store. The store keeps only a hash of the secret. A fast hash is
//! enough, because the secret has 256 random bits. The checksum rejects mistyped or truncated keys before the
//! store is asked. It also lets scanners recognise a key that was published by mistake.

use std::fmt;

use rand::distr::{Alphanumeric, SampleString as _};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

const PREFIX: &str = "svc_";
const ID: usize = 8;
const SECRET: usize = 43; // 256 random bits in base 62
const CHECKSUM: usize = 6; // 4 bytes in base 62
const LENGTH: usize = PREFIX.len() + ID + 1 + SECRET + CHECKSUM;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// An API key with its secret.
///
/// Only [`reveal`](Token::reveal) shows the secret; `Debug` does not.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    text: String,
}

impl Token {
    /// Generates a new key.
    #[must_use]
    pub fn generate() -> Self {
        Self::with_id(&random_digits(ID))
    }

    /// Generates another secret for this id.
    #[must_use]
    pub(super) fn with_id(id: &str) -> Self {
        Self::assemble(id, &random_digits(SECRET))
    }

    fn assemble(id: &str, secret: &str) -> Self {
        let mut text = format!("{PREFIX}{id}_{secret}");
        text.push_str(&checksum(&text));
        Self { text }
    }

    /// Parses a key; returns `None` if it is malformed or mistyped.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        // The length in bytes comes first. The check of the alphabet then ensures that all parts are ASCII.
        if text.len() != LENGTH {
            return None;
        }
        let (id, rest) = text.strip_prefix(PREFIX)?.split_once('_')?;
        let of_alphabet = |part: &str| part.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if id.len() != ID || !of_alphabet(id) || !of_alphabet(rest) {
            return None;
        }
        let (body, sum) = text.split_at_checked(LENGTH - CHECKSUM)?;
        (checksum(body) == sum).then(|| Self { text: text.to_owned() })
    }

    /// Returns the public part.
    #[must_use]
    pub fn id(&self) -> &str {
        self.text.get(PREFIX.len()..PREFIX.len() + ID).unwrap_or_default()
    }

    fn secret(&self) -> &str {
        let start = PREFIX.len() + ID + 1;
        self.text.get(start..start + SECRET).unwrap_or_default()
    }

    /// Returns the hash of the secret that the store keeps.
    #[must_use]
    pub fn secret_hash(&self) -> [u8; 32] {
        Sha256::digest(self.secret()).into()
    }

    /// Returns whether `hash` is the hash of the secret, in constant time.
    #[must_use]
    pub fn matches(&self, hash: &[u8]) -> bool {
        self.secret_hash().as_slice().ct_eq(hash).into()
    }

    /// Returns the whole key, to be shown once to its owner.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Token({PREFIX}{}_…)", self.id())
    }
}

/// Returns random digits of base 62, all equally likely.
fn random_digits(count: usize) -> String {
    Alphanumeric.sample_string(&mut rand::rng(), count)
}

/// Writes a number in base 62 with as many digits as a checksum has.
fn base62(number: u32) -> String {
    let powers = (0..CHECKSUM as u32).rev().map(|power| 62_u32.pow(power));
    let digits = powers.filter_map(|power| ALPHABET.get((number / power % 62) as usize));
    digits.map(|digit| char::from(*digit)).collect()
}

/// Returns four bytes of a hash, in base 62.
///
/// It follows the secret in the text, so it reveals nothing that the text does not.
fn checksum(text: &str) -> String {
    base62(Sha256::digest(text).first_chunk().copied().map_or(0, u32::from_be_bytes))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn base62_is_the_number_in_that_base() {
        assert_eq!(base62(0), "000000");
        assert_eq!(base62(61), "00000z");
        assert_eq!(base62(62), "000010");
        assert_eq!(base62(u32::MAX), "4gfFC3");
    }

    #[test]
    fn a_key_round_trips() {
        let token = Token::generate();
        let again = Token::parse(token.reveal()).unwrap();
        assert_eq!(again, token);
        assert_eq!(again.id().len(), ID);
        assert!(again.matches(&token.secret_hash()));
        assert_ne!(Token::generate().reveal(), token.reveal());
    }

    /// Keys that are in use must remain readable.
    #[test]
    fn the_form_is_fixed() {
        let token = Token::assemble("Ab3dEf9h", "1fJjkkpe9PiTw9KSulA8Ghct30vZz4HpdQ5c5b9cPF1");
        assert_eq!(token.reveal(), "svc_Ab3dEf9h_1fJjkkpe9PiTw9KSulA8Ghct30vZz4HpdQ5c5b9cPF12EAxAs");
    }

    #[test]
    fn another_secret_does_not_match() {
        let (one, other) = (Token::generate(), Token::generate());
        assert!(!one.matches(&other.secret_hash()));
        assert!(!one.matches(&[]));
        assert!(!one.matches(one.secret_hash().get(..31).unwrap()));
    }

    #[test]
    fn debug_does_not_show_the_secret() {
        let token = Token::generate();
        let shown = format!("{token:?}");
        assert!(shown.contains(token.id()) && !shown.contains(&token.secret()[..6]), "{shown}");
    }

    #[test]
    fn malformed_keys_are_refused() {
        let good = Token::generate().reveal().to_owned();
        let (id, rest) = (&good[4..12], &good[13..]);
        let cases = [
            String::new(),
            good[1..].to_owned(),
            format!("{good} "),
            format!("sk__{id}_{rest}"),
            format!("svc_{id}-{rest}"),
            format!("svc_{}_{}_{rest}", &id[..4], &id[5..]),
            "\u{e4}".repeat(LENGTH / 2),
            format!("svc_{id}_{}\u{e4}", &rest[2..]),
        ];
        for text in cases {
            assert_eq!(Token::parse(&text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn one_wrong_character_is_noticed(index in 0..LENGTH, digit in "[0-9A-Za-z_]") {
            let good = Token::assemble("Ab3dEf9h", &"9".repeat(SECRET));
            let mut text = good.reveal().to_owned();
            text.replace_range(index..=index, &digit);
            prop_assert_eq!(Token::parse(&text).is_some(), text == good.reveal());
        }

        #[test]
        fn no_text_panics(text in "\\PC*") {
            prop_assert_eq!(Token::parse(&text), None);
        }
    }
}
