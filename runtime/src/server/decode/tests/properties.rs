//! Properties: client and server agree, and so do the two paths.

use proptest::prelude::*;

use super::*;
use crate::parameters::encode_input;

/// Returns whether the slow path found no violation of its own.
fn is_backstop(violations: &Violations) -> bool {
    violations.iter().any(|violation| violation.expected() == "must be as documented")
}

proptest! {
    /// The server reads what the client writes.
    #[test]
    fn inputs_round_trip(
        size in proptest::option::of(1..9_i64),
        ids in proptest::option::of(proptest::collection::vec(1..9_i64, 1..3)),
        theme in proptest::option::of(".{0,3}"),
        age in proptest::option::of(1..9_i64),
        q in any::<String>(),
        text in ".{0,3}",
        content in 0..2,
    ) {
        let note = Note { text, size };
        let body = if content == 0 { NoteBody::Json(note) } else { NoteBody::Form(note) };
        let filter = age.map(|age| Filter { age: Some(age) });
        let input = Save { size, ids, id: 1, theme, filter, q, body };
        let request = encode_input(&SAVE, &input);
        let mut headers: Vec<(&str, &[u8])> =
            request.headers.iter().map(|(name, value)| (*name, value.as_bytes())).collect();
        headers.extend(request.cookie.as_ref().map(|cookie| ("cookie", cookie.as_bytes())));
        let body = request.body.unwrap();
        let bytes = body.bytes.held().unwrap();
        let content = crate::parameters::match_content(CONTENTS, &body.content_type);
        let id = request.path.strip_prefix("/notes/").unwrap();
        let sent = Sent { id, query: &request.query, headers: &headers, content, body: &bytes };
        prop_assert_eq!(sent.decode::<Save>(&SAVE), Ok(input));
    }

    /// Arbitrary requests are accepted, or rejected with a reason.
    ///
    /// The paths agree, so the fallback is never used.
    #[test]
    fn arbitrary_requests_get_a_response(
        id in "[0-9]{1,2}|[0-9%a]{0,3}",
        query in "(q=1&)?(q|ids|filter|filter\\[age\\]|filter\\[|\\]|=|=1|&|%|%41|\\+){0,12}",
        header in proptest::option::of(prop_oneof![Just(b"1".to_vec()), proptest::collection::vec(any::<u8>(), 0..3)]),
        cookie in "(theme=a)?|(theme|=|;|%|a| ){0,6}",
        content in proptest::option::of(0..3_usize),
        body in prop_oneof![
            Just(br#"{"text":"a"}"#.to_vec()),
            proptest::collection::vec(any::<u8>(), 0..8),
            "(text|size|=|&|%41|%|1){0,8}".prop_map(String::into_bytes),
            "\\{(\"text\":\"a\"|\"size\":1|,|\"b\":\\[\\]|1.0){0,4}\\}".prop_map(String::into_bytes),
        ],
    ) {
        let mut headers: Vec<(&str, &[u8])> = vec![("cookie", cookie.as_bytes())];
        headers.extend(header.as_ref().map(|value| ("x-size", value.as_slice())));
        let sent = Sent { id: &id, query: &query, headers: &headers, content, body: &body };
        match (sent.decode::<Save>(&SAVE), sent.walked()) {
            (Err(Refused::MalformedBody(_) | Refused::PartType { .. }), _) => {}
            (Ok(_), Refused::Invalid(violations)) => prop_assert!(is_backstop(&violations), "{:?}", violations),
            (Ok(_), refused) => prop_assert!(false, "{}", refused),
            (Err(Refused::Invalid(violations)), _) => {
                prop_assert!(!violations.is_empty() && !is_backstop(&violations));
                prop_assert!(violations.iter().is_sorted_by_key(|violation| violation.location));
            }
        }
    }
}
