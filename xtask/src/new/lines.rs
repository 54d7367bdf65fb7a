//! Edits of texts that keep all other bytes.

use std::ops::Range;

use anyhow::{Result, bail};

/// Inserts a text before the only occurrence of another one.
pub fn insert_before(text: &str, anchor: &str, inserted: &str) -> Result<String> {
    let mut found = text.match_indices(anchor);
    match (found.next(), found.next()) {
        (Some((at, _)), None) => Ok([&text[..at], inserted, &text[at..]].concat()),
        (None, _) => bail!("there is no `{}` to insert before", anchor.trim()),
        _ => bail!("there is more than one `{}` to insert before", anchor.trim()),
    }
}

/// Returns whether a text has a line.
pub fn is_line(text: &str, line: &str) -> bool {
    text.lines().any(|known| known == line)
}

/// Returns the lines from `head` up to the next one that is indented no deeper than `indent`, without blank lines at the
/// end.
pub fn block(text: &str, head: &str, indent: &str) -> Option<Range<usize>> {
    let start = if text.starts_with(head) { 0 } else { text.find(&format!("\n{head}"))? + 1 };
    let mut end = start + head.len();
    let mut last = end;
    for line in text.get(end..)?.split_inclusive('\n') {
        let depth = line.len() - line.trim_start_matches(' ').len();
        let is_blank = line.trim().is_empty();
        if !is_blank && depth <= indent.len() {
            break;
        }
        end += line.len();
        if !is_blank {
            last = end;
        }
    }
    Some(start..last)
}
