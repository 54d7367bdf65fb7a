//! Finds the line and column of a setting in the settings file.

use toml::de::{DeTable, DeValue};

/// Returns the line and the column, from 1, of a setting such as `families.voiceover.args[2]`.
///
/// For a setting that is absent, it is the position of the table that lacks it. Returns `None` if the file has not even the
/// first part of the name.
#[must_use]
pub fn position(text: &str, setting: &str) -> Option<(usize, usize)> {
    let document = DeTable::parse(text).ok()?;
    line_and_column(text, in_table(document.get_ref(), setting)?.key)
}

/// Returns the line and the column, from 1, of the value of a setting.
pub(super) fn position_of_value(text: &str, setting: &str) -> Option<(usize, usize)> {
    let document = DeTable::parse(text).ok()?;
    line_and_column(text, in_table(document.get_ref(), setting)?.value)
}

/// Where a setting begins, in bytes.
struct Start {
    key: usize,
    value: usize,
}

/// Returns the line and the column, from 1, of an offset in bytes.
pub(super) fn line_and_column(text: &str, offset: usize) -> Option<(usize, usize)> {
    let before = text.get(..offset)?;
    let line = before.rsplit('\n').next().unwrap_or_default();
    Some((before.matches('\n').count() + 1, line.chars().count() + 1))
}

/// Returns where a setting begins, or the deepest table around it.
fn in_table(table: &DeTable<'_>, path: &str) -> Option<Start> {
    let path = path.strip_prefix('.').unwrap_or(path);
    let below =
        |key: &str| path.strip_prefix(key).filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
    let named = table.iter().filter_map(|(key, value)| Some((key, value, below(key.get_ref())?)));
    // A key may hold dots.
    let (key, value, rest) = named.max_by_key(|(key, ..)| key.get_ref().len())?;
    in_value(value.get_ref(), rest).or(Some(Start { key: key.span().start, value: value.span().start }))
}

fn in_value(value: &DeValue<'_>, path: &str) -> Option<Start> {
    match value {
        DeValue::Table(table) => in_table(table, path),
        DeValue::Array(items) => {
            let (index, rest) = path.strip_prefix('[')?.split_once(']')?;
            let item = items.get(index.parse::<usize>().ok()?)?;
            let start = item.span().start;
            in_value(item.get_ref(), rest).or(Some(Start { key: start, value: start }))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_positions() {
        let text = "a = 1\n[engines.p]\nkind = 'http'\nlist = [1, { x = 2 }]\n[families.x]\nfiles = { 'a.b' = 'é', c = 3 }\n\
                    [[many]]\nn = 1\n[[many]]\nn = 2\n";
        for (setting, expected) in [
            ("a", Some((1, 1))),
            ("engines.p", Some((2, 10))),
            ("engines.p.kind", Some((3, 1))),
            ("engines.p.missing", Some((2, 10))),
            ("engines.q", Some((2, 2))),
            ("engines.p.list[1].x", Some((4, 14))),
            ("engines.p.list[7]", Some((4, 1))),
            ("families.x.files.a.b", Some((6, 11))),
            ("families.x.files.c", Some((6, 24))),
            ("many[1].n", Some((10, 1))),
            ("none.at.all", None),
        ] {
            assert_eq!(position(text, setting), expected, "{setting}");
        }
        for (setting, expected) in [("a", (1, 5)), ("engines.p", (2, 1)), ("engines.p.list[1].x", (4, 18))] {
            assert_eq!(position_of_value(text, setting), Some(expected), "{setting}");
        }
    }
}
