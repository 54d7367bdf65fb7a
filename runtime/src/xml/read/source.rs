//! Reads values in a document as untyped text, like those of parameters.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{At, Cursor, NO_TEXT};
use crate::codec::{AdditionalProperties, DecodeError, Entry, Fill, Item, Kind, fill_field};
use crate::table::{Object, Type};
use crate::text::Source;
use crate::validation::resolve::type_of;
use crate::xml::form::Form;

impl Source for Cursor<'_> {
    fn kind(&self) -> Kind {
        let index = match self.at {
            At::Element(index) => index,
            At::Items(items) => return if self.is_null(items) { Kind::Null } else { Kind::Array },
            At::Text(_) => return Kind::Text,
            At::Null => return Kind::Null,
        };
        if self.is_nil(index) {
            return Kind::Null;
        }
        let looks_like = self.looks_like(index);
        let has_text = !self.tree.text(index).trim().is_empty();
        match self.schema.map(type_of) {
            Some(Type::Array(_) | Type::Tuple(_)) => Kind::Array,
            // An element with text is an object only if one of the object's fields holds that text.
            Some(Type::Object(object))
                if !has_text || object.fields.iter().any(|field| Form::of(field).is_text()) =>
            {
                Kind::Object
            }
            Some(Type::Union(union)) => {
                let fits = |kind| union.shape.variants.iter().any(|shape| shape.kinds.fits(kind));
                match looks_like {
                    Kind::Object if !fits(Kind::Object) && fits(Kind::Array) => Kind::Array,
                    Kind::Text if !fits(Kind::Text) && fits(Kind::Object) => Kind::Object,
                    Kind::Text if !fits(Kind::Text) && fits(Kind::Array) => Kind::Array,
                    looks_like => looks_like,
                }
            }
            _ => looks_like,
        }
    }

    fn text(&self) -> Result<Cow<'_, str>, DecodeError> {
        self.tree.visit(1)?;
        let text = match self.at {
            At::Text(text) => text,
            At::Element(index) if !self.is_nil(index) && self.tree.children(index).next().is_none() => {
                self.tree.text(index)
            }
            At::Element(_) | At::Items(_) | At::Null => {
                return Err(DecodeError::wrong_kind("a single value", self.kind()));
            }
        };
        // If the schema has a format or a closed list, white space around the text has no meaning.
        let is_word = matches!(self.schema.map(type_of), Some(Type::Text(rules)) if rules.format.is_some() || rules.closed);
        Ok(Cow::Borrowed(if is_word { text.trim() } else { text }))
    }

    fn word(&self) -> Result<Cow<'_, str>, DecodeError> {
        Ok(match self.text()? {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
            Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
        })
    }

    fn items(&self, item: &mut Item<'_>) -> Result<(), DecodeError> {
        if let At::Items(items) = self.at {
            self.tree.visit(1 + items.len())?;
            return items.iter().enumerate().try_for_each(|(position, index)| {
                let form = self.form.item(position);
                item(&mut self.with(At::Element(*index), self.item_schema(position), form).reader())
            });
        }
        let Some(index) = self.element().filter(|index| !self.is_nil(*index)) else {
            return Err(DecodeError::wrong_kind("an array", self.kind()));
        };
        self.visit(index)?;
        if !self.mode.is_tolerant && !self.tree.text(index).trim().is_empty() {
            return Err(DecodeError::malformed(NO_TEXT));
        }
        for (position, (index, element)) in self.tree.children(index).enumerate() {
            let form = self.form.item(position);
            if !self.mode.is_tolerant && self.fit(form, element.name, element.namespace).is_none() {
                return Err(DecodeError::unknown(element.name).in_field(element.name.to_owned()));
            }
            item(&mut self.with(At::Element(index), self.item_schema(position), form).reader())?;
        }
        Ok(())
    }

    fn entries(&self, entry: &mut Entry<'_>) -> Result<(), DecodeError> {
        let index = self.object_element()?;
        let rows = self.rows();
        self.check_text(&rows, index)?;
        let mut seen = HashSet::new();
        for row in &rows {
            let mut names = Vec::new();
            self.fields(row, index, &mut |_, name, value| {
                names.push(name.to_owned());
                if seen.contains(name) { Ok(()) } else { entry(name, &mut value.reader()) }
            })?;
            seen.extend(names);
        }
        self.others(&rows, index, &mut |_, name, value| entry(name, &mut value.reader()))
    }

    fn object(
        &self,
        names: &[&'static str],
        slots: &mut [&mut dyn Fill],
        rest: &mut AdditionalProperties<'_>,
        _has_skipped: &mut bool,
    ) -> Result<(), DecodeError> {
        let index = self.object_element()?;
        let is_row =
            |row: &&'static Object| row.fields.iter().map(|field| field.name).eq(names.iter().copied());
        let rows: Vec<_> = self.rows().into_iter().filter(is_row).take(1).collect();
        self.check_text(&rows, index)?;
        let takes_others = rows.is_empty() || !matches!(rest, AdditionalProperties::Ignore);
        let mut fill = |position: Option<usize>, name: &str, value: Cursor<'_>| {
            fill_field(&mut value.reader(), name, names, slots, rest, position.unwrap_or(0)).map(drop)
        };
        for row in &rows {
            self.fields(row, index, &mut fill)?;
        }
        if takes_others { self.others(&rows, index, &mut fill) } else { Ok(()) }
    }
}
