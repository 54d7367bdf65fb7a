//! Variants of unions that a property names: a discriminator, or a constant.

use fixture_unions_by_constants_models::common::{
    Accepted, Cancel, CancelKind, Command, Failed, FailedState, Outcome, Postponed, Refused, Stop, StopKind,
    Verdict,
};
use fixture_unions_by_constants_validation::common::{COMMAND, OUTCOME, VERDICT};
use fixture_unions_with_discriminator_models::common::{Born, Cat, Dog, Event, Pet};
use fixture_unions_with_discriminator_validation::common::PET;
use openapi_crates_runtime::codec::{Encode, JsonReader, from_json, to_json};

use super::{assert_violations, received};

fn json(value: &dyn Encode) -> String {
    String::from_utf8(to_json(value)).expect("JSON is UTF-8")
}

/// Returns the error of a client that decodes this text.
fn refused<T: openapi_crates_runtime::codec::Decode>(text: &str) -> String {
    let read = JsonReader::tolerant(text.as_bytes()).read::<T>();
    read.err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn a_variant_sends_its_constant() {
    let cancel = Command::Cancel(Cancel::default());
    assert_eq!(json(&cancel), r#"{"kind":"cancel"}"#);
    assert_eq!(received::<Command>(&json(&cancel)), Command::Cancel(sent_cancel()));
    assert_eq!(json(&Command::Stop(Stop::default())), r#"{"kind":"stop"}"#);
    // Only the union needs the constant.
    assert_eq!(json(&Cancel::default()), "{}");
    let postponed = Outcome::Postponed(Postponed::new(cancel));
    assert_eq!(json(&postponed), r#"{"state":"postponed","next":{"kind":"cancel"}}"#);
}

fn sent_cancel() -> Cancel {
    let mut cancel = Cancel::default();
    cancel.kind = Some(CancelKind::Cancel);
    cancel
}

#[test]
fn a_variant_sends_the_constant_that_it_was_given() {
    let failed = Outcome::Failed(Failed::new(FailedState::Broken, "e"));
    assert_eq!(json(&failed), r#"{"state":"broken","error":"e"}"#);
    let mut stop = Stop::default();
    stop.kind = Some(StopKind::Stop);
    assert_eq!(json(&Command::Stop(stop)), r#"{"kind":"stop"}"#);
}

#[test]
fn a_variant_sends_its_tag() {
    assert_eq!(json(&Pet::Dog(Dog::default())), r#"{"kind":"dog"}"#);
    let mut dog = Dog::default();
    dog.kind = "Dog".to_owned();
    assert_eq!(json(&Pet::Dog(dog.clone())), r#"{"kind":"dog"}"#);
    assert_eq!(json(&Event::Born(Born::default())), r#"{"type":"Born"}"#);
    // There is a choice of two.
    assert_eq!(json(&Pet::Cat(Cat::new("kitten", 9))), r#"{"kind":"kitten","lives":9}"#);
    assert_eq!(json(&Pet::Cat(Cat::new("dog", 9))), r#"{"kind":"cat","lives":9}"#);
    let mut born = Born::default();
    born.pet = Some(Pet::Dog(dog));
    assert_eq!(json(&Event::Born(born)), r#"{"type":"Born","pet":{"kind":"dog"}}"#);
}

#[test]
fn a_named_variant_that_is_malformed_is_an_error() {
    assert_eq!(refused::<Event>(r#"{"type": "Sold", "price": "much"}"#), "price: expected a number, found a string");
    assert_eq!(refused::<Event>(r#"{"type": "Sold"}"#), "the field `price` is missing");
    assert_eq!(refused::<Outcome>(r#"{"state": "done"}"#), "the field `at` is missing");
    assert_eq!(
        refused::<Outcome>(r#"{"state": "failed", "error": 5}"#),
        "error: expected a string, found a number"
    );
    let text = r#"{"type": "Lost", "price": "much"}"#;
    assert!(matches!(received::<Event>(text), Event::Unknown(value) if value["type"] == "Lost"));
    assert!(matches!(received::<Outcome>(r#"{"state": "gone"}"#), Outcome::Unknown(_)));
}

#[test]
fn a_missing_tag_is_missing() {
    assert_violations::<Pet>(
        &PET,
        &[
            (r#"{"kind": "dog"}"#, &[]),
            (r#"{"good": true}"#, &["kind missing"]),
            (r#"{"kind": 5}"#, &["kind wrong-type"]),
            (r#"{"kind": null}"#, &["kind null"]),
            (r#"{"kind": "cow"}"#, &["kind not-allowed"]),
        ],
    );
    let error = from_json::<Pet>(br#"{"good": true}"#).map_err(|error| error.to_string());
    assert_eq!(error, Err("the field `kind` is missing".to_owned()));
    assert_violations::<Outcome>(&OUTCOME, &[(r#"{"at": 5}"#, &["state missing"])]);
    // This constant need not be there.
    assert_violations::<Command>(&COMMAND, &[(r#"{"kind": "cancel", "reason": "r"}"#, &[])]);
    assert!(matches!(received::<Command>(r#"{"reason": "r"}"#), Command::Stop(_)));
}

#[test]
fn null_is_not_missing() {
    assert_eq!(refused::<Cat>(r#"{"kind": "cat", "lives": null}"#), "lives: expected a number, found null");
    assert_eq!(received::<Dog>(r#"{"kind": "dog", "good": null}"#), Dog::default());
}

#[test]
fn a_boolean_selects_a_variant() {
    assert_violations::<Verdict>(
        &VERDICT,
        &[
            (r#"{"accepted": true}"#, &[]),
            (r#"{"note": "late", "accepted": false}"#, &[]),
            (r#"{"accepted": "true"}"#, &["accepted wrong-type"]),
        ],
    );
    let refused = Verdict::Refused(Refused::default());
    assert_eq!(json(&refused), r#"{"accepted":false}"#);
    assert_eq!(received::<Verdict>(&json(&refused)), refused);
    assert_eq!(received::<Verdict>(r#"{"accepted": true}"#), Verdict::Accepted(Accepted::default()));
}
