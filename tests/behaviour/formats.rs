//! Formats that are checked with the setting `assert`.

use fixture_formats_asserted_models::common::Formats;
use fixture_formats_asserted_validation::common::FORMATS;

use super::{assert_violations, received};

#[test]
fn asserted_formats_are_validated() {
    assert_violations::<Formats>(
        &FORMATS,
        &[
            (r#"{"time": "12:00:00Z"}"#, &[]),
            (r#"{"time": "12:00"}"#, &["time format"]),
            (r#"{"duration": "P1D"}"#, &[]),
            (r#"{"duration": "1 day"}"#, &["duration format"]),
            (r#"{"uri": "http:"}"#, &[]),
            (r#"{"uri": "/a"}"#, &["uri format"]),
            (r#"{"url": "http:"}"#, &["url format"]),
            (r#"{"uri_reference": "/a"}"#, &[]),
            (r#"{"uri_reference": "/ä"}"#, &["uri_reference format"]),
            (r#"{"iri": "http://ä/"}"#, &[]),
            (r#"{"iri": "/ä"}"#, &["iri format"]),
            (r#"{"iri_reference": "/ä"}"#, &[]),
            (r#"{"iri_reference": "{ä}"}"#, &["iri_reference format"]),
            (r#"{"uri_template": "/{id}"}"#, &[]),
            (r#"{"uri_template": "/{id"}"#, &["uri_template format"]),
            (r#"{"email": "a@b"}"#, &[]),
            (r#"{"email": "ä@b"}"#, &["email format"]),
            (r#"{"idn_email": "ä@ö"}"#, &[]),
            (r#"{"idn_email": "ä"}"#, &["idn_email format"]),
            (r#"{"hostname": "a.b"}"#, &[]),
            (r#"{"hostname": "ä"}"#, &["hostname format"]),
            (r#"{"idn_hostname": "ä"}"#, &[]),
            (r#"{"idn_hostname": "a b"}"#, &["idn_hostname format"]),
            (r#"{"json_pointer": "/a"}"#, &[]),
            (r#"{"json_pointer": "a"}"#, &["json_pointer format"]),
            (r#"{"relative_json_pointer": "1/a"}"#, &[]),
            (r#"{"relative_json_pointer": "/a"}"#, &["relative_json_pointer format"]),
            (r#"{"regex": "^a$"}"#, &[]),
            (r#"{"regex": "("}"#, &["regex format"]),
            (r#"{"password": "("}"#, &[]),
        ],
    );
}

/// A client decodes responses without the tables.
#[test]
fn formats_of_responses_are_not_checked() {
    let decoded: Formats = received(r#"{"hostname": "not a host name"}"#);
    assert_eq!(decoded.hostname.as_deref(), Some("not a host name"));
}
