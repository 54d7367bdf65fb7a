//! Tests of forms, multipart bodies, text and bytes in both directions.

use super::*;
use crate::parameters::encode_content;
use crate::table::{Content, Encoding};
use crate::types::{Bytes, File};

pub fn content(
    format: ContentFormat,
    schema: &'static Schema,
    encodings: &'static [Encoding],
) -> &'static Content {
    let media_type = match format {
        ContentFormat::Json => "application/json",
        ContentFormat::Form => "application/x-www-form-urlencoded",
        ContentFormat::Multipart => "multipart/form-data",
        ContentFormat::Text => "text/plain",
        ContentFormat::Parts | ContentFormat::PartStream => "multipart/mixed",
        #[cfg(feature = "xml")]
        ContentFormat::Xml(_) => "application/xml",
        ContentFormat::Bytes | ContentFormat::Items(_) => "image/*",
    };
    Box::leak(Box::new(Content::new(media_type, format, schema).encodings(encodings)))
}

pub fn read_bytes<T: Decode>(
    content: &'static Content,
    content_type: &str,
    body: &[u8],
) -> Result<T, BodyError> {
    let mut headers = HeaderMap::new();
    if let Ok(value) = content_type.parse() {
        headers.insert("content-type", value);
    }
    let mut value = None;
    read_body(content, 0, &headers, (&Bytes::copy_from_slice(body)).into(), &mut |reader| {
        value = Some(T::decode(reader)?);
        Ok(())
    })?;
    Ok(value.expect("it was read"))
}

/// Writes a body and reads it again.
pub fn body_and_back<T: Encode + Decode>(content: &'static Content, value: &T) -> (String, T) {
    let body = encode_content(content, value);
    let bytes = body.bytes.held().unwrap();
    let back = read_bytes(content, &body.content_type, &bytes).unwrap();
    (String::from_utf8_lossy(&bytes).into_owned(), back)
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Upload {
    pub title: String,
    pub color: Option<Color>,
    pub tags: Vec<String>,
    pub file: Option<File>,
    pub more: Vec<File>,
}

impl Decode for Upload {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let (mut title, mut color, mut tags, mut file, mut more) = (None, None, None, None, None);
        reader.object(
            &["title", "color", "tags", "file", "more"],
            &mut [&mut title, &mut color, &mut tags, &mut file, &mut more],
            crate::codec::AdditionalProperties::Closed,
        )?;
        Ok(Self {
            title: title.ok_or_else(|| DecodeError::missing("title"))?,
            color,
            tags: tags.unwrap_or_default(),
            file,
            more: more.unwrap_or_default(),
        })
    }
}

impl Encode for Upload {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(
            &[
                ("title", &self.title),
                ("color", &self.color),
                ("tags", &self.tags),
                ("file", &self.file),
                ("more", &self.more),
            ],
            None,
        );
    }
}

pub static UPLOAD: Schema = Schema::new(Type::Object(Object::new(&[
    field("title", &STRING),
    field("color", &COLOR),
    field("tags", &STRINGS),
    field("file", &BINARY),
    field("more", &FILES),
])));

#[test]
fn styles_in_multipart_bodies() {
    static STYLES: [Encoding; 2] = [
        Encoding::new("color").style(Style::DeepObject),
        Encoding::new("tags").style(Style::SpaceDelimited).explode(false),
    ];
    let upload = Upload {
        title: "a".into(),
        color: Some(WHITE),
        tags: vec!["x+y".into(), "50%".into()],
        ..Upload::default()
    };
    let (text, back) = body_and_back(content(ContentFormat::Multipart, &UPLOAD, &STYLES), &upload);
    assert!(text.contains("name=\"color[G]\"\r\n\r\n200\r\n"), "{text}");
    assert!(text.contains("name=\"tags\"\r\n\r\nx+y 50%\r\n"), "{text}");
    assert_eq!(back, upload);
}

/// Multipart bodies are not percent-encoded, so an item with a delimiter would become two.
#[test]
fn a_delimiter_within_an_item_cannot_be_written() {
    static SPACES: [Encoding; 1] = [Encoding::new("tags").style(Style::SpaceDelimited).explode(false)];
    static COMMAS: [Encoding; 1] = [Encoding::new("tags").style(Style::Form).explode(false)];
    static PARTS: [Encoding; 1] = [Encoding::new("tags").style(Style::Form)];
    let unwritable = |format, encodings, tag: &str| {
        let upload = Upload { title: "a b,c".into(), tags: vec![tag.into()], ..Upload::default() };
        encode_content(content(format, &UPLOAD, encodings), &upload).unwritable
    };
    assert_eq!(unwritable(ContentFormat::Multipart, &SPACES, "a b"), Some("tags"));
    assert_eq!(unwritable(ContentFormat::Multipart, &COMMAS, "a,b"), Some("tags"));
    for (format, encodings, tag) in [
        (ContentFormat::Multipart, &SPACES, "a,b"),
        (ContentFormat::Multipart, &COMMAS, "a b"),
        (ContentFormat::Multipart, &PARTS, "a, b"),
        (ContentFormat::Form, &SPACES, "a b"),
    ] {
        assert_eq!(unwritable(format, encodings, tag), None, "{tag}");
    }
}

/// A null in a map has a name, so it is not absent.
#[test]
fn nulls_of_maps_are_written() {
    let map = Map::from([("a".to_owned(), None), ("b".to_owned(), Some(1_i64))]);
    static NUMBER: Schema = Schema { nullable: true, ..Schema::new(Type::Integer(Integer::ANY)) };
    static NUMBERS: Schema = Schema::map(&NUMBER);
    let written = |format| encode_content(content(format, &NUMBERS, &[]), &map).bytes.held().unwrap();
    assert_eq!(written(ContentFormat::Form), "a=&b=1");
    let parts = String::from_utf8(written(ContentFormat::Multipart).to_vec()).unwrap();
    assert!(parts.contains("name=\"a\"\r\n\r\n\r\n"), "{parts}");
}

#[test]
fn forms_both_ways() {
    let upload = Upload {
        title: "a b&c".into(),
        color: Some(WHITE),
        tags: vec!["x".into(), "".into()],
        ..Upload::default()
    };
    let plain = content(ContentFormat::Form, &UPLOAD, &[]);
    let (text, back) = body_and_back(plain, &upload);
    assert_eq!(
        text,
        "title=a%20b%26c&color=%7B%22R%22%3A100%2C%22G%22%3A200%2C%22B%22%3A150%7D&tags=x&tags="
    );
    assert_eq!(back, upload);
    static STYLES: [Encoding; 2] = [
        Encoding::new("color").style(Style::DeepObject),
        Encoding::new("tags").style(Style::PipeDelimited).explode(false),
    ];
    let deep = content(ContentFormat::Form, &UPLOAD, &STYLES);
    let (text, back) = body_and_back(deep, &upload);
    assert_eq!(text, "title=a%20b%26c&color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150&tags=x%7C");
    assert_eq!(back, upload);
    for body in [
        "title=a&title=b",
        "title=%FF",
        "",
        "title=a&unknown=1",
        "title=a&color=x",
        "title=a&color={}x",
        "t%FF=1&title=a",
    ] {
        assert!(read_bytes::<Upload>(plain, "", body.as_bytes()).is_err(), "{body}");
    }
}

#[test]
fn multipart_both_ways() {
    let file = |name: &str, data: &[u8]| File::new(name, data.to_vec()).with_content_type("image/png");
    let upload = Upload {
        title: "é\r\n--x".into(),
        color: Some(WHITE),
        tags: vec!["x".into(), "".into()],
        file: Some(file("a \"b\"\\.png", b"\x00\xff\r\n--\r\n")),
        more: vec![file("é", b""), file("", b"{}")],
    };
    let content = content(ContentFormat::Multipart, &UPLOAD, &[]);
    assert_eq!(body_and_back(content, &upload).1, upload);
    let one =
        Upload { more: vec![file("f.json", b"[1]").with_content_type("application/json")], ..upload.clone() };
    assert_eq!(body_and_back(content, &one).1, one, "a file is never read as JSON, whatever its media type");
    let read = |body: &str| read_bytes::<Upload>(content, "multipart/form-data; boundary=X", body.as_bytes());
    let part = |headers: &str, data: &str| {
        format!("--X\r\nContent-Disposition: form-data; {headers}\r\n\r\n{data}\r\n")
    };
    let title = part("name=\"title\"", "t");
    assert_eq!(read(&format!("{title}--X--")).unwrap().title, "t");
    let tags = part("name=\"tags\"\r\nContent-Type: application/json", "[\"a\",\"b\"]");
    assert_eq!(read(&format!("{title}{tags}--X--")).unwrap().tags, ["a", "b"]);
    assert!(matches!(read(&title), Err(BodyError::Malformed(_))), "no last boundary");
    for extra in [
        title.clone(),
        part("name=\"unknown\"", ""),
        part("name=\"color\"", "{"),
        part("name=\"color\"", "{}x"),
    ] {
        assert!(matches!(read(&format!("{title}{extra}--X--")), Err(BodyError::Value(_))), "{extra}");
    }
}

#[test]
fn files_have_documented_media_types() {
    static TYPES: [Encoding; 2] = [
        Encoding::new("file").content_type("image/png, audio/*"),
        Encoding::new("title").content_type("text/csv"),
    ];
    let content = content(ContentFormat::Multipart, &UPLOAD, &TYPES);
    let read = |part: &str, media_type: &str| {
        let header =
            if media_type.is_empty() { String::new() } else { format!("Content-Type: {media_type}\r\n") };
        let title = "--X\r\nContent-Disposition: form-data; name=title\r\n\r\nt\r\n";
        let part = format!("--X\r\nContent-Disposition: form-data; name={part}\r\n{header}\r\nt\r\n");
        let title = if part.contains("name=title") { "" } else { title };
        let body = format!("{title}{part}--X--");
        read_bytes::<Upload>(content, "multipart/form-data; boundary=X", body.as_bytes())
    };
    for accepted in ["", "image/png", "IMAGE/PNG; q=1", "audio/mpeg", "application/octet-stream"] {
        assert!(read("file", accepted).is_ok(), "{accepted}");
    }
    for refused in ["image/jpeg", "text/html", "image"] {
        let error = read("file", refused).unwrap_err();
        assert!(matches!(error, BodyError::PartType(row) if row.property == "file"), "{refused}");
    }
    assert!(read("title", "text/plain").is_ok(), "only files are checked");
    assert!(read("more", "text/html").is_ok(), "the document lists no media types");
}

#[test]
fn text_and_bytes_both_ways() {
    let text = "é\0".to_owned();
    assert_eq!(body_and_back(content(ContentFormat::Text, &STRING, &[]), &text).1, text);
    let bytes = Bytes::from_static(b"\xff\x00");
    let binary = content(ContentFormat::Bytes, &BINARY, &[]);
    assert_eq!(body_and_back(binary, &bytes).1, bytes);
    assert_eq!(encode_content(binary, &bytes).content_type, "application/octet-stream");
    assert!(read_bytes::<String>(content(ContentFormat::Text, &STRING, &[]), "", b"\xff").is_err());
}

#[test]
fn a_type_is_sent_for_a_range() {
    for (range, format, expected) in [
        ("application/*+json", ContentFormat::Json, "application/json"),
        ("*/*", ContentFormat::Json, "application/json"),
        ("text/*", ContentFormat::Text, "text/plain"),
        ("image/*", ContentFormat::Bytes, "application/octet-stream"),
        ("application/vnd.a+json", ContentFormat::Json, "application/vnd.a+json"),
    ] {
        let content = Box::leak(Box::new(Content::new(range, format, &STRING)));
        assert_eq!(encode_content(content, &"a".to_owned()).content_type, expected, "{range}");
    }
}
