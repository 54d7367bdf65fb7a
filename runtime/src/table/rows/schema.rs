//! Rows of schemas.

use crate::{
    codec::UnionShape,
    table::{
        Additional, Array, CrossRule, Field, Format, Integer, JsonSchema, Literal, Names, Number, Object,
        Pattern, Schema, Text, Type, Union, Width,
    },
};

impl Schema {
    /// Any value.
    pub const ANY: Self = Self::new(Type::Any);
    /// Any boolean.
    pub const BOOLEAN: Self = Self::new(Type::Boolean);
    /// Raw bytes or a file.
    pub const BYTES: Self = Self::new(Type::Bytes);
    /// Any integer that fits in an `i64`.
    pub const INTEGER: Self = Self::integer(Integer::ANY);
    /// Any number.
    pub const NUMBER: Self = Self::number(Number::ANY);
    /// Any string.
    pub const TEXT: Self = Self::text(Text::ANY);

    /// Creates a schema of this type, without other constraints.
    pub const fn new(of: Type) -> Self {
        Self { of, nullable: false, allowed: &[], also: None }
    }

    /// Creates a schema of integers.
    pub const fn integer(constraints: Integer) -> Self {
        Self::new(Type::Integer(constraints))
    }

    /// Creates a schema of numbers.
    pub const fn number(constraints: Number) -> Self {
        Self::new(Type::Number(constraints))
    }

    /// Creates a schema of strings.
    pub const fn text(constraints: Text) -> Self {
        Self::new(Type::Text(constraints))
    }

    /// Creates a schema of strings of a format.
    pub const fn format(format: Format) -> Self {
        Self::text(Text::ANY.format(format))
    }

    /// Creates a schema of the strings of a closed enum.
    pub const fn text_enum(values: &'static [Literal]) -> Self {
        Self::text(Text::ANY.closed()).allowed(values)
    }

    /// Creates a schema of arrays of any length.
    pub const fn array(items: &'static Self) -> Self {
        Array::new(items).schema()
    }

    /// Creates a schema of arrays of a fixed length.
    pub const fn tuple(items: &'static [&'static Self]) -> Self {
        Self::new(Type::Tuple(items))
    }

    /// Creates a schema of objects, of which the model drops additional properties.
    pub const fn object(fields: &'static [Field]) -> Self {
        Object::new(fields).schema()
    }

    /// Creates a schema of objects without additional properties.
    pub const fn closed_object(fields: &'static [Field]) -> Self {
        Object::new(fields).closed().schema()
    }

    /// Creates a schema of objects whose properties have any name.
    pub const fn map(values: &'static Self) -> Self {
        Object::new(&[]).kept(values).schema()
    }

    /// Creates a schema of a union.
    pub const fn union(shape: &'static UnionShape, variants: &'static [&'static Self]) -> Self {
        Self::new(Type::Union(Union { shape, variants }))
    }

    /// Creates a schema of the type of another row.
    pub const fn same(row: &'static Self) -> Self {
        Self::new(Type::Same(row))
    }
}

setters! {
    Schema {
        set allowed: &'static [Literal];
        some also: &'static JsonSchema;
        flag nullable;
    }
}

impl Integer {
    /// Any integer that fits in an `i64`.
    pub const ANY: Self = Self {
        width: Width::I64,
        minimum: None,
        exclusive_minimum: None,
        maximum: None,
        exclusive_maximum: None,
        multiple_of: None,
        closed: false,
    };
}

setters! {
    Integer {
        set width: Width;
        some minimum: i128, exclusive_minimum: i128, maximum: i128, exclusive_maximum: i128, multiple_of: i128;
        flag closed;
    }
}

impl Number {
    /// Any number.
    pub const ANY: Self = Self {
        minimum: None,
        exclusive_minimum: None,
        maximum: None,
        exclusive_maximum: None,
        multiple_of: None,
    };
}

setters! {
    Number {
        some minimum: f64, exclusive_minimum: f64, maximum: f64, exclusive_maximum: f64, multiple_of: f64;
    }
}

impl Text {
    /// Any string.
    pub const ANY: Self =
        Self { min_length: None, max_length: None, pattern: None, format: None, closed: false };
}

setters! {
    Text {
        some min_length: u64, max_length: u64, pattern: &'static Pattern, format: Format;
        flag closed;
    }
}

impl Array {
    /// Creates the constraints of an array of any length.
    pub const fn new(items: &'static Schema) -> Self {
        Self { items, min_items: None, max_items: None, unique: false }
    }

    /// Returns the schema of these arrays.
    pub const fn schema(self) -> Schema {
        Schema::new(Type::Array(self))
    }
}

setters! {
    Array {
        some min_items: u64, max_items: u64;
        flag unique;
    }
}

impl Object {
    /// Creates an object of these fields, without other constraints.
    pub const fn new(fields: &'static [Field]) -> Self {
        Self {
            fields,
            additional: Additional::Ignored,
            min_properties: None,
            max_properties: None,
            rules: &[],
            names: None,
        }
    }

    /// Forbids additional properties.
    pub const fn closed(mut self) -> Self {
        self.additional = Additional::Forbidden;
        self
    }

    /// Allows additional properties with values of this schema. The model keeps them.
    pub const fn kept(mut self, values: &'static Schema) -> Self {
        self.additional = Additional::Kept(values);
        self
    }

    /// Returns the schema of these objects.
    pub const fn schema(self) -> Schema {
        Schema::new(Type::Object(self))
    }
}

setters! {
    Object {
        set rules: &'static [CrossRule];
        some min_properties: u64, max_properties: u64, names: &'static Names;
    }
}

impl Names {
    /// Any names.
    pub const ANY: Self = Self { each: None, patterns: &[], others: None, closed: false };
}

setters! {
    Names {
        set patterns: &'static [(&'static Pattern, Option<&'static Schema>)];
        some each: &'static Schema, others: &'static Schema;
        flag closed;
    }
}

impl Field {
    /// Creates a field that an object must have.
    pub const fn required(name: &'static str, schema: &'static Schema) -> Self {
        Self::new(name, true, schema)
    }

    /// Creates a field that an object may have.
    pub const fn optional(name: &'static str, schema: &'static Schema) -> Self {
        Self::new(name, false, schema)
    }

    const fn new(name: &'static str, required: bool, schema: &'static Schema) -> Self {
        Self {
            name,
            required,
            schema,
            default: None,
            #[cfg(feature = "xml")]
            xml: None,
        }
    }

    /// Sets the field `xml`.
    #[cfg(feature = "xml")]
    pub const fn xml(mut self, xml: &'static crate::table::Xml) -> Self {
        self.xml = Some(xml);
        self
    }
}

setters! {
    Field {
        some default: Literal;
    }
}

impl CrossRule {
    /// If all fields in `when` have these values, so do all fields in `require`.
    pub const fn when(
        name: &'static str,
        when: &'static [(&'static str, Literal)],
        require: &'static [(&'static str, Literal)],
    ) -> Self {
        Self::When { name, when, require }
    }

    /// At most one of the fields is given and not `false`.
    pub const fn not_together(name: &'static str, fields: &'static [&'static str]) -> Self {
        Self::NotTogether { name, fields }
    }

    /// At least one of the fields is given, with a value above the limit.
    pub const fn at_least_one(
        name: &'static str,
        fields: &'static [&'static str],
        above: Option<f64>,
    ) -> Self {
        Self::AtLeastOne { name, fields, above }
    }

    /// Exactly one of the fields is given.
    pub const fn exactly_one(name: &'static str, fields: &'static [&'static str]) -> Self {
        Self::ExactlyOne { name, fields }
    }

    /// The total number of items in the arrays is within these limits.
    pub const fn total_items(
        name: &'static str,
        fields: &'static [&'static str],
        minimum: Option<u64>,
        maximum: Option<u64>,
    ) -> Self {
        Self::TotalItems { name, fields, minimum, maximum }
    }
}
