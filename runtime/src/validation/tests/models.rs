//! Models and their rows, as the generator writes them.

use crate::codec::{
    AdditionalProperties, Decode, DecodeError, Encode, Kinds, Reader, Shape, Writer, entries, keep,
};
use crate::table::{
    Additional, Array, CrossRule, Field, Format, Integer, Literal, Number, Object, Pattern, Schema, Text,
    Type, Union, Width,
};
use crate::types::{Map, Nullable, Timestamp, Uuid, Value};

/// Declares a struct and its codec.
///
/// `required` or `optional` is the function that takes a field.
macro_rules! model {
    ($name:ident, $rest:ident { $($field:ident: $type:ty, $take:ident;)* }) => {
        #[derive(Debug, Clone, PartialEq)]
        pub struct $name { $(pub $field: $type,)* }

        impl Decode for $name {
            fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
                $(let mut $field = None;)*
                reader.object(&[$(stringify!($field),)*], &mut [$(&mut $field,)*], AdditionalProperties::$rest)?;
                Ok(Self { $($field: $take($field, stringify!($field))?,)* })
            }
        }

        impl Encode for $name {
            fn encode(&self, writer: &mut dyn Writer) {
                writer.object(&[$((stringify!($field), &self.$field),)*], None);
            }
        }
    };
}

fn required<T>(slot: Option<T>, name: &'static str) -> Result<T, DecodeError> {
    slot.ok_or_else(|| DecodeError::missing(name))
}

/// Returns the slot; the macro calls it in place of [`required`].
fn optional<T>(slot: Option<T>, _name: &'static str) -> Result<Option<T>, DecodeError> {
    Ok(slot)
}

/// Returns the row of a field.
pub const fn field(name: &'static str, required: bool, schema: &'static Schema) -> Field {
    if required { Field::required(name, schema) } else { Field::optional(name, schema) }
}

const fn text(rules: Text) -> Schema {
    Schema::new(Type::Text(rules))
}

/// A closed enum.
#[derive(Debug, Clone, PartialEq)]
pub enum Color {
    Red,
    Blue,
}

impl Decode for Color {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        match reader.string()?.as_str() {
            "red" => Ok(Self::Red),
            "blue" => Ok(Self::Blue),
            other => Err(DecodeError::not_allowed(other, &["red", "blue"][..])),
        }
    }
}

impl Encode for Color {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.str(if *self == Self::Red { "red" } else { "blue" });
    }
}

pub static COLOR: Schema = Schema {
    of: Type::Text(Text { closed: true, ..Text::ANY }),
    nullable: false,
    allowed: &[Literal::Text("red"), Literal::Text("blue")],
    also: None,
};

model!(Circle, Ignore { radius: f64, required; color: Option<Color>, optional; });
model!(Square, Closed { side: i32, required; color: Option<String>, optional; });

model!(Edges, Closed { a: Option<i64>, optional; b: Option<f64>, optional; c: Option<Vec<i64>>, optional; });
model!(Cat, Ignore { kind: Option<String>, optional; lives: Option<i64>, optional; });
model!(Dog, Ignore { kind: Option<String>, optional; name: Option<String>, optional; });

pub static CIRCLE: Schema = Schema::new(Type::Object(Object::new(&[
    field("radius", true, &Schema::new(Type::Number(Number { exclusive_minimum: Some(0.0), ..Number::ANY }))),
    field("color", false, &COLOR),
])));

static SQUARE: Schema = Schema::new(Type::Object(Object {
    additional: Additional::Forbidden,
    ..Object::new(&[
        field(
            "side",
            true,
            &Schema::new(Type::Integer(Integer { width: Width::I32, maximum: Some(9), ..Integer::ANY })),
        ),
        field("color", false, &text(Text::ANY)),
    ])
}));

/// A union without a discriminator. A string is a color, or else any text.
#[derive(Debug, Clone, PartialEq)]
pub enum Figure {
    Circle(Circle),
    Square(Square),
    Color(Color),
    Name(String),
    Sizes(Vec<i64>),
}

crate::union! {
    Figure;
    Circle => Shape::object("Circle").required(&["radius"]).known(&["radius", "color"]),
    Square => Shape::object("Square").required(&["side"]).known(&["side", "color"]).closed(),
    Color => Shape::new("Color", Kinds::STRING),
    Name => Shape::new("Name", Kinds::STRING),
    Sizes => Shape::new("Sizes", Kinds::ARRAY),
}

pub static FIGURE: Schema = Schema::new(Type::Union(Union {
    shape: Figure::SHAPE,
    variants: &[
        &CIRCLE,
        &SQUARE,
        &COLOR,
        &text(Text { max_length: Some(4), ..Text::ANY }),
        &Schema::new(Type::Array(Array {
            items: &Schema::new(Type::Integer(Integer::ANY)),
            min_items: None,
            max_items: Some(2),
            unique: false,
        })),
    ],
}));

/// A map with a known field.
#[derive(Debug, Clone, PartialEq)]
pub struct Labels {
    pub main: Option<String>,
    pub additional_properties: Map<i64>,
}

impl Decode for Labels {
    fn decode(reader: &mut dyn Reader) -> Result<Self, DecodeError> {
        let mut main = None;
        let mut rest = Map::new();
        let mut take = |name: &str, reader: &mut dyn Reader| keep(&mut rest, name, reader);
        reader.object(&["main"], &mut [&mut main], AdditionalProperties::Keep(&mut take))?;
        Ok(Self { main, additional_properties: rest })
    }
}

impl Encode for Labels {
    fn encode(&self, writer: &mut dyn Writer) {
        writer.object(&[("main", &self.main)], Some(&mut entries(&self.additional_properties)));
    }
}

pub static LABELS: Schema = Schema::new(Type::Object(Object {
    additional: Additional::Kept(&Schema::new(Type::Integer(Integer { maximum: Some(9), ..Integer::ANY }))),
    min_properties: Some(1),
    max_properties: Some(2),
    ..Object::new(&[field("main", false, &text(Text { min_length: Some(1), ..Text::ANY }))])
}));

model!(Order, Closed {
    id: Uuid, required;
    text: String, required;
    kind: Option<String>, optional;
    color: Option<Color>, optional;
    count: Option<i64>, optional;
    ratio: Option<f64>, optional;
    note: Option<Nullable<String>>, optional;
    flag: Option<bool>, optional;
    tags: Option<Vec<String>>, optional;
    times: Option<Vec<Timestamp>>, optional;
    figure: Option<Figure>, optional;
    figures: Option<Vec<Circle>>, optional;
    labels: Option<Labels>, optional;
    extra: Option<Value>, optional;
    parts: Option<Vec<Order>>, optional;
});

static TEXT_PATTERN: Pattern = Pattern::new("^a");

const fn array(items: &'static Schema, max_items: u64, unique: bool) -> Schema {
    Schema::new(Type::Array(Array { items, min_items: Some(1), max_items: Some(max_items), unique }))
}

static ORDER_FIELDS: &[Field] = &[
    field("id", true, &text(Text { format: Some(Format::Uuid), ..Text::ANY })),
    field(
        "text",
        true,
        &text(Text { min_length: Some(2), max_length: Some(4), pattern: Some(&TEXT_PATTERN), ..Text::ANY }),
    ),
    field(
        "kind",
        false,
        &Schema {
            of: Type::Text(Text::ANY),
            nullable: false,
            allowed: &[Literal::Text("a"), Literal::Text("b")],
            also: None,
        },
    ),
    field("color", false, &COLOR),
    Field {
        default: Some(Literal::Integer(2)),
        ..field(
            "count",
            false,
            &Schema::new(Type::Integer(Integer {
                minimum: Some(0),
                exclusive_maximum: Some(10),
                ..Integer::ANY
            })),
        )
    },
    field("ratio", false, &Schema::new(Type::Number(Number { multiple_of: Some(0.1), ..Number::ANY }))),
    field("note", false, &Schema { of: Type::Text(Text::ANY), nullable: true, allowed: &[], also: None }),
    field("flag", false, &Schema::new(Type::Boolean)),
    field("tags", false, &array(&text(Text { max_length: Some(2), ..Text::ANY }), 3, true)),
    field("times", false, &array(&text(Text { format: Some(Format::DateTime), ..Text::ANY }), 2, true)),
    field("figure", false, &FIGURE),
    field("figures", false, &array(&CIRCLE, 4, true)),
    field("labels", false, &LABELS),
    field("extra", false, &Schema::new(Type::Any)),
    field("parts", false, &array(&ORDER, 2, false)),
];

pub static ORDER: Schema = Schema::new(Type::Object(Object {
    additional: Additional::Forbidden,
    max_properties: Some(9),
    rules: &[
        CrossRule::When {
            name: "count",
            when: &[("flag", Literal::Boolean(true))],
            require: &[("count", Literal::Integer(2))],
        },
        CrossRule::NotTogether { name: "note", fields: &["flag", "note"] },
        CrossRule::TotalItems { name: "tags", fields: &["tags", "times"], minimum: None, maximum: Some(4) },
    ],
    ..Object::new(ORDER_FIELDS)
}));
