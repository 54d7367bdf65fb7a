//! Tests of whole query strings, and of cookies that are not encoded.

use super::*;

#[test]
fn a_whole_query_is_one_value() {
    static STYLES: [crate::table::Encoding; 1] = [crate::table::Encoding::new("G").allow_reserved()];
    let whole = |format, schema| operation_of(Parameter::query_string("color", format, schema).required());
    let json = whole(ContentFormat::Json, &COLOR);
    both_ways(json, &WHITE, "%7B%22R%22%3A100%2C%22G%22%3A200%2C%22B%22%3A150%7D");
    let plain = read::<Color>(json, b"{\"R\":1,\"G\":2,\"B\":3}");
    assert_eq!(plain, Some(Ok(Color { r: Some(1), g: Some(2), b: Some(3) })));
    assert!(read::<Color>(json, b"%7B%7").unwrap().is_err());
    assert!(read::<Color>(json, b"").is_none(), "an empty query is no JSON");

    both_ways(whole(ContentFormat::Text, &STRING), &"a+b &=".to_owned(), "a%2Bb%20%26%3D");
    assert_eq!(read::<String>(whole(ContentFormat::Text, &STRING), b"a+b"), Some(Ok("a+b".to_owned())));

    let parameter = Parameter::query_string("color", ContentFormat::Form, &COLOR).encodings(&STYLES);
    both_ways(operation_of(parameter), &WHITE, "R=100&G=200&B=150");
    let empty = read::<Color>(whole(ContentFormat::Form, &COLOR), b"");
    assert_eq!(empty, Some(Ok(Color { r: None, g: None, b: None })), "a form without fields");
}

#[test]
fn plain_cookies_are_not_encoded() {
    let operation =
        |explode| operation_of(Parameter::cookie("color", &STRING).style(Style::Cookie).explode(explode));
    both_ways(operation(true), &"a%20b \"c\"=/+".to_owned(), "color=a%20b \"c\"=/+");
    both_ways(operation(false), &"\"quoted\"".to_owned(), "color=\"quoted\"");
    for text in ["a; admin=1", "a\r\nx", " a", "a\t"] {
        assert_eq!(
            encode_input(operation(true), &Input(&text.to_owned())).unwritable,
            Some("color"),
            "{text}"
        );
    }
    let encoded = operation_of(Parameter::cookie("color", &STRING));
    assert_eq!(encode_input(encoded, &Input(&"a; admin=1".to_owned())).unwritable, None);
    let colors = |explode| {
        operation_of(Parameter::cookie("color", &STRINGS).style(Style::Cookie).explode(explode).required())
    };
    let list = vec!["a".to_owned(), "b%2C".to_owned()];
    both_ways(colors(true), &list, "color=a; color=b%2C");
    both_ways(colors(false), &list, "color=a,b%2C");
    let with_comma = vec!["a,b".to_owned()];
    assert_eq!(encode_input(colors(false), &Input(&with_comma)).unwritable, Some("color"));
    both_ways(colors(true), &with_comma, "color=a,b");
}
