use super::*;

/// A data folder, a backup of it, and a folder to restore into.
struct Fixture {
    _whole: tempfile::TempDir,
    data: PathBuf,
    folder: PathBuf,
    new: PathBuf,
}

fn fixture() -> Fixture {
    let whole = tempfile::tempdir().unwrap();
    let path = |name| whole.path().join(name);
    let (data, folder, new) = (path("data"), path("backup"), path("new"));
    for (name, text) in [
        ("files/store-id", "one"),
        ("files/results/ab/1-0.png", "picture"),
        ("files/results/ab/2-0.png#1", "half"),
        ("files/catalogue/previews/a.png", "preview"),
        ("files/programs/x/secret", "a prompt"),
        ("apps.json", "[]"),
    ] {
        let path = data.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    std::fs::create_dir_all(&new).unwrap();
    Fixture { data, folder, new, _whole: whole }
}

#[test]
fn a_backup_is_complete_or_refused() {
    let Fixture { data, folder, new, .. } = &fixture();
    begin(folder).unwrap();
    assert!(matches!(check(folder, new), Err(BackupError::Incomplete(_))));
    let done = finish(data, folder, &mut |_| ()).unwrap();
    assert_eq!(done, Done { files: 3, bytes: 16 });
    assert!(matches!(begin(folder), Err(BackupError::NotEmpty(_))));
    assert!(!folder.join("files/programs").exists() && !folder.join("files/store-id").exists());
    std::fs::remove_dir_all(data.join("files/results")).unwrap();

    check(folder, new).unwrap();
    let mut reported = Vec::new();
    assert_eq!(restore(folder, new, &mut |done| reported.push(done)).unwrap(), done);
    assert_eq!((reported.len(), reported.last()), (3, Some(&done)));
    assert_eq!(std::fs::read_to_string(new.join("files/results/ab/1-0.png")).unwrap(), "picture");
    assert!(!new.join("files/results/ab/2-0.png#1").exists() && !new.join("apps.json").exists());
    assert!(new.join(RESTORING).exists());
    write_settings(folder, new, None, None, true).unwrap();
    assert!(new.join("apps.json").exists() && !new.join(config::FILE).exists());
    complete(new).unwrap();
    assert!(!new.join(RESTORING).exists());
    assert!(matches!(check(folder, new), Err(BackupError::Occupied(_))));
}

#[test]
fn a_missing_a_truncated_and_a_changed_file_are_found() {
    let Fixture { data, folder, new, .. } = &fixture();
    begin(folder).unwrap();
    finish(data, folder, &mut |_| ()).unwrap();
    verify(folder, &mut |_| ()).unwrap();
    // A linked file is the original's, too.
    let change = |name: &str, text: Option<&str>| {
        let path = folder.join(name);
        std::fs::remove_file(&path).unwrap();
        text.into_iter().for_each(|text| std::fs::write(&path, text).unwrap());
    };
    for (name, before, after, expected) in [
        ("files/results/ab/1-0.png", "picture", None, "files/results/ab/1-0.png is missing"),
        ("files/results/ab/1-0.png", "picture", Some("pict"), "1-0.png has changed; it has 4 bytes now"),
        ("files/catalogue/previews/a.png", "preview", Some("prevIew"), "a.png has changed"),
        ("apps.json", "[]", Some("[ ]"), "apps.json has changed"),
    ] {
        change(name, after);
        let found = verify(folder, &mut |_| ()).unwrap_err().to_string();
        assert!(found.contains(expected), "{found}");
        assert!(restore(folder, new, &mut |_| ()).unwrap_err().to_string().contains(expected));
        std::fs::write(folder.join(name), before).unwrap();
        verify(folder, &mut |_| ()).unwrap();
    }
    let list = std::fs::read_to_string(folder.join(COMPLETE)).unwrap();
    for part in [
        list.rsplit_once("# ").unwrap().0.to_owned(),
        list.replacen(&list[list.find('\n').unwrap() + 1..][..70], "", 1),
    ] {
        std::fs::write(folder.join(COMPLETE), part).unwrap();
        assert!(matches!(verify(folder, &mut |_| ()), Err(BackupError::Incomplete(_))));
    }
}

#[test]
fn a_list_with_other_paths_writes_nothing() {
    let Fixture { data, folder, new, .. } = &fixture();
    begin(folder).unwrap();
    finish(data, folder, &mut |_| ()).unwrap();
    std::fs::write(folder.join("out"), "picture").unwrap();
    let list = std::fs::read_to_string(folder.join(COMPLETE)).unwrap();
    let absolute = folder.join("out");
    for path in
        ["files/../out", "files/results/../../out", "files/store-id", "out", absolute.to_str().unwrap()]
    {
        std::fs::copy(folder.join("out"), folder.join("files/store-id")).unwrap();
        let other = list.replace("files/results/ab/1-0.png", path);
        std::fs::write(folder.join(COMPLETE), other).unwrap();
        for found in [restore(folder, new, &mut |_| ()), verify(folder, &mut |_| ())] {
            let found = found.map_err(|error| error.to_string());
            assert!(
                found.as_ref().is_err_and(|why| why.contains("not a file of a backup")),
                "{path}: {found:?}"
            );
        }
        assert!(!new.join("out").exists() && !new.join("files/store-id").exists(), "{path}");
    }
}

#[test]
fn a_target_that_can_not_be_written_is_named() {
    let Fixture { data, folder, new, .. } = &fixture();
    begin(folder).unwrap();
    finish(data, folder, &mut |_| ()).unwrap();
    std::fs::write(new.join(FILES), "not a folder").unwrap();
    let failed = restore(folder, new, &mut |_| ()).unwrap_err();
    assert!(matches!(&failed, BackupError::Copy { to, .. } if to.starts_with(new)), "{failed}");
}

#[test]
fn copies_are_private() {
    use std::os::unix::fs::PermissionsExt as _;

    let Fixture { data, folder, new, .. } = &fixture();
    std::fs::set_permissions(data.join("apps.json"), std::fs::Permissions::from_mode(0o644)).unwrap();
    begin(folder).unwrap();
    finish(data, folder, &mut |_| ()).unwrap();
    restore(folder, new, &mut |_| ()).unwrap();
    for copy in [folder.join("apps.json"), new.join("files/results/ab/1-0.png")] {
        let mode = std::fs::metadata(&copy).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", copy.display());
    }
}

#[test]
fn rows_name_their_files_or_are_counted() {
    let Fixture { data, .. } = &fixture();
    let mut missing = MissingFiles::default();
    let mut named = NamedFiles::new(|path| missing.check(data, &path));
    let effect = |key: &str| {
        format!(
            r#"{{"id": 1, "title": "Laser", "tags": [], "category": {{"name": "sci-fi"}}, "key": "{key}", "duration": 1.0,
                "premium": false, "popularity": 0.5, "downloads": 0, "created_at": 5}}"#
        )
    };
    for (table, kind, record) in [
        ("resources", None, ""),
        ("resources", None, "{}"),
        ("icons", None, "of a later release"),
        ("audio", Some("sfx"), &effect("a.wav")),
        ("audio", Some("of a later release"), "{}"),
    ] {
        named.add(table, &|column| match column {
            "record" => Some(record.to_owned()),
            "kind" => kind.map(str::to_owned),
            _ => None,
        });
    }
    named.add("tasks", &|column| (column == "status").then(|| "2".to_owned()));
    let unreadable = named.unreadable;
    assert_eq!((missing.count, unreadable), (1, 4), "{missing:?}");
}
