//! A key submits media that grow when they are parsed, and an operator imports pictures that never end.

use std::io::Cursor;
use std::path::Path;
use std::process::Output;
use std::sync::LazyLock;
use std::time::Instant;

use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::ImageEncoder as _;
use image::codecs::png::PngEncoder;
use reqwest::Client;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::service::http_client;
use crate::service::outside::{Outside, serve};
use crate::service::running::{Running, binary};
use crate::service::victim::{GROWTH, Percentiles, Victim, create, hurts_nobody, peak, until};
use crate::service::waiting::TIMEOUT;

/// The size to which a part of a file grows, in bytes.
const GROWN: usize = 256 * 1024 * 1024;

/// A program that nothing needs, for the family that takes sounds.
pub const SETTINGS: &str = r#"
    [engines.nothing]
    kind = "command"
    program = "true"
    [families.lip-sync]
    engine = "nothing"
    args = ["{{ output }}"]
    output = "film.mp4"
    [tiers.default]
    burst = 10000
    per-second = 10000.0
    "#;

/// Limits that the client does not reach.
const UNLIMITED: &str = "[tiers.default]\nburst = 10000\nper-second = 10000.0\n";

/// Returns an MP3 file of 1.5 MiB whose tag has six compressed frames of 256 MiB.
fn mp3() -> Vec<u8> {
    let content = miniz_oxide::deflate::compress_to_vec_zlib(&vec![0; GROWN], 9);
    let grown = seven(GROWN.min((1 << 28) - 1));
    tagged(&[grown.as_slice(), &content].concat(), COMPRESSED)
}

/// The flags of a frame of a tag: compressed, with the length of the content.
const COMPRESSED: u8 = 0b1001;

/// Returns a length as tags have it, with seven bits in each byte.
fn seven(length: usize) -> [u8; 4] {
    [21, 14, 7, 0].map(|shift| (length >> shift) as u8 & 0x7f)
}

/// Returns an MP3 file whose tag has six frames of this content, and half a second of sound.
fn tagged(content: &[u8], flags: u8) -> Vec<u8> {
    let frame = [b"PRIV".as_slice(), &seven(content.len()), &[0, flags], content].concat();
    let frames = frame.repeat(6);
    let mut sound = vec![0; 417];
    sound[..4].copy_from_slice(b"\xff\xfb\x90\x00");
    [b"ID3\x04\0\0", seven(frames.len()).as_slice(), &frames, &sound.repeat(20)].concat()
}

/// Returns a PNG file of 256 KiB with a colour profile of 256 MiB.
fn png() -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let mut encoder = PngEncoder::new(&mut file);
    encoder.set_icc_profile(vec![0; GROWN]).unwrap();
    encoder.write_image(&[200; 64 * 64 * 3], 64, 64, image::ExtendedColorType::Rgb8).unwrap();
    file.into_inner()
}

/// The file of [`mp3`]. Its compression takes seconds, which are not part of the attack.
pub static MP3: LazyLock<Vec<u8>> = LazyLock::new(mp3);

/// The file of [`png`] in base64.
pub static PNG: LazyLock<String> = LazyLock::new(|| STANDARD.encode(png()));

/// A harmless MP3 file of about the length of [`MP3`]: the same without compression.
pub static PLAIN_MP3: LazyLock<Vec<u8>> = LazyLock::new(|| tagged(&vec![1; MP3.len() / 6], 0));

/// A harmless PNG file of about the length of [`PNG`], in base64: pixels that can't be compressed.
pub static PLAIN_PNG: LazyLock<String> = LazyLock::new(|| {
    let mut state = 1_u32;
    let mut noise = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    let side = (PNG.len() / 4).isqrt() as u32;
    let pixels = image::RgbImage::from_fn(side, side, |_, _| image::Rgb([noise(), noise(), noise()]));
    let mut file = Cursor::new(Vec::new());
    pixels.write_to(&mut file, image::ImageFormat::Png).unwrap();
    STANDARD.encode(file.into_inner())
});

/// Serves a file, and returns its URL.
async fn sound_url(file: &'static [u8]) -> String {
    let app = axum::Router::new().route("/sound.mp3", get(async move || file));
    format!("http://{}/sound.mp3", serve(app).await)
}

/// Returns the error code of a task that must fail.
async fn failed(client: &Client, url: &str, key: &str) -> String {
    until(client, url, key, &["FAILED"]).await;
    let request = client.get(url).header("x-service-api-key", key);
    let task: Value = request.send().await.unwrap().json().await.unwrap();
    task["data"]["error"]["code"].as_str().unwrap_or_else(|| panic!("{task}")).to_owned()
}

/// Creates four tasks with an MP3 file that grows a thousand times when its tag is inflated.
pub async fn compressed_tags(running: &Running) {
    sounds(running, &MP3).await;
}

/// Creates four tasks with a sound that is too short.
pub async fn sounds(running: &Running, sound: &'static [u8]) {
    let (client, url) = (http_client::new(), sound_url(sound).await);
    let outside = Outside::start().await;
    let body = json!({"image_url": outside.picture(), "audio_url": url});
    let mut tasks = Vec::new();
    for _ in 0..4 {
        tasks.push(create(&client, &running.url, &running.key, "lip-sync/standard", &body).await);
    }
    for task in tasks {
        assert_eq!(failed(&client, &task, &running.key).await, "unsupported_length");
    }
}

/// Submits four PNG files whose colour profile grows a thousand times. Without their profiles, they are valid.
pub async fn compressed_profiles(running: &Running) {
    pictures(running, &PNG).await;
}

/// Submits a picture in base64 four times at once.
pub async fn pictures(running: &Running, picture: &str) {
    let (client, body) = (http_client::new(), json!({"image": picture}));
    let mut tasks = Vec::new();
    for _ in 0..4 {
        tasks.push(create(&client, &running.url, &running.key, "image-to-prompt", &body).await);
    }
    for task in tasks {
        until(&client, &task, &running.key, &["COMPLETED"]).await;
    }
}

/// Returns an SVG whose 22 nested masks make four million groups.
fn masks() -> String {
    let mask = |level: u32| {
        let inner = format!(r##"<g mask="url(#m{})"><rect width="9" height="9"/></g>"##, level + 1);
        format!(r#"<mask id="m{level}">{}</mask>"#, inner.repeat(2))
    };
    let masks: String = (0..22).map(mask).collect();
    drawing(&format!(
        r##"{masks}<mask id="m22"><rect width="9" height="9"/></mask><rect width="9" height="9" mask="url(#m0)"/>"##
    ))
}

/// Returns an SVG with a filter that takes minutes.
fn filter() -> String {
    let steps = r#"<feMorphology operator="dilate" radius="2"/>"#.repeat(40);
    drawing(&format!(
        r##"<filter id="f" x="0" y="0" width="1" height="1">{steps}</filter><rect width="9" height="9" filter="url(#f)"/>"##
    ))
}

fn drawing(content: &str) -> String {
    format!(r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10">{content}</svg>"#)
}

/// Returns a folder with both, and a good one.
pub fn drawings() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let good = drawing(r#"<rect width="9" height="9"/>"#);
    for (name, text) in [("a-masks.svg", masks()), ("b-filter.svg", filter()), ("c-good.svg", good)] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

/// Imports these files, and waits until the import ends.
pub async fn import(running: &Running, what: &str, path: &Path) -> Output {
    let mut command = tokio::process::Command::from(binary());
    command.args(["import", what]).arg(path).arg("--data-dir").arg(running.data()).kill_on_drop(true);
    // It has a lower priority.
    tokio::time::timeout(TIMEOUT * 2, command.output()).await.expect("an import that ends").unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn media_do_not_grow_when_they_are_parsed() {
    hurts_nobody(async || growing_media().await.into()).await;
}

/// Returns the percentiles during both attacks. If the memory grows too much, the percentiles count as those of a stopped
/// service, so that the attack is measured again: on a busy machine, the service uses more memory.
async fn growing_media() -> [Percentiles; 3] {
    LazyLock::force(&MP3);
    LazyLock::force(&PNG);
    let running = Running::start_with(SETTINGS, &[], &[]);
    let victim = Victim::start(&running).await;
    let before = peak(running.id());
    let (beside_tags, ()) = victim.measure_during(compressed_tags(&running)).await;
    let tags = peak(running.id());
    let (beside_profiles, ()) = victim.measure_during(compressed_profiles(&running)).await;
    let profiles = peak(running.id());
    println!("{before} MiB before, {tags} MiB after the tags, {profiles} MiB after the profiles");
    let growth = if profiles.max(tags) < before + GROWTH { 0.0 } else { f64::INFINITY };
    [beside_tags, beside_profiles, [0.0, growth]]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_drawings_are_left_out_of_an_import() {
    hurts_nobody(async || vec![hostile_drawings().await]).await;
}

async fn hostile_drawings() -> Percentiles {
    let running = Running::start_with(UNLIMITED, &["--threads", "1"], &[]);
    let victim = Victim::start(&running).await;
    let folder = drawings();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let body = |svg: &str| {
        let (_, inner) = svg.strip_suffix("</svg>").unwrap().split_once('>').unwrap();
        json!({"body": inner})
    };
    let icons = json!({"masks": body(&masks()), "house": {"body": r#"<rect width="9" height="9"/>"#}});
    write("icons.json", &json!({"prefix": "hostile", "width": 10, "height": 10, "icons": icons}).to_string());
    let begun = Instant::now();
    let attack = async {
        let pictures = import(&running, "resources", folder.path()).await;
        (pictures, import(&running, "icons", &folder.path().join("icons.json")).await)
    };
    let (percentiles, (pictures, icons)) = victim.measure_during(attack).await;
    println!("both imports took {:?}", begun.elapsed());
    let (memory, time) = ("parsing failed, or needs more than 512 MiB", "parsing needs more than 10 s");
    let left_out_pictures = [("a-masks.svg", memory), ("b-filter.svg", time)];
    for (ended, left_out) in [(pictures, &left_out_pictures[..]), (icons, &[("masks", memory)])] {
        let (out, message) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
        assert_eq!(
            (ended.status.code(), out.trim()),
            (Some(1), "1 new, 0 changed, 0 unchanged"),
            "{message}"
        );
        for (name, why) in left_out {
            assert!(message.contains(&format!("{name}: {why}")), "{message}");
        }
    }
    percentiles
}
