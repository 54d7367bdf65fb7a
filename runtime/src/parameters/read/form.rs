//! Reads `application/x-www-form-urlencoded` as an object.

use super::layout::{Among, Layout};
use super::pairs::Pairs;
use super::shape::{Form, form_of};
use super::styled::{Given, Styled};
use crate::codec::{DecodeError, Entry, Kind};
use crate::parameters::media::is_json;
use crate::table::{Encoding, Field, Schema, Style, Type};
use crate::text::{Source, grouped};
use crate::validation::resolve::object_of;

static ANY: Schema = Schema::new(Type::Any);

/// The pairs of a form, as the fields of an object.
pub(crate) struct FormFields<'a> {
    pairs: Pairs<'a>,
    encodings: &'static [Encoding],
    fields: &'static [Field],
}

impl<'a> FormFields<'a> {
    pub(crate) fn new(form: &'a [u8], schema: &'static Schema, encodings: &'static [Encoding]) -> Self {
        let fields = object_of(schema).map_or(&[][..], |object| object.fields);
        Self { pairs: Pairs::of_form(form), encodings, fields }
    }

    /// Returns whether a text of the form is malformed.
    pub(crate) fn is_malformed(&self) -> bool {
        self.pairs.iter().any(|pair| pair.value.decode().is_err())
    }

    /// Returns the serialization of a field in the form.
    ///
    /// By default, arrays are exploded and objects are JSON in one text.
    fn layout(&self, field: &'static Field) -> Layout {
        let encoding = self.encodings.iter().find(|encoding| encoding.property == field.name);
        let (style, explode, is_json) = match encoding {
            Some(&Encoding { style: Some(style), explode, .. }) => (style, explode, false),
            Some(encoding) if is_json(encoding.content_type) => (Style::Form, true, true),
            _ => (Style::Form, true, form_of(field.schema) == Form::Object),
        };
        Layout { name: field.name, style, explode, is_json, schema: field.schema }
    }
}

impl Source for FormFields<'_> {
    fn kind(&self) -> Kind {
        Kind::Object
    }

    /// Reads the fields in the schema's order, then other names in the form's order.
    fn entries(&self, entry: &mut Entry<'_>) -> Result<(), DecodeError> {
        let is_known = |name: &str| self.fields.iter().any(|field| self.layout(field).owns(name));
        let among = Among { pairs: &self.pairs, is_taken: &is_known };
        for field in self.fields {
            self.layout(field).read(among, &mut |reader| entry(field.name, reader))?;
        }
        let others = self.pairs.iter().filter(|pair| !is_known(&pair.name));
        for (name, texts) in grouped(others.map(|pair| (&*pair.name, pair.value))) {
            entry(name, &mut Styled::exploded(Given::Several(&texts), &ANY).reader())?;
        }
        Ok(())
    }
}
