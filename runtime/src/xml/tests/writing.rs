//! Documents of values.

use serde_json::json;

use super::models::{Item, ROOT, SHOP, Shop, Sides, Size, shop};
use super::{write_xml, written};
use crate::codec::{Encode, Writer};
use crate::table::{Field, Schema, Type, Xml};
use crate::types::{Map, Nullable};

#[test]
fn a_value_has_every_form() {
    let value = Shop {
        rating: Some(4.5),
        name: "A & B".to_owned(),
        is_open: Some(Nullable::Null),
        tags: vec!["x".to_owned(), "y".to_owned()],
        photos: Some(Vec::new()),
        items: Some(vec![
            Item { unit: Some("\"\n".to_owned()), value: "1".to_owned() },
            Item { unit: None, value: String::new() },
        ]),
        size: Some(Size::Box(Sides { width: 1, height: 2 })),
        labels: Some(Map::from([("a".to_owned(), "b".to_owned())])),
        inner: Some(Box::new(Shop { color: Some(3), size: Some(Size::Number(7)), ..shop(2) })),
        pair: Some((1, "\r".to_owned())),
        ..shop(1)
    };
    let expected = "<shop xmlns=\"https://shop.example/\" id=\"1\" xmlns:s=\"https://shop.example/s\" s:rating=\"4.5\">\
        <name>A &amp; B</name>\
        <open xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:nil=\"true\"/>\
        <tags>x</tags><tags>y</tags>\
        <pictures/>\
        <item unit=\"&quot;&#10;\">1</item><item/>\
        <size w=\"1\" h=\"2\"/>\
        <s:labels><a>b</a></s:labels>\
        <inner id=\"2\" color=\"3\"><name/><size>7</size></inner>\
        <pair><one>1</one><two>&#13;</two></pair>\
        </shop>";
    assert_eq!(written(&ROOT, &SHOP, &value).as_deref(), Ok(expected));
}

/// An object of these fields.
struct Fields<'a>(&'a [(&'static str, &'a dyn Encode)]);

impl Encode for Fields<'_> {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(self.0, None);
    }
}

/// Asserts the documents of a single field.
fn assert_field(schema: &'static Schema, cases: &[(&dyn Encode, Result<&str, &str>)]) {
    static THING: Xml = Xml::element("thing");
    let Type::Object(object) = &schema.of else { panic!("the schema is not an object") };
    for (value, expected) in cases {
        let written = written(&THING, schema, &Fields(&[(object.fields[0].name, *value)]));
        let written = written.as_deref().map_err(|name| *name);
        assert_eq!(written, *expected);
    }
}

#[test]
fn text_is_a_section_where_the_document_says_so() {
    static NOTE: Schema = Schema::object(&[Field::optional("note", &Schema::TEXT).xml(&Xml::CDATA)]);
    assert_field(
        &NOTE,
        &[
            (&"a<b>", Ok("<thing><![CDATA[a<b>]]></thing>")),
            (&"]]>", Ok("<thing><![CDATA[]]]]><![CDATA[>]]></thing>")),
            (&"a\rb", Ok("<thing>a&#13;b</thing>")),
            (&"", Ok("<thing/>")),
            (&None::<String>, Ok("<thing/>")),
            (&vec![1_i64], Err("note")),
        ],
    );
}

#[test]
fn values_that_xml_can_not_represent_are_not_sent() {
    static MAP: Schema = Schema::object(&[Field::optional("map", &Schema::map(&Schema::ANY))]);
    let map = |name: &str| Map::from([(name.to_owned(), 1_i64)]);
    assert_field(
        &MAP,
        &[
            (&map("a-1.é"), Ok("<thing><map><a-1.é>1</a-1.é></map></thing>")),
            (&map("a b"), Err("map")),
            (&map("1"), Err("map")),
            (&map(""), Err("map")),
            (&map("a:b"), Err("map")),
            (&map("a><b"), Err("map")),
        ],
    );
    static TEXT: Schema = Schema::object(&[Field::optional("text", &Schema::TEXT)]);
    assert_field(
        &TEXT,
        &[
            (&"\u{1}", Err("text")),
            (&"\u{ffff}", Err("text")),
            (&"\t\n", Ok("<thing><text>\t\n</text></thing>")),
            (
                &f64::NAN,
                Ok(
                    "<thing><text xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:nil=\"true\"/></thing>",
                ),
            ),
        ],
    );
}

#[test]
fn any_value_is_written() {
    static ANY: Schema = Schema::object(&[Field::optional("any", &Schema::ANY)]);
    let null = "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:nil=\"true\"";
    assert_field(
        &ANY,
        &[
            (
                &json!([1, [2, 3], "x"]),
                Ok("<thing><any>1</any><any><any>2</any><any>3</any></any><any>x</any></thing>"),
            ),
            (
                &json!({"a": [true], "b": {"c": 1.5}}),
                Ok("<thing><any><a>true</a><b><c>1.5</c></b></any></thing>"),
            ),
            (&json!(null), Ok(&format!("<thing><any {null}/></thing>"))),
        ],
    );
}

#[test]
fn a_root_without_a_node_is_its_only_field() {
    static BODY: Schema =
        Schema::object(&[Field::optional("Policy", &Schema::TEXT), Field::optional("Other", &Schema::TEXT)]);
    let of = |value: serde_json::Value| written(&Xml::NONE, &BODY, &value);
    assert_eq!(of(json!({"Policy": "x"})).as_deref(), Ok("<Policy>x</Policy>"));
    assert_eq!(write_xml(&Xml::NONE, &BODY, &json!({})).bytes, b"");
    assert_eq!(of(json!({"Policy": "x", "Other": "y"})), Err("body"));
}

#[test]
fn a_namespace_is_declared_where_it_is_needed() {
    static INNER: Schema = Schema::object(&[
        Field::optional("a", &Schema::TEXT).xml(&Xml::element("a").prefix("p").namespace("urn:p")),
        Field::optional("b", &Schema::TEXT).xml(&Xml::element("b").namespace("urn:b")),
        // Without a namespace, a prefix must be declared around the element.
        Field::optional("c", &Schema::TEXT).xml(&Xml::element("c").prefix("p")),
        Field::optional("d", &Schema::TEXT).xml(&Xml::element("d").prefix("q")),
    ]);
    static ROOT: Xml = Xml::element("r").prefix("p").namespace("urn:p");
    let value = Fields(&[("a", &""), ("b", &""), ("c", &""), ("d", &"")]);
    let inner = "<p:a/><b xmlns=\"urn:b\"/><p:c/><d/>";
    let expected = format!("<p:r xmlns:p=\"urn:p\">{inner}</p:r>");
    assert_eq!(written(&ROOT, &INNER, &value), Ok(expected));
}

#[test]
fn a_tag_has_one_namespace_for_a_prefix() {
    static OWN: Xml = Xml::element("r").prefix("x").namespace("urn:a");
    static PLAIN: Xml = Xml::element("r");
    static FIELDS: Schema = Schema::object(&[
        Field::optional("a", &Schema::TEXT).xml(&Xml::attribute("a").prefix("x").namespace("urn:a")),
        Field::optional("b", &Schema::TEXT).xml(&Xml::attribute("b").prefix("x").namespace("urn:b")),
        Field::optional("inner", &FIELDS).xml(&Xml::element("inner").prefix("x").namespace("urn:a")),
        // An element does not have the prefix that only its attributes declare.
        Field::optional("plain", &FIELDS).xml(&Xml::element("plain").prefix("x")),
        // The prefix `xml` is declared everywhere, and has this namespace only.
        Field::optional("lang", &Schema::TEXT).xml(&Xml::attribute("lang").prefix("xml")),
        Field::optional("space", &Schema::TEXT)
            .xml(&Xml::attribute("space").prefix("xml").namespace("urn:a")),
        Field::optional("bad", &Schema::TEXT).xml(&Xml::element("bad").prefix("1").namespace("urn:a")),
    ]);
    let b = Fields(&[("b", &"")]);
    for (root, value, expected) in [
        (&OWN, Fields(&[("a", &"")]), Ok("<x:r xmlns:x=\"urn:a\" x:a=\"\"/>")),
        (&OWN, Fields(&[("b", &"")]), Err("b")),
        (&PLAIN, Fields(&[("b", &"")]), Ok("<r xmlns:x=\"urn:b\" x:b=\"\"/>")),
        (&PLAIN, Fields(&[("a", &""), ("b", &"")]), Err("b")),
        // The outer element declares the prefix, and this one redefines it.
        (&OWN, Fields(&[("inner", &b)]), Err("b")),
        (&PLAIN, Fields(&[("inner", &b)]), Err("b")),
        (
            &PLAIN,
            Fields(&[("plain", &Fields(&[("b", &""), ("plain", &"c")]))]),
            Ok("<r><plain xmlns:x=\"urn:b\" x:b=\"\"><x:plain>c</x:plain></plain></r>"),
        ),
        (&PLAIN, Fields(&[("bad", &"")]), Err("bad")),
        (&PLAIN, Fields(&[("lang", &"de")]), Ok("<r xml:lang=\"de\"/>")),
        (&PLAIN, Fields(&[("space", &"")]), Err("space")),
    ] {
        assert_eq!(written(root, &FIELDS, &value).as_deref().map_err(|name| *name), expected);
    }
}
