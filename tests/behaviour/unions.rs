//! Unions of unions, and unions whose discriminator is optional.

use fixture_optional_discriminators_models::common::{Cat, CatKind, Farm, Pet};
use fixture_optional_discriminators_validation::common::PET;
use fixture_several_unions_models::common::{Customer, CustomerPerson, Setting};
use fixture_several_unions_validation::common::{CUSTOMER, SETTING};

use openapi_crates_runtime::{
    codec::{from_json, to_json},
    validation::violations_of,
};

use super::{assert_violations, received};

#[test]
fn all_of_several_unions() {
    assert_violations::<Customer>(
        &CUSTOMER,
        &[
            (r#"{"id": "1", "name": "n", "card": "c"}"#, &[]),
            (r#"{"id": "1", "company": "n", "address": "a"}"#, &[]),
            (r#"{"id": "1", "name": "n"}"#, &["body no-variant"]),
        ],
    );
    let customer = received::<Customer>(r#"{"id": "1", "name": "n", "card": "c"}"#);
    assert!(matches!(customer, Customer::Person(CustomerPerson::ByCard(person)) if person.name == "n"));
}

#[test]
fn folded_unions() {
    assert_violations::<Setting>(
        &SETTING,
        &[
            (r#"{"name": "n"}"#, &[]),
            (r#""text""#, &[]),
            ("5", &[]),
            ("true", &[]),
            ("[]", &["body no-variant"]),
        ],
    );
    assert!(matches!(received::<Setting>("7"), Setting::Integer(7)));
}

/// The only variant that allows absence is chosen, even where others come before it. An absent property stays absent
/// if the type has it as a field.
#[test]
fn whose_discriminator_is_optional() {
    let name = "{\"name\": \"n\"}";
    assert_violations::<Pet>(
        &PET,
        &[
            (r#"{"kind": "cat", "name": "n"}"#, &[]),
            (r#"{"kind": "cow", "name": "n"}"#, &[]),
            (r#"{"kind": "dog", "name": "n"}"#, &["kind not-allowed"]),
            (r#"{"kind": "cow"}"#, &["name missing"]),
            ("{}", &["body no-variant"]),
        ],
    );
    assert!(violations_of(&PET, &serde_json::from_str(name).expect("it is JSON")).is_empty());
    let pet = from_json::<Pet>(name.as_bytes()).expect("a server reads it");
    assert!(matches!(&pet, Pet::Cat(cat) if cat.kind.is_none()), "{pet:?}");
    assert_eq!(pet, received(name), "a client reads it");
    let written = String::from_utf8(to_json(&pet)).expect("it is text");
    assert_eq!(written, r#"{"kind":"cat","name":"n"}"#, "it is sent with its tag");
    assert_eq!(received::<Pet>(&written), Pet::Cat(Cat::new("n").with_kind(CatKind::Cat)));
}

/// The properties decide between several variants that allow absence, else their order.
#[test]
fn whose_discriminator_is_optional_in_several_variants() {
    assert!(matches!(received(r#"{"name": "n"}"#), Farm::Cat(_)));
    assert!(matches!(received(r#"{"name": "n", "good": true}"#), Farm::Dog(_)));
    assert!(matches!(received(r#"{"name": "n", "kind": "dog"}"#), Farm::Dog(_)));
    assert!(matches!(received(r#"{"name": "n", "kind": "cow"}"#), Farm::Cow(_)));
    assert!(matches!(received(r#"{"name": "n", "kind": "emu"}"#), Farm::Unknown(_)));
    assert!(matches!(received("{}"), Farm::Unknown(_)));
}
