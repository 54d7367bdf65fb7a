//! Builds `data/cmudict/pronunciations.deflate` from a dictionary file.
//!
//! The source is the file `cmudict.dict` of the CMU Pronouncing Dictionary:
//!
//! ```sh
//! cargo run --example pack_pronunciations -- cmudict.dict engines/data/cmudict
//! ```
//!
//! The file contains the words in order, one per line: the word, a blank, and one character per phoneme. It keeps
//! only the first pronunciation of a word, and no plural or genitive that follows from its word.

use std::collections::BTreeMap;
use std::error::Error;

const VOWELS: [&str; 15] =
    ["AA", "AE", "AH", "AO", "AW", "AY", "EH", "ER", "EY", "IH", "IY", "OW", "OY", "UH", "UW"];
const CONSONANTS: [&str; 24] = [
    "B", "CH", "D", "DH", "F", "G", "HH", "JH", "K", "L", "M", "N", "NG", "P", "R", "S", "SH", "T", "TH",
    "V", "W", "Y", "Z", "ZH",
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(source), Some(target)) = (arguments.next(), arguments.next()) else {
        return Err("usage: pack_pronunciations <cmudict.dict> <output folder>".into());
    };
    let text = std::fs::read_to_string(source)?;
    let mut words: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let mut parts = line.split_whitespace();
        let Some(word) = parts.next() else { continue };
        if word.starts_with(|c: char| c.is_ascii_lowercase())
            && word.chars().all(|c| c.is_ascii_lowercase() || c == '\'')
        {
            words.entry(word).or_insert_with(|| parts.collect());
        }
    }
    let mut lines = Vec::new();
    for (word, phones) in words.iter().filter(|(word, phones)| !follows(word, phones, &words)) {
        lines.extend(word.bytes().chain([b' ']));
        for phone in phones {
            lines.push(code(phone).ok_or_else(|| format!("`{word}` has an unknown phone `{phone}`"))?);
        }
        lines.push(b'\n');
    }
    std::fs::create_dir_all(&target)?;
    let bytes = miniz_oxide::deflate::compress_to_vec(&lines, 10);
    println!("{} words, {} bytes, {} packed", words.len(), lines.len(), bytes.len());
    std::fs::write(format!("{target}/pronunciations.deflate"), bytes)?;
    Ok(())
}

fn code(phone: &str) -> Option<u8> {
    let name = phone.trim_end_matches(|c: char| c.is_ascii_digit());
    let stress: usize = phone.get(name.len()..)?.parse().unwrap_or(0);
    let index = match VOWELS.iter().position(|vowel| *vowel == name) {
        Some(index) => index * 3 + stress,
        None => CONSONANTS.iter().position(|consonant| *consonant == name)? + 45,
    };
    u8::try_from(0x23 + index).ok()
}

/// Returns whether a word is another word plus `s`, with a regular pronunciation.
fn follows(word: &str, phones: &[&str], words: &BTreeMap<&str, Vec<&str>>) -> bool {
    ["'s", "s"].iter().filter_map(|suffix| words.get(word.strip_suffix(suffix)?)).any(|base| {
        let Some(rest) = phones.strip_prefix(base.as_slice()) else { return false };
        match base.last() {
            Some(&("S" | "Z" | "SH" | "ZH" | "CH" | "JH")) => rest == ["IH0", "Z"] || rest == ["AH0", "Z"],
            Some(&("P" | "T" | "K" | "F" | "TH")) => rest == ["S"],
            _ => rest == ["Z"],
        }
    })
}
