//! The lines of a settings file that `engines add` has written, between two comments.
//!
//! All other lines stay as they are, byte for byte.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::ops::Range;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::private;

fn head(name: &str) -> String {
    format!("# >>> engines add {name}: ")
}

fn foot(name: &str) -> String {
    format!("# <<< engines add {name}")
}

/// Returns the text with a block at its end.
pub(super) fn added(text: &str, name: &str, settings: &str) -> String {
    let (head, foot, settings) = (head(name), foot(name), settings.trim_end());
    format!("{text}\n{head}`asset-service engines remove {name}` removes these lines\n{settings}\n{foot}\n")
}

/// Returns the block of an engine, in bytes, with the line break before it.
///
/// # Errors
/// The block has no end; returns the number of its first line.
pub(super) fn find(text: &str, name: &str) -> Result<Option<Range<usize>>, usize> {
    let (head, foot) = (head(name), foot(name));
    let mut lines = text.split_inclusive('\n').scan(0, |end, line| {
        *end += line.len();
        Some((*end - line.len(), line))
    });
    let Some((index, (start, _))) = lines.by_ref().enumerate().find(|(_, (_, line))| line.starts_with(&head))
    else {
        return Ok(None);
    };
    let last = lines.find(|(_, line)| line.trim_end() == foot).ok_or(index + 1)?;
    let before = text.get(..start).is_some_and(|before| before.ends_with('\n'));
    Ok(Some(start - usize::from(before)..last.0 + last.1.len()))
}

/// Returns the text without a block.
pub(super) fn removed(text: &str, block: &Range<usize>) -> String {
    let (before, after) =
        (text.get(..block.start).unwrap_or(text), text.get(block.end..).unwrap_or_default());
    // Other lines may have followed a text that did not end its last line.
    let is_open = !before.is_empty() && !before.ends_with('\n');
    let end = if is_open && !after.is_empty() && !after.starts_with('\n') { "\n" } else { "" };
    format!("{before}{end}{after}")
}

/// Returns the settings without the tables of these families. They come with the service, with a table header per line.
pub(super) fn without(settings: &str, families: &BTreeSet<&str>) -> String {
    let mut kept = String::new();
    // Comments and blank lines belong to the table that they precede.
    let (mut pending, mut is_kept) = (String::new(), true);
    for line in settings.split_inclusive('\n') {
        if let Some(header) = line.strip_prefix('[') {
            let mut path = header.trim_start_matches('[').trim_end().trim_end_matches(']').split('.');
            is_kept =
                path.next() != Some("families") || path.next().is_none_or(|name| !families.contains(name));
        } else if line.starts_with('#') || line.trim().is_empty() {
            pending.push_str(line);
            continue;
        }
        if is_kept {
            kept.push_str(&pending);
            kept.push_str(line);
        }
        pending.clear();
    }
    kept
}

/// Returns the settings with a setting of a table, in place of the one that it may have.
pub(super) fn with(settings: &str, table: &str, key: &str, value: &toml::Value) -> String {
    let (header, start) = (format!("[{table}]"), format!("{key} = "));
    let mut is_inside = false;
    settings
        .split_inclusive('\n')
        .map(|line| match line.trim_end() == header {
            true => {
                is_inside = true;
                format!("{line}{start}{value}\n")
            }
            false => {
                is_inside &= !line.starts_with('[');
                if is_inside && line.starts_with(&start) { String::new() } else { line.to_owned() }
            }
        })
        .collect()
}

/// Writes a settings file at once: a reader sees the old text or the new one. Its owner and its permissions stay.
///
/// # Errors
/// The file or its folder can't be written.
pub(super) fn write(path: &Path, text: &str) -> io::Result<()> {
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    if let Ok(old) = path.metadata() {
        let new = file.as_file().metadata()?;
        if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
            chown(file.path(), Some(old.uid()), Some(old.gid()))?;
        }
        file.as_file().set_permissions(old.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path)?;
    private::sync_folder(folder)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::engine::registry::known;

    #[test]
    fn a_removed_block_leaves_the_file_as_it_was() {
        for text in ["", "a = 1", "a = 1\n", "a = 1\r\n", "# one\n[worker]\nthreads = 1\n\n\n# last"] {
            let one = added(text, "fal", "[engines.fal]\n\n");
            let both = added(&one, "piper", "[engines.piper]");
            let block = find(&both, "piper").unwrap().unwrap();
            assert_eq!(removed(&both, &block), one);
            let block = find(&both, "fal").unwrap().unwrap();
            let other = removed(&both, &block);
            assert_eq!(removed(&other, &find(&other, "piper").unwrap().unwrap()), text, "{other:?}");
        }
    }

    #[test]
    fn lines_around_a_block_stay() {
        let text = added("a = 1", "fal", "[engines.fal]") + "[worker]\n";
        assert_eq!(removed(&text, &find(&text, "fal").unwrap().unwrap()), "a = 1\n[worker]\n");
        assert_eq!(find(&text, "fa"), Ok(None));
        assert_eq!(find(&text.replace("# <<<", "# <"), "fal"), Err(2));
    }

    #[test]
    fn families_are_left_out_with_all_their_tables() {
        for name in known::all().keys() {
            let text = known::named(name).unwrap().1.text;
            assert_eq!(without(text, &BTreeSet::new()), text, "{name}");
            let all: toml::Table = text.parse().unwrap();
            for family in all["families"].as_table().unwrap().keys() {
                let mut expected = all.clone();
                expected["families"].as_table_mut().unwrap().remove(family);
                let left: toml::Table = without(text, &BTreeSet::from([family.as_str()])).parse().unwrap();
                let families = left.get("families").and_then(toml::Value::as_table).cloned();
                assert_eq!(families.unwrap_or_default(), *expected["families"].as_table().unwrap(), "{name}");
                assert_eq!(left["engines"], expected["engines"]);
            }
        }
    }

    #[test]
    fn a_setting_of_a_table_is_replaced_or_added() {
        let text = "[engines.a]\nkind = \"http\"\nbase-url = \"x\"\n[engines.b]\nbase-url = \"y\"\n";
        let changed = with(text, "engines.a", "base-url", &"z\"".into());
        assert!(changed.ends_with("\n[engines.b]\nbase-url = \"y\"\n"), "{changed}");
        let changed: toml::Table = changed.parse().unwrap();
        assert_eq!(changed["engines"]["a"]["base-url"].as_str(), Some("z\""));
        let changed: toml::Table = with(text, "engines.b", "read", &vec!["c", "d"].into()).parse().unwrap();
        assert_eq!(changed["engines"]["b"]["read"][1].as_str(), Some("d"));
    }

    #[test]
    fn a_written_file_keeps_its_permissions_and_its_link() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        write(&file, "one").unwrap();
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, "two").unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "two");
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    }
}
