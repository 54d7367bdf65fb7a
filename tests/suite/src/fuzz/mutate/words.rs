//! Mutations of names, texts, numbers and the version.

use super::Work;
use crate::fuzz::{random::Random, tree::Tree};

/// Words with a meaning in Rust or a tool, and words that make no valid name.
const WORDS: [&str; 40] = [
    "",
    " ",
    "_",
    "__",
    "-",
    "1",
    "2nd",
    "Self",
    "self",
    "crate",
    "super",
    "r#type",
    "type",
    "async",
    "gen",
    "std",
    "core",
    "String",
    "Option",
    "Result",
    "Vec",
    "Box",
    "Unknown",
    "new",
    "body",
    "default",
    "runtime",
    "models",
    "..",
    "../../x",
    "a/b",
    "a\u{0}b",
    "a\nb",
    "\u{202e}abc\u{feff}",
    "ß\u{308}ﬀ",
    "数据",
    "🦀",
    "\"#\\",
    "*/ {} {{0}}",
    "$ref",
];

const PATHS: [&str; 14] = [
    "/",
    "//",
    "/{a}",
    "/{a}/{a}",
    "/{a}{b}",
    "/{a}.{b}:{c}",
    "/{}",
    "/{",
    "/}",
    "/{a/b}",
    "/a?b=c#d",
    "/%zz/é/ x",
    "/{*rest}",
    "/:a/*b",
];

const NUMBERS: [&str; 18] = [
    "0",
    "-0",
    "-0.0",
    "1",
    "-1",
    "0.1",
    "1e-400",
    "5e-324",
    "1e308",
    "1e400",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "4294967296",
    "9007199254740993",
    "1.0",
];

pub(super) fn text(work: &mut Work) -> Option<()> {
    let path = work.any(&|node| matches!(node, Tree::Text(_)))?;
    let Tree::Text(old) = work.tree.at(&path)? else { return None };
    let new = mangled(&old.clone(), work.random);
    work.replace(&path, Tree::Text(new))
}

pub(super) fn name(work: &mut Work) -> Option<()> {
    let path = work.any_node()?;
    let (at, parent) = path.split_last()?;
    let Some(Tree::Map(entries)) = work.tree.at_mut(parent) else { return None };
    let (name, _) = entries.get_mut(*at)?;
    *name = mangled(name, work.random);
    Some(())
}

pub(super) fn number(work: &mut Work) -> Option<()> {
    let is_number = |node: &Tree| matches!(node, Tree::Raw(text) if text.starts_with(|c: char| c.is_ascii_digit() || c == '-'));
    let path = work.any(&is_number)?;
    let number = Tree::raw(work.random.word(&NUMBERS));
    work.replace(&path, number)
}

pub(super) fn version(work: &mut Work) -> Option<()> {
    let version = work.random.word(&["3.0.0", "3.0.3", "3.1.0", "3.1.1", "3.2.0"]);
    work.tree.set("openapi", Tree::text(version));
    Some(())
}

fn mangled(old: &str, random: &mut Random) -> String {
    let some = |random: &mut Random| random.word(&WORDS).to_owned();
    let offset = |random: &mut Random| {
        let offsets: Vec<usize> = old.char_indices().map(|(at, _)| at).chain([old.len()]).collect();
        old.split_at(random.pick(&offsets).copied().unwrap_or_default())
    };
    if old.starts_with('/') && random.once_in(3) {
        return random.word(&PATHS).to_owned();
    }
    match random.below(10) {
        0..4 => some(random),
        4 => {
            let (before, behind) = offset(random);
            format!("{before}{}{behind}", some(random))
        }
        5 => offset(random).0.to_owned(),
        6 => offset(random).1.to_owned(),
        7 => old.to_uppercase(),
        8 => old.repeat(if random.once_in(4) { 400 } else { 3 }),
        _ => old.chars().rev().collect(),
    }
}
