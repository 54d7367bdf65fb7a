//! Variants of unions that a property names: a discriminator, or a constant.

use fixture_unions_by_constants_models::common::{
    Accepted, Cancel, CancelKind, Circle, Command, Failed, FailedState, Outcome, Postponed, Refused, Reply,
    ReplyV1, ReplyV2, ReplyV2Version, Shape, Square, Stop, StopKind, Switch, SwitchOff, SwitchOn, Verdict,
};
use fixture_unions_by_constants_validation::common::{COMMAND, OUTCOME, REPLY, SHAPE, SWITCH, VERDICT};
use fixture_unions_by_shape_models::common::{Amount, Picture};
use fixture_unions_by_shape_validation::common::AMOUNT;
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
fn a_missing_discriminator_is_a_violation() {
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

#[test]
fn an_integer_selects_a_variant() {
    let second = Reply::ReplyV2(ReplyV2::default());
    assert_eq!(json(&second), r#"{"version":2}"#);
    assert_eq!(json(&Reply::ReplyV1(ReplyV1::default())), r#"{"version":1}"#);
    let mut third = ReplyV2::default();
    third.version = Some(ReplyV2Version::N3);
    let third = Reply::ReplyV2(third);
    assert_eq!(json(&third), r#"{"version":3}"#);
    assert_eq!(received::<Reply>(r#"{"version": 3.0}"#), third);
    // Only the union needs the constant.
    assert_eq!(json(&ReplyV2::default()), "{}");
    assert_violations::<Reply>(
        &REPLY,
        &[
            (r#"{"version": 1}"#, &[]),
            (r#"{"version": 2.0, "text": "t"}"#, &[]),
            (r#"{"version": 4}"#, &["version not-allowed"]),
            (r#"{"version": 1.5}"#, &["version not-allowed"]),
            (r#"{"version": "2"}"#, &["version not-allowed"]),
            (r#"{"version": 2, "text": 5}"#, &["text wrong-type"]),
        ],
    );
    // This constant need not be there.
    assert!(matches!(received::<Reply>(r#"{"text": "t"}"#), Reply::ReplyV1(_)));
    assert_eq!(refused::<Reply>(r#"{"version": 2, "text": 5}"#), "text: expected a string, found a number");
}

#[test]
fn a_boolean_that_is_optional_is_sent() {
    let off = Switch::SwitchOff(SwitchOff::default());
    assert_eq!(json(&off), r#"{"enabled":false}"#);
    assert_eq!(json(&Switch::SwitchOn(SwitchOn::default())), r#"{"enabled":true}"#);
    assert_eq!(json(&SwitchOff::default()), "{}");
    let mut received_off = SwitchOff::default();
    received_off.enabled = Some(false);
    assert_eq!(received::<Switch>(&json(&off)), Switch::SwitchOff(received_off));
    assert_violations::<Switch>(
        &SWITCH,
        &[
            (r#"{"enabled": false, "since": 3}"#, &[]),
            (r#"{"since": 3}"#, &["body ambiguous"]),
            (r#"{"enabled": "false"}"#, &["enabled not-allowed"]),
            (r#"{"enabled": false, "since": "s"}"#, &["since wrong-type"]),
        ],
    );
}

#[test]
fn a_discriminator_can_be_an_integer() {
    let square = Shape::Square(Square::new(1.5));
    assert_eq!(json(&square), r#"{"corners":4,"side":1.5}"#);
    assert_eq!(received::<Shape>(&json(&square)), square);
    let circle = Shape::Circle(Circle::new(2.5));
    assert_eq!(json(&circle), r#"{"corners":0,"radius":2.5}"#);
    assert_eq!(received::<Shape>(&json(&circle)), circle);
    assert_violations::<Shape>(
        &SHAPE,
        &[
            (r#"{"corners": 0, "radius": 2}"#, &[]),
            (r#"{"side": 2}"#, &["corners missing"]),
            (r#"{"corners": 3}"#, &["corners not-allowed"]),
            (r#"{"corners": "4", "side": 1}"#, &["corners wrong-type"]),
        ],
    );
}

#[test]
fn a_variant_converts_into_its_union() {
    let dog = Dog::default();
    assert_eq!(Pet::from(dog.clone()), Pet::Dog(dog));
    assert_eq!(Picture::from(vec!["Rome".to_owned()]), Picture::Names(vec!["Rome".to_owned()]));
    assert_eq!(Picture::from(Amount::from(2)), Picture::Amount(Amount::Integer(2)));
}

#[test]
fn an_integer_is_an_integer_before_it_is_a_number() {
    for (text, expected) in [
        ("2", Amount::Integer(2)),
        ("2.0", Amount::Integer(2)),
        ("9007199254740993", Amount::Integer(9_007_199_254_740_993)),
        ("2.5", Amount::Number(2.5)),
        ("1e300", Amount::Number(1e300)),
    ] {
        assert_eq!(received::<Amount>(text), expected, "{text}");
        assert_violations::<Amount>(&AMOUNT, &[(text, &[])]);
    }
}
