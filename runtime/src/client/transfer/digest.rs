//! Digests of content (RFC 9530).

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderMap, HeaderName};
use sha2::{Digest as _, Sha256, Sha512};

/// The digest of a representation: of the whole file.
pub(super) static REPRESENTATION: HeaderName = HeaderName::from_static("repr-digest");
/// The digest of the content of one response.
pub(super) static CONTENT: HeaderName = HeaderName::from_static("content-digest");

/// An algorithm that is secure. Headers can have others, which are ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Algorithm {
    Sha256,
    Sha512,
}

/// A digest, displayed as in a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Digest {
    algorithm: Algorithm,
    bytes: Vec<u8>,
}

impl Digest {
    pub(super) fn sha256(bytes: [u8; 32]) -> Self {
        Self { algorithm: Algorithm::Sha256, bytes: bytes.to_vec() }
    }

    /// Reads the digests of a header, the last one of each algorithm. Those of unknown algorithms are left out.
    pub(super) fn read(headers: &HeaderMap, name: &HeaderName) -> Vec<Self> {
        let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
        let mut digests: Vec<Self> = Vec::new();
        for digest in values.flat_map(|value| value.split(',')).filter_map(Self::member) {
            digests.retain(|other| other.algorithm != digest.algorithm);
            digests.push(digest);
        }
        digests
    }

    /// Reads a member of the header: `sha-256=:d435Qo+nKZ+gLcUHn7GQtQ72hiBVAgqoLsZnZPiTGPk=:`.
    fn member(text: &str) -> Option<Self> {
        let (name, value) = text.split_once('=')?;
        let (algorithm, size) = match name.trim() {
            "sha-256" => (Algorithm::Sha256, 32),
            "sha-512" => (Algorithm::Sha512, 64),
            _ => return None,
        };
        let (base64, _) = value.trim().strip_prefix(':')?.split_once(':')?;
        let bytes = STANDARD.decode(base64).ok().filter(|bytes| bytes.len() == size)?;
        Some(Self { algorithm, bytes })
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.algorithm {
            Algorithm::Sha256 => "sha-256",
            Algorithm::Sha512 => "sha-512",
        };
        write!(f, "{name}=:{}:", STANDARD.encode(&self.bytes))
    }
}

/// The check of content against a digest.
pub(super) struct Check {
    expected: Digest,
    hasher: Hasher,
}

enum Hasher {
    Sha256(Sha256),
    Sha512(Sha512),
}

impl Check {
    pub(super) fn new(expected: Digest) -> Self {
        let hasher = match expected.algorithm {
            Algorithm::Sha256 => Hasher::Sha256(Sha256::new()),
            Algorithm::Sha512 => Hasher::Sha512(Sha512::new()),
        };
        Self { expected, hasher }
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        match &mut self.hasher {
            Hasher::Sha256(hasher) => hasher.update(bytes),
            Hasher::Sha512(hasher) => hasher.update(bytes),
        }
    }

    /// Returns the expected and the actual digest if they differ.
    pub(super) fn finish(self) -> Result<(), (Digest, Digest)> {
        let bytes = match self.hasher {
            Hasher::Sha256(hasher) => hasher.finalize().to_vec(),
            Hasher::Sha512(hasher) => hasher.finalize().to_vec(),
        };
        let found = Digest { algorithm: self.expected.algorithm, bytes };
        if found == self.expected { Ok(()) } else { Err((self.expected, found)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:";

    #[test]
    fn digests_of_known_algorithms_are_read() {
        let wide = format!("sha-512=:{}:", STANDARD.encode([7; 64]));
        for (text, expected) in [
            (EMPTY.to_owned(), vec![EMPTY]),
            (format!("md5=:AAAA:, {EMPTY};q=1,{wide}"), vec![EMPTY, &wide]),
            (format!("sha-256=:{}:, {EMPTY}", STANDARD.encode([7; 32])), vec![EMPTY]),
            (EMPTY.to_uppercase(), vec![]),
            ("sha-256=47DEQpj8HBSa".to_owned(), vec![]),
            ("sha-256=:AAAA:".to_owned(), vec![]),
            ("sha-256=:?:, sha-256, =".to_owned(), vec![]),
            (String::new(), vec![]),
        ] {
            let headers = HeaderMap::from_iter([(CONTENT.clone(), text.parse().unwrap())]);
            let found: Vec<_> = Digest::read(&headers, &CONTENT).iter().map(Digest::to_string).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn content_is_compared() {
        let check = || Check::new(Digest::member(EMPTY).unwrap());
        assert_eq!(check().finish(), Ok(()));
        let mut other = check();
        other.update(b"a");
        assert!(other.finish().is_err());
    }
}
