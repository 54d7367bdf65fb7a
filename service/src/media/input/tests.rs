//! Tests of media from clients.

use std::io::Cursor;

use base64::engine::general_purpose;
use proptest::prelude::*;

use super::*;
use crate::net::testing::inner_guard;

/// Returns a square picture with this side, in pixels.
fn png(side: u32) -> Vec<u8> {
    let mut png = Cursor::new(Vec::new());
    image::RgbImage::new(side, side).write_to(&mut png, image::ImageFormat::Png).unwrap();
    png.into_inner()
}

fn encode(bytes: &[u8]) -> String {
    general_purpose::STANDARD.encode(bytes)
}

/// Encodes as a strict encoder of URLs does.
fn escaped(base64: &str) -> String {
    base64.replace('+', "%2B").replace('/', "%2f").replace('=', "%3D")
}

/// Returns what a field with a medium of this kind and without bounds expects.
fn of_kind(kind: Kind) -> Expected {
    Expected { kind, seconds: None }
}

async fn submit(text: &str, kind: Kind, url_only: bool) -> Result<Given, Refused> {
    accept(inner_guard(&[]).policy(), text, &of_kind(kind), url_only).await
}

#[tokio::test]
async fn base64_is_taken_in_all_its_forms() {
    let bytes = Bytes::from(png(64));
    let whole = encode(&bytes);
    let bare = whole.trim_end_matches('=').to_owned();
    assert_ne!(whole, bare);
    let lines = format!("{}\r\n{}\n", &whole[..8], &whole[8..]);
    for text in [
        whole.clone(),
        bare,
        lines,
        format!("data:image/png;base64,{whole}"),
        format!("data:;base64,{whole}"),
        format!("DATA:text/html;charset=utf-8;BASE64,{whole}"), // the declared type is ignored
        format!("data:image/png;base64,{}", escaped(&whole)),
    ] {
        let given = submit(&text, Kind::Image, false).await.unwrap();
        let picture = Some(picture::inspect(&bytes).unwrap());
        let facts = Facts { format: Format::Png, picture };
        assert_eq!(given, Given::Bytes { bytes: bytes.clone(), facts }, "{text}");
    }
}

#[tokio::test]
async fn texts_that_are_not_media_are_refused() {
    let png = encode(&png(64));
    let form = Refused::Form;
    for (text, kind, reason) in [
        ("", Kind::Image, form.clone()),
        ("====", Kind::Image, form.clone()),
        ("not base64!", Kind::Image, form.clone()),
        (&png[..9], Kind::Image, form.clone()),
        ("data:image/png,abc", Kind::Image, form.clone()),
        ("data:image/png;base64", Kind::Image, form.clone()),
        ("data:image/png;base64,", Kind::Image, form.clone()),
        ("data:image/png;base64,iVBO%2", Kind::Image, form.clone()),
        ("data:image/png;base64,iVBO%+1", Kind::Image, form.clone()),
        ("data:image/png;base64,iVBO%\u{e4}", Kind::Image, form.clone()),
        ("iVBO%2B", Kind::Image, form), // not a URL
        (&encode(b"<svg/>"), Kind::Image, Refused::Unsupported(Kind::Image)),
        (&png, Kind::Audio, Refused::Unsupported(Kind::Audio)),
        (&png, Kind::Video, Refused::Unsupported(Kind::Video)),
        ("ftp://example.com/a.png", Kind::Image, UrlRefused::Scheme.into()),
        ("javascript:alert(1)", Kind::Image, UrlRefused::Invalid.into()),
        ("http://169.254.169.254/", Kind::Image, UrlRefused::Host.into()),
    ] {
        assert_eq!(submit(text, kind, false).await, Err(reason), "{text}");
    }
}

#[tokio::test]
async fn urls_are_taken_everywhere_and_base64_is_not_where_a_url_is_meant() {
    for url_only in [false, true] {
        let given = submit("https://files.test/a.png", Kind::Image, url_only).await.unwrap();
        assert!(matches!(given, Given::Url(target) if target.url().as_str() == "https://files.test/a.png"));
    }
    let png = encode(&png(64));
    for text in [&png, &format!("data:image/png;base64,{png}"), ""] {
        assert_eq!(submit(text, Kind::Image, true).await, Err(UrlRefused::Invalid.into()), "{text}");
    }
}

#[test]
fn the_limit_is_on_the_decoded_bytes_to_the_byte() {
    for kind in [Kind::Image, Kind::Audio, Kind::Video] {
        let limit = kind.max_inline();
        for (size, fits) in [(limit, true), (limit + 1, false), (limit + 2, false), (limit + 3, false)] {
            let text = encode(&vec![0; size]);
            let taken = match parse(&text, kind, false) {
                Ok(Parsed::Bytes(bytes)) => check(&bytes, &of_kind(kind), limit),
                Ok(Parsed::Url(_)) => panic!("a URL?"),
                Err(refused) => Err(refused),
            };
            let expected = if fits { Refused::Unsupported(kind) } else { Refused::TooLarge { kind, limit } };
            assert_eq!(taken, Err(expected), "{size}");
        }
    }
}

#[test]
fn a_pictures_header_is_validated() {
    let refused = check(&png(63), &of_kind(Kind::Image), 1000).unwrap_err();
    let message = "The image is 63x63 pixels; each side needs at least 64.";
    assert_eq!((refused.code(), refused.to_string().as_str()), ("image_too_small", message));
}

#[test]
fn sounds_and_videos_have_a_length() {
    let sound = Expected { kind: Kind::Audio, seconds: Some(1.0..=300.0) };
    let refused = Refused::Length { kind: Kind::Audio, seconds: 1.0..=300.0 };
    for (seconds, taken) in [
        (0.9, Err(refused.clone())),
        (1.0, Ok(Facts { format: Format::Wav, picture: None })),
        (300.0, Ok(Facts { format: Format::Wav, picture: None })),
        (300.5, Err(refused.clone())),
    ] {
        assert_eq!(check(&measure::tests::wav(seconds), &sound, 10_000_000), taken, "{seconds}");
    }
    assert_eq!(check(b"ID3 and no more", &sound, 1000), Err(Refused::Unsupported(Kind::Audio)));
    assert_eq!(refused.to_string(), "must be 1 to 300 s long");
    assert_eq!(refused.code(), "unsupported_length");
    let film = include_bytes!("../../../../tests/providers/media/film.mp4");
    let video = |seconds| Expected { kind: Kind::Video, seconds: Some(seconds) };
    assert!(check(film, &video(0.5..=1.5), 1_000_000).is_ok());
    let refused = check(film, &video(3.0..=30.0), 1_000_000).unwrap_err();
    let message = (refused.code(), refused.to_string());
    assert_eq!(message, ("unsupported_media", "must be 3 to 30 s long".to_owned()));
}

#[test]
fn sources_have_a_stable_stored_form() {
    let sources = [Source::Url("https://a.test/".into()), Source::Stored("ab/cd".into())];
    let text = r#"[{"url":"https://a.test/"},{"stored":"ab/cd"}]"#;
    assert_eq!(serde_json::to_string(&sources).unwrap(), text);
    assert_eq!(serde_json::from_str::<[Source; 2]>(text).unwrap(), sources);
}

proptest! {
    #[test]
    fn no_text_panics(text in "(data:)?\\PC*", url_only: bool) {
        let _ = parse(&text, Kind::Image, url_only);
    }

    #[test]
    fn decoding_inverts_encoding(bytes in proptest::collection::vec(any::<u8>(), 1..200), prefix: bool) {
        let prefix = if prefix { "data:image/png;base64," } else { "" };
        let text = format!("{prefix}{}", encode(&bytes));
        prop_assert_eq!(parse(&text, Kind::Image, false), Ok(Parsed::Bytes(bytes.into())));
    }
}
