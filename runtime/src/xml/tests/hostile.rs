//! Documents that are malformed, or made to cost much.

use std::time::{Duration, Instant};

use super::models::{CONTENT, ROOT, SHOP, Shop};
use super::{STRICT, TOLERANT, read};
use crate::codec::{Decode, DecodeError, Kinds, Reader, Shape, one_of};
use crate::table::{Field, Schema, Xml};
use crate::types::Value;

fn error(text: &str) -> String {
    let strict = read::<Shop>(&ROOT, &SHOP, STRICT, text).unwrap_err().to_string();
    if !text.is_empty() && !strict.starts_with("expected the root") {
        assert_eq!(read::<Shop>(&ROOT, &SHOP, TOLERANT, text).unwrap_err().to_string(), strict);
    }
    strict
}

#[test]
fn malformed_documents_are_reported_with_a_position() {
    for (text, expected) in [
        ("", "the document has no element (line 1, column 1)"),
        ("text", "the document has text outside of its element (line 1, column 1)"),
        ("<shop>\n <name>", "the document ends within an element (line 2, column 8)"),
        ("<shop>\n é</name>", "the end tag does not match the start tag (line 2, column 3)"),
        ("<shop/><shop/>", "the document has a second root element (line 1, column 8)"),
        ("<shop/>x", "the document has text outside of its element (line 1, column 8)"),
        ("<shop", "the document ends within a tag, comment or section (line 1, column 1)"),
        ("<shop a/>", "an attribute is not well-formed (line 1, column 1)"),
        ("<shop a=b/>", "an attribute is not well-formed (line 1, column 1)"),
        ("<shop a='<'/>", "`<` in an attribute must be written as `&lt;` (line 1, column 1)"),
        ("<shop a='' a=''/>", "an element has the same attribute twice (line 1, column 1)"),
        (
            "<shop xmlns:p='u' xmlns:q='u' p:a='' q:a=''/>",
            "an element has the same attribute twice (line 1, column 1)",
        ),
        ("<shop xmlns='u' xmlns='v'/>", "an element has the same attribute twice (line 1, column 1)"),
        ("<shop xmlns:p='u' xmlns:p='u'/>", "an element has the same attribute twice (line 1, column 1)"),
        ("<p:shop/>", "the prefix of a name is not declared (line 1, column 1)"),
        ("<1/>", "a name has a character that XML does not allow (line 1, column 1)"),
        ("<a:b:c/>", "a name has a character that XML does not allow (line 1, column 1)"),
        ("<shop>& </shop>", "`&` must be written as `&amp;` (line 1, column 7)"),
        ("<shop>&x;</shop>", "an entity that XML does not define is not allowed (line 1, column 7)"),
        ("<shop a='&x;'/>", "an attribute has an entity that XML does not define (line 1, column 1)"),
        ("<shop>&#0;</shop>", "an entity that XML does not define is not allowed (line 1, column 7)"),
        ("<shop>&#1;</shop>", "the text has a character that XML does not allow (line 1, column 7)"),
        ("<shop>\u{1}</shop>", "the text has a character that XML does not allow (line 1, column 7)"),
        ("<shop a='\u{1}'/>", "an attribute has a character that XML does not allow (line 1, column 1)"),
        ("<!DOCTYPE shop><shop/>", "a document type declaration is not allowed (line 1, column 1)"),
        ("<!DOCTYPE shop [<!ENTITY a 'b'>", "a document type declaration is not allowed (line 1, column 1)"),
        ("<shop/><!-- -- -->", "a comment contains `--` (line 1, column 13)"),
        ("<?xml version='1.0' encoding='latin1'?><shop/>", "the encoding is not UTF-8 (line 1, column 1)"),
        ("<shop/><?xml version='1.0'?>", "the XML declaration is not at the start (line 1, column 8)"),
        (
            "<Shop/>",
            "expected the root element `shop` of the namespace `https://shop.example/`, found `Shop`",
        ),
    ] {
        assert_eq!(error(text), expected, "{text}");
    }
    let empty = read::<Shop>(&ROOT, &SHOP, STRICT, "").unwrap_err();
    assert!(empty.is_syntax());
}

#[test]
fn the_body_must_be_utf_8() {
    let of = |body: &[u8]| match super::Document::parse(body, &ROOT, &SHOP, STRICT) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    };
    assert_eq!(of(b"<shop>\n\xff</shop>"), "the body is not UTF-8 (line 2, column 1)");
    assert_eq!(of(b"\xfe\xff\0<\0s"), "the body is not UTF-8 (line 1, column 1)");
    assert_eq!(of("\u{feff}<shop xmlns='https://shop.example/'/>".as_bytes()), "");
    assert_eq!(CONTENT.media_type, "application/xml");
}

/// Returns the time to refuse a document of this size.
fn time_to_refuse(text: &str, expected: &str) -> Duration {
    let start = Instant::now();
    let error = read::<Shop>(&ROOT, &SHOP, STRICT, text).unwrap_err().to_string();
    assert!(error.starts_with(expected), "{error}");
    start.elapsed()
}

/// The time that a debug build may take for any of these documents, on a machine with other work.
const TIME_LIMIT: Duration = Duration::from_secs(30);

#[test]
fn large_documents_cost_little() {
    const MEBIBYTE: usize = 1024 * 1024;
    let repeat = |text: &str| text.repeat(MEBIBYTE / 2 / text.len());
    let attributes: String = (0..10 * MEBIBYTE / 12).map(|number| format!(" a{number:07}=''")).collect();
    let declarations: String = (0..300).map(|number| format!(" xmlns:a{number}='u'")).collect();
    let entities = "<!DOCTYPE a [<!ENTITY a0 'x'>".to_owned()
        + &(1..40)
            .map(|it| format!("<!ENTITY a{it} '{}'>", format!("&a{};", it - 1).repeat(10)))
            .collect::<String>()
        + "]><shop>&a39;</shop>";
    for (text, expected) in [
        (format!("<shop{attributes}/>"), "an element has more than 256 attributes"),
        (format!("<shop{declarations}/>"), "an element has more than 256 attributes"),
        (repeat("<a>"), "nested too deeply"),
        (entities, "a document type declaration is not allowed"),
        (format!("<shop>{}", repeat("<a/>")), "the document ends within an element"),
        (format!("<shop>{}", repeat("&lt;")), "the document ends within an element"),
        (format!("<shop>{}", repeat("<![CDATA[]]>")), "the document ends within an element"),
        (format!("<shop>{}", repeat("<!---->")), "the document ends within an element"),
        (
            format!("<shop xmlns='https://shop.example/' id='1'>{}</shop>", repeat("<name/>")),
            "the field `name`",
        ),
        (
            format!("<shop xmlns='https://shop.example/' id='1'>{}</shop>", repeat("<a b=''>c</a>")),
            "the field `name`",
        ),
    ] {
        let time = time_to_refuse(&text, expected);
        assert!(time < TIME_LIMIT, "{expected}: {time:?}");
    }
}

#[test]
fn namespaces_are_bounded() {
    let open: String = (0..100)
        .map(|it| format!("<a xmlns:a{it}='u{it}' xmlns:b{it}='v{it}' xmlns:c{it}='w{it}'>"))
        .collect();
    time_to_refuse(&format!("<shop>{open}"), "more than 256 namespaces apply to an element");
}

/// A union of itself, which reads each value again for each variant.
#[derive(Debug, PartialEq)]
enum Deep {
    Left(Box<Node>),
    Right(Box<Node>),
}

#[derive(Debug, PartialEq)]
struct Node {
    next: Option<Deep>,
    end: i64,
}

crate::object! {
    Node;
    [next],
    end,
}

crate::union! {
    Deep;
    Left => Shape::new("left", Kinds::OBJECT),
    Right => Shape::new("right", Kinds::OBJECT),
}

static NODE: Schema =
    Schema::object(&[Field::optional("next", &DEEP), Field::required("end", &Schema::INTEGER)]);
static NEXT: Xml = Xml::element("next");
static LETTER: Xml = Xml::element("a");
static DEEP: Schema = Schema::union(Deep::SHAPE, &[&NODE, &NODE]);

#[test]
fn ambiguous_unions_are_refused() {
    let text = format!("{}{}", "<next>".repeat(100), "</next>".repeat(100));
    let start = Instant::now();
    let error = read::<Deep>(&NEXT, &DEEP, STRICT, &text).unwrap_err();
    assert_eq!(error.to_string().rsplit(": ").next(), Some("nested too deeply"));
    assert!(start.elapsed() < TIME_LIMIT);
}

#[test]
fn unions_of_shared_variants_cost_little() {
    let mut schema: &'static Schema = &NODE;
    for _ in 0..30 {
        let variants: &'static [&'static Schema; 2] = Box::leak(Box::new([schema; 2]));
        schema = Box::leak(Box::new(Schema::union(Deep::SHAPE, variants)));
    }
    let start = Instant::now();
    let node = read::<Node>(&NEXT, schema, STRICT, "<next><end>1</end></next>");
    assert_eq!(node.ok(), Some(Node { next: None, end: 1 }));
    assert!(start.elapsed() < TIME_LIMIT);
}

#[test]
fn rereading_on_every_level_ends() {
    /// Reads everything twice, on every level.
    fn read_twice(reader: &mut dyn Reader) -> Result<Value, DecodeError> {
        one_of(reader, &crate::codec::UnionShape::new("x", SHAPES), &[Value::decode, read_twice], None)
    }
    static SHAPES: &[Shape] = &[Shape::new("a", Kinds::OBJECT), Shape::new("b", Kinds::OBJECT)];
    let document = super::Document::parse(b"<a><b/></a>", &Xml::NONE, &Schema::ANY, TOLERANT);
    assert!(document.is_err());
    let document = super::Document::parse(b"<a><b/></a>", &LETTER, &Schema::ANY, STRICT).ok().unwrap();
    document.read(0, &mut |reader| read_twice(reader).map(drop)).unwrap();
}
