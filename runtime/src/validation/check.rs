//! The fast path: a writer that validates values and keeps none of them.
//!
//! A decoded value encodes itself into the checker as it would into JSON. The checker compares each value
//! with the table, and skips further checks after the first violation. For valid input it allocates only in
//! rare cases, such as a list of allowed arrays or objects, or uniqueness of more than 64 items.

use super::json_schema::Context;
use super::probe::{Form, form};
use super::resolve::{also, is_limited, is_nullable, not_in, type_of};
use super::walk::violations_in;
use super::{cross, literal, names, scalar, unique};
use crate::codec::{
    ByteStream, Bytes, Encode, Entries, Format, Items, UnionShape, Value, Writer, object_value, to_value,
};
use crate::table::{Additional, Array, Integer, JsonSchema, Object, Schema, Text, Type};

/// Evaluates to whether a check reports nothing.
///
/// It is a macro, so that each check is compiled to a boolean.
macro_rules! keeps {
    ($module:ident :: $check:ident ($($argument:expr),+)) => {{
        let mut is_accepted = true;
        $module::$check($($argument,)+ |_| is_accepted = false);
        is_accepted
    }};
}

/// Returns whether a value satisfies all constraints of a schema.
///
/// # Examples
/// ```
/// use openapi_crates_runtime::table::{Integer, Schema};
/// use openapi_crates_runtime::validation::check;
///
/// static PAGE: Schema = Schema::integer(Integer::ANY.minimum(1));
/// assert!(check(&PAGE, &1_i64));
/// assert!(!check(&PAGE, &0_i64));
/// ```
#[must_use]
pub fn check(schema: &'static Schema, value: &dyn Encode) -> bool {
    Scope::new(&Context::new()).check(schema, value)
}

/// Checks a value that was decoded.
///
/// `has_skipped` is whether the reader [skipped](crate::codec::Reader::has_skipped) a field.
#[must_use]
pub fn check_decoded(schema: &'static Schema, value: &dyn Encode, has_skipped: bool) -> Verdict {
    let context = Context::new();
    let is_valid = Scope::new(&context).check(schema, value);
    Verdict::of(is_valid, &context, has_skipped)
}

/// The result of checking a decoded value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The input is valid.
    Valid,
    /// The input is invalid. A [walk](super::walk) finds the violations.
    Invalid,
    /// The value lacks something of the input that a constraint depends on.
    ///
    /// A [walk](super::walk) finds the violations, if there are any.
    Unknown,
}

impl Verdict {
    pub(super) const fn of(is_valid: bool, context: &Context, has_skipped: bool) -> Self {
        if context.has_evaluated() && (has_skipped || context.is_lossy()) {
            Self::Unknown
        } else if is_valid {
            Self::Valid
        } else {
            Self::Invalid
        }
    }
}

/// The surroundings of a value that is checked.
#[derive(Clone, Copy)]
pub(super) struct Scope<'c> {
    /// The state of the whole check.
    pub context: &'c Context,
    /// Whether the JSON Schema of this value or of an enclosing one covers it.
    ///
    /// Then the row's own constraints are not checked: they would say the same, or something about a variant of a
    /// union that does not apply. Rules over several fields (`x-rules`) are checked, because no JSON Schema has them.
    pub is_covered: bool,
}

impl<'c> Scope<'c> {
    pub const fn new(context: &'c Context) -> Self {
        Self { context, is_covered: false }
    }

    /// Returns the JSON Schema that applies to a value as well, unless that of an enclosing value covers it.
    #[inline]
    pub fn also(
        self,
        schema: &'static Schema,
        is_null: impl FnOnce() -> bool,
    ) -> Option<&'static JsonSchema> {
        if self.is_covered { None } else { also(schema, is_null) }
    }

    /// Returns whether a value satisfies all constraints of a schema.
    #[inline]
    pub fn check(self, schema: &'static Schema, value: &dyn Encode) -> bool {
        // Most rows have no JSON Schema, and refer to no row that has one.
        let may_have_more = schema.also.is_some() || matches!(schema.of, Type::Same(_));
        if may_have_more && !self.is_covered {
            return self.check_both(schema, value);
        }
        self.check_row(schema, value)
    }

    /// Returns whether a value satisfies a row and its JSON Schema.
    #[inline(never)]
    fn check_both(self, schema: &'static Schema, value: &dyn Encode) -> bool {
        let Some(also) = also(schema, || form(value) == Form::Null) else {
            return self.check_row(schema, value);
        };
        let inside = Self { is_covered: true, ..self };
        inside.check_row(schema, value) && self.context.is_valid(also, value)
    }

    #[inline]
    fn check_row(self, schema: &'static Schema, value: &dyn Encode) -> bool {
        let mut checker = Checker { schema, scope: self, is_accepted: false };
        value.encode(&mut checker);
        checker.is_accepted
    }
}

/// A writer that checks one value.
struct Checker<'c> {
    schema: &'static Schema,
    scope: Scope<'c>,
    is_accepted: bool,
}

impl Checker<'_> {
    /// Returns whether the value is of a closed enum, which holds only allowed values.
    #[inline]
    const fn is_closed(&self) -> bool {
        matches!(
            self.schema.of,
            Type::Text(Text { closed: true, .. }) | Type::Integer(Integer { closed: true, .. })
        )
    }

    /// Returns whether the value must be one of a list.
    fn is_limited(&self) -> bool {
        !self.scope.is_covered && is_limited(self.schema)
    }

    fn text(&mut self, rules: &Text, value: &str) {
        self.is_accepted = self.scope.is_covered
            || keeps!(scalar::text(self.scope.context, rules, value))
                && not_in(self.schema, |it| literal::is_text(it, value)).is_none();
    }

    fn integer(&mut self, value: i128) {
        let is_covered = self.scope.is_covered;
        self.is_accepted = self.is_closed()
            || match type_of(self.schema) {
                Type::Any => true,
                Type::Integer(rules) => {
                    scalar::fits(rules.width, value) && (is_covered || keeps!(scalar::integer(rules, value)))
                }
                Type::Number(rules) => is_covered || keeps!(scalar::number(rules, value as f64)),
                _ => false,
            } && (is_covered || not_in(self.schema, |it| literal::is_integer(it, value)).is_none());
    }

    /// Checks a value by the slow path.
    ///
    /// This is for untyped values, and for values that must be compared as a whole.
    fn whole(&mut self, value: &Value) {
        self.is_accepted = violations_in(self.schema, value, self.scope).is_empty();
    }

    /// Checks the value of a model by the slow path.
    fn whole_model(&mut self, value: &Value) {
        let context = self.scope.context;
        // The untyped value does not say which of its texts were rewritten.
        if context.evaluates(|| self.whole(value)) {
            context.set_lossy();
        }
    }
}

impl Writer for Checker<'_> {
    fn null(&mut self) {
        self.is_accepted = is_nullable(self.schema);
    }

    fn boolean(&mut self, value: bool) {
        self.is_accepted = matches!(type_of(self.schema), Type::Any | Type::Boolean)
            && (self.scope.is_covered || not_in(self.schema, |it| literal::is_boolean(it, value)).is_none());
    }

    fn i64(&mut self, value: i64) {
        self.integer(value.into());
    }

    fn u64(&mut self, value: u64) {
        self.integer(value.into());
    }

    fn f64(&mut self, value: f64) {
        if self.scope.is_covered {
            self.is_accepted =
                value.is_finite() && matches!(type_of(self.schema), Type::Any | Type::Number(_));
            return;
        }
        self.is_accepted = match type_of(self.schema) {
            Type::Any => true,
            Type::Number(rules) => keeps!(scalar::number(rules, value)),
            _ => false,
        } && not_in(self.schema, |it| literal::is_number(it, value)).is_none();
    }

    fn str(&mut self, value: &str) {
        match type_of(self.schema) {
            _ if self.is_closed() => self.is_accepted = true,
            Type::Text(rules) => self.text(rules, value),
            Type::Any | Type::Bytes => self.text(&Text::ANY, value),
            _ => self.is_accepted = false,
        }
    }

    fn formatted(&mut self, format: Format, value: &str) {
        match type_of(self.schema) {
            Type::Text(rules) if rules.format == Some(format) => {
                self.text(&Text { format: None, ..*rules }, value);
            }
            _ => self.str(value),
        }
    }

    fn bytes(&mut self, _value: &Bytes) {
        self.is_accepted = matches!(type_of(self.schema), Type::Any | Type::Bytes);
    }

    fn byte_stream(&mut self, _value: &ByteStream) {
        self.is_accepted = true;
    }

    /// Takes nothing out of the stream, so the items are not checked.
    fn items(&mut self, _items: &dyn Items) {
        self.is_accepted = true;
    }

    fn array(&mut self, items: &mut dyn ExactSizeIterator<Item = &dyn Encode>) {
        if self.is_limited() {
            return self.whole_model(&Value::Array(items.map(to_value).collect()));
        }
        self.is_accepted = match type_of(self.schema) {
            Type::Any => true,
            Type::Array(rules) => check_array(self.scope, rules, items),
            Type::Tuple(schemas) => {
                schemas.len() == items.len()
                    && schemas.iter().zip(items).all(|(schema, item)| self.scope.check(schema, item))
            }
            _ => false,
        };
    }

    fn object(&mut self, fields: &[(&'static str, &dyn Encode)], rest: Option<&mut Entries<'_>>) {
        if self.is_limited() {
            return self.whole_model(&object_value(fields, rest));
        }
        self.is_accepted = match type_of(self.schema) {
            Type::Any => true,
            Type::Object(rules) => check_object(self.scope, rules, fields, rest),
            _ => false,
        };
    }

    fn variant(&mut self, index: usize, value: &dyn Encode) {
        if self.is_limited() {
            return self.whole_model(&to_value(value));
        }
        match type_of(self.schema) {
            Type::Union(union) => {
                self.is_accepted =
                    union.variants.get(index).is_some_and(|schema| self.scope.check(schema, value));
            }
            _ => value.encode(self),
        }
    }

    /// Checks the discriminator that the input had.
    fn tagged(&mut self, _union: &'static UnionShape, index: usize, value: &dyn Encode) {
        self.variant(index, value);
    }

    fn choice(&mut self, _index: usize, value: &dyn Encode) {
        value.encode(self);
    }

    fn value(&mut self, value: &Value) {
        match type_of(self.schema) {
            Type::Any if !self.is_limited() => self.is_accepted = true,
            _ => self.whole(value),
        }
    }
}

fn check_array(
    scope: Scope<'_>,
    rules: &Array,
    mut items: &mut dyn ExactSizeIterator<Item = &dyn Encode>,
) -> bool {
    if !scope.is_covered && !keeps!(scalar::items(rules, items.len() as u64)) {
        return false;
    }
    if scope.is_covered || !rules.unique {
        return (&mut items).all(|item| scope.check(rules.items, item));
    }
    let mut all_good = true;
    let mut items = items.inspect(|item| all_good = all_good && scope.check(rules.items, *item));
    let all_differ = unique::all_differ(&mut items);
    all_good && all_differ
}

fn check_object(
    scope: Scope<'_>,
    rules: &'static Object,
    fields: &[(&'static str, &dyn Encode)],
    rest: Option<&mut Entries<'_>>,
) -> bool {
    let mut count = 0_u64;
    for (row, (_, value)) in rules.fields.iter().zip(fields) {
        let is_present = !value.is_absent();
        let is_accepted = if is_present { scope.check(row.schema, *value) } else { !row.required };
        if !is_accepted {
            return false;
        }
        count += u64::from(is_present);
    }
    for (name, value) in rest.into_iter().flatten() {
        let is_accepted = match rules.additional {
            Additional::Ignored => true,
            Additional::Forbidden => false,
            Additional::Kept(schema) => scope.check(schema, value),
        };
        if !is_accepted || !check_name(scope, rules, name, value) {
            return false;
        }
        count += 1;
    }
    if matches!(rules.additional, Additional::Ignored) && scalar::counts_properties(rules) {
        // The model has dropped the properties that it does not name.
        scope.context.set_evaluated();
    }
    (scope.is_covered || keeps!(scalar::properties(rules, count)))
        && rules.rules.iter().all(|rule| cross::holds(rule, fields, rules.fields))
}

/// Returns whether an object allows this name, with this value.
fn check_name(scope: Scope<'_>, rules: &'static Object, name: &str, value: &dyn Encode) -> bool {
    let Some(names) = rules.names.filter(|_| !scope.is_covered) else { return true };
    keeps!(names::check_name(scope.context, names, name))
        && names
            .each
            .and_then(|each| scope.also(each, || false))
            .is_none_or(|also| scope.context.is_valid(also, &name))
        && names::rules_of(names, name).all(|schema| scope.check(schema, value))
}
