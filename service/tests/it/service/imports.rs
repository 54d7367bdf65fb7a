//! The `import` command on real files, repeated.
//!
//! Unchanged files must stay unchanged.

use std::path::{Path, PathBuf};

use asset_api_client::models::icons::GetIconInput;
use asset_api_client::models::music::SearchMusicInput;
use asset_api_client::models::resources::ListResourcesInput;
use asset_api_client::models::sfx::SearchSfxInput;
use asset_engines::sound::{ProceduralSound, SoundParameters};
use asset_engines::{Engine, Job, Output};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::running::Running;
use crate::service::http_client;

/// A service, and a folder to import from.
struct Fixture {
    running: Running,
    folder: TempDir,
}

impl Fixture {
    fn new() -> Self {
        Self { running: Running::start(&["--threads", "0"]), folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// Runs an import that must succeed, and returns its output.
    fn import(&self, what: &str, path: &str, more: &[&str]) -> String {
        let path = self.path(path);
        let arguments = [&["import", what, path.to_str().unwrap()], more].concat();
        let done = self.running.command(&arguments);
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    }
}

/// Writes a small icon set in the form of the npm package `@iconify-json/lucide`.
fn write_set(fixture: &Fixture, icons: &Value) {
    let set = json!({
        "prefix": "lucide", "lastModified": 1_757_000_000, "icons": icons, "width": 24, "height": 24,
        "aliases": {"home": {"parent": "house"}}, "categories": {"Buildings": ["house"]}
    });
    fixture.write("@iconify-json/lucide/icons.json", set.to_string());
    let info = json!({
        "prefix": "lucide", "name": "Lucide", "total": 3, "version": "0.544.0", "palette": false, "height": 24,
        "author": {"name": "Lucide Contributors", "url": "https://example.com"},
        "license": {"title": "ISC", "spdx": "ISC"}, "tags": ["Precise Shapes"]
    });
    fixture.write("@iconify-json/lucide/info.json", info.to_string());
    fixture.write("@iconify-json/lucide/package.json", r#"{"name": "@iconify-json/lucide"}"#);
}

fn line(path: &str) -> Value {
    json!({"body": format!(r#"<path fill="none" stroke="currentColor" stroke-width="2" d="{path}"/>"#)})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_icon_set_is_imported_again() {
    let fixture = Fixture::new();
    let mut icons = json!({"house": line("M3 21V9l9-7l9 7v12z"), "house-plus": line("M3 21V9l9-7v20z"), "bell": line("M4 4h9v9z")});
    icons["bell"]["hidden"] = json!(true);
    write_set(&fixture, &icons);
    let set = "@iconify-json/lucide";
    assert_eq!(fixture.import("icons", set, &[]), "2 new, 0 changed, 0 unchanged");
    assert_eq!(fixture.import("icons", set, &[]), "0 new, 0 changed, 2 unchanged");
    let file = "@iconify-json/lucide/icons.json";
    assert_eq!(fixture.import("icons", file, &[]), "0 new, 0 changed, 2 unchanged");

    icons["house"] = line("M3 21V9l9-7l9 7v11z");
    icons["cat"] = line("M2 2h20v20z");
    write_set(&fixture, &icons);
    assert_eq!(fixture.import("icons", set, &[]), "1 new, 1 changed, 1 unchanged");

    let house = fixture.running.client().get_icon(GetIconInput::new(135_458_005_671_585)).await.unwrap().data;
    assert_eq!((house.name.as_str(), house.family.name.as_str(), house.family.total), ("House", "Lucide", 3));
    let tags: Vec<String> = house.tags.unwrap().into_iter().map(|tag| tag.slug).collect();
    assert_eq!(tags, ["house", "home", "buildings"]);
    assert_eq!(
        http_client::get(&house.thumbnails[0].url).await.unwrap().headers()["content-type"],
        "image/png"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn folders_of_pictures_are_imported_again() {
    let fixture = Fixture::new();
    let (coffee, cat) = (
        include_bytes!("../../../assets/demo/coffee.jpg"),
        include_bytes!("../../../assets/demo/chelsea.jpg"),
    );
    fixture.write("a/house.jpg", coffee);
    fixture.write("a/pets/cat.jpg", cat);
    fixture.write("a/pets/cat.json", r#"{"title": "A cat", "people": 0}"#);
    fixture.write("b/house.jpg", cat);
    assert_eq!(fixture.import("resources", "a", &[]), "2 new, 0 changed, 0 unchanged");
    // The same file name in another folder is another record.
    assert_eq!(fixture.import("resources", "b", &[]), "1 new, 0 changed, 0 unchanged");
    assert_eq!(fixture.import("resources", "a", &[]), "0 new, 0 changed, 2 unchanged");
    assert_eq!(fixture.import("resources", "a/house.jpg", &[]), "0 new, 0 changed, 1 unchanged");
    fixture.write("a/pets/cat.json", r#"{"title": "Another cat", "people": 0}"#);
    assert_eq!(fixture.import("resources", "a", &[]), "0 new, 1 changed, 1 unchanged");
    let found = fixture.running.client().list_resources(ListResourcesInput::default()).await.unwrap();
    assert_eq!(found.meta.total, 3);

    // The same collection name in another folder is the same record.
    assert_eq!(fixture.import("resources", "b", &["--collection", "a"]), "0 new, 1 changed, 0 unchanged");
    fixture.write("broken/house.jpg", "no picture");
    let path = fixture.path("broken");
    let refused = fixture.running.command(&["import", "resources", path.to_str().unwrap()]);
    assert_eq!(refused.status.code(), Some(1));
    let message = String::from_utf8(refused.stderr).unwrap();
    assert!(message.contains("house.jpg") && message.contains("1 file was left out"), "{message}");
}

fn sound(text: &str) -> Vec<u8> {
    let made = ProceduralSound.run(&SoundParameters::new(text, 0.5), (), &Job::with_seed(1)).unwrap();
    let [Output::File(file)] = made.as_slice() else { panic!("{made:?}") };
    file.bytes.clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sounds_are_imported_by_file_and_by_folder() {
    let fixture = Fixture::new();
    fixture.write("sfx/footsteps/snow.wav", sound("steps in snow"));
    fixture.write("sfx/footsteps/gravel.wav", sound("steps on gravel"));
    fixture.write("sfx/wind/cold.wav", sound("cold wind"));
    // Each file can be imported alone; its folder names the category.
    assert_eq!(fixture.import("sfx", "sfx/footsteps/snow.wav", &[]), "1 new, 0 changed, 0 unchanged");
    assert_eq!(fixture.import("sfx", "sfx/footsteps/gravel.wav", &[]), "1 new, 0 changed, 0 unchanged");
    assert_eq!(fixture.import("sfx", "sfx/footsteps", &[]), "0 new, 0 changed, 2 unchanged");
    let found = fixture.running.client().search_sfx(SearchSfxInput::default()).await.unwrap();
    let mut titles: Vec<_> =
        found.results.iter().map(|effect| (effect.title.as_str(), effect.category.name.as_str())).collect();
    titles.sort_unstable();
    assert_eq!(titles, [("Gravel", "footsteps"), ("Snow", "footsteps")]);

    // The parent folder is another collection.
    assert_eq!(fixture.import("sfx", "sfx", &[]), "3 new, 0 changed, 0 unchanged");
    fixture.write("sfx/wind/cold.json", r#"{"title": "Cold wind", "popularity": 0.5}"#);
    assert_eq!(fixture.import("sfx", "sfx", &[]), "0 new, 1 changed, 2 unchanged");

    let music = |name: &str| Path::new("music").join(name).to_string_lossy().into_owned();
    fixture.write(&music("one.wav"), sound("bells"));
    fixture.write(&music("two.wav"), sound("drone"));
    assert_eq!(fixture.import("music", &music("one.wav"), &[]), "1 new, 0 changed, 0 unchanged");
    assert_eq!(fixture.import("music", &music("two.wav"), &[]), "1 new, 0 changed, 0 unchanged");
    assert_eq!(fixture.import("music", "music", &[]), "0 new, 0 changed, 2 unchanged");
    fixture.write(&music("two.wav"), sound("deep drone"));
    assert_eq!(fixture.import("music", "music", &[]), "0 new, 1 changed, 1 unchanged");

    // A preview is not imported as a track.
    fixture.write(&music("two.preview.wav"), sound("click"));
    assert_eq!(fixture.import("music", "music", &[]), "0 new, 1 changed, 1 unchanged");
    let found = fixture.running.client().search_music(SearchMusicInput::default()).await.unwrap();
    for track in &found.results {
        let file = if track.title == "Two" { sound("click") } else { sound("bells") };
        assert_eq!(
            http_client::get(&track.preview_url).await.unwrap().bytes().await.unwrap(),
            file,
            "{}",
            track.title
        );
    }
    assert_eq!(found.count, 2);
    fixture.write(&music("one.preview.mp3"), "no sound");
    fixture.write(&music("three.preview.wav"), sound("click"));
    let refused = fixture.running.command(&["import", "music", fixture.path("music").to_str().unwrap()]);
    let report = String::from_utf8(refused.stderr).unwrap();
    for left_out in [
        "one.wav: one.preview.mp3: ",
        "three.preview.wav: it is the preview of no track",
        "2 files were left out",
    ] {
        assert!(report.contains(left_out), "{left_out}: {report}");
    }
}

/// Returns the response in these languages, with `Content-Language` and `Vary`.
async fn search_in(fixture: &Fixture, path: &str, languages: &str) -> (Value, String, String) {
    let request = http_client::new()
        .get(format!("{}{path}", fixture.running.url))
        .header("x-service-api-key", &fixture.running.key)
        .header("accept-language", languages);
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    let header = |name: &str| {
        response.headers().get(name).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
    };
    let (language, vary) = (header("content-language"), header("vary"));
    (response.json().await.unwrap(), language, vary)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn names_are_returned_in_the_preferred_language() {
    let fixture = Fixture::new();
    write_set(
        &fixture,
        &json!({"house": line("M3 21V9l9-7l9 7v12z"), "house-plus": line("M3 21V9l9-7v20z")}),
    );
    fixture.write(
        "@iconify-json/lucide/translations.json",
        r#"{"es": {"house": "Casa"}, "pt-BR": {"house": "Lar"}}"#,
    );
    assert_eq!(fixture.import("icons", "@iconify-json/lucide", &[]), "2 new, 0 changed, 0 unchanged");
    assert_eq!(fixture.import("icons", "@iconify-json/lucide", &[]), "0 new, 0 changed, 2 unchanged");
    let icon = "/v1/icons/135458005671585";
    for (languages, name, language) in [
        ("es-ES", "Casa", "es, en-US"),
        ("pt-BR, es;q=0.5", "Lar", "pt-br, en-US"),
        ("en-US, es;q=0.5", "House", "en-US"),
        ("fr", "House", "en-US"),
        ("not a language!", "House", "en-US"),
    ] {
        let (reply, spoken, vary) = search_in(&fixture, icon, languages).await;
        // The variant has an English name only.
        assert_eq!(reply["data"]["name"], name, "{languages}");
        assert_eq!((spoken.as_str(), vary.as_str()), (language, "accept-language"), "{languages}");
    }

    let coffee = include_bytes!("../../../assets/demo/coffee.jpg");
    fixture.write("pictures/coffee.jpg", coffee);
    let (none, spoken, vary) = search_in(&fixture, "/v1/resources", "es").await;
    assert_eq!(
        (none["data"].as_array().map(Vec::len), spoken.as_str(), vary.as_str()),
        (Some(0), "", "accept-language")
    );
    fixture.write("pictures/coffee.json", r#"{"title": "Coffee", "titles": {"es": "Caf\u00e9"}}"#);
    assert_eq!(fixture.import("resources", "pictures", &[]), "1 new, 0 changed, 0 unchanged");
    let (reply, spoken, _) = search_in(&fixture, "/v1/resources?term=coffee", "es-MX, en").await;
    assert_eq!((reply["data"][0]["title"].as_str(), spoken.as_str()), (Some("Caf\u{e9}"), "es"));

    fixture.write("pictures/coffee.json", r#"{"titles": {"spanish, or so": "x"}}"#);
    let path = fixture.path("pictures");
    let refused = fixture.running.command(&["import", "resources", path.to_str().unwrap()]);
    assert!(String::from_utf8(refused.stderr).unwrap().contains("is not a language tag"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_invalid_file_does_not_stop_the_import_of_others() {
    let fixture = Fixture::new();
    let coffee = include_bytes!("../../../assets/demo/coffee.jpg");
    let cat = include_bytes!("../../../assets/demo/chelsea.jpg");
    fixture.write("a/house.jpg", coffee);
    fixture.write("a/house.json", r#"{"title": "House", "colour": "white"}"#);
    fixture.write("a/sky.jpg", cat);
    fixture.write("a/sky.json", "{");
    fixture.write("a/table.jpg", cat);
    let ended = fixture.running.command(&["import", "resources", fixture.path("a").to_str().unwrap()]);
    let (out, message) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    assert_eq!((ended.status.code(), out.trim()), (Some(1), "1 new, 0 changed, 0 unchanged"), "{message}");
    for words in
        ["house.json", "unknown field `colour`", "`vector_style`", "sky.json", "2 files were left out"]
    {
        assert!(message.contains(words), "{words}: {message}");
    }

    fixture.write("loud.wav", sound("a click"));
    fixture.write("loud.json", r#"{"popularity": 1.5}"#);
    let ended = fixture.running.command(&["import", "sfx", fixture.path("loud.wav").to_str().unwrap()]);
    let message = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.code() == Some(1) && message.contains("must be from 0 to 1"), "{message}");

    std::fs::create_dir(fixture.path("empty")).unwrap();
    for (what, kinds) in [("resources", "JPEG, PNG, WebP or SVG"), ("music", "WAV"), ("sfx", "WAV")] {
        let ended = fixture.running.command(&["import", what, fixture.path("empty").to_str().unwrap()]);
        let message = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.code() == Some(1) && message.contains(kinds), "{message}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_shows_how_to_request_icons() {
    let fixture = Fixture::new();
    let mut icons =
        json!({"cat": line("M4 4h9z"), "house": line("M3 21V9l9-7l9 7v12z"), "bell": line("M4 4h9v9z")});
    icons["bell"]["hidden"] = json!(true);
    write_set(&fixture, &icons);
    let path = fixture.path("@iconify-json/lucide");
    let ended = fixture.running.command(&["import", "icons", path.to_str().unwrap()]);
    let message = String::from_utf8_lossy(&ended.stderr);
    assert!(message.contains("GET /v1/icons/135458005671585 returns lucide:house"), "{message}");
    let listed = fixture.import("icons", "@iconify-json/lucide", &["--list"]);
    let lines: Vec<_> = listed.lines().collect();
    assert_eq!(lines.len(), 2, "stdout must contain ids only: {listed}");
    let (id, name) = lines[0].split_once(' ').unwrap();
    assert_eq!((name, lines[1]), ("lucide:cat", "135458005671585 lucide:house"));
    let cat = fixture.running.client().get_icon(GetIconInput::new(id.parse().unwrap())).await.unwrap();
    assert_eq!(cat.data.name, "Cat");
}

/// Returns when each drawing was written.
fn drawings(fixture: &Fixture) -> Vec<(PathBuf, std::time::SystemTime)> {
    let made = |path: PathBuf| {
        let at = path.metadata().unwrap().modified().unwrap();
        (path, at)
    };
    let mut files: Vec<_> = fixture.running.files("catalogue/icons").into_iter().map(made).collect();
    files.sort();
    files
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn existing_icon_pictures_are_not_drawn_again() {
    let fixture = Fixture::new();
    write_set(&fixture, &json!({"house": line("M3 21V9l9-7l9 7v12z"), "cat": line("M4 4h9z")}));
    fixture.import("icons", "@iconify-json/lucide", &[]);
    let first = drawings(&fixture);
    assert_eq!(first.len(), 4, "each icon must have two sizes");
    // As if the process had died between writing files and records, or while writing files.
    std::fs::remove_file(&first[0].0).unwrap();
    assert_eq!(fixture.import("icons", "@iconify-json/lucide", &[]), "0 new, 0 changed, 2 unchanged");
    let again = drawings(&fixture);
    assert_eq!(again[1..], first[1..]);
    assert!(again[0].0 == first[0].0 && again[0].1 > first[0].1, "the missing drawing must be written again");
}
