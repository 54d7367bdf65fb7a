//! Unions: the walk takes the variant that decoding takes.

use super::models::{Cat, Dog, FIGURE, Figure, field};
use super::*;
use crate::codec::{Kinds, Shape};
use crate::table::{Integer, Literal, Object, Text, Union};

#[test]
fn by_shape() {
    assert_violations::<Figure>(
        &FIGURE,
        &[
            (r#"{"radius": 1}"#, &[]),
            (r#"{"radius": 1, "color": "red", "more": 1}"#, &[]),
            (r#"{"side": 9, "color": "green"}"#, &[]),
            // A single candidate reports its own violations.
            (r#"{"radius": "1", "color": "green"}"#, &["radius wrong-type", "color not-allowed"]),
            (r#"{"side": 10}"#, &["side maximum"]),
            ("[1, true]", &["[1] wrong-type"]),
            ("[1, 2, 3]", &["max-items"]),
            // No variant matches.
            ("{}", &["no-variant"]),
            ("7", &["no-variant"]),
            ("null", &["no-variant"]),
        ],
    );
}

#[test]
fn closed_enums_leave_other_text_to_the_next_variant() {
    assert_violations::<Figure>(
        &FIGURE,
        &[(r#""red""#, &[]), (r#""teal""#, &[]), (r#""purple""#, &["max-length"])],
    );
}

#[test]
fn no_variant_names_the_candidates() {
    let expected = |json| walked(&FIGURE, json).first().map(Violation::expected);
    assert_eq!(expected("7").as_deref(), Some("must be one of Circle, Square, Color, Name, Sizes"));
}

/// A union with a discriminator; an enum that stays open; an integer or a number.
#[derive(Debug)]
enum Pet {
    Cat(Cat),
    Dog(Dog),
}

crate::union! {
    Pet by discriminator("kind");
    Cat => Shape::object("Cat").tags(&["cat"]),
    Dog => Shape::object("Dog").tags(&["dog"]),
}

#[test]
fn by_discriminator() {
    let kind = field("kind", false, schema(Type::Text(Text::ANY)));
    let lives = schema(Type::Integer(Integer { maximum: Some(9), ..Integer::ANY }));
    let cat = schema(Type::Object(Object::new(leak([kind, field("lives", false, lives)]))));
    let name = schema(Type::Text(Text { min_length: Some(1), ..Text::ANY }));
    let dog = schema(Type::Object(Object::new(leak([kind, field("name", false, name)]))));
    let pet = schema(Type::Union(Union { shape: Pet::SHAPE, variants: leak([cat, dog]) }));
    assert_violations::<Pet>(
        pet,
        &[
            (r#"{"kind": "cat", "lives": 9}"#, &[]),
            (r#"{"lives": 10, "kind": "cat"}"#, &["lives maximum"]),
            (r#"{"kind": "dog", "lives": 10}"#, &[]),
            (r#"{"kind": "dog", "name": ""}"#, &["name min-length"]),
            (r#"{"kind": "cow"}"#, &["kind not-allowed"]),
            ("[]", &["no-variant"]),
        ],
    );
    let reported = walked(pet, r#"{"kind": "cow"}"#);
    assert_eq!(reported.first().map(Violation::expected).as_deref(), Some("must be one of 'cat', 'dog'"));
}

/// An open enum, or a number. Unknown text belongs to the enum.
#[derive(Debug)]
enum Size {
    Named(String),
    Other(String),
    Number(f64),
}

crate::union! {
    Size;
    Named => Shape::new("Named", Kinds::STRING),
    Other => Shape::new("Other", Kinds::STRING),
    Number => Shape::new("Number", Kinds::NUMBER),
}

#[test]
fn open_enums_take_any_text() {
    let named = leak(Schema {
        of: Type::Text(Text::ANY),
        nullable: false,
        allowed: &[Literal::Text("big")],
        also: None,
    });
    let number = schema(Type::Number(crate::table::Number::ANY));
    let any = schema(Type::Text(Text::ANY));
    let size = schema(Type::Union(Union { shape: Size::SHAPE, variants: leak([named, any, number]) }));
    assert_violations::<Size>(
        size,
        &[(r#""big""#, &[]), ("1.5", &[]), (r#""small""#, &["not-allowed"]), ("true", &["no-variant"])],
    );
}

/// A number or an integer, of which the document lists the number first.
#[derive(Debug, PartialEq)]
enum Amount {
    Real(f64),
    Whole(i64),
}

crate::union! {
    Amount;
    Real => Shape::new("number", Kinds::NUMBER),
    Whole => Shape::new("integer", Kinds::INTEGER),
}

#[test]
fn an_integer_is_an_integer_before_it_is_a_number() {
    let real =
        schema(Type::Number(crate::table::Number { maximum: Some(1e18), ..crate::table::Number::ANY }));
    let whole = schema(Type::Integer(Integer { minimum: Some(10), ..Integer::ANY }));
    let amount = schema(Type::Union(Union { shape: Amount::SHAPE, variants: leak([real, whole]) }));
    for (json, expected) in [
        ("12", Amount::Whole(12)),
        ("12.0", Amount::Whole(12)),
        ("9007199254740993", Amount::Whole(9_007_199_254_740_993)),
        ("12.5", Amount::Real(12.5)),
        // It fits in no integer type.
        ("1e300", Amount::Real(1e300)),
    ] {
        assert_eq!(crate::codec::from_json(json.as_bytes()), Ok(expected), "{json}");
    }
    assert_violations::<Amount>(
        amount,
        &[("12.0", &[]), ("12.5", &[]), ("2.5", &[]), ("2.0", &["minimum"]), ("1e300", &["maximum"])],
    );
}
