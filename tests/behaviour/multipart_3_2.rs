//! Multipart bodies of OpenAPI 3.2 in both directions: parts by position, streamed parts, headers of parts.

use std::sync::Arc;

use fixture_openapi_3_2_multipart_client::{Client, Error, models};
use fixture_openapi_3_2_multipart_server::{
    Server,
    albums::AlbumsApi,
    forms::FormsApi,
    pages::PagesApi,
    pictures::PicturesApi,
    runtime::{Context, Failure},
};
use futures_util::{StreamExt, stream};
use models::{
    albums::{AddAlbumInput, AddNestedBodyItem2Item2Part, AddNestedInput},
    common::{About, JudgeHeader},
    forms::{
        SendFormBody, SendFormBodyDetailsPart, SendFormBodyInner, SendFormBodyNotePart,
        SendFormBodyPicturePart, SendFormBodyScoresPart, SendFormInput, SendFormOutput,
        SendOrderedBodyItem1Part, SendOrderedInput,
    },
    pages::{SendPagesBodyItemPart, SendPagesInput},
    pictures::{SendPicturesBodyItemPart, SendPicturesInput},
    types::{File, ItemStream, NoError, StreamError},
};
use tokio::sync::mpsc;

use crate::serving;

struct Parts;

impl AlbumsApi for Parts {
    async fn add_album(
        &self,
        _: Context<()>,
        input: AddAlbumInput,
    ) -> Result<(About, File), Failure<NoError>> {
        let (mut about, picture) = input.body;
        about.size = i64::try_from(picture.data.len()).ok();
        Ok((about, picture))
    }

    async fn add_nested(&self, _: Context<()>, input: AddNestedInput) -> Result<String, Failure<NoError>> {
        let (words, (about, text, picture)) = input.body;
        Ok(format!(
            "{words:?} {} {}: {} {:?} {}",
            about.author,
            text.content_language,
            text.content,
            picture.content_type,
            picture.data.len()
        ))
    }
}

impl PicturesApi for Parts {
    async fn send_pictures(
        &self,
        _: Context<()>,
        input: SendPicturesInput,
    ) -> Result<ItemStream<About>, Failure<NoError>> {
        Ok(ItemStream::new(input.body.map(|picture| {
            picture.map(|picture| {
                let mut about = About::new(picture.content.content_type.unwrap_or_default());
                about.size = i64::try_from(picture.content.data.len()).ok();
                about
            })
        })))
    }
}

impl PagesApi for Parts {
    async fn send_pages(
        &self,
        _: Context<()>,
        input: SendPagesInput,
    ) -> Result<Vec<String>, Failure<NoError>> {
        let text = |page: SendPagesBodyItemPart| {
            format!(
                "{} {} {:?} {}",
                page.content_location, page.content_type, page.header_content, page.content
            )
        };
        Ok(input.body.into_iter().map(text).collect())
    }
}

impl FormsApi for Parts {
    async fn send_form(
        &self,
        _: Context<()>,
        input: SendFormInput,
    ) -> Result<SendFormOutput, Failure<NoError>> {
        let SendFormBody { picture, note, details, scores, bundle, inner, .. } = input.body;
        let inner = inner.map(|inner| (inner.word, inner.data.map(|data| data.data.len())));
        let scores = scores.unwrap_or_default();
        let judges: Vec<_> = scores.iter().map(|score| (score.x_judge, score.content)).collect();
        let details = details.map(|details| (details.x_origin.author, details.content.author));
        let text = format!(
            "{:?} {} {}: {:?} {details:?} {judges:?} {bundle:?} {inner:?}",
            picture.x_rate_limit, note.content_type, note.content, picture.content.content_type
        );
        let mut output = SendFormOutput::new(scores.iter().map(|score| score.content).sum());
        output.picture = Some(File::new("p.txt", text).with_content_type("text/plain"));
        Ok(output)
    }

    async fn send_ordered(&self, _: Context<()>, input: SendOrderedInput) -> Result<(), Failure<NoError>> {
        let (word,) = input.body;
        if word.content == "word" { Ok(()) } else { Err(Failure::internal(word.content)) }
    }
}

async fn start() -> (Client, String) {
    let parts = Arc::new(Parts);
    let server = Server::builder().albums(Arc::clone(&parts)).pictures(Arc::clone(&parts));
    let service = server.pages(Arc::clone(&parts)).forms(parts).build().expect("a service");
    let url = serving::start(service).await;
    (Client::builder().base_url(&url).build().expect("a client"), url)
}

const MIXED: &str = "multipart/mixed; boundary=X";

/// Returns a body with these parts, each as headers and content.
fn body(parts: &[(&str, &str)]) -> String {
    let part = |(headers, content): &(&str, &str)| {
        let headers = if headers.is_empty() { String::new() } else { format!("{headers}\r\n") };
        format!("--X\r\n{headers}\r\n{content}\r\n")
    };
    parts.iter().map(part).collect::<String>() + "--X--\r\n"
}

/// Posts these parts, and checks the status of the response and a part of its text.
async fn assert_response(url: &str, path: &str, parts: &[(&str, &str)], (status, text): (u16, &str)) {
    let response = serving::post(url, path, MIXED, &body(parts)).await;
    let is_right = response.starts_with(&format!("HTTP/1.1 {status}")) && response.contains(text);
    assert!(is_right, "{path} {parts:?}: {response}");
}

#[tokio::test]
async fn a_tuple_has_a_part_for_each_item() {
    let (client, url) = start().await;
    let picture =
        File::new("a \"b\".png", vec![0xff, b'\r', b'\n', b'-', b'-']).with_content_type("image/png");
    let (about, back) = client.add_album((About::new("Ada"), picture.clone())).await.expect("an album");
    assert_eq!((about.author.as_str(), about.size), ("Ada", Some(5)));
    assert_eq!(back, picture, "also its name");

    let about = ("Content-Type: application/json", "{\"author\":\"Ada\"}");
    let picture = ("content-type: image/gif", "GIF");
    for (parts, expected) in [
        (&[about, picture][..], (200, "image/gif")),
        // Without a media type, the default of the schema applies.
        (&[("", about.1), ("", "{\"author\":1}")], (200, "\"size\":12")),
        (&[about], (400, "\"name\":\"body\"")),
        (&[about, picture, picture], (400, "\"name\":\"body\"")),
        (&[], (400, "\"name\":\"body\"")),
        (&[("", "{\"author\":\"Adam Adamson\",\"x\":1}"), picture], (400, "[0].x")),
        (&[("", "{\"author\":\"Adam Adamson\"}"), picture], (400, "[0].author")),
        (&[("", "{\"author\":"), picture], (400, "[0]")),
        (&[("no header", "{}"), picture], (400, "a part's headers are malformed")),
    ] {
        assert_response(&url, "/albums", parts, expected).await;
    }
    for (content_type, body, status) in [
        ("multipart/mixed", body(&[about, picture]), 400),
        ("multipart/form-data; boundary=X", body(&[about, picture]), 415),
        (MIXED, body(&[about, picture]).replace("--X--", "--X"), 400),
        (MIXED, body(&[picture; 1025]), 400),
    ] {
        let response = serving::post(&url, "/albums", content_type, &body).await;
        assert!(response.starts_with(&format!("HTTP/1.1 {status}")), "{content_type}: {response}");
    }
}

#[tokio::test]
async fn a_part_may_have_parts() {
    let (client, url) = start().await;
    let text = AddNestedBodyItem2Item2Part::new("en", "--boundary");
    let inner = (About::new("Ada"), text, File::from(vec![1, 2]));
    let seen = client.add_nested((vec!["a".to_owned(), "b".to_owned()], inner)).await.expect("a response");
    assert_eq!(seen, "[\"a\", \"b\"] Ada en: --boundary Some(\"image/png\") 2");

    let words = ("", "[\"a\"]");
    let nested = |language: &str, text: &str| {
        format!(
            "--Y\r\n\r\n{{\"author\":\"Ada\"}}\r\n--Y\r\n{language}\r\n{text}\r\n--Y\r\ncontent-type: image/png\r\n\r\n\r\n--Y--"
        )
    };
    let kind = "content-type: multipart/mixed; boundary=Y";
    for (headers, content, expected) in [
        (kind, nested("content-language: de\r\n", "kurz"), (200, "Ada de: kurz")),
        (kind, nested("", "kurz"), (400, "[1][1].content-language")),
        (kind, nested("content-language: de\r\n", "longer than ten"), (400, "[1][1].content")),
        (kind, nested("content-language: de\r\n", "").replace("--Y--", ""), (400, "\"name\":\"[1]\"")),
        ("", nested("content-language: de\r\n", "kurz"), (400, "\"name\":\"[1]\"")),
    ] {
        assert_response(&url, "/albums/nested", &[words, (headers, &content)], expected).await;
    }
}

/// Each response arrives before the next picture is sent.
#[tokio::test]
async fn parts_are_decoded_while_others_are_not_sent_yet() {
    let (client, _) = start().await;
    let (sender, receiver) = mpsc::channel::<SendPicturesBodyItemPart>(1);
    let pictures = stream::unfold(receiver, |mut receiver| async {
        receiver.recv().await.map(|picture| (Ok::<_, StreamError>(picture), receiver))
    });
    let picture = |size: usize| {
        let content = File::from(vec![b'\n'; size]).with_content_type("image/png");
        SendPicturesBodyItemPart::new(1, content).with_x_tags(vec!["a".to_owned(), "b c".to_owned()])
    };
    sender.send(picture(3)).await.expect("somebody listens");
    let mut seen = client.send_pictures(ItemStream::new(pictures)).await.expect("a response");
    for size in [3_i64, 0, 70_000] {
        let about = seen.next().await.expect("a part").expect("a valid part");
        assert_eq!((about.author.as_str(), about.size), ("image/png", Some(size)));
        if size < 70_000 {
            sender.send(picture(if size == 3 { 0 } else { 70_000 })).await.expect("somebody listens");
        }
    }
    drop(sender);
    assert!(seen.next().await.is_none());
    let nothing = client.send_pictures(ItemStream::from(Vec::new())).await.expect("a response");
    assert_eq!(nothing.count().await, 0);
    send(&client, vec![1, 2]).await.expect("the page's example works");
}

async fn send(client: &Client, picture: Vec<u8>) -> Result<(), Error<NoError>> {
    // BEGIN docs/streams.md
    let file = File::from(picture).with_content_type("image/png");
    let parts = ItemStream::from(vec![SendPicturesBodyItemPart::new(1, file)]); // the first argument is `X-Rank`
    let mut seen = client.send_pictures(parts).await?;
    // END docs/streams.md
    assert!(seen.next().await.is_some_and(|about| about.is_ok_and(|about| about.size == Some(2))));
    Ok(())
}

#[tokio::test]
async fn each_part_of_a_stream_is_validated() {
    let (client, url) = start().await;
    let picture = |rank, size| SendPicturesBodyItemPart::new(rank, File::from(vec![b'x'; size]));
    for (pictures, is_whole) in [
        (vec![picture(1, 1), picture(2, 2)], true),
        (vec![picture(1, 1), picture(0, 2)], false),
        (vec![picture(1, 60_000), picture(1, 60_000)], false),
    ] {
        let seen = client.send_pictures(ItemStream::from(pictures)).await.expect("a response");
        let seen: Vec<_> = seen.collect().await;
        assert_eq!(seen.iter().all(Result::is_ok), is_whole, "{seen:?}");
        assert!(seen.first().is_some_and(Result::is_ok), "{seen:?}");
    }
    // A line break in a header would add headers, so the client sends no such part.
    let tagged = picture(1, 1).with_x_tags(vec!["a\r\nx: y".to_owned()]);
    let is_broken = match client.send_pictures(ItemStream::from(vec![picture(1, 1), tagged])).await {
        Ok(seen) => seen.collect::<Vec<_>>().await.iter().any(Result::is_err),
        Err(_) => true,
    };
    assert!(is_broken, "the request is broken off");

    let first = "--X\r\nx-rank: 1\r\n\r\nabc\r\n--X";
    for (second, is_whole) in [
        ("\r\nx-rank: 2\r\nx-tags: a, b\r\n\r\nabc\r\n--X--\r\n", true),
        ("--", true),
        ("\r\nx-rank: 0\r\n\r\nabc\r\n--X--\r\n", false),
        ("\r\n\r\nabc\r\n--X--\r\n", false),
        ("\r\nx-rank: 2\r\nx-tags: a,b,c\r\n\r\nabc\r\n--X--\r\n", false),
        ("\r\nx-rank: 2\r\nx-rank: 3\r\n\r\nabc\r\n--X--\r\n", false),
        ("\r\nx-rank: 2\r\n\r\nabc\r\n", false),
        ("nonsense", false),
    ] {
        let response = serving::post_pieces(&url, "/pictures", MIXED, [first, second]).await;
        let has_first = response.starts_with("HTTP/1.1 200") && response.contains("\"size\":3");
        assert!(has_first, "{second:?}: {response}");
        assert_eq!(response.ends_with("0\r\n\r\n"), is_whole, "{second:?}: {response}");
    }
    let response = serving::post(&url, "/pictures", "multipart/mixed", first).await;
    assert!(response.starts_with("HTTP/1.1 400") && response.contains("no valid boundary"), "{response}");
}

#[tokio::test]
async fn the_caller_chooses_the_media_type() {
    let (client, url) = start().await;
    // BEGIN docs/from-openapi-to-rust.md
    let mut page = SendPagesBodyItemPart::new("http://a.b/", "text/html", "<p>");
    page.header_content = Some(true); // an optional header
    // END docs/from-openapi-to-rust.md
    let style = SendPagesBodyItemPart::new("http://a.b/c", "text/css", "p {}");
    let seen = client.send_pages(vec![page.clone(), style.clone()]).await.expect("pages");
    assert_eq!(seen, ["http://a.b/ text/html Some(true) <p>", "http://a.b/c text/css None p {}"]);
    page.content_location = "http://a.b/\r\nx: y".to_owned();
    assert!(client.send_pages(vec![page]).await.is_err(), "a line break would add headers");

    let related = "multipart/related; boundary=X; type=text/html";
    for (headers, expected) in [
        ("content-location: http://a.b/", (200, "http://a.b/ text/plain None 1")),
        ("content-location: http://a.b/\r\ncontent: maybe", (400, "[0].header_content")),
        ("content-location: nowhere", (400, "[0].content-location")),
        ("", (400, "[0].content-location")),
    ] {
        let response = serving::post(&url, "/pages", related, &body(&[(headers, "1")])).await;
        let is_right = response.starts_with(&format!("HTTP/1.1 {}", expected.0)) && response.contains(expected.1);
        assert!(is_right, "{headers}: {response}");
    }
    let response =
        serving::post(&url, "/pages", related, &body(&[("content-location: http://a.b/", "1"); 2])).await;
    let types: Vec<_> = response.lines().filter(|line| line.starts_with("Content-Type: ")).collect();
    assert_eq!(types, ["Content-Type: text/html", "Content-Type: text/css"], "{response}");
}

#[tokio::test]
async fn parts_of_a_form_have_headers() {
    let (client, url) = start().await;
    let picture = SendFormBodyPicturePart::new(File::from(vec![1]).with_content_type("image/png"));
    let note = SendFormBodyNotePart::new("text/markdown", "*a*");
    let mut form = SendFormBody::new(picture.with_x_rate_limit(9), note);
    form.details = Some(SendFormBodyDetailsPart::new(About::new("A,\"b\""), About::new("Bob")));
    let score = |judge, score| SendFormBodyScoresPart::new(judge, score);
    form.scores = Some(vec![score(JudgeHeader::Ada, 3), score(JudgeHeader::Bob, 4)]);
    let mut inner = SendFormBodyInner::new("word");
    inner.data = Some(File::from(vec![1, 2]));
    form.inner = Some(inner);
    form.bundle = Some(vec![vec!["a".to_owned(), "b".to_owned()], Vec::new()]);
    let output = client.send_form(form).await.expect("a form");
    assert_eq!(output.count, 7);
    let picture = output.picture.expect("a picture");
    assert_eq!(
        (picture.file_name.as_deref(), picture.content_type.as_deref()),
        (Some("p.txt"), Some("text/plain"))
    );
    assert_eq!(
        picture.data,
        "Some(9) text/markdown *a*: Some(\"image/png\") Some((\"A,\\\"b\\\"\", \"Bob\")) [(Ada, 3), (Bob, 4)] \
         Some([[\"a\", \"b\"], []]) Some((\"word\", Some(2)))"
    );

    let named = |name: &str, headers: &str| format!("content-disposition: form-data; name={name}{headers}");
    let (picture, note) = (named("picture", ""), named("note", ""));
    let inner = named("inner", "\r\ncontent-type: multipart/form-data; boundary=Y");
    for (extra, content, (status, text)) in [
        (named("scores", "\r\nx-judge: ada"), "1", (200, "[(Ada, 1)] None")),
        (named("scores", ""), "1", (400, "scores[0].x-judge")),
        (named("scores", "\r\nx-judge: eve"), "1", (400, "scores[0].x-judge")),
        (named("scores", "\r\nx-judge: ada"), "one", (400, "scores[0].content")),
        (
            named("details", "\r\nx-origin: {\"author\":\"A\"}"),
            "{\"author\":\"B\"}",
            (200, "Some((\"A\", \"B\"))"),
        ),
        (
            named("details", "\r\nx-origin: {\"author\":1}"),
            "{\"author\":\"B\"}",
            (400, "details.x-origin.author"),
        ),
        (named("details", "\r\nx-origin: {}"), "{", (400, "details.content")),
        (
            inner.clone(),
            "--Y\r\ncontent-disposition: form-data; name=word\r\n\r\nw\r\n--Y--",
            (200, "((\"w\", None))"),
        ),
        (
            inner.clone(),
            "--Y\r\ncontent-disposition: form-data; name=word\r\n\r\nlonger\r\n--Y--",
            (400, "inner.word"),
        ),
        (inner, "--Y", (400, "\"name\":\"inner\"")),
        (named("other", ""), "", (400, "other")),
    ] {
        let body = body(&[(&picture, "P"), (&note, "n"), (&extra, content)]);
        let response = serving::post(&url, "/forms", "multipart/form-data; boundary=X", &body).await;
        let is_right = response.starts_with(&format!("HTTP/1.1 {status}")) && response.contains(text);
        assert!(is_right, "{extra} {content}: {response}");
    }
    client.send_ordered((SendOrderedBodyItem1Part::new("word"),)).await.expect("a part with its own name");
}
