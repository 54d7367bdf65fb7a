//! Secrets, signatures and their verification.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use http::{HeaderMap, HeaderValue};

use super::*;

const SENT: i64 = 1_700_000_000;
const BODY: &[u8] = br#"{"state": "done"}"#;

fn at(seconds: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds.try_into().unwrap())
}

fn signed(secrets: &[Secret]) -> HeaderMap {
    sign(secrets, "msg_1", SENT, BODY)
}

fn verify(headers: &HeaderMap) -> Result<Verified, VerifyError> {
    Verifier::new(secret(1)).verify_at(headers, BODY, at(SENT))
}

/// The example of the specification's libraries, and one from Python's `hmac`.
#[test]
fn signatures_are_those_of_other_implementations() {
    let old: Secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".parse().unwrap();
    let new: Secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=".parse().unwrap();
    let (id, at, body) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, br#"{"test": 2432232314}"#);
    let by_old = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
    let by_new = "v1,O4Gjv1HqPqsMrjmczoggs/sWA8gZD0VyHG+fLh4+ktI=";
    let headers = sign(std::slice::from_ref(&old), id, at, body);
    assert_eq!(headers["webhook-signature"], by_old);
    assert_eq!((&headers["webhook-id"], &headers["webhook-timestamp"]), (&id.parse().unwrap(), &at.into()));
    let headers = sign(&[new, old], id, at, body);
    assert_eq!(headers["webhook-signature"], format!("{by_new} {by_old}"));
    assert!(sign(&[], id, at, body).is_empty());
    assert!(sign(&[secret(1)], "a\nb", at, body).is_empty());
}

#[test]
fn secrets_are_read_as_they_were_shown() {
    let text = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    let secret: Secret = text.parse().unwrap();
    assert_eq!((secret.reveal().as_str(), secret.as_bytes().len()), (text, 32));
    assert_eq!(
        text[6..].parse::<Secret>().unwrap().reveal(),
        text,
        "some senders show it without the prefix"
    );
    assert!(!format!("{:?}", Verifier::new(secret)).contains("AAEC"));
}

#[test]
fn secrets_of_another_length_or_form_are_refused() {
    let text = secret(7).reveal();
    for (length, is_valid) in [(0, false), (23, false), (24, true), (64, true), (65, false)] {
        assert_eq!(Secret::new(vec![7; length]).is_ok(), is_valid, "{length}");
    }
    for text in ["", "whsec_", "whsec_!!!!", &text[1..], &text[..30]] {
        assert_eq!(text.parse::<Secret>().unwrap_err(), InvalidSecret, "{text}");
    }
}

#[test]
fn a_message_is_verified_by_its_headers_and_bytes() {
    let verified = Verified { id: Some("msg_1".to_owned()), sent_at: Some(at(SENT)) };
    assert_eq!(verify(&signed(&[secret(1)])), Ok(verified));
    assert_eq!(verify(&signed(&[secret(2)])), Err(VerifyError::Signature));
    let of = |body: &[u8]| Verifier::new(secret(1)).verify_at(&signed(&[secret(1)]), body, at(SENT));
    for other in [&BODY[1..], &BODY[..BODY.len() - 1], b"", br#"{"state":"done"}"#] {
        assert_eq!(of(other), Err(VerifyError::Signature));
    }
    for (name, value) in [("webhook-id", "msg_2"), ("webhook-timestamp", "1700000001")] {
        let mut headers = signed(&[secret(1)]);
        headers.insert(name, HeaderValue::from_static(value));
        assert_eq!(verify(&headers), Err(VerifyError::Signature), "{name}");
    }
}

#[test]
fn either_side_can_rotate_its_secret_first() {
    let [old, new] = [secret(1), secret(2)];
    let both = Verifier::new(new.clone()).or(old.clone());
    for secrets in [vec![old.clone()], vec![new.clone()], vec![old.clone(), new.clone()]] {
        assert!(both.verify_at(&signed(&secrets), BODY, at(SENT)).is_ok());
    }
    let by_both = signed(&[old.clone(), new.clone()]);
    for one in [old, new.clone()] {
        assert!(Verifier::new(one).verify_at(&by_both, BODY, at(SENT)).is_ok());
    }
    assert_eq!(
        Verifier::new(new).verify_at(&signed(&[secret(1)]), BODY, at(SENT)),
        Err(VerifyError::Signature)
    );
}

#[test]
fn a_header_can_have_other_signatures() {
    let valid = signed(&[secret(1)])["webhook-signature"].to_str().unwrap().to_owned();
    let with = |texts: &[String]| {
        let mut headers = signed(&[secret(1)]);
        headers.remove("webhook-signature");
        for text in texts {
            headers.append("webhook-signature", text.parse().unwrap());
        }
        verify(&headers)
    };
    for texts in [
        vec![format!("v1a,hnO3f9T8 v2,x v1, v1,!!!! v1,AAAA  {valid} junk")],
        vec!["v1,AAAA".to_owned(), valid.clone()],
        vec![format!("{}{valid}", "v1,AAAA ".repeat(1000))],
    ] {
        assert!(with(&texts).is_ok(), "{texts:?}");
    }
    let code = valid.strip_prefix("v1,").unwrap();
    for text in [
        String::new(),
        code.to_owned(),
        format!("v1a,{code}"),
        format!("V1,{code}"),
        format!("v1,{}", &code[..code.len() - 4]),
        format!("v1,{code}AAAA"),
        format!("v2,{valid}"),
        valid.replace(' ', ","),
    ] {
        assert_eq!(with(std::slice::from_ref(&text)).is_ok(), text == valid, "{text}");
    }
    assert_eq!(with(&[]), Err(VerifyError::MissingHeader("webhook-signature")));
}

#[test]
fn old_and_future_messages_are_refused() {
    let headers = signed(&[secret(1)]);
    let verifier = Verifier::new(secret(1));
    let after = |verifier: &Verifier, seconds: i64| {
        verifier.verify_at(&headers, BODY, at(SENT + seconds)).map(|_| ())
    };
    for (seconds, expected) in [
        (0, Ok(())),
        (300, Ok(())),
        (301, Err(VerifyError::TooOld)),
        (86_400 * 365, Err(VerifyError::TooOld)),
        (-300, Ok(())),
        (-301, Err(VerifyError::TooNew)),
    ] {
        assert_eq!(after(&verifier, seconds), expected, "{seconds}");
    }
    let patient = verifier.tolerance(Duration::from_secs(3600));
    assert_eq!([3600, 3601].map(|seconds| after(&patient, seconds).is_ok()), [true, false]);
}

#[test]
fn headers_that_are_missing_or_ambiguous_are_refused() {
    for name in ["webhook-id", "webhook-timestamp", "webhook-signature"] {
        let mut headers = signed(&[secret(1)]);
        headers.remove(name);
        assert_eq!(verify(&headers), Err(VerifyError::MissingHeader(name)));
    }
    for name in ["webhook-id", "webhook-timestamp"] {
        let mut headers = signed(&[secret(1)]);
        headers.append(name, headers[name].clone());
        assert_eq!(verify(&headers), Err(VerifyError::InvalidHeader(name)));
    }
    for text in ["", "x", "-1", "+1700000000", "01700000000", "1.7e9", "1700000000.0", "99999999999999999999"]
    {
        let mut headers = signed(&[secret(1)]);
        headers.insert("webhook-timestamp", text.parse().unwrap());
        assert_eq!(verify(&headers), Err(VerifyError::InvalidHeader("webhook-timestamp")), "{text}");
    }
}

/// With a full stop in the id, a part of the signed text could move from one part to another.
#[test]
fn ids_are_short_and_without_full_stops() {
    let body = b"1700000000.{}";
    let headers = sign(&[secret(1)], "msg", 5, body);
    let mut shifted = headers.clone();
    shifted.insert("webhook-id", HeaderValue::from_static("msg.5"));
    shifted.insert("webhook-timestamp", HeaderValue::from(SENT));
    assert_eq!(
        Verifier::new(secret(1)).verify_at(&shifted, b"{}", at(SENT)),
        Err(VerifyError::InvalidHeader("webhook-id"))
    );
    for id in [String::new(), "x".repeat(257)] {
        let headers = sign(&[secret(1)], &id, SENT, BODY);
        assert_eq!(verify(&headers), Err(VerifyError::InvalidHeader("webhook-id")));
    }
}
