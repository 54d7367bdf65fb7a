//! The texts of errors: the location in the response, and the value there.

use super::*;

#[test]
fn errors_name_the_undocumented_part() {
    const SUCCESS: &str = "but the response isn't as documented:";
    let html = ("content-type", "text/html");
    let cases = [
        (
            raw(200, &[html], b"<p>"),
            format!("200 OK, {SUCCESS} expected one of application/json, image/*, found text/html"),
        ),
        (raw(202, &[], b"hi"), format!("202 Accepted, {SUCCESS} the header `x-remaining` is missing")),
        (
            raw(202, &[("x-remaining", "few"), IS_JSON], br#"{"x-remaining": "another value"}"#),
            format!("202 Accepted, {SUCCESS} header `x-remaining`: expected a number, found text, `few`"),
        ),
        (
            raw(200, &[IS_JSON], b"{\"a\":\n\n[1,2"),
            format!("200 OK, {SUCCESS} a: the input ends too early (line 3, column 5)"),
        ),
        (
            raw(200, &[IS_JSON], b"{\"a\": x}"),
            format!("200 OK, {SUCCESS} a: expected a value (line 1, column 7), `x}}`"),
        ),
        (
            raw(200, &[IS_JSON], b""),
            format!("200 OK, {SUCCESS} the input ends too early (line 1, column 1)"),
        ),
        (
            raw(410, &[html], b"<h1>Bad\r\nGateway\x1b</h1>"),
            "410 Gone with a body that isn't as documented (expected application/json, found text/html; \
             read as application/json: expected a value (line 1, column 1), `<h1>Bad  Gateway </h1>`) \
             (22 bytes of text/html)"
                .to_owned(),
        ),
        (
            raw(410, &[IS_JSON], br#"{"message": "gone", "left": }"#),
            "410 Gone with a body that isn't as documented (left: expected a value (line 1, column 29), `}`) \
             (29 bytes of application/json)"
                .to_owned(),
        ),
    ];
    for (raw, expected) in cases {
        let error = decoded(raw).unwrap_err();
        let text = error.to_string();
        assert_eq!(text, format!("GET /: {expected}"));
        assert!(!text.contains(char::is_control), "{text:?}");
        assert_eq!(
            matches!(error.kind(), ErrorKind::Decode(_)),
            error.status().is_some_and(|status| status.is_success())
        );
    }
}

#[test]
fn an_error_shows_the_value_in_the_part_that_it_is_about() {
    static NUMBERS: Operation = operation(
        &[row(Status::Class(2), &REMAINING, &[content("application/json", ContentFormat::Json, &INTEGER)])],
        Errors { rows: &[&BUSY], documented: Some(&[BUSY.at(429)]) },
    );
    static BUSY: table::Response = row(Status::Code(429), &REMAINING, &[JSON]);
    #[derive(Debug)]
    struct Numbers;
    impl Decode for Numbers {
        fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
            let (mut status, mut remaining, mut note) = (None::<i64>, None::<i64>, None::<i64>);
            let mut body = None::<types::Map<Vec<i64>>>;
            let names = ["status", "x-remaining", "x-note", "body"];
            let slots: &mut [&mut dyn crate::codec::Fill] =
                &mut [&mut status, &mut remaining, &mut note, &mut body];
            reader.object(&names, slots, AdditionalProperties::Closed)?;
            remaining.ok_or_else(|| DecodeError::missing("x-remaining"))?;
            Ok(Self)
        }
    }
    #[derive(Debug)]
    struct Busy;
    impl Decode for Busy {
        fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
            reader.choice();
            let (mut remaining, mut note, mut body) = (None::<i64>, None::<i64>, None::<types::Map<bool>>);
            let names = ["x-remaining", "x-note", "body"];
            reader.object(
                &names,
                &mut [&mut remaining, &mut note, &mut body],
                AdditionalProperties::Closed,
            )?;
            remaining.ok_or_else(|| DecodeError::missing("x-remaining"))?;
            Ok(Self)
        }
    }
    let large: &'static [u8] =
        format!("{{\"pad\": [{}1], \"a\": [\"b\"]}}", "1,".repeat(50_000)).leak().as_bytes();
    let left = ("x-remaining", "1");
    for (raw, expected, path, header) in [
        (
            raw(200, &[left, IS_JSON], br#"{"a": [1, "few"]}"#),
            "200 OK, but the response isn't as documented: a[1]: expected a number, found a string, `\"few\"`",
            "a[1]",
            None,
        ),
        (
            raw(200, &[left, IS_JSON], large),
            "200 OK, but the response isn't as documented: a[0]: expected a number, found a string, `\"b\"`",
            "a[0]",
            None,
        ),
        (
            raw(200, &[("x-remaining", "many"), IS_JSON], br#"{"x-remaining": [17]}"#),
            "200 OK, but the response isn't as documented: header `x-remaining`: expected a number, found text, \
             `many`",
            "",
            Some("x-remaining"),
        ),
        (
            raw(429, &[left, IS_JSON], br#"{"is_busy": 17}"#),
            "429 Too Many Requests with a body that isn't as documented (is_busy: expected a boolean, found a \
             number, `17`) (15 bytes of application/json)",
            "is_busy",
            None,
        ),
        (
            raw(429, &[("x-remaining", "many"), IS_JSON], br#"{"message": "wait"}"#),
            "429 Too Many Requests with a header that isn't as documented (header `x-remaining`: expected a \
             number, found text, `many`): wait",
            "",
            Some("x-remaining"),
        ),
        (
            raw(429, &[IS_JSON], b"{}"),
            "429 Too Many Requests with a header that isn't as documented (the header `x-remaining` is missing) \
             (2 bytes of application/json)",
            "",
            Some("x-remaining"),
        ),
    ] {
        let kind = decode::<Numbers, Busy>(&NUMBERS, raw).unwrap_err();
        assert_eq!(kind.to_string(), expected);
        let (error, about) = match kind {
            ErrorKind::Decode(undecodable) => (undecodable.error, undecodable.header),
            ErrorKind::Unexpected(unexpected) => (unexpected.error.unwrap(), unexpected.header),
            other => panic!("{other:?}"),
        };
        assert_eq!((error.path_text().as_str(), about), (path, header));
    }
}
