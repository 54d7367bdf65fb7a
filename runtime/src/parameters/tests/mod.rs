//! Tests of the styles of OpenAPI in both directions, and of invalid values.

use http::{HeaderMap, HeaderValue};

mod bodies;
mod deep;
mod headers;
mod parts;
mod plain;
mod properties;

use super::*;
use crate::codec::{Decode, DecodeError, Encode, Reader, Writer, to_value};
use crate::table::{
    Additional, Array, ContentFormat, Errors, Field, Header, Integer, Location, Number, Object, Operation,
    Parameter, Schema, Style, Text, Type,
};
use crate::types::{Map, Value};

static STRING: Schema = Schema::new(Type::Text(Text::ANY));
static INTEGER: Schema = Schema::new(Type::Integer(Integer::ANY));
static NUMBER: Schema = Schema::new(Type::Number(Number::ANY));
static BOOLEAN: Schema = Schema::new(Type::Boolean);
static ANY: Schema = Schema::new(Type::Any);
static BINARY: Schema = Schema::new(Type::Bytes);
static STRINGS: Schema = array(&STRING);
static NUMBERS: Schema = array(&NUMBER);
static FILES: Schema = array(&BINARY);
static COLOR: Schema = Schema::new(Type::Object(Object::new(&[
    field("R", &INTEGER),
    field("G", &INTEGER),
    field("B", &INTEGER),
])));
static KEPT: Schema =
    Schema::new(Type::Object(Object { additional: Additional::Kept(&STRING), ..Object::new(&[]) }));

const fn array(items: &'static Schema) -> Schema {
    Schema::new(Type::Array(Array { items, min_items: None, max_items: None, unique: false }))
}

const fn field(name: &'static str, schema: &'static Schema) -> Field {
    Field::optional(name, schema)
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Color {
    r: Option<i64>,
    g: Option<i64>,
    b: Option<i64>,
}

const WHITE: Color = Color { r: Some(100), g: Some(200), b: Some(150) };

impl Decode for Color {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let (mut r, mut g, mut b) = (None, None, None);
        reader.object(
            &["R", "G", "B"],
            &mut [&mut r, &mut g, &mut b],
            crate::codec::AdditionalProperties::Closed,
        )?;
        Ok(Self { r, g, b })
    }
}

impl Encode for Color {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(&[("R", &self.r), ("G", &self.g), ("B", &self.b)], None);
    }
}

/// Returns an operation whose only parameter is `color`.
fn operation(location: Location, style: Style, explode: bool, schema: &'static Schema) -> &'static Operation {
    operation_of(Parameter {
        name: "color",
        location,
        required: true,
        style,
        explode,
        allow_reserved: false,
        allow_empty: false,
        content: None,
        encodings: &[],
        schema,
        reason: None,
    })
}

/// Returns an operation with this parameter. Tables are static, so it is leaked.
fn operation_of(parameter: Parameter) -> &'static Operation {
    let path = if parameter.location == Location::Path { "/x/{color}" } else { "/x" };
    operation_at(path, Box::leak(Box::new([parameter])))
}

fn operation_at(path: &'static str, parameters: &'static [Parameter]) -> &'static Operation {
    Box::leak(Box::new(Operation {
        id: "test",
        tag: "test",
        method: "GET",
        path,
        parameters,
        body: None,
        responses: &[],
        errors: Errors { rows: &[], documented: None },
        security: &[],
        requires: &[],
        closed_query: false,
        server: None,
    }))
}

struct Input<'a>(&'a dyn Encode);

impl Encode for Input<'_> {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(&[("color", self.0)], None);
    }
}

/// Returns the parameter's text on the wire.
fn written(operation: &'static Operation, value: &dyn Encode) -> String {
    let request = encode_input(operation, &Input(value));
    match operation.parameters[0].location {
        Location::Path => request.path.strip_prefix("/x/").unwrap().to_owned(),
        Location::Query | Location::QueryString => request.query,
        Location::Header => request.headers.first().map(|(_, value)| value.clone()).unwrap_or_default(),
        Location::Cookie => request.cookie.unwrap_or_default(),
    }
}

/// Decodes the text on the wire; returns `None` if the parameter is absent.
fn read<T: Decode>(operation: &'static Operation, text: &[u8]) -> Option<Result<T, DecodeError>> {
    let parameter = &operation.parameters[0];
    let mut headers = HeaderMap::new();
    let as_text = || std::str::from_utf8(text).unwrap_or_default();
    let path = [("color", if parameter.location == Location::Path { as_text() } else { "" })];
    let value = || HeaderValue::from_bytes(text).unwrap_or(HeaderValue::from_static(""));
    match parameter.location {
        Location::Header => drop(headers.append("color", value())),
        Location::Cookie => drop(headers.append("cookie", value())),
        Location::Path | Location::Query | Location::QueryString => {}
    }
    let located = Located::new(operation, &path, as_text(), &headers);
    let _ = located.problem(parameter);
    let mut value = None;
    let is_present = located.read(parameter, &mut |reader| {
        value = Some(T::decode(reader)?);
        Ok(())
    });
    is_present.map(|is_present| is_present.then(|| value.expect("it was read"))).transpose()
}

/// Checks that `value` is written as `text`, and read from it.
#[track_caller]
fn both_ways<T: Encode + Decode + Clone + PartialEq + std::fmt::Debug>(
    operation: &'static Operation,
    value: &T,
    text: &str,
) {
    assert_eq!(written(operation, value), text);
    assert_eq!(read(operation, text.as_bytes()), Some(Ok(value.clone())));
}

#[test]
fn writes_and_reads_the_examples_of_openapi() {
    use Location::{Cookie, Header, Path, Query};
    use Style::{Form, Label, Matrix, PipeDelimited, Simple, SpaceDelimited};
    // Location, style, explode; then the texts of `blue`, [blue, black, brown] and {R: 100, G: 200, B: 150}.
    let rows = [
        (Path, Matrix, false, Some(";color=blue"), ";color=blue,black,brown", ";color=R,100,G,200,B,150"),
        (
            Path,
            Matrix,
            true,
            Some(";color=blue"),
            ";color=blue;color=black;color=brown",
            ";R=100;G=200;B=150",
        ),
        (Path, Label, false, Some(".blue"), ".blue,black,brown", ".R,100,G,200,B,150"),
        (Path, Label, true, Some(".blue"), ".blue.black.brown", ".R=100.G=200.B=150"),
        (Path, Simple, false, Some("blue"), "blue,black,brown", "R,100,G,200,B,150"),
        (Path, Simple, true, Some("blue"), "blue,black,brown", "R=100,G=200,B=150"),
        (Header, Simple, false, Some("blue"), "blue,black,brown", "R,100,G,200,B,150"),
        (Header, Simple, true, Some("blue"), "blue,black,brown", "R=100,G=200,B=150"),
        (Query, Form, false, Some("color=blue"), "color=blue,black,brown", "color=R,100,G,200,B,150"),
        (Query, Form, true, Some("color=blue"), "color=blue&color=black&color=brown", "R=100&G=200&B=150"),
        (
            Query,
            SpaceDelimited,
            false,
            None,
            "color=blue%20black%20brown",
            "color=R%20100%20G%20200%20B%20150",
        ),
        (
            Query,
            PipeDelimited,
            false,
            None,
            "color=blue%7Cblack%7Cbrown",
            "color=R%7C100%7CG%7C200%7CB%7C150",
        ),
        (Cookie, Form, false, Some("color=blue"), "color=blue,black,brown", "color=R,100,G,200,B,150"),
        (
            Cookie,
            Form,
            true,
            Some("color=blue"),
            "color=blue; color=black; color=brown",
            "R=100; G=200; B=150",
        ),
    ];
    let colors: Vec<String> = ["blue", "black", "brown"].map(str::to_owned).into();
    for (location, style, explode, scalar, list, object) in rows {
        if let Some(scalar) = scalar {
            both_ways(operation(location, style, explode, &STRING), &"blue".to_owned(), scalar);
        }
        both_ways(operation(location, style, explode, &STRINGS), &colors, list);
        both_ways(operation(location, style, explode, &COLOR), &WHITE, object);
    }
    both_ways(
        operation(Query, Style::DeepObject, true, &COLOR),
        &WHITE,
        "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150",
    );
}

#[test]
fn writes_and_reads_the_empty_string() {
    use Location::{Cookie, Header, Path, Query};
    for (location, style, text) in [
        (Path, Style::Matrix, ";color"),
        (Path, Style::Label, "."),
        (Path, Style::Simple, ""),
        (Header, Style::Simple, ""),
        (Query, Style::Form, "color="),
        (Cookie, Style::Form, "color="),
    ] {
        both_ways(operation(location, style, false, &STRING), &String::new(), text);
        if style != Style::Form {
            both_ways(operation(location, style, false, &STRINGS), &Vec::<String>::new(), text);
        }
    }
    let list = operation(Query, Style::Form, false, &STRINGS);
    assert_eq!(read::<Vec<String>>(list, b"color="), Some(Ok(vec![])));
    assert_eq!(read::<Vec<String>>(list, b""), None);
    assert_eq!(read::<f64>(operation(Query, Style::Form, true, &NUMBER), b"color=").unwrap().ok(), None);
}

#[test]
fn reads_other_spellings() {
    use Location::{Header, Path, Query};
    let list = |values: &[&str]| Some(Ok(values.iter().map(|value| (*value).to_owned()).collect::<Vec<_>>()));
    let form = operation(Query, Style::Form, true, &STRINGS);
    assert_eq!(read(form, b"x=1&col%6Fr=a+b&color&y"), list(&["a b", ""]));
    assert_eq!(read(operation(Query, Style::Form, false, &STRINGS), b"color=a%2Cb,c"), list(&["a,b", "c"]));
    assert_eq!(
        read(operation(Query, Style::PipeDelimited, false, &STRINGS), b"color=a|b%7cc"),
        list(&["a", "b", "c"])
    );
    assert_eq!(
        read(operation(Query, Style::SpaceDelimited, false, &STRINGS), b"color=a+b%20c"),
        list(&["a", "b", "c"])
    );
    assert_eq!(
        read(operation(Header, Style::Simple, false, &STRINGS), "a , é,%20".as_bytes()),
        list(&["a", "é", "%20"])
    );
    assert_eq!(read(operation(Path, Style::Label, false, &STRINGS), b".a,b"), list(&["a", "b"]));
    assert_eq!(
        read(operation(Path, Style::Simple, false, &STRING), b"a%2Fb,c+d"),
        Some(Ok("a/b,c+d".to_owned()))
    );
}

#[test]
fn refuses_what_is_no_such_value() {
    use Location::{Cookie, Header, Path, Query};
    let number = operation(Query, Style::Form, true, &NUMBER);
    for text in
        ["", "+1", "0x10", "inf", "NaN", " 1", "1 ", "01", "1.", ".5", "1e", "--1", "1_0", "true", "null"]
    {
        let query = format!(
            "color={}",
            percent_encoding::utf8_percent_encode(text, percent_encoding::NON_ALPHANUMERIC)
        );
        assert!(read::<f64>(number, query.as_bytes()).unwrap().is_err(), "{text}");
    }
    for (text, expected) in [("1.0", 1.0), ("-0.5e1", -5.0)] {
        assert_eq!(read::<f64>(number, format!("color={text}").as_bytes()), Some(Ok(expected)));
    }
    assert_eq!(read::<i64>(number, b"color=1e2"), Some(Ok(100)));
    let boolean = operation(Query, Style::Form, true, &BOOLEAN);
    for text in ["", "1", "True", "yes"] {
        assert!(read::<bool>(boolean, format!("color={text}").as_bytes()).unwrap().is_err(), "{text}");
    }
    let string = |location, style| operation(location, style, false, &STRING);
    for (operation, text) in [
        (string(Query, Style::Form), &b"color=a&color=b"[..]),
        (string(Query, Style::Form), b"color=%"),
        (string(Query, Style::Form), b"color=%FF"),
        (string(Path, Style::Simple), b"%4"),
        (string(Path, Style::Label), b"blue"),
        (string(Path, Style::Matrix), b"color=blue"),
        (string(Path, Style::Matrix), b";colour=blue"),
        (string(Header, Style::Simple), b"\xff"),
        (string(Cookie, Style::Form), b"color=%zz"),
        (string(Cookie, Style::Form), b"color=a; color=b"),
    ] {
        assert!(read::<String>(operation, text).unwrap().is_err(), "{}", String::from_utf8_lossy(text));
    }
    for text in ["R,1,G", "R", "R,1,R,2", "X,1"] {
        let object = operation(Path, Style::Simple, false, &COLOR);
        assert!(read::<Color>(object, text.as_bytes()).unwrap().is_err(), "{text}");
    }
}

#[test]
fn an_exploded_object_takes_only_what_is_its_own() {
    let spread = operation(Location::Query, Style::Form, true, &COLOR);
    assert_eq!(read(spread, b"a=1&G=2&color=x"), Some(Ok(Color { g: Some(2), ..Color::default() })));
    assert_eq!(read::<Color>(spread, b"a=1&color=x"), None);
    assert!(read::<Color>(spread, b"G=2&G=3").unwrap().is_err());
    let kept = operation(Location::Query, Style::Form, true, &KEPT);
    let expected = Map::from([("a".to_owned(), "1".to_owned()), ("b".to_owned(), "2".to_owned())]);
    assert_eq!(read(kept, b"a=1&b=2"), Some(Ok(expected)));
}

#[test]
fn json_in_a_parameter() {
    for (location, text) in [
        (Location::Query, "color=%7B%22R%22%3A100%2C%22G%22%3A200%2C%22B%22%3A150%7D"),
        (Location::Path, "%7B%22R%22%3A100%2C%22G%22%3A200%2C%22B%22%3A150%7D"),
        (Location::Header, r#"{"R":100,"G":200,"B":150}"#),
    ] {
        let operation = operation_of(Parameter {
            name: "color",
            location,
            required: true,
            style: Style::Form,
            explode: true,
            allow_reserved: false,
            allow_empty: false,
            content: Some(ContentFormat::Json),
            encodings: &[],
            schema: &COLOR,
            reason: None,
        });
        both_ways(operation, &WHITE, text);
        assert!(read::<Color>(operation, b"color={}x").is_none_or(|color| color.is_err()));
    }
}

#[test]
fn fills_templates() {
    struct Two(&'static str, &'static str);
    impl Encode for Two {
        fn encode(&self, writer: &mut dyn Writer) {
            writer.object(&[("a", &self.0.to_owned()), ("b", &self.1.to_owned())], None);
        }
    }
    const fn parameter(name: &'static str) -> Parameter {
        let (location, style) = (Location::Path, Style::Simple);
        Parameter {
            name,
            location,
            required: true,
            style,
            explode: false,
            allow_reserved: false,
            allow_empty: false,
            content: None,
            encodings: &[],
            schema: &STRING,
            reason: None,
        }
    }
    static PARAMETERS: [Parameter; 2] = [parameter("a"), parameter("b")];
    for (path, a, b, expected) in [
        ("/{a}-{b}", "x", "y", "/x-y"),
        ("/v1/{b}.{a}", "ä/", "?#%", "/v1/%3F%23%25.%C3%A4%2F"),
        ("/v1/{a}/{b}", "..", "%2e", "/v1/../%252e"),
        ("/{a}/z", ".x", "", "/.x/z"),
        ("/{a", "x", "y", "/x"),
    ] {
        assert_eq!(encode_input(operation_at(path, &PARAMETERS), &Two(a, b)).path, expected);
    }
}

#[test]
fn an_empty_value_is_absent_where_the_document_says_so() {
    let parameter = |schema| Parameter::query("color", schema).allow_empty();
    for schema in [&BOOLEAN, &STRING, &STRINGS, &ANY] {
        let operation = operation_of(parameter(schema));
        for query in ["color=", "color", "color=&color=", "%63olor="] {
            assert_eq!(read::<Value>(operation, query.as_bytes()), None, "{query}");
        }
        assert!(read::<Value>(operation, b"color=true").unwrap().is_ok());
        assert!(read::<Value>(operation, b"color=&color=true").unwrap().is_ok());
    }
    let strict = operation_of(Parameter::query("color", &STRING));
    assert_eq!(read(strict, b"color="), Some(Ok(String::new())));
}
