//! Mutations of bytes and of structure: sizes, counts, copies and nested parts.

use std::ops::Range;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};

use super::seeds::{Layout, Seed};

/// The largest mutant, in bytes.
const MAX_BYTES: usize = 512 * 1024;

/// Numbers at the edges of what fields hold.
const EDGES: [u64; 16] = [
    0,
    1,
    2,
    7,
    8,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0xffff,
    0xff_ffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    1 << 63,
    u64::MAX,
];

/// A part of a file with a field that states its size.
struct Part {
    /// The whole part.
    all: Range<usize>,
    /// The field of its size.
    size: Range<usize>,
    /// Where its content begins.
    content: usize,
}

/// The source of mutants.
pub struct Mutator(StdRng);

impl Mutator {
    pub fn new(seed: u64) -> Self {
        Self(StdRng::seed_from_u64(seed))
    }

    /// Returns one of these.
    pub fn one_of<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        all.choose(&mut self.0).unwrap()
    }

    /// Returns a mutant of a file.
    pub fn mutate(&mut self, seed: &Seed) -> Vec<u8> {
        let mut bytes = seed.bytes.to_vec();
        for _ in 0..self.0.random_range(1..=6) {
            if seed.layout == Layout::Svg {
                bytes = self.drawing(&bytes);
            } else if self.0.random_bool(0.6) {
                self.structure(&mut bytes, seed.layout);
            } else {
                self.bytes(&mut bytes);
            }
            bytes.truncate(MAX_BYTES);
        }
        if seed.layout == Layout::Png && self.0.random_bool(0.8) {
            repair(&mut bytes);
        }
        bytes
    }

    /// Returns a file with as many bytes after its end as mutations may add.
    pub fn lengthen(&mut self, seed: &Seed) -> Vec<u8> {
        let mut bytes = seed.bytes.to_vec();
        bytes.resize(bytes.len() + self.index_below(MAX_BYTES), 0);
        bytes
    }

    fn index_below(&mut self, length: usize) -> usize {
        self.0.random_range(0..length.max(1))
    }

    fn bytes(&mut self, bytes: &mut Vec<u8>) {
        let at = self.index_below(bytes.len());
        match self.0.random_range(0..6) {
            0 => bytes.truncate(at),
            1 => bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << (at % 8)),
            2 => {
                let noise: Vec<u8> = (0..self.index_below(64)).map(|_| self.0.random()).collect();
                bytes.splice(at..at, noise);
            }
            3 => {
                let end = (at + self.index_below(256)).min(bytes.len());
                let copy = bytes[at..end].repeat(1 + self.index_below(200));
                bytes.splice(at..at, copy);
            }
            _ => {
                let width = *self.one_of(&[1, 2, 3, 4, 8]);
                self.number(bytes, at..at + width);
            }
        }
    }

    /// Overwrites a field with a number at an edge.
    fn number(&mut self, bytes: &mut [u8], field: Range<usize>) {
        let number = if self.0.random_bool(0.8) { *self.one_of(&EDGES) } else { self.0.random() };
        let width = field.len().min(8);
        let digits = if self.0.random_bool(0.5) {
            number.to_be_bytes()[8 - width..].to_vec()
        } else {
            number.to_le_bytes()[..width].to_vec()
        };
        for (byte, digit) in bytes.iter_mut().skip(field.start).zip(digits) {
            *byte = digit;
        }
    }

    fn structure(&mut self, bytes: &mut Vec<u8>, layout: Layout) {
        let parts = parts(bytes, layout);
        let Some(Part { all, size, content }) = parts.choose(&mut self.0) else { return self.bytes(bytes) };
        let (all, size, content) = (all.clone(), size.clone(), *content);
        match self.0.random_range(0..7) {
            0 | 1 => self.number(bytes, size),
            2 => drop(bytes.splice(all, [])),
            3 => {
                let most = (MAX_BYTES / all.len().max(1)).clamp(1, 20_000);
                let copies = bytes[all.clone()].repeat(1 + self.index_below(most));
                bytes.splice(all, copies);
            }
            4 => {
                let header = bytes[all.start..content].to_vec();
                let levels = 1 + self.index_below((MAX_BYTES / (2 * header.len().max(1))).min(10_000));
                nest(bytes, all, size, &header, levels, layout);
            }
            5 => {
                let fill = *self.one_of(&[0, 0xff, b' ']);
                bytes[content..all.end].fill(fill);
            }
            _ => {
                let at = content + self.index_below(all.end - content);
                let width = *self.one_of(&[2, 4, 8]);
                self.number(bytes, at..at + width);
            }
        }
    }

    /// Returns a mutant of an SVG file.
    fn drawing(&mut self, bytes: &[u8]) -> Vec<u8> {
        const WRAPS: [(&str, &str); 8] = [
            ("<g opacity='.5'>", "</g>"),
            ("<g mask='url(#m)'>", "</g>"),
            ("<g filter='url(#f)'>", "</g>"),
            ("<g clip-path='url(#c)'>", "</g>"),
            ("<svg viewBox='0 0 1 1'>", "</svg>"),
            ("<mask id='m'>", "</mask>"),
            ("<pattern id='p' width='.01' height='.01'>", "</pattern>"),
            ("<symbol id='s'>", "</symbol>"),
        ];
        const INNER: [&str; 8] = [
            "<use href='#s'/><use href='#g'/>",
            "<rect width='9' height='9' fill='url(#p)'/>",
            "<filter id='f'><feTurbulence numOctaves='9'/><feGaussianBlur stdDeviation='99'/></filter>",
            "<image href='data:image/png;base64,iVBORw0KGgo=' width='9' height='9'/>",
            "<g id='g'><use href='#s'/><use href='#s'/></g>",
            "<path stroke='red' stroke-dasharray='.0001' d='M0 0L1e9 1e9'/>",
            "<clipPath id='c'><rect width='9' height='9' clip-path='url(#c)'/></clipPath>",
            "<linearGradient id='p' href='#p'/>",
        ];
        let text = String::from_utf8_lossy(bytes).into_owned();
        let begin = text.find('>').map_or(0, |at| at + 1);
        let end = text.rfind("</svg>").unwrap_or(text.len()).max(begin);
        let (head, inner, tail) = (&text[..begin], &text[begin..end], &text[end..]);
        let most = if self.0.random_bool(0.3) { 3000 } else { 12 };
        let many = 1 + self.index_below(most);
        match self.0.random_range(0..5) {
            0 => {
                let (open, close) = *self.one_of(&WRAPS);
                format!("{head}{}{inner}{}{tail}", open.repeat(many), close.repeat(many))
            }
            1 => format!("{head}{}{inner}{tail}", self.one_of(&INNER).repeat(many)),
            2 => format!("{head}{}{tail}", inner.repeat((MAX_BYTES / inner.len().max(1)).clamp(1, many))),
            3 => {
                let numbers = ["1e30", "-1", "0", "1e-30", "nan", "100000", "4000000000"];
                let digit = text.char_indices().filter(|(_, one)| one.is_ascii_digit()).map(|(at, _)| at);
                let digits: Vec<_> = digit.collect();
                let Some(at) = digits.choose(&mut self.0).copied() else { return text.into_bytes() };
                format!("{}{}{}", &text[..at], self.one_of(&numbers), &text[at + 1..])
            }
            _ => {
                let mut bytes = text.into_bytes();
                self.bytes(&mut bytes);
                return bytes;
            }
        }
        .into_bytes()
    }
}

/// Puts a part into copies of its own header.
fn nest(
    bytes: &mut Vec<u8>,
    all: Range<usize>,
    size: Range<usize>,
    header: &[u8],
    levels: usize,
    layout: Layout,
) {
    let (inner, field) = (bytes[all.clone()].to_vec(), size.start - all.start..size.end - all.start);
    let mut headers = Vec::with_capacity(levels * header.len());
    for level in (1..=levels).rev() {
        let mut header = header.to_vec();
        let content = inner.len() + (level - 1) * header.len();
        let stated = if layout == Layout::Boxes { content + header.len() } else { content };
        if let Some(field) = header.get_mut(field.clone()) {
            let width = field.len().min(4);
            let digits = match layout {
                Layout::Riff => (stated as u32).to_le_bytes()[..width].to_vec(),
                Layout::Id3 => [21, 14, 7, 0].map(|shift| (stated >> shift) as u8 & 0x7f)[..width].to_vec(),
                _ => (stated as u32).to_be_bytes()[4 - width..].to_vec(),
            };
            field[..width].copy_from_slice(&digits);
        }
        headers.extend(header);
    }
    headers.extend(inner);
    bytes.splice(all, headers);
}

/// Returns the parts of a file, as far as its sizes are right.
fn parts(bytes: &[u8], layout: Layout) -> Vec<Part> {
    let mut parts = Vec::new();
    let (start, header, field) = match layout {
        Layout::Boxes => (0, 8, 0..4),
        Layout::Riff => (12, 8, 4..8),
        Layout::Png => (8, 8, 0..4),
        Layout::Jpeg => (2, 4, 2..4),
        Layout::Id3 => (10, 10, 4..8),
        Layout::Flac => (4, 4, 1..4),
        Layout::Ogg => (0, 27, 26..27),
        Layout::WebM => (0, 2, 1..2),
        Layout::Svg => return parts,
    };
    let mut at = start;
    while parts.len() < 4096
        && let Some(head) = bytes.get(at..at + header)
    {
        let number = head[field.clone()].iter();
        let big = number.clone().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
        let little = number.clone().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
        let (begins, length) = match layout {
            Layout::Boxes => {
                // Some boxes hold others.
                let holds = [&b"moov"[..], b"trak", b"mdia", b"minf", b"stbl", b"udta", b"ilst"];
                let begins = if holds.contains(&&head[4..]) {
                    8
                } else if &head[4..] == b"meta" {
                    12
                } else {
                    big
                };
                (begins, big)
            }
            Layout::Riff if &head[..4] == b"LIST" => (12, little + 8),
            Layout::Riff if &head[..4] == b"ANMF" => (24, little + 8),
            Layout::Riff => (8 + little + little % 2, little + 8),
            Layout::Png => (12 + big, 12 + big),
            Layout::Jpeg => (2 + big, 2 + big),
            Layout::Id3 => {
                let size = number.fold(0, |sum, byte| sum << 7 | usize::from(*byte));
                (10 + size, 10 + size)
            }
            Layout::Ogg => {
                let table = bytes.get(at + 27..at + 27 + big).unwrap_or_default();
                let length = 27 + big + table.iter().map(|byte| usize::from(*byte)).sum::<usize>();
                (length, length)
            }
            // Elements follow one another at any level; sizes of several bytes are left to the mutations of bytes.
            Layout::WebM => (1, 2 + (usize::from(head[1]) & 0x7f)),
            _ => (header + big, header + big),
        };
        let end = at.saturating_add(length).min(bytes.len());
        if end > at + header {
            let size = at + field.start..at + field.end;
            parts.push(Part { all: at..end, size, content: at + header });
        }
        at = at.saturating_add(begins.max(1));
    }
    parts
}

/// Makes the checksums of a PNG's chunks right.
fn repair(bytes: &mut [u8]) {
    let mut at = 8;
    while let Some(size) = bytes.get(at..at + 4) {
        let size = size.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte));
        let Some(chunk) = bytes.get(at + 4..at.saturating_add(8).saturating_add(size)) else { return };
        let sum = checksum(chunk).to_be_bytes();
        let end = at + 8 + size;
        bytes.iter_mut().skip(end).zip(sum).for_each(|(byte, digit)| *byte = digit);
        at = end + 4;
    }
}

/// Returns the CRC-32 of a chunk.
fn checksum(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(u32::MAX, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), step))
}
