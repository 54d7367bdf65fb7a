//! Unions of unions.

use fixture_several_unions_models::common::{Customer, CustomerPerson, Setting};
use fixture_several_unions_validation::common::{CUSTOMER, SETTING};

use super::{assert_violations, received};

#[test]
fn that_all_hold() {
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
fn that_are_folded() {
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
