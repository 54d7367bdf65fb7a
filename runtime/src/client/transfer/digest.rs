//! Digests of content (RFC 9530).

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderMap, HeaderName};
use sha2::{Digest as _, Sha256, Sha512, digest::DynDigest};

/// The digest of a representation: of the whole file.
pub(super) static REPRESENTATION: HeaderName = HeaderName::from_static("repr-digest");
/// The digest of the content of one response.
pub(super) static CONTENT: HeaderName = HeaderName::from_static("content-digest");

/// The algorithms that are secure. Headers can have others, which are ignored.
const ALGORITHMS: [&str; 2] = ["sha-256", "sha-512"];

/// A digest, displayed as in a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Digest {
    algorithm: &'static str,
    bytes: Vec<u8>,
}

impl Digest {
    pub(super) fn sha256(bytes: [u8; 32]) -> Self {
        Self { algorithm: "sha-256", bytes: bytes.to_vec() }
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
        let algorithm = ALGORITHMS.into_iter().find(|known| *known == name.trim())?;
        let (base64, _) = value.trim().strip_prefix(':')?.split_once(':')?;
        let digest = Self { algorithm, bytes: STANDARD.decode(base64).ok()? };
        (digest.hasher().output_size() == digest.bytes.len()).then_some(digest)
    }

    fn hasher(&self) -> Box<dyn DynDigest + Send> {
        if self.algorithm == "sha-512" { Box::new(Sha512::new()) } else { Box::new(Sha256::new()) }
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}=:{}:", self.algorithm, STANDARD.encode(&self.bytes))
    }
}

/// The check of content against a digest.
pub(super) struct Check {
    expected: Digest,
    hasher: Box<dyn DynDigest + Send>,
}

impl Check {
    pub(super) fn new(expected: Digest) -> Self {
        Self { hasher: expected.hasher(), expected }
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
    }

    /// Returns the expected and the actual digest if they differ.
    pub(super) fn finish(mut self) -> Result<(), (Digest, Digest)> {
        let mut found = Digest { bytes: vec![0; self.hasher.output_size()], ..self.expected.clone() };
        // It fails only for a buffer of another size.
        let is_read = self.hasher.finalize_into_reset(&mut found.bytes).is_ok();
        if is_read && found == self.expected { Ok(()) } else { Err((self.expected, found)) }
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
