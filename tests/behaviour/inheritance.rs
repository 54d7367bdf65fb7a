//! Schemas that others extend.

use fixture_inheritance_models::common::{Event, Pet, Shape};
use fixture_inheritance_validation::common::{EVENT, PET, SHAPE};

use super::{assert_violations, received};

#[test]
fn a_base_schema_accepts_its_subtypes() {
    let pet = received::<Pet>(
        r#"{"kind": "Cat", "name": "Tom", "lives": 9, "mother": {"kind": "Pet", "name": "?"}}"#,
    );
    let Pet::Cat(cat) = pet else { panic!("a cat") };
    assert_eq!((cat.name.as_str(), cat.lives), ("Tom", Some(9)));
    assert!(matches!(cat.mother.as_deref(), Some(Pet::Base(_))));
    assert!(matches!(
        received::<Pet>(r#"{"kind": "young-dog", "name": "Rex", "bark": "yip"}"#),
        Pet::Puppy(puppy) if puppy.bark == "yip"
    ));
    let unknown = received::<Pet>(r#"{"kind": "Fish", "name": "Nemo", "fins": 2}"#);
    assert!(matches!(unknown, Pet::Unknown(value) if value["fins"] == 2));
    assert!(matches!(received::<Event>(r#"{"event_type": "item_removed"}"#), Event::ItemRemoved(_)));
}

#[test]
fn values_have_the_constraints_of_their_subtype() {
    assert_violations::<Shape>(
        &SHAPE,
        &[
            (r#"{"form": "square", "width": 1, "height": 1}"#, &[]),
            (r#"{"form": "Circle", "radius": 1}"#, &[]),
            (r#"{"form": "Circle"}"#, &["radius missing"]),
            (r#"{"form": "Shape"}"#, &["form not-allowed"]),
        ],
    );
    assert_violations::<Pet>(
        &PET,
        &[
            (r#"{"kind": "Stray", "name": "x"}"#, &[]),
            (r#"{"kind": "Dog", "name": "x"}"#, &["bark missing"]),
            (
                r#"{"kind": "Cat", "name": "x", "mother": {"kind": "Dog"}}"#,
                &["mother.name missing", "mother.bark missing"],
            ),
        ],
    );
    assert_violations::<Event>(&EVENT, &[(r#"{"event_type": "item_added", "item": "i"}"#, &[])]);
}
