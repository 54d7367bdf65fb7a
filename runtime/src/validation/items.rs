//! Validation of the items of a streamed body, one by one.

use super::resolve::{field_of, not_in, type_of};
use super::{Position, Verdict, ViolationKind, Violations, check_decoded, literal, walk};
use crate::codec::{DecodeError, Item, StreamError, StreamErrorKind};
use crate::stream::{Decoded, ItemSchema};
use crate::table::{Schema, Type};

/// The maximum number of unions from an event's schema to its fields.
const MAX_STEPS: usize = 8;

/// An item of a request that violates constraints, within [`StreamErrorKind::Invalid`].
#[derive(Debug, Clone, thiserror::Error)]
#[error("{violations}")]
#[non_exhaustive]
pub struct InvalidItem {
    /// The position of the item in the stream, from 0.
    pub index: usize,
    /// The violations, with names that begin with the position: `[0].name`. There is at least one.
    pub violations: Violations,
}

impl From<InvalidItem> for StreamError {
    fn from(item: InvalidItem) -> Self {
        StreamErrorKind::Invalid(Box::new(item)).into()
    }
}

/// The row of the items in a body.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ItemRow {
    schema: &'static Schema,
    is_strict: bool,
}

impl ItemRow {
    /// Creates the schema of a stream. Strict items are read exactly as documented and validated.
    pub(crate) fn new(schema: &'static Schema, is_strict: bool) -> Box<Self> {
        Box::new(Self { schema, is_strict })
    }
}

impl ItemSchema for ItemRow {
    fn is_strict(&self) -> bool {
        self.is_strict
    }

    fn has_text_data(&self, event: &str) -> bool {
        has_text_data(self.schema, event, MAX_STEPS) == Some(true)
    }

    fn validate(
        &self,
        index: usize,
        decoded: Option<Decoded<'_>>,
        read: &mut dyn FnMut(&mut Item<'_>) -> Result<(), DecodeError>,
    ) -> Result<(), StreamError> {
        let verdict = decoded.map_or(Verdict::Invalid, |decoded| {
            check_decoded(self.schema, decoded.value, decoded.has_skipped)
        });
        if verdict == Verdict::Valid {
            return Ok(());
        }
        let position = Position::item(index);
        let mut violations = Violations::new();
        if let Err(error) = read(&mut |reader| walk(self.schema, reader, &position, &mut violations)) {
            violations.push(position.violation(ViolationKind::of(&error)));
        }
        if violations.is_empty() {
            if verdict == Verdict::Unknown {
                return Ok(());
            }
            // The two paths agree, as tests check. If they ever don't, the caller still gets an error.
            violations.push(position.violation(ViolationKind::UNSPECIFIC));
        }
        Err(InvalidItem { index, violations }.into())
    }
}

/// Returns whether the data of events with this name is text, or `None` if no event of the schema has the name.
///
/// If events of one name have different data, some of it is not text.
fn has_text_data(schema: &'static Schema, event: &str, steps: usize) -> Option<bool> {
    let steps = steps.checked_sub(1)?;
    match type_of(schema) {
        Type::Object(object) => {
            let field = |name| field_of(object, name);
            let is_named = |schema| not_in(schema, |it| literal::is_text(it, event)).is_none();
            let is_text = |schema| matches!(type_of(schema), Type::Text(_));
            field("event").is_none_or(is_named).then(|| field("data").is_some_and(is_text))
        }
        Type::Union(union) => {
            let mut found = union.variants.iter().filter_map(|variant| has_text_data(variant, event, steps));
            let first = found.next()?;
            Some(first && found.all(|is_text| is_text))
        }
        _ => Some(false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::{Kinds, Shape, UnionShape};
    use crate::table::{Field, Literal};

    static MADE: Schema = Schema::text_enum(&[Literal::Text("made")]);
    static GONE: Schema = Schema::text_enum(&[Literal::Text("gone")]);
    static TEXT_EVENT: Schema =
        Schema::object(&[Field::required("event", &GONE), Field::required("data", &Schema::TEXT)]);
    static SHAPE: UnionShape = UnionShape::new(
        "Event",
        &[
            Shape::new("made", Kinds::OBJECT).required(&["event", "data"]),
            Shape::new("gone", Kinds::OBJECT).required(&["event", "data"]),
        ],
    );
    static EITHER: Schema = Schema::union(
        &SHAPE,
        &[
            &Schema::object(&[
                Field::required("event", &Schema::same(&MADE)),
                Field::required("data", &Schema::INTEGER),
            ]),
            &Schema::same(&TEXT_EVENT),
        ],
    );

    #[test]
    fn the_name_of_an_event_determines_whether_its_data_is_text() {
        static ANY_NAME: Schema = Schema::object(&[
            Field::optional("event", &Schema::TEXT),
            Field::required("data", &Schema::TEXT),
        ]);
        for (schema, event, expected) in [
            (&EITHER, "made", false),
            (&EITHER, "gone", true),
            (&EITHER, "other", false),
            (&TEXT_EVENT, "gone", true),
            (&ANY_NAME, "", true),
            (&Schema::TEXT, "gone", false),
        ] {
            assert_eq!(ItemRow::new(schema, true).has_text_data(event), expected, "{event}: {schema:?}");
        }
    }
}
