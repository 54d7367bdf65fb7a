//! Tests of parts with headers, parts without names, and parts with parts.

use super::bodies::{body_and_back, content};
use super::*;
use crate::parameters::encode_content;
use crate::parameters::read::body::read_multipart;
use crate::table::{Content, Encoding};
use crate::text::ReadMode;
use crate::types::{Bytes, File, Timestamp};

/// An object of one header and a content.
#[derive(Debug, Clone, PartialEq)]
struct Noted {
    note: Option<String>,
    content: File,
}

impl Decode for Noted {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let (mut note, mut content) = (None, None);
        reader.object(
            &["x-note", "content"],
            &mut [&mut note, &mut content],
            crate::codec::AdditionalProperties::Closed,
        )?;
        Ok(Self { note, content: content.ok_or_else(|| DecodeError::missing("content"))? })
    }
}

impl Encode for Noted {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(&[("x-note", &self.note), ("content", &self.content)], None);
    }
}

fn noted(note: &str) -> Noted {
    Noted { note: Some(note.to_owned()), content: File::new("f", vec![0xff]).with_content_type("image/png") }
}

static NOTED: Schema =
    Schema::new(Type::Object(Object::new(&[field("x-note", &STRING), field("content", &BINARY)])));
static NOTES: [Encoding; 1] = [Encoding::new("a").headers(&[Header::new("x-note", &STRING)])];

#[test]
fn parts_have_headers() {
    static FORM: Schema = Schema::map(&NOTED);
    let form = content(ContentFormat::Multipart, &FORM, &NOTES);
    // A header whose value looks like another header is not that header.
    for note in ["", "é", "content-disposition: form-data; name=b"] {
        let value = Map::from([("a".to_owned(), noted(note))]);
        assert_eq!(body_and_back(form, &value).1, value, "{note}");
    }
    let value = Map::from([("a".to_owned(), noted("x\r\ncontent-disposition: form-data"))]);
    assert_eq!(encode_content(form, &value).unwritable, Some("x-note"));
}

#[test]
fn parts_without_names_have_positions() {
    static LIST: Schema = array(&NOTED);
    static ITEM: Encoding =
        Encoding::part().content_type("image/*").headers(&[Header::new("x-note", &STRING)]);
    static LISTED: Content = Content::new("multipart/*", ContentFormat::Parts, &LIST).item_encoding(&ITEM);
    let value = vec![noted("a"), Noted { note: None, ..noted("") }];
    let (text, back) = body_and_back(&LISTED, &value);
    assert_eq!(back, value);
    assert!(text.contains("Content-Disposition: attachment; filename=\"f\"\r\n"), "{text}");
    assert!(encode_content(&LISTED, &value).content_type.starts_with("multipart/mixed; boundary="));
    assert_eq!(body_and_back(&LISTED, &Vec::<Noted>::new()).1, []);
}

#[test]
fn a_part_may_be_a_multipart_body() {
    static LISTS: Schema = array(&FILES);
    static ITEM: Encoding = Encoding::part().content_type("multipart/mixed");
    static NESTED: Content =
        Content::new("multipart/mixed", ContentFormat::Parts, &LISTS).item_encoding(&ITEM);
    let file = |data: &'static [u8]| File::new("f", Bytes::from_static(data)).with_content_type("a/b");
    let value = vec![vec![file(b"\r\n--boundary-"), file(b"")], Vec::new()];
    assert_eq!(body_and_back(&NESTED, &value).1, value);
}

/// A constraint may depend on fields of JSON that the model does not have.
#[test]
fn skipped_fields_are_known() {
    struct Loose(bool);
    impl Decode for Loose {
        fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
            reader.object(&[], &mut [], crate::codec::AdditionalProperties::Ignore)?;
            Ok(Self(true))
        }
    }
    static LIST: Schema = array(&COLOR);
    static FORM: Schema = Schema::map(&LIST);
    static PARTS: Content = Content::new("multipart/mixed", ContentFormat::Parts, &LIST);
    let form = content(ContentFormat::Multipart, &FORM, &[]);
    let part = "--X\r\ncontent-disposition: form-data; name=a\r\n\r\n{}\r\n";
    let skipping = part.replace("{}", "{\"R\":1}");
    for (content, parts, expected) in [
        (form, [part, part], false),
        (form, [part, &skipping], true),
        (&PARTS, [part, part], false),
        (&PARTS, [&skipping, part], true),
    ] {
        let body = Bytes::from(parts.concat() + "--X--");
        let mut headers = HeaderMap::new();
        headers.insert("content-type", HeaderValue::from_static("multipart/mixed; boundary=X"));
        let mut has_skipped = None;
        let read = read_body(content, 0, &headers, (&body).into(), &mut |reader| {
            if content.format == ContentFormat::Parts {
                assert!(Vec::<Loose>::decode(reader)?.iter().all(|item| item.0));
            } else {
                Map::<Vec<Loose>>::decode(reader)?;
            }
            has_skipped = Some(reader.has_skipped());
            Ok(())
        });
        assert!(read.is_ok(), "{read:?}");
        assert_eq!(has_skipped, Some(expected), "{parts:?}");
    }
}

/// A newer server may send more parts, and a date-time may lack its offset.
#[test]
fn undocumented_parts_are_skipped() {
    struct Dated(Option<Timestamp>);
    impl Decode for Dated {
        fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
            let mut at = None;
            let rest = match reader.is_tolerant() {
                true => crate::codec::AdditionalProperties::Closed,
                false => crate::codec::AdditionalProperties::Ignore,
            };
            reader.object(&["at"], &mut [&mut at], rest)?;
            Ok(Self(at))
        }
    }
    static DATED: Schema = Schema::new(Type::Object(Object::new(&[field("at", &STRING)])));
    let form = content(ContentFormat::Multipart, &DATED, &[]);
    let part = |name: &str, headers: &str, data: &str| {
        format!("--X\r\ncontent-disposition: form-data; name={name}\r\n{headers}\r\n{data}\r\n")
    };
    for (mode, at) in [
        (ReadMode { is_tolerant: true, assumes_utc: true }, "2024-02-29T12:00:00"),
        (ReadMode::STRICT, "2024-02-29T12:00:00Z"),
    ] {
        let others = part("x", "", "1") + &part("y", "content-type: application/json\r\n", "{\"a\":1}");
        let body = Bytes::from(part("at", "", at) + &others + "--X--");
        let mut dated = None;
        let read = read_multipart(form, "multipart/form-data; boundary=X", &body, mode, 0, &mut |reader| {
            dated = Dated::decode(reader)?.0;
            Ok(())
        });
        assert!(read.is_ok(), "{read:?}");
        assert_eq!(dated, "2024-02-29T12:00:00Z".parse().ok());
    }
}
