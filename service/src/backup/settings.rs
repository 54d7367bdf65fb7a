//! The settings of a restored copy, which must not lead to its original.

use std::ops::Range;
use std::path::Path;

use toml::de::{DeTable, Error};

use super::{APPS, BackupError};
use crate::{config, private};

/// Settings that belong to the original while it runs: where it listens, and where its clients and providers find it.
const OF_THE_ORIGINAL: [&str; 3] = ["listen", "admin-listen", "base-url"];

/// Copies the settings and workflow apps of a backup into a data folder, except those that it has.
///
/// The copied settings name this database and this bucket. If the original runs on, they lack what belongs to it.
///
/// # Errors
/// Fails if the copied settings are not TOML or a file can't be written.
pub fn write(
    folder: &Path,
    data_dir: &Path,
    database_url: Option<&str>,
    bucket: Option<&str>,
    runs_on: bool,
) -> Result<(), BackupError> {
    let own = [("database-url", database_url), ("files", bucket)];
    for name in [config::FILE, APPS] {
        let (from, to) = (folder.join(name), data_dir.join(name));
        if to.exists() {
            continue;
        }
        let mut text = match std::fs::read_to_string(&from) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            text => text.map_err(BackupError::read(&from))?,
        };
        if name == config::FILE {
            text = adapted(&text, &own, runs_on).map_err(|error| {
                // TOML's whole error would show the line, which may hold a key.
                BackupError::Settings { file: from.clone(), why: error.message().to_owned() }
            })?;
        }
        if !text.is_empty() {
            private::file(&to).map_err(BackupError::write(&to))?;
            std::fs::write(&to, text).map_err(BackupError::write(&to))?;
        }
    }
    Ok(())
}

/// Returns the text with these settings of the copy, and without the settings of the original if it runs on.
fn adapted(text: &str, own: &[(&str, Option<&str>)], runs_on: bool) -> Result<String, Error> {
    let document = DeTable::parse(text)?;
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    for (key, value) in document.get_ref().iter() {
        let whole = key.span().start..value.span().end;
        let name: &str = key.get_ref();
        match own.iter().find(|(own, _)| *own == name) {
            Some((_, Some(url))) => edits.push((value.span(), quoted(url))),
            own if own.is_some() || (runs_on && OF_THE_ORIGINAL.contains(&name)) => {
                let original = text.get(whole.clone()).unwrap_or_default();
                edits.push((whole, format!("# of the original: {}", original.replace('\n', "\n# "))));
            }
            _ => {}
        }
    }
    edits.sort_by_key(|(range, _)| range.start);
    let mut adapted = String::with_capacity(text.len() + 100);
    let has = |name: &str| {
        document.get_ref().iter().any(|(key, _)| {
            let key: &str = key.get_ref();
            key == name
        })
    };
    for (name, url) in own {
        if let Some(url) = url.filter(|_| !has(name)) {
            adapted.push_str(&format!("{name} = {}\n", quoted(url)));
        }
    }
    let mut end = 0;
    for (range, new) in edits {
        adapted.push_str(text.get(end..range.start).unwrap_or_default());
        adapted.push_str(&new);
        end = range.end;
    }
    adapted.push_str(text.get(end..).unwrap_or_default());
    Ok(adapted)
}

fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: &str = "# Our service\nlisten = \"0.0.0.0:80\"   # all\nbase-url = \"https://a.example\"\n\
                            database-url = 'postgres://u:secret@prod/db' # production\nmigrate = false\n\
                            admin-listen = \"\"\"\n127.0.0.1:1\"\"\"\n\n[tiers.default]\nburst = 5 # few\n";

    fn of<'a>(url: Option<&'a str>, bucket: Option<&'a str>) -> [(&'static str, Option<&'a str>); 2] {
        [("database-url", url), ("files", bucket)]
    }

    #[test]
    fn a_copy_beside_its_original_names_its_own_database_and_nothing_of_the_original() {
        let adapted = adapted(SETTINGS, &of(Some("postgres://new/\"db\""), None), true).unwrap();
        let expected = "# Our service\n# of the original: listen = \"0.0.0.0:80\"   # all\n\
                        # of the original: base-url = \"https://a.example\"\n\
                        database-url = 'postgres://new/\"db\"' # production\nmigrate = false\n\
                        # of the original: admin-listen = \"\"\"\n# 127.0.0.1:1\"\"\"\n\n[tiers.default]\nburst = 5 # few\n";
        assert_eq!(adapted, expected);
        toml::from_str::<toml::Table>(&adapted).unwrap();
    }

    #[test]
    fn a_copy_that_replaces_its_original_only_changes_the_database() {
        let replaced = adapted(SETTINGS, &of(Some("postgres://new/db"), None), false).unwrap();
        assert_eq!(replaced, SETTINGS.replace("'postgres://u:secret@prod/db'", "\"postgres://new/db\""));
        let embedded = adapted(SETTINGS, &of(None, None), false).unwrap();
        assert!(embedded.contains("\n# of the original: database-url = 'postgres"), "{embedded}");
        let added = adapted("[http]\nconnections = 1\n", &of(Some("postgres://new/db"), None), true).unwrap();
        assert_eq!(added, "database-url = \"postgres://new/db\"\n[http]\nconnections = 1\n");
        assert!(adapted("a = ", &of(None, None), true).is_err());
    }

    #[test]
    fn a_copy_names_its_own_bucket() {
        let bucket = of(None, Some("s3://b/copy"));
        assert_eq!(adapted("files = \"s3://b/a\"\n", &bucket, true).unwrap(), "files = \"s3://b/copy\"\n");
        assert_eq!(
            adapted("migrate = false\n", &bucket, true).unwrap(),
            "files = \"s3://b/copy\"\nmigrate = false\n"
        );
    }
}
