//! Reads the properties of objects.

use std::collections::HashSet;

use super::{At, Cursor, NO_TEXT, types};
use crate::codec::{DecodeError, Kind};
use crate::table::{Object, Type, XmlNode};
use crate::text::{Source, grouped};
use crate::validation::resolve::{is_nullable, kept_by};
use crate::xml::form::{Form, is_array};
use crate::xml::tree::Element;

/// A function that receives a property of an object, with the index of its field if it is documented.
type Property<'a> = dyn FnMut(Option<usize>, &str, Cursor<'_>) -> Result<(), DecodeError> + 'a;

impl<'t> Cursor<'t> {
    /// Returns the rows of objects that the value may have.
    pub(super) fn rows(&self) -> Vec<&'static Object> {
        let types = self.schema.map(types).unwrap_or_default().into_iter();
        let row = |of: &'static Type| if let Type::Object(row) = of { Some(row) } else { None };
        types.filter_map(row).collect()
    }

    /// Returns the elements in an element that are fields of an object, sorted by the index of the field.
    pub(super) fn owned(&self, row: &'static Object, parent: u32) -> Vec<(usize, u32)> {
        let forms: Vec<_> = row.fields.iter().map(Form::of).collect();
        let owner = |(index, element): (u32, &Element<'_>)| {
            let mut owner = None;
            for (field, form) in forms.iter().enumerate() {
                let fit = match form.node {
                    XmlNode::Element => self.fit(*form, element.name, element.namespace),
                    XmlNode::None => (0..form.own_items())
                        .filter_map(|item| self.fit(form.item(item), element.name, element.namespace))
                        .max(),
                    XmlNode::Attribute | XmlNode::Text | XmlNode::Cdata => None,
                };
                match fit {
                    Some(true) => return Some((field, index)),
                    Some(false) => owner = owner.or(Some((field, index))),
                    None => {}
                }
            }
            owner
        };
        let mut owned: Vec<_> = self.tree.children(parent).filter_map(owner).collect();
        owned.sort_by_key(|(field, _)| *field);
        owned
    }

    /// Returns the element of an object.
    pub(super) fn object_element(&self) -> Result<u32, DecodeError> {
        let index = self.element().filter(|index| !self.is_nil(*index));
        let index = index.ok_or_else(|| DecodeError::wrong_kind("an object", self.kind()))?;
        self.visit(index)?;
        Ok(index)
    }

    /// Passes the documented fields of an object to `each`.
    pub(super) fn fields(
        &self,
        row: &'static Object,
        index: u32,
        each: &mut Property<'_>,
    ) -> Result<(), DecodeError> {
        let owned = self.owned(row, index);
        let elements: Vec<u32> = owned.iter().map(|(_, element)| *element).collect();
        for (position, field) in row.fields.iter().enumerate() {
            let form = Form::of(field);
            let or_null = || (field.required && is_nullable(field.schema)).then_some(At::Null);
            let own = || {
                let start = owned.partition_point(|(owner, _)| *owner < position);
                let end = owned.partition_point(|(owner, _)| *owner <= position);
                elements.get(start..end).unwrap_or_default()
            };
            let mut pass = |at| each(Some(position), field.name, self.with(at, Some(field.schema), form));
            match form.node {
                XmlNode::Attribute => {
                    let mut attributes = self.tree.attributes(index).iter();
                    let found = attributes.find(|it| self.fit(form, it.name, it.namespace).is_some());
                    let at = found.map(|attribute| At::Text(&attribute.value)).or_else(or_null);
                    at.map_or(Ok(()), pass)?;
                }
                XmlNode::Text | XmlNode::Cdata => {
                    let text = self.text_of(index, form.node);
                    let empty = || or_null().or(field.required.then_some(At::Text("")));
                    let at = if text.is_empty() { empty() } else { Some(At::Text(text)) };
                    at.map_or(Ok(()), pass)?;
                }
                XmlNode::None => {
                    let items = own();
                    if field.required || !items.is_empty() {
                        pass(At::Items(items))?;
                    }
                }
                // To a tolerant reader, the last of several elements counts.
                XmlNode::Element if self.mode.is_tolerant => {
                    own().last().map_or(Ok(()), |element| pass(At::Element(*element)))?;
                }
                XmlNode::Element => own().iter().try_for_each(|element| pass(At::Element(*element)))?,
            }
        }
        Ok(())
    }

    /// Returns the text of an element. White space around other elements in it does not count.
    fn text_of(&self, index: u32, node: XmlNode) -> &'t str {
        let tree = self.tree;
        let cdata = tree.cdata.get(&index).filter(|_| node == XmlNode::Cdata);
        match cdata {
            Some(cdata) => cdata,
            None if tree.children(index).next().is_some() => tree.text(index).trim(),
            None => tree.text(index),
        }
    }

    /// Passes the elements and attributes that are not documented fields to `each`.
    pub(super) fn others(
        &self,
        rows: &[&'static Object],
        index: u32,
        each: &mut Property<'_>,
    ) -> Result<(), DecodeError> {
        let schema = rows.iter().find_map(|row| kept_by(row));
        let forms = || rows.iter().flat_map(|row| row.fields).map(Form::of);
        for attribute in self.tree.attributes(index) {
            let is_own = |form: Form<'_>| {
                form.node == XmlNode::Attribute
                    && self.fit(form, attribute.name, attribute.namespace).is_some()
            };
            if !self.is_about_element(attribute.namespace) && !forms().any(is_own) {
                let form = Form::usual(attribute.name, schema);
                each(None, attribute.name, self.with(At::Text(&attribute.value), schema, form))?;
            }
        }
        let owned = rows.iter().flat_map(|row| self.owned(row, index)).map(|(_, element)| element);
        let owned: HashSet<u32> = owned.collect();
        let others = self.tree.children(index).filter(|(index, _)| !owned.contains(index));
        // Items of an array have one name.
        let gathers = schema.map_or(rows.is_empty(), is_array);
        if !gathers {
            for (index, element) in others {
                let form = Form::usual(element.name, schema);
                each(None, element.name, self.with(At::Element(index), schema, form))?;
            }
            return Ok(());
        }
        for (name, indices) in grouped(others.map(|(index, element)| (element.name, index))) {
            let at = match indices.as_slice() {
                [index] if schema.is_none() => At::Element(*index),
                indices => At::Items(indices),
            };
            each(None, name, self.with(at, schema, Form::usual(name, schema)))?;
        }
        Ok(())
    }

    /// Checks that an element has no text that belongs to no field.
    pub(super) fn check_text(&self, rows: &[&'static Object], index: u32) -> Result<(), DecodeError> {
        let has_text = !self.tree.text(index).trim().is_empty();
        let has_text_field = |row: &&Object| row.fields.iter().any(|field| Form::of(field).is_text());
        if !has_text || self.mode.is_tolerant || rows.is_empty() || rows.iter().any(has_text_field) {
            return Ok(());
        }
        Err(match self.looks_like(index) {
            Kind::Text => DecodeError::wrong_kind("an object", Kind::Text),
            _ => DecodeError::malformed(NO_TEXT),
        })
    }
}
