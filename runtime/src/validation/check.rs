//! The fast path: a writer that keeps nothing and judges everything.
//!
//! A decoded value writes itself into the checker as it would into JSON; the checker compares what comes with the table
//! and stops at the first fault. It allocates nothing while all is well, but for two rare rules: a list of allowed
//! arrays or objects, and the uniqueness of more than 64 items.

use super::resolve::{is_limited, is_nullable, not_in, type_of};
use super::walk::violations_of;
use super::{cross, literal, scalar, unique};
use crate::codec::{Encode, Entries, ValueWriter, Writer, same, to_value};
use crate::table::{Additional, Array, Field, Object, Schema, Type};
use crate::types::{Bytes, Value};

/// Whether a judgement reports nothing. A macro, so that each judgement is compiled as a yes or no.
macro_rules! keeps {
    ($module:ident :: $judge:ident ($($argument:expr),+)) => {{
        let mut is_good = true;
        $module::$judge($($argument,)+ |_| is_good = false);
        is_good
    }};
}

/// Whether a value keeps all rules of a schema.
#[must_use]
pub fn check(schema: &'static Schema, value: &dyn Encode) -> bool {
    let mut checker = Checker { schema, is_good: false };
    value.encode(&mut checker);
    checker.is_good
}

/// The writer of one value.
struct Checker {
    schema: &'static Schema,
    is_good: bool,
}

impl Checker {
    fn integer(&mut self, value: i128) {
        self.is_good = match type_of(self.schema) {
            Type::Any => true,
            Type::Integer(rules) => scalar::fits(rules.width, value) && keeps!(scalar::integer(rules, value)),
            Type::Number(rules) => keeps!(scalar::number(rules, value as f64)),
            _ => false,
        } && not_in(self.schema, |it| literal::is_integer(it, value)).is_none();
    }

    /// Judges a value that a writer has no method for, or whose whole counts, by the slow path.
    fn whole(&mut self, value: &Value) {
        self.is_good = violations_of(self.schema, value).is_empty();
    }
}

impl Writer for Checker {
    fn null(&mut self) {
        self.is_good = is_nullable(self.schema);
    }

    fn boolean(&mut self, value: bool) {
        self.is_good = matches!(type_of(self.schema), Type::Any | Type::Boolean)
            && not_in(self.schema, |it| literal::is_boolean(it, value)).is_none();
    }

    fn i64(&mut self, value: i64) {
        self.integer(value.into());
    }

    fn u64(&mut self, value: u64) {
        self.integer(value.into());
    }

    fn f64(&mut self, value: f64) {
        self.is_good = match type_of(self.schema) {
            Type::Any => true,
            Type::Number(rules) => keeps!(scalar::number(rules, value)),
            _ => false,
        } && not_in(self.schema, |it| literal::is_number(it, value)).is_none();
    }

    fn str(&mut self, value: &str) {
        self.is_good = match type_of(self.schema) {
            Type::Any | Type::Bytes => true,
            Type::Text(rules) => keeps!(scalar::text(rules, value)),
            _ => false,
        } && not_in(self.schema, |it| literal::is_text(it, value)).is_none();
    }

    fn bytes(&mut self, _value: &Bytes) {
        self.is_good = matches!(type_of(self.schema), Type::Any | Type::Bytes);
    }

    fn array(&mut self, items: &mut dyn ExactSizeIterator<Item = &dyn Encode>) {
        if is_limited(self.schema) {
            return self.whole(&Value::Array(items.map(to_value).collect()));
        }
        self.is_good = match type_of(self.schema) {
            Type::Any => true,
            Type::Array(rules) => check_array(rules, items),
            _ => false,
        };
    }

    fn object(&mut self, fields: &[(&'static str, &dyn Encode)], rest: Option<&mut Entries<'_>>) {
        if is_limited(self.schema) {
            let mut writer = ValueWriter::new();
            writer.object(fields, rest);
            return self.whole(&writer.into_value());
        }
        self.is_good = match type_of(self.schema) {
            Type::Any => true,
            Type::Object(rules) => check_object(rules, fields, rest),
            _ => false,
        };
    }

    fn variant(&mut self, index: usize, value: &dyn Encode) {
        if is_limited(self.schema) {
            return self.whole(&to_value(value));
        }
        match type_of(self.schema) {
            Type::Union(union) => {
                self.is_good = union.variants.get(index).is_some_and(|schema| check(schema, value));
            }
            _ => value.encode(self),
        }
    }

    fn choice(&mut self, _index: usize, value: &dyn Encode) {
        value.encode(self);
    }

    fn value(&mut self, value: &Value) {
        match type_of(self.schema) {
            Type::Any if !is_limited(self.schema) => self.is_good = true,
            _ => self.whole(value),
        }
    }
}

fn check_array(rules: &Array, mut items: &mut dyn ExactSizeIterator<Item = &dyn Encode>) -> bool {
    if !keeps!(scalar::items(rules, items.len() as u64)) {
        return false;
    }
    if !rules.unique {
        return (&mut items).all(|item| check(rules.items, item));
    }
    let mut all_good = true;
    let mut items = items.inspect(|item| all_good = all_good && check(rules.items, *item));
    let all_differ = unique::all_differ(&mut items);
    all_good && all_differ
}

fn check_object(
    rules: &'static Object,
    fields: &[(&'static str, &dyn Encode)],
    rest: Option<&mut Entries<'_>>,
) -> bool {
    let (mut count, mut required) = (0_u64, 0);
    let is_there = |(_, (_, value)): &(usize, &(&'static str, &dyn Encode))| !value.is_absent();
    for (index, (name, value)) in fields.iter().enumerate().filter(is_there) {
        let is_good = match row(rules.fields, index, name) {
            Some(field) => {
                required += usize::from(field.required);
                check(field.schema, *value)
            }
            None => check_additional(rules, *value),
        };
        if !is_good {
            return false;
        }
        count += 1;
    }
    if required < rules.fields.iter().filter(|field| field.required).count() {
        return false;
    }
    for (_, value) in rest.into_iter().flatten() {
        if !check_additional(rules, value) {
            return false;
        }
        count += 1;
    }
    keeps!(scalar::properties(rules, count))
        && rules.rules.iter().all(|rule| cross::holds(rule, fields, rules.fields))
}

/// The row of a field: most often it is at the same place.
#[inline]
fn row(table: &'static [Field], index: usize, name: &str) -> Option<&'static Field> {
    match table.get(index) {
        Some(field) if same(field.name, name) => Some(field),
        _ => table.iter().find(|field| field.name == name),
    }
}

/// Whether a value may stand in an object beside its fields.
fn check_additional(rules: &Object, value: &dyn Encode) -> bool {
    match rules.additional {
        Additional::Ignored => true,
        Additional::Forbidden => false,
        Additional::Kept(schema) => check(schema, value),
    }
}
