//! Values in documents, and the violations in them.

use serde_json::{Value, json};

use super::models::{ITEM, Item, ROOT, SHOP, SIZE, STATUS, Shop, Sides, Size, shop};
use super::{STRICT, TOLERANT, read, violations};
use crate::codec::{Decode, Encode, to_value};
use crate::table::{Field, Schema, Xml};
use crate::types::{Map, Nullable};

const XSI: &str = "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"";

/// Returns a shop with this content.
fn shop_of(attributes: &str, content: &str) -> String {
    format!("<shop xmlns='https://shop.example/' id='1' {attributes}>{content}</shop>")
}

#[test]
fn forms() {
    let named = |name: &str| Shop { name: name.to_owned(), ..shop(1) };
    let cases: Vec<(&str, &str, Shop)> = vec![
        ("", "<name>x</name>", named("x")),
        // Comments, instructions, sections and references.
        ("", "<!-- a --><name>x<!-- b -->y<?p i?><![CDATA[<z>]]>&amp;&#x41;&#10;</name>", named("xy<z>&A\n")),
        // White space counts in texts, and nowhere else.
        (
            " color = '\n 3 ' ",
            "\n  <name> x </name>\n  <pair> <one> 1 </one> <two> </two></pair>",
            Shop { color: Some(3), pair: Some((1, " ".to_owned())), ..named(" x ") },
        ),
        // Line ends become `\n`, and white space in attributes becomes spaces.
        (
            "",
            "<name>a\r\nb\rc</name><item unit='a\r\n\tb'>c</item>",
            Shop {
                items: Some(vec![Item { unit: Some("a  b".to_owned()), value: "c".to_owned() }]),
                ..named("a\nb\nc")
            },
        ),
        ("", "<name/><open>true</open>", Shop { is_open: Some(Nullable::Value(true)), ..named("") }),
        (
            "xmlns:x='http://www.w3.org/2001/XMLSchema-instance'",
            "<name/><open x:nil='1'/>",
            Shop { is_open: Some(Nullable::Null), ..named("") },
        ),
        // Items are among other elements. Those that no row names are ignored.
        (
            "y='z'",
            "<tags>a</tags><other><tags>c</tags></other><name/><tags>b</tags>",
            Shop { tags: vec!["a".to_owned(), "b".to_owned()], ..named("") },
        ),
        ("", "<name/><pictures/>", Shop { photos: Some(Vec::new()), ..named("") }),
        (
            "",
            "<name/><pictures><picture>a</picture></pictures>",
            Shop { photos: Some(vec!["a".to_owned()]), ..named("") },
        ),
        ("", "<name/><size>\n7\n</size>", Shop { size: Some(Size::Number(7)), ..named("") }),
        (
            "",
            "<name/><size w='1' h='2'/>",
            Shop { size: Some(Size::Box(Sides { width: 1, height: 2 })), ..named("") },
        ),
        // Any prefix has the namespace, and the default namespace does not apply to attributes.
        (
            "xmlns:t='https://shop.example/s' t:rating='2' rating='3'",
            "<name/><t:labels><t:a>b</t:a></t:labels>",
            Shop {
                rating: Some(2.0),
                labels: Some(Map::from([("a".to_owned(), "b".to_owned())])),
                ..named("")
            },
        ),
        ("", "<name/><inner id='2'><name/></inner>", Shop { inner: Some(Box::new(shop(2))), ..named("") }),
    ];
    for (attributes, content, expected) in cases {
        let text = shop_of(attributes, content);
        assert_eq!(read::<Shop>(&ROOT, &SHOP, STRICT, &text).as_ref(), Ok(&expected), "{text}");
        assert_eq!(read::<Shop>(&ROOT, &SHOP, TOLERANT, &text).as_ref(), Ok(&expected), "{text}");
        assert_eq!(violations::<Shop>(&ROOT, &SHOP, &text).unwrap(), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_tolerant_reader_accepts_more() {
    for (text, expected) in [
        // Another root, no namespace, other names of items in an element, repeated elements.
        ("<Shop id='1'><name>x</name></Shop>", Shop { name: "x".to_owned(), ..shop(1) }),
        (
            "<shop id='1'><name/><pictures><photo>a</photo></pictures></shop>",
            Shop { photos: Some(vec!["a".to_owned()]), ..shop(1) },
        ),
        ("<shop id='1'><name>a</name><name>b</name>text</shop>", Shop { name: "b".to_owned(), ..shop(1) }),
        (
            "<shop id='1'><name/><labels><a>b</a></labels></shop>",
            Shop { labels: Some(Map::from([("a".to_owned(), "b".to_owned())])), ..shop(1) },
        ),
        // Null where the type has no null.
        ("<shop id='1'><name/><size xsi:nil='true'/></shop>", shop(1)),
    ] {
        assert_eq!(read::<Shop>(&ROOT, &SHOP, TOLERANT, text).as_ref(), Ok(&expected), "{text}");
        let strict = violations::<Shop>(&ROOT, &SHOP, text);
        assert!(strict.is_err() || !strict.unwrap().is_empty(), "{text}");
    }
}

#[test]
fn all_violations_have_paths() {
    for (attributes, content, expected) in [
        ("", "", &["name missing"][..]),
        ("color='red'", "<name/>", &["color wrong-type"]),
        (
            "rating='x' color='1.5'",
            "<name>a text that is too long</name><open>yes</open><size w='0' h='x'/><inner id='-1'/>",
            &[
                "color not-integer",
                "name max-length",
                "isOpen wrong-type",
                "size.width minimum",
                "size.height wrong-type",
                "inner.id minimum",
                "inner.name missing",
            ],
        ),
        (
            "",
            "<name/><item>a</item><item unit='b'>c</item><item x='y' u:z=''>d<e/></item>",
            &["items[2].x unknown", "items[2].e unknown"],
        ),
        ("", "<name/><item><b/></item>", &["items[0].b unknown"]),
        ("", "<name>a</name><name>b</name>", &["name duplicate"]),
        ("", "<name><b/></name>", &["name wrong-type"]),
        ("", "<name/><pictures><picture/><photo/></pictures>", &["photos.photo unknown"]),
        ("", "<name/><pictures>x<picture/></pictures>", &["photos malformed"]),
        ("", "<name/><pictures><picture/><picture/><picture/><picture/></pictures>", &["photos max-items"]),
        ("", "<name/><labels><a>b</a><a>c</a></labels>", &[]),
        (
            "",
            "<name/><s:labels xmlns:s='https://shop.example/s'><a>b</a><a>c</a></s:labels>",
            &["labels.a duplicate"],
        ),
        ("", "<name/>text", &["body malformed"]),
        ("", "<name/><pair><one>1</one></pair>", &["pair min-items"]),
        ("", "<name/><pair><two>1</two><one>1</one></pair>", &["pair.two unknown"]),
        ("", "<name/><inner>text</inner>", &["inner wrong-type"]),
        ("xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'", "<name xsi:nil='true'/>", &["name null"]),
        (
            "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'",
            "<name/><inner xsi:nil='true'/>",
            &["inner null"],
        ),
    ] {
        let text = shop_of(attributes, content).replace("u:z", "xml:z");
        assert_eq!(violations::<Shop>(&ROOT, &SHOP, &text).unwrap(), expected, "{text}");
    }
}

static THING: Xml = Xml::element("thing");

/// Reads a value and returns it as JSON.
fn json_of<T: Decode + Encode>(schema: &'static Schema, text: &str) -> Result<Value, String> {
    let read = read::<T>(&THING, schema, STRICT, text);
    let violations = violations::<T>(&THING, schema, text).map_err(|error| error.to_string())?;
    read.map(|value| to_value(&value)).map_err(|_| violations.join(", "))
}

#[test]
fn text_beside_attributes() {
    let item = json_of::<Item>;
    assert_eq!(item(&ITEM, "<thing unit='a'>b</thing>"), Ok(json!({"unit": "a", "value": "b"})));
    assert_eq!(item(&ITEM, "<thing> b </thing>"), Ok(json!({"value": " b "})));
    assert_eq!(item(&ITEM, "<thing/>"), Ok(json!({"value": ""})));
    assert_eq!(item(&ITEM, "<thing size=''/>"), Err("size unknown".to_owned()));
    assert_eq!(item(&ITEM, "<thing> a <b/></thing>"), Err("b unknown".to_owned()));
}

#[test]
fn unions_and_scalars_at_the_root() {
    let size = json_of::<Size>;
    assert_eq!(size(&SIZE, "<thing>3</thing>"), Ok(json!(3)));
    assert_eq!(size(&SIZE, "<thing w='3' h='4'/>"), Ok(json!({"width": 3, "height": 4})));
    assert_eq!(size(&SIZE, "<thing w='3' h='0'/>").unwrap(), json!({"width": 3, "height": 0}));
    assert_eq!(size(&SIZE, "<thing w='3'/>"), Err("height missing".to_owned()));
    assert_eq!(size(&SIZE, "<thing>x</thing>"), Err("body wrong-type".to_owned()));
    assert_eq!(json_of::<String>(&STATUS, "<thing> open </thing>"), Ok(json!("open")));
    assert_eq!(json_of::<Vec<i64>>(&INTEGERS, "<thing><thing>1</thing></thing>"), Ok(json!([1])));
}

static INTEGERS: Schema = Schema::array(&Schema::INTEGER);

#[test]
fn any_value_is_elements_and_text() {
    let text = "<thing a='1'><b>2</b><c><d/></c><b>3</b><e/> x </thing>";
    let expected = json!({"a": "1", "b": ["2", "3"], "c": {"d": ""}, "e": ""});
    assert_eq!(json_of::<Value>(&Schema::ANY, text), Ok(expected));
    assert_eq!(json_of::<Value>(&Schema::ANY, &format!("<thing {XSI} xsi:nil='true'/>")), Ok(Value::Null));
}

#[test]
fn elements_of_two_namespaces_have_one_name() {
    static ENTRY: Schema = Schema::object(&[
        Field::optional("title", &Schema::TEXT),
        Field::optional("episode", &Schema::TEXT)
            .xml(&Xml::element("title").namespace("urn:pod").prefix("p")),
    ]);
    let both = "<thing xmlns:q='urn:pod'><q:title>b</q:title><title>a</title></thing>";
    let one = read::<Map<String>>(&THING, &ENTRY, TOLERANT, both).unwrap();
    assert_eq!(
        one,
        Map::from([("title".to_owned(), "a".to_owned()), ("episode".to_owned(), "b".to_owned())])
    );
    let other = "<thing xmlns:q='urn:pod'><q:title>b</q:title></thing>";
    let one = read::<Map<String>>(&THING, &ENTRY, TOLERANT, other).unwrap();
    assert_eq!(one, Map::from([("episode".to_owned(), "b".to_owned())]));
}

#[test]
fn a_tolerant_reader_takes_nothing_for_an_empty_element() {
    static MAP: Schema = Schema::map(&Schema::TEXT);
    assert_eq!(read::<Map<String>>(&THING, &MAP, TOLERANT, "\n"), Ok(Map::new()));
    assert!(read::<Map<String>>(&THING, &MAP, STRICT, "\n").unwrap_err().is_syntax());
}

#[derive(Debug)]
struct Body {
    policy: String,
}

crate::object! {
    Body;
    "Policy" => policy,
}

#[test]
fn a_root_without_a_node() {
    static BODY: Schema = Schema::object(&[Field::required("Policy", &Schema::TEXT)]);
    let read = |mode, text: &str| {
        read::<Map<String>>(&Xml::NONE, &BODY, mode, text).map_err(|error| error.to_string())
    };
    assert_eq!(read(STRICT, "<Policy>x</Policy>"), Ok(Map::from([("Policy".to_owned(), "x".to_owned())])));
    assert_eq!(read(STRICT, " \n"), Ok(Map::new()));
    assert_eq!(violations::<Body>(&Xml::NONE, &BODY, "").unwrap(), ["Policy missing"]);
    let wrong = Err("expected the root element `Policy`, found `Other`".to_owned());
    assert_eq!(read(STRICT, "<Other>x</Other>"), wrong);
    assert_eq!(read(TOLERANT, "<Other>x</Other>"), wrong);
}
