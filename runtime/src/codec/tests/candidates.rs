use super::*;
use crate::codec::one_of::{choose, one_of};
use crate::codec::{AdditionalProperties, Decode, JsonReader, ValueReader};

const CAT: Shape = Shape {
    required: &["name", "lives"],
    known: &["name", "lives", "kind"],
    constants: &[("kind", &["cat", "kitten"])],
    closed: true,
    ..Shape::object("Cat")
};
const DOG: Shape = Shape {
    required: &["name"],
    known: &["name", "tricks", "kind"],
    constants: &[("kind", &["dog"])],
    ..Shape::object("Dog")
};
const THING: Shape = Shape { known: &["name"], ..Shape::new("Thing", Kinds::OBJECT.or(Kinds::NULL)) };

static PETS: UnionShape = UnionShape::new("Pet", &[CAT, DOG, THING]);
static TAGGED: UnionShape =
    UnionShape::new("Pet", &[CAT.tags(&["cat", "kitten"]), DOG.tags(&["dog"]), THING]).discriminator("kind");
static DEFAULTED: UnionShape =
    UnionShape::new("Pet", &[CAT.tags(&["cat"]), DOG.tags(&["dog"]).default()]).discriminator("kind");
static ALWAYS_TAGGED: UnionShape = UnionShape::new(
    "Pet",
    &[
        Shape::object("Cat").tags(&["cat"]).required(&["kind"]),
        Shape::object("Dog").tags(&["dog"]).required(&["kind"]).default(),
    ],
)
.discriminator("kind");
static NUMBERED: UnionShape = UnionShape::new(
    "Option",
    &[
        Shape::object("Text").known(&["type"]).constants(&[("type", &["3", "4"])]),
        Shape::object("File").known(&["type"]).constants(&[("type", &["-11"])]),
    ],
);
static SCALARS: UnionShape = UnionShape::new(
    "Scalar",
    &[
        Shape::new("Whole", Kinds::INTEGER),
        Shape::new("Real", Kinds::NUMBER),
        Shape::new("Text", Kinds::STRING),
        Shape::new("Flag", Kinds::BOOLEAN.or(Kinds::NULL)),
        Shape::new("Other", Kinds::STRING.or(Kinds::ARRAY)),
    ],
);

static NUMBERS: UnionShape = UnionShape::new(
    "Amount",
    &[Shape::new("Real", Kinds::NUMBER.or(Kinds::STRING)), Shape::new("Whole", Kinds::INTEGER)],
);

fn found(reader: &mut dyn Reader, union: &UnionShape) -> Result<Vec<usize>, String> {
    candidates(reader, union).map(|found| found.iter().collect()).map_err(|error| error.to_string())
}

#[test]
fn candidates_are_ordered_by_fit() {
    let none = |message: &str| Err(message.to_owned());
    for (union, text, strict, tolerant) in [
        // The kind decides.
        (&SCALARS, "1", Ok(vec![0, 1]), Ok(vec![0, 1])),
        (&SCALARS, "1.0", Ok(vec![0, 1]), Ok(vec![0, 1])),
        (&SCALARS, "1.5", Ok(vec![1]), Ok(vec![1])),
        (&SCALARS, "1e300", Ok(vec![0, 1]), Ok(vec![0, 1])),
        (&NUMBERS, "2", Ok(vec![1, 0]), Ok(vec![1, 0])),
        (&NUMBERS, "2.0", Ok(vec![1, 0]), Ok(vec![1, 0])),
        (&NUMBERS, "2.5", Ok(vec![0]), Ok(vec![0])),
        (&SCALARS, "\"x\"", Ok(vec![2, 4]), Ok(vec![2, 4])),
        (&SCALARS, "true", Ok(vec![3]), Ok(vec![3])),
        (&SCALARS, "null", Ok(vec![3]), Ok(vec![3])),
        (&SCALARS, "[]", Ok(vec![4]), Ok(vec![4])),
        (&SCALARS, "{}", Ok(vec![]), Ok(vec![])),
        // The fields decide.
        (&PETS, "null", Ok(vec![2]), Ok(vec![2])),
        (&PETS, "{}", Ok(vec![2]), Ok(vec![2])),
        (&PETS, r#"{"name":"a"}"#, Ok(vec![1, 2]), Ok(vec![1, 2])),
        (&PETS, r#"{"name":"a","lives":9}"#, Ok(vec![0, 1, 2]), Ok(vec![0, 1, 2])),
        (&PETS, r#"{"name":"a","lives":9,"tricks":[{"kind":"cat"}]}"#, Ok(vec![1, 2]), Ok(vec![0, 1, 2])),
        (&PETS, r#"{"name":"a","kind":"dog"}"#, Ok(vec![1, 2]), Ok(vec![1, 2])),
        (&PETS, r#"{"name":"a","lives":9,"kind":"kitten"}"#, Ok(vec![0, 2]), Ok(vec![0, 2])),
        (&PETS, r#"{"name":"a","lives":9,"kind":7}"#, Ok(vec![2]), Ok(vec![2])),
        (&PETS, r#"{"name":"a","name":"b"}"#, Ok(vec![1, 2]), Ok(vec![1, 2])),
        (&NUMBERED, r#"{"type":4}"#, Ok(vec![0]), Ok(vec![0])),
        (&NUMBERED, r#"{"type":-1.1e1}"#, Ok(vec![1]), Ok(vec![1])),
        (&NUMBERED, r#"{"type":3.5}"#, Ok(vec![]), Ok(vec![])),
        // The discriminator decides.
        (&TAGGED, r#"{"kind":"dog"}"#, Ok(vec![1]), Ok(vec![1])),
        (&TAGGED, r#"{"lives":{"kind":"dog"},"kind":"kitten"}"#, Ok(vec![0]), Ok(vec![0])),
        (&TAGGED, r#"{"kind":"cow"}"#, none("kind: `cow` is not one of `cat`, `kitten`, `dog`"), Ok(vec![])),
        (&TAGGED, r#"{"name":"a"}"#, Ok(vec![1, 2]), Ok(vec![1, 2])),
        (&TAGGED, r#"{"name":"a","kind":null}"#, Ok(vec![1, 2]), Ok(vec![1, 2])),
        (&TAGGED, "null", Ok(vec![2]), Ok(vec![2])),
        (&DEFAULTED, r#"{"kind":"cat"}"#, Ok(vec![0]), Ok(vec![0])),
        (&DEFAULTED, r#"{"kind":"cow"}"#, Ok(vec![1]), Ok(vec![1])),
        (&DEFAULTED, r#"{"name":"a"}"#, Ok(vec![1]), Ok(vec![1])),
        (&ALWAYS_TAGGED, r#"{"name":"a"}"#, Ok(vec![1]), Ok(vec![1])),
    ] {
        assert_eq!(found(&mut JsonReader::strict(text.as_bytes()), union), strict, "strictly: {text}");
        assert_eq!(found(&mut JsonReader::tolerant(text.as_bytes()), union), tolerant, "tolerantly: {text}");
        // A tree can't hold duplicate fields; the results must be the same nevertheless.
        let value = serde_json::from_str(text).unwrap();
        assert_eq!(found(&mut ValueReader::strict(&value), union), strict, "strictly, in memory: {text}");
        assert_eq!(
            found(&mut ValueReader::tolerant(&value), union),
            tolerant,
            "tolerantly, in memory: {text}"
        );
    }
}

#[test]
fn text_may_be_any_scalar() {
    assert!(
        Kinds::INTEGER.fits(Kind::Text) && Kinds::BOOLEAN.fits(Kind::Text) && Kinds::NULL.fits(Kind::Text)
    );
    assert!(!Kinds::ARRAY.or(Kinds::OBJECT).fits(Kind::Text));
}

#[cfg(feature = "http")]
#[test]
fn text_is_an_integer_before_it_is_a_number() {
    struct Text;
    impl crate::text::Source for Text {
        fn kind(&self) -> Kind {
            Kind::Text
        }
    }
    assert_eq!(found(&mut crate::text::source_reader(Text), &NUMBERS), Ok(vec![1, 0]));
    assert_eq!(found(&mut crate::text::source_reader(Text), &SCALARS), Ok(vec![0, 1, 2, 3, 4]));
}

/// Reads the next value as its best candidate that `read` can read.
fn choose_any(
    reader: &mut dyn Reader,
    union: &UnionShape,
    read: &mut dyn FnMut(usize, &mut dyn Reader) -> Result<(), DecodeError>,
) -> Result<(), DecodeError> {
    let candidates = candidates(reader, union)?;
    choose(reader, union, &candidates, read)
}

/// Chooses a variant if only those in `takes` can be read.
fn chosen(text: &str, union: &UnionShape, takes: &[usize]) -> Result<usize, String> {
    let mut reader = JsonReader::strict(text.as_bytes());
    let mut chosen = None;
    let result = choose_any(&mut reader, union, &mut |index, reader| {
        reader.skip()?;
        if !takes.contains(&index) {
            return Err(DecodeError::custom(format!("not {index}")));
        }
        chosen = Some(index);
        Ok(())
    });
    match result {
        Ok(()) => {
            reader.finish().unwrap();
            Ok(chosen.unwrap())
        }
        Err(error) => {
            assert_eq!(reader.offset(), 0, "the reader is before the value again");
            Err(error.to_string())
        }
    }
}

#[test]
fn chooses_the_first_that_can_be_read() {
    let none = |message: &str| Err(message.to_owned());
    for (union, text, takes, expected) in [
        (&SCALARS, "1", &[0, 1][..], Ok(0)),
        (&SCALARS, "1", &[1], Ok(1)),
        (&SCALARS, "1", &[], none("matches no variant of Scalar (tried `Whole`, `Real`)")),
        (&SCALARS, "1.5", &[], none("not 1")),
        (&SCALARS, "{}", &[], none("matches no variant of Scalar")),
        (&PETS, r#"{"name":"a","lives":9}"#, &[1, 2], Ok(1)),
        (&TAGGED, r#"{"kind":"dog"}"#, &[2], none("not 1")),
    ] {
        assert_eq!(chosen(text, union, takes), expected, "{text}");
    }
}

#[test]
fn malformed_input_is_reported_at_once() {
    for text in ["", "[", r#"{"name":"a","lives":"#, r#"{"name":"a" "lives":9}"#, r#"{"name":"a",}"#] {
        let error =
            choose_any(&mut JsonReader::strict(text.as_bytes()), &PETS, &mut |_, reader| reader.skip());
        if text != "[" {
            assert!(error.unwrap_err().is_syntax(), "{text}");
        }
    }
}

/// A search condition.
///
/// It nests to any depth, and only the fields of its variants differ.
#[derive(Debug, PartialEq)]
enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    Is(String),
}

const fn only(name: &'static str, field: &'static [&'static str]) -> Shape {
    Shape { required: field, known: field, closed: true, ..Shape::object(name) }
}

static CONDITION: UnionShape = UnionShape::new(
    "Condition",
    &[only("All", &["all"]), only("Any", &["any"]), only("Not", &["not"]), only("Is", &["is"])],
);

/// Reads an object that has one field.
fn single<T: Decode>(reader: &mut dyn Reader, name: &'static str) -> Result<T, DecodeError> {
    let mut slot = None;
    reader.object(&[name], &mut [&mut slot], AdditionalProperties::Closed)?;
    slot.ok_or_else(|| DecodeError::missing(name))
}

impl Decode for Condition {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let variants: [fn(&mut dyn Reader) -> _; 4] = [
            |reader| single(reader, "all").map(Self::All),
            |reader| single(reader, "any").map(Self::Any),
            |reader| single(reader, "not").map(Self::Not),
            |reader| single(reader, "is").map(Self::Is),
        ];
        one_of(reader, &CONDITION, &variants, None)
    }
}

#[test]
fn valid_trees_of_unions_are_read() {
    fn tree(depth: usize) -> String {
        match depth {
            0 => format!(r#"{{"is":"{}"}}"#, "x".repeat(20)),
            _ => {
                let (name, below) = (if depth.is_multiple_of(2) { "all" } else { "any" }, tree(depth - 1));
                format!(r#"{{"{name}":[{below},{below}]}}"#)
            }
        }
    }
    let chain = |depth: usize, length: usize| {
        let inner = format!(r#"{{"is":"{}"}}"#, "x".repeat(length));
        format!("{}{inner}{}", r#"{"not":"#.repeat(depth), "}".repeat(depth))
    };
    let list = format!(r#"{{"all":[{}]}}"#, vec![tree(3); 10_000].join(","));
    for text in [tree(14), list, chain(120, 100_000), chain(20, 1_000_000)] {
        let value = serde_json::from_str(&text).unwrap();
        let read: Condition = crate::codec::from_json(text.as_bytes()).unwrap();
        assert_eq!(Condition::decode(&mut ValueReader::strict(&value)), Ok(read));
    }
}

#[test]
fn values_after_the_discriminator_are_read_once() {
    static TREE: UnionShape = UnionShape::new(
        "Tree",
        &[Shape::object("Branch").tags(&["branch"]), Shape::object("Leaf").tags(&["leaf"])],
    )
    .discriminator("kind");
    fn descend(reader: &mut dyn Reader) -> Result<(), DecodeError> {
        choose_any(reader, &TREE, &mut |index, reader| match index {
            0 => reader.entries(&mut |name, reader| match name {
                "child" => descend(reader),
                _ => reader.skip(),
            }),
            _ => reader.skip(),
        })
    }
    let leaf = format!(r#"{{"kind":"leaf","text":"{}"}}"#, "x".repeat(500_000));
    let text = format!("{}{leaf}{}", r#"{"kind":"branch","child":"#.repeat(120), "}".repeat(120));
    assert_eq!(descend(&mut JsonReader::strict(text.as_bytes())), Ok(()));
}
