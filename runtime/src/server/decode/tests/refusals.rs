//! Violations in invalid requests.

use super::*;

#[test]
fn reports_all_errors_in_order() {
    let sent = Sent {
        id: "0",
        query: "ids=1&ids=x&ids=3&filter[age]=-1&filter[old]=1",
        headers: &[("X-Size", b"big"), ("cookie", b"theme=%zz")],
        body: br#"{"size":0,"text":"long","other":1}"#,
        ..GOOD
    };
    let reported: Vec<(In, String, Code)> = sent.reported();
    let reported: Vec<(In, &str, Code)> =
        reported.iter().map(|(position, name, code)| (*position, name.as_str(), *code)).collect();
    assert_eq!(
        reported,
        [
            (In::Path, "id", Code::Minimum),
            (In::Query, "ids[1]", Code::WrongType),
            (In::Query, "ids", Code::MaxItems),
            (In::Query, "filter[age]", Code::Minimum),
            (In::Query, "filter[old]", Code::Unknown),
            (In::Query, "q", Code::Missing),
            (In::Header, "X-Size", Code::WrongType),
            (In::Cookie, "theme", Code::Malformed),
            (In::Body, "text", Code::MaxLength),
            (In::Body, "size", Code::Minimum),
            (In::Body, "other", Code::Unknown),
        ]
    );
}

#[test]
fn reports_the_errors_of_one_parameter() {
    let many: String = (0..300).map(|key| format!("&filter[k{key}]=1")).collect();
    let many = format!("q={many}");
    for (sent, location, name, code) in [
        (Sent { query: "q=1&q=2", ..GOOD }, In::Query, "q", Code::Repeated),
        (Sent { query: "q=%FF", ..GOOD }, In::Query, "q", Code::Malformed),
        (Sent { query: "q=%", ..GOOD }, In::Query, "q", Code::Malformed),
        (Sent { query: "q=&filter=1", ..GOOD }, In::Query, "filter", Code::Malformed),
        (Sent { query: "q=&filter[a", ..GOOD }, In::Query, "filter", Code::Malformed),
        (Sent { query: &many, ..GOOD }, In::Query, "filter", Code::TooMany),
        (Sent { query: "q=&filter[age]=", ..GOOD }, In::Query, "filter[age]", Code::WrongType),
        (Sent { id: "%zz", ..GOOD }, In::Path, "id", Code::Malformed),
        (Sent { id: "", ..GOOD }, In::Path, "id", Code::WrongType),
        (
            Sent { headers: &[("X-Size", b"1"), ("X-Size", b"2")], ..GOOD },
            In::Header,
            "X-Size",
            Code::Repeated,
        ),
        (Sent { headers: &[("X-Size", b"\xff")], ..GOOD }, In::Header, "X-Size", Code::Malformed),
        (Sent { headers: &[("Cookie", b"theme=a; theme=b")], ..GOOD }, In::Cookie, "theme", Code::Repeated),
    ] {
        assert_eq!(sent.reported(), [(location, name.to_owned(), code)], "{sent:?}");
    }
}

#[test]
fn reports_missing_and_malformed_bodies() {
    for (content, body) in [
        (Some(0), &b""[..]),
        (None, b""),
        (Some(0), b"{"),
        (Some(0), b"{} {}"),
        (Some(0), b"\xff"),
        (Some(0), b"{\"text\":\"\xff\"}"),
    ] {
        let sent = Sent { content, body, query: "", ..GOOD };
        assert!(matches!(sent.decode::<Save>(&SAVE), Err(Refused::MalformedBody(_))), "{sent:?}");
    }
    let missing = |name: &str| (In::Body, name.to_owned(), Code::Missing);
    assert_eq!(Sent { content: Some(2), body: b"", ..GOOD }.reported(), [missing("body")]);
    assert_eq!(
        Sent { content: Some(1), body: b"", ..GOOD }.reported(),
        [missing("text")],
        "a form without fields"
    );
    assert_eq!(Sent { body: b"{}", ..GOOD }.reported(), [missing("text")]);
    assert_eq!(Sent { body: b"[1]", ..GOOD }.reported(), [(In::Body, "body".to_owned(), Code::WrongType)]);
    assert!(
        matches!(Sent { content: Some(1), body: b"text=a&text=b", ..GOOD }.reported()[..], [(In::Body, ref name, _)] if name == "text")
    );
    assert_eq!(Sent { content: Some(2), body: b"\xff", ..GOOD }.reported().len(), 1);
}
