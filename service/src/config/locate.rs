//! Where a setting stands in the settings file.

use toml::de::{DeTable, DeValue};

/// Returns the line and the column, from 1, of a setting such as `families.voiceover.args[2]`.
///
/// For a setting that is absent, it is the place of the table that lacks it. Returns `None` if the file has not even the
/// first part of the name.
#[must_use]
pub fn position(text: &str, setting: &str) -> Option<(usize, usize)> {
    let document = DeTable::parse(text).ok()?;
    line_and_column(text, in_table(document.get_ref(), setting)?)
}

/// Returns the line and the column, from 1, of an offset in bytes.
pub(super) fn line_and_column(text: &str, offset: usize) -> Option<(usize, usize)> {
    let before = text.get(..offset)?;
    let line = before.rsplit('\n').next().unwrap_or_default();
    Some((before.matches('\n').count() + 1, line.chars().count() + 1))
}

/// Returns the setting whose key or value is at an offset in bytes; `None` if the text is not TOML.
pub(super) fn setting_at(text: &str, offset: usize) -> Option<String> {
    let document = DeTable::parse(text).ok()?;
    Some(setting_in(document.get_ref(), offset).unwrap_or_default())
}

fn setting_in(table: &DeTable<'_>, offset: usize) -> Option<String> {
    table.iter().find_map(|(key, value)| {
        // The tables below a header are outside of its span.
        let below = below(value.get_ref(), offset);
        let is_here = || key.span().contains(&offset) || value.span().contains(&offset);
        below.or_else(|| is_here().then(String::new)).map(|below| format!("{}{below}", key.get_ref()))
    })
}

/// Returns the part of a path within a value, with its dot or index.
fn below(value: &DeValue<'_>, offset: usize) -> Option<String> {
    match value {
        DeValue::Table(table) => Some(format!(".{}", setting_in(table, offset)?)),
        DeValue::Array(items) => items.iter().enumerate().find_map(|(index, item)| {
            let below = below(item.get_ref(), offset);
            let below = below.or_else(|| item.span().contains(&offset).then(String::new))?;
            Some(format!("[{index}]{below}"))
        }),
        _ => None,
    }
}

/// Returns where a setting begins, or the deepest table around it.
fn in_table(table: &DeTable<'_>, path: &str) -> Option<usize> {
    let path = path.strip_prefix('.').unwrap_or(path);
    let below =
        |key: &str| path.strip_prefix(key).filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
    let named = table.iter().filter_map(|(key, value)| Some((key, value, below(key.get_ref())?)));
    // A key may hold dots.
    let (key, value, rest) = named.max_by_key(|(key, ..)| key.get_ref().len())?;
    in_value(value.get_ref(), rest).or(Some(key.span().start))
}

fn in_value(value: &DeValue<'_>, path: &str) -> Option<usize> {
    match value {
        DeValue::Table(table) => in_table(table, path),
        DeValue::Array(items) => {
            let (index, rest) = path.strip_prefix('[')?.split_once(']')?;
            let item = items.get(index.parse::<usize>().ok()?)?;
            in_value(item.get_ref(), rest).or(Some(item.span().start))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_settings() {
        let text =
            "a = 1\n[engines.p]\nkind = 'http'\nlist = [1, { x = 2 }]\n[[many]]\nn = 1\n[[many]]\nn = 2\n";
        for (at, expected) in [
            ("1\n[eng", Some("a")),
            ("kind", Some("engines.p.kind")),
            ("'http'", Some("engines.p.kind")),
            ("2 }", Some("engines.p.list[1].x")),
            ("n = 2", Some("many[1].n")),
        ] {
            assert_eq!(setting_at(text, text.find(at).unwrap()).as_deref(), expected, "{at}");
        }
        assert_eq!(setting_at("a = b", 4), None);
    }

    #[test]
    fn settings_have_places() {
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
    }
}
