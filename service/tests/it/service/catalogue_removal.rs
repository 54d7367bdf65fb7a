//! `catalogue list` and `catalogue remove`: records that operators take away, in all processes.

use std::path::PathBuf;

use asset_engines::sound::{ProceduralSound, SoundParameters};
use asset_engines::{Engine, Job, Output};
use reqwest::StatusCode;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::running::{Database, Running, on_both_databases};
use super::waiting::eventually;

on_both_databases! { a_removed_record_is_gone_everywhere_and_an_import_brings_it_back }

/// Folders to import from, with two pictures and two sounds.
fn sources() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, bytes: &[u8]| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    };
    write("pictures/coffee.jpg", include_bytes!("../../../assets/demo/coffee.jpg"));
    write("pictures/coffee.json", br#"{"title": "Morning coffee", "author": "Ada"}"#);
    write("pictures/cat.jpg", include_bytes!("../../../assets/demo/chelsea.jpg"));
    write("pictures/cat.json", br#"{"title": "A cat", "author": "Ada"}"#);
    // The same picture in another record.
    write("pictures/more/twin.jpg", include_bytes!("../../../assets/demo/chelsea.jpg"));
    write("pictures/more/twin.json", br#"{"title": "Twin", "author": "Bob"}"#);
    let icons = json!({
        "prefix": "lucide", "width": 24, "height": 24,
        "icons": {"house": {"body": "<path d=\"M3 21V9l9-7l9 7v12z\"/>"}, "bell": {"body": "<path d=\"M4 4h9v9z\"/>"}}
    });
    write("lucide/icons.json", icons.to_string().as_bytes());
    let outputs = ProceduralSound.run(&SoundParameters::new("rain", 0.5), (), &Job::with_seed(1)).unwrap();
    let [Output::File(wav)] = outputs.as_slice() else { panic!("{outputs:?}") };
    write("effects/wind/gust.wav", &wav.bytes);
    write("music/slow.wav", &wav.bytes);
    folder
}

async fn a_removed_record_is_gone_everywhere_and_an_import_brings_it_back(database: Database) {
    // The clean-up keeps a file without a record for ten minutes at least.
    let settings = "[retention]\nsweep-seconds = 1\norphan-seconds = 600\n";
    let Some(running) = database.start(settings, &["--threads", "0"]).await else { return };
    // PostgreSQL has several processes.
    let other = (database == Database::Postgres).then(|| running.start_beside(&["--threads", "0"], &[]));
    let all: Vec<&Running> = [&running].into_iter().chain(&other).collect();
    let sources = sources();
    let path = |folder: &str| sources.path().join(folder).display().to_string();
    let run = |arguments: &[&str]| {
        let done = running.command(arguments);
        let text = if done.status.success() { &done.stdout } else { &done.stderr };
        (done.status.success(), String::from_utf8_lossy(text).trim().to_owned())
    };
    let import = |what: &str, folder: &str| run(&["import", what, &path(folder)]).1;
    for (what, folder, expected) in [
        ("resources", "pictures", "3 new"),
        ("icons", "lucide", "2 new"),
        ("sfx", "effects", "1 new"),
        ("music", "music", "1 new"),
    ] {
        assert!(import(what, folder).starts_with(expected), "{what}");
    }
    let list = |arguments: &[&str]| -> Vec<Value> {
        let (listed, text) = run(&[&["catalogue", "list"], arguments, &["--json"]].concat());
        assert!(listed, "{text}");
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let titles = |arguments: &[&str]| {
        let mut titles: Vec<String> =
            list(arguments).iter().map(|record| record["title"].as_str().unwrap().to_owned()).collect();
        titles.sort();
        titles
    };
    assert_eq!(titles(&["resources"]), ["A cat", "Morning coffee", "Twin"]);
    assert_eq!(titles(&["resources", "--match", "COFFEE"]), ["Morning coffee"]);
    assert_eq!(titles(&["resources", "--author", "ada"]), ["A cat", "Morning coffee"]);
    assert_eq!(titles(&["resources", "--group", "more"]), ["Twin"]);
    assert_eq!(titles(&["icons", "--match", "bell", "--group", "Lucide"]), ["Bell"]);
    assert_eq!(titles(&["sfx", "--group", "wind"]), titles(&["sfx"]));
    assert_eq!((list(&["music"]).len(), list(&["resources", "--limit", "2"]).len()), (1, 2));
    let cat = list(&["resources", "--match", "cat"]).remove(0);
    let id = cat["id"].to_string();
    let (_, table) = run(&["catalogue", "list", "resources", &id]);
    assert!(table.contains("A cat") && table.contains("Ada") && table.lines().count() == 2, "{table}");

    // Probable mistakes are refused, and nothing is removed.
    for (arguments, message) in [
        (&["resources"][..], "--match, --author or --group"),
        (&["resources", "5", &id], "no resources have the ids 5"),
        (&["resources", "--match", "nothing like it"], "no resources match"),
        (&["resources", "--author", "Ada", "--all"], "cannot be used with"),
    ] {
        let (removed, text) = run(&[&["catalogue", "remove"], arguments].concat());
        assert!(!removed && text.contains(message), "{arguments:?}: {text}");
    }
    assert!(run(&["catalogue", "remove", "resources", "--all", "--dry-run"]).1.contains("Twin"));

    let found = async |running: &Running, path: &str| -> Value {
        let response = running.get(path).send().await.unwrap();
        assert!(response.status() == StatusCode::OK || response.status() == StatusCode::NOT_FOUND);
        response.json().await.unwrap()
    };
    let resources = async |running: &Running, query: &str| -> Vec<String> {
        let found = found(running, &format!("/v1/resources{query}")).await;
        let data = found["data"].as_array().unwrap().clone();
        assert_eq!(found["meta"]["total"], json!(data.len()), "{found}");
        let mut titles: Vec<String> =
            data.iter().map(|record| record["title"].as_str().unwrap().to_owned()).collect();
        titles.sort();
        titles
    };
    for running in &all {
        assert_eq!(resources(running, "").await.len(), 3);
    }
    assert_eq!(run(&["catalogue", "remove", "resources", &id]), (true, "removed 1 resources".to_owned()));
    for running in &all {
        assert_eq!(resources(running, "").await, ["Morning coffee", "Twin"]);
        assert_eq!(resources(running, "?term=cat").await, [""; 0]);
    }
    let icon = list(&["icons", "--match", "house"])[0]["id"].to_string();
    for (kind, what, path) in [
        ("icons", "house", format!("/v1/icons/{icon}")),
        ("sfx", "gust", "/v1/sfx?q=gust".to_owned()),
        ("music", "slow", "/v1/music?q=slow".to_owned()),
    ] {
        let before = found(all[0], &path).await;
        assert!(before["count"] == json!(1) || before["data"]["name"] == json!("House"), "{before}");
        let (removed, text) = run(&["catalogue", "remove", kind, "--match", what]);
        assert!(removed, "{text}");
        for running in &all {
            let after = found(running, &path).await;
            assert!(after["count"] == json!(0) || after.get("data").is_none(), "{after}");
        }
    }
    assert!(list(&["sfx"]).is_empty() && list(&["music"]).is_empty() && list(&["icons"]).len() == 1);

    // An import brings a record back, with the same id and the same files.
    assert_eq!(import("resources", "pictures"), "1 new, 0 changed, 2 unchanged");
    assert_eq!(list(&["resources", "--match", "cat"]), std::slice::from_ref(&cat));
    for running in &all {
        assert_eq!(resources(running, "?term=cat").await, ["A cat"]);
    }

    // Later, the clean-up takes the files that no record names. The cat's picture belongs to its twin, too.
    assert!(run(&["catalogue", "remove", "resources", "--author", "Ada"]).0);
    let file =
        |key: &Value| -> PathBuf { running.data().join("files/catalogue").join(key.as_str().unwrap()) };
    let (cat_picture, avatar) = (file(&cat["files"][0]), file(&cat["files"][2]));
    let coffee = all_files(&running).len();
    assert!(cat_picture.is_file() && avatar.is_file());
    let aged = "UPDATE unused_files SET since = since - 700000";
    execute(&running, aged).await;
    eventually("the files stay", async || (!avatar.is_file()).then_some(())).await;
    let is_clean =
        async || running.store().await.unused_files(i64::MAX, 9).await.unwrap().is_empty().then_some(());
    eventually("the sweep does not end", is_clean).await;
    assert!(cat_picture.is_file(), "its twin needs it");
    // The coffee has a picture and a preview, both had the author's picture; icon, music and sound their own files.
    assert!(all_files(&running).len() < coffee - 3, "{:?}", all_files(&running));
    for record in ["resources", "icons"].into_iter().flat_map(|kind| list(&[kind])) {
        assert!(record["files"].as_array().unwrap().iter().all(|key| file(key).is_file()), "{record}");
    }
    assert_eq!(import("resources", "pictures"), "2 new, 0 changed, 1 unchanged");
    assert!(avatar.is_file());
}

fn all_files(running: &Running) -> Vec<PathBuf> {
    running.files("catalogue")
}

/// Runs a statement on the database of the service.
async fn execute(running: &Running, statement: &'static str) {
    let settings = asset_service::settings::Settings::load(None, running.data()).unwrap();
    match settings.database_url {
        Some(url) => {
            let pool = sqlx::PgPool::connect(&url).await.unwrap();
            sqlx::query(statement).execute(&pool).await.unwrap();
        }
        None => {
            let url = format!("sqlite://{}", running.data().join("service.db").display());
            let pool = sqlx::SqlitePool::connect(&url).await.unwrap();
            sqlx::query(statement).execute(&pool).await.unwrap();
        }
    }
}
