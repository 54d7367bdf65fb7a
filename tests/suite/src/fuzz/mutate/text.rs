//! Damages a text, without knowledge of its meaning.

use crate::fuzz::random::Random;

/// Damages a text.
pub fn damage(text: &str, random: &mut Random) -> String {
    match random.below(8) {
        0 => lines(text, random),
        1 => format!("{text}\n{}", bomb(random)),
        2 => nested(text, random),
        _ => bytes(text, random),
    }
}

/// Removes, duplicates or replaces some bytes.
fn bytes(text: &str, random: &mut Random) -> String {
    const PIECES: [&[u8]; 16] = [
        b"\0",
        b"\"",
        b"'",
        b"\\",
        b"{",
        b"}",
        b"[",
        b"]",
        b":",
        b"- ",
        b"\n",
        b"&a ",
        b"*a ",
        b"!!binary ",
        b"\xff",
        b"? ",
    ];
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(6) {
        let start = random.below(bytes.len() + 1);
        let most = if random.once_in(4) { 200 } else { 3 };
        let end = (start + random.below(most)).min(bytes.len());
        let piece: Vec<u8> = match random.below(4) {
            0 => Vec::new(),
            1 => bytes.get(start..end).map(|piece| piece.repeat(2)).unwrap_or_default(),
            2 => vec![u8::try_from(random.below(256)).unwrap_or_default()],
            _ => random.pick(&PIECES).map(|piece| piece.to_vec()).unwrap_or_default(),
        };
        bytes.splice(start..end, piece);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Removes, duplicates or re-indents some lines.
fn lines(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..=random.below(4) {
        let at = random.below(lines.len());
        let Some(line) = lines.get(at).cloned() else { continue };
        match random.below(5) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, line),
            2 => lines.insert(at, format!("  {line}")),
            3 => lines.insert(at, line.trim_start().to_owned()),
            _ => lines.truncate(at),
        }
    }
    lines.join("\n")
}

/// Returns YAML with nested aliases, which expands to a huge document.
fn bomb(random: &mut Random) -> String {
    let (levels, width) = (2 + random.below(12), 1 + random.below(9));
    let mut text = "x-0: &x0 {type: string}\n".to_owned();
    for level in 0..levels {
        let alias = format!("*x{level}");
        let inner = match random.below(3) {
            0 => format!("[{}]", vec![alias; width].join(", ")),
            1 => {
                let named = |at: usize| format!("a{at}: {alias}");
                format!("{{properties: {{{}}}}}", (0..width).map(named).collect::<Vec<_>>().join(", "))
            }
            _ => format!("{{allOf: [{}]}}", vec![alias; width].join(", ")),
        };
        text.push_str(&format!("x-{0}: &x{0} {inner}\n", level + 1));
    }
    // Makes the bomb a component too. If the document has `components`, the field is a duplicate.
    format!("{text}components: {{schemas: {{Bomb: *x{levels}}}}}\n")
}

/// Replaces a value by deeply nested brackets.
fn nested(text: &str, random: &mut Random) -> String {
    let count = if random.once_in(2) { 100 } else { 100_000 };
    let (open, close) =
        *random.pick(&[("[", "]"), ("{a: ", "}"), ("{\"a\":", "}"), ("- ", "")]).unwrap_or(&("[", "]"));
    let nest = format!("{}1{}", open.repeat(count), close.repeat(count));
    let offsets: Vec<usize> = text.match_indices(": ").map(|(at, _)| at + 2).collect();
    let at = random.pick(&offsets).copied().unwrap_or_default();
    let (before, behind) = text.split_at(at);
    let rest = behind.find('\n').map_or("", |end| behind.split_at(end).1);
    format!("{before}{nest}{rest}")
}
