//! Reads the values in a document.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::form::{Form, INSTANCE, XML, is_array};
use super::tree::{NONE, Tree};
use crate::codec::{AdditionalProperties, DecodeError, Entry, Fill, Item, Kind};
use crate::parameters::{Manner, Of, Source};
use crate::table::{Additional, Object, Schema, Type, Xml, XmlNode};
use crate::validation::resolve::{is_nullable, type_of};

/// What an element must be whose schema gives its text no place.
const NO_TEXT: &str = "elements without text between them";

/// The maximum number of unions in each other whose variants are looked at.
const MAX_UNIONS: usize = 32;

/// A value in a document.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'t> {
    tree: &'t Tree<'t>,
    at: At<'t>,
    schema: Option<&'static Schema>,
    form: Form<'t>,
    manner: Manner,
}

/// The nodes that a value consists of.
#[derive(Clone, Copy)]
enum At<'t> {
    /// An element, or the document around the root if the index is [`NONE`].
    Element(u32),
    /// The items of an array.
    Items(&'t [u32]),
    /// An attribute, or the text of an element.
    Text(&'t str),
    /// Nothing, which stands for null.
    Null,
}

/// A function that receives a property of an object, with the index of its field if it is documented.
type Property<'a> = dyn FnMut(Option<usize>, &str, Cursor<'_>) -> Result<(), DecodeError> + 'a;

impl<'t> Cursor<'t> {
    pub(super) fn root(
        tree: &'t Tree<'t>,
        root: &'static Xml,
        schema: &'static Schema,
        manner: Manner,
    ) -> Self {
        let form = Form::root(root);
        let at = At::Element(if form.node == XmlNode::None { NONE } else { 0 });
        Self { tree, at, schema: Some(schema), form, manner }
    }

    /// Checks the name of the root.
    pub(super) fn check_root(&self) -> Result<(), DecodeError> {
        let Some((_, root)) = self.tree.children(NONE).next() else { return Ok(()) };
        let is_known = match self.at {
            At::Element(NONE) => self.rows().iter().any(|row| !self.owned(row, NONE).is_empty()),
            _ => self.manner.is_tolerant || self.fit(self.form, root.name, root.namespace).is_some(),
        };
        if is_known {
            return Ok(());
        }
        let expected = match (self.at, self.form.namespace) {
            (At::Element(NONE), _) => {
                let fields = self.rows().into_iter().flat_map(|row| row.fields);
                let names: Vec<_> = fields.map(|field| format!("`{}`", Form::of(field).name)).collect();
                names.join(" or ")
            }
            (_, Some(namespace)) => format!("`{}` of the namespace `{namespace}`", self.form.name),
            (_, None) => format!("`{}`", self.form.name),
        };
        let found: String = root.name.chars().take(80).collect();
        Err(DecodeError::custom(format!("expected the root element {expected}, found `{found}`")))
    }

    /// Returns a value in the same document.
    fn with<'s>(&self, at: At<'s>, schema: Option<&'static Schema>, form: Form<'s>) -> Cursor<'s>
    where
        't: 's,
    {
        Cursor { tree: self.tree, at, schema, form, manner: self.manner }
    }

    /// Returns how well a node has the name of a form: exactly, or except for its namespace.
    fn fit(&self, form: Form<'_>, name: &str, namespace: u32) -> Option<bool> {
        if form.name != name {
            return None;
        }
        match form.namespace {
            Some(expected) if self.tree.namespace(namespace) == Some(expected) => Some(true),
            Some(_) => (self.manner.is_tolerant && namespace == NONE).then_some(false),
            None => Some(false),
        }
    }

    /// Returns the element, if the value is one.
    fn element(&self) -> Option<u32> {
        match self.at {
            At::Element(index) => Some(index),
            At::Items(_) | At::Text(_) | At::Null => None,
        }
    }

    /// Returns the kind of an element by its content.
    fn looks_like(&self, index: u32) -> Kind {
        let has_parts = self.tree.children(index).next().is_some()
            || self.tree.attributes(index).iter().any(|it| !self.is_about_element(it.namespace));
        if has_parts { Kind::Object } else { Kind::Text }
    }

    /// Returns whether attributes of a namespace say something about their element, such as `xsi:type`.
    fn is_about_element(&self, namespace: u32) -> bool {
        matches!(self.tree.namespace(namespace), Some(INSTANCE | XML))
    }

    /// Returns the rows of objects that the value may have.
    fn rows(&self) -> Vec<&'static Object> {
        let mut rows = Vec::new();
        if let Some(schema) = self.schema {
            variants(schema, MAX_UNIONS, &mut |of| {
                if let Type::Object(row) = of {
                    rows.push(row);
                }
            });
        }
        rows
    }

    /// Returns the elements in an element that are fields of an object, sorted by the index of the field.
    fn owned(&self, row: &'static Object, parent: u32) -> Vec<(usize, u32)> {
        let forms: Vec<_> = row.fields.iter().map(Form::of).collect();
        let owner = |(index, element): (u32, &super::tree::Element<'_>)| {
            let mut owner = None;
            for (place, form) in forms.iter().enumerate() {
                let fit = match form.node {
                    XmlNode::Element => self.fit(*form, element.name, element.namespace),
                    XmlNode::None => (0..form.own_items())
                        .filter_map(|item| self.fit(form.item(item), element.name, element.namespace))
                        .max(),
                    XmlNode::Attribute | XmlNode::Text | XmlNode::Cdata => None,
                };
                match fit {
                    Some(true) => return Some((place, index)),
                    Some(false) => owner = owner.or(Some((place, index))),
                    None => {}
                }
            }
            owner
        };
        let mut owned: Vec<_> = self.tree.children(parent).filter_map(owner).collect();
        owned.sort_by_key(|(place, _)| *place);
        owned
    }

    /// Counts a visit of an element with all that is directly in it.
    fn visit(&self, index: u32) -> Result<(), DecodeError> {
        self.tree.visit(1 + self.tree.children(index).count() + self.tree.attributes(index).len())
    }

    /// Passes the documented fields of an object to `each`.
    fn fields(&self, row: &'static Object, index: u32, each: &mut Property<'_>) -> Result<(), DecodeError> {
        let owned = self.owned(row, index);
        let elements: Vec<u32> = owned.iter().map(|(_, element)| *element).collect();
        for (place, field) in row.fields.iter().enumerate() {
            let form = Form::of(field);
            let or_null = || (field.required && is_nullable(field.schema)).then_some(At::Null);
            let own = || {
                let start = owned.partition_point(|(owner, _)| *owner < place);
                let end = owned.partition_point(|(owner, _)| *owner <= place);
                elements.get(start..end).unwrap_or_default()
            };
            let mut pass = |at| each(Some(place), field.name, self.with(at, Some(field.schema), form));
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
                XmlNode::Element if self.manner.is_tolerant => {
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

    /// Passes the elements and attributes that are no documented fields to `each`.
    fn others(
        &self,
        rows: &[&'static Object],
        index: u32,
        each: &mut Property<'_>,
    ) -> Result<(), DecodeError> {
        let schema = rows.iter().find_map(|row| match row.additional {
            Additional::Kept(schema) => Some(schema),
            Additional::Ignored | Additional::Forbidden => None,
        });
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
        let mut names = Vec::new();
        let mut by_name: HashMap<&str, Vec<u32>> = HashMap::new();
        for (index, element) in others {
            let indices = by_name.entry(element.name).or_default();
            if indices.is_empty() {
                names.push(element.name);
            }
            indices.push(index);
        }
        for name in names {
            let at = match by_name.get(name).map(Vec::as_slice) {
                Some([index]) if schema.is_none() => At::Element(*index),
                indices => At::Items(indices.unwrap_or_default()),
            };
            each(None, name, self.with(at, schema, Form::usual(name, schema)))?;
        }
        Ok(())
    }

    /// Checks that an element has no text that belongs to no field.
    fn check_text(&self, rows: &[&'static Object], index: u32) -> Result<(), DecodeError> {
        let has_text = !self.tree.text(index).trim().is_empty();
        let has_place = |row: &&Object| row.fields.iter().any(|field| Form::of(field).is_text());
        if !has_text || self.manner.is_tolerant || rows.is_empty() || rows.iter().any(has_place) {
            return Ok(());
        }
        Err(match self.looks_like(index) {
            Kind::Text => DecodeError::wrong_kind("an object", Kind::Text),
            _ => DecodeError::malformed(NO_TEXT),
        })
    }

    fn is_nil(&self, index: u32) -> bool {
        self.tree.element(index).is_some_and(|element| element.is_nil)
    }

    /// Returns whether items are an array that is null: one null, where an item can't be null.
    fn is_null(&self, items: &[u32]) -> bool {
        let [index] = items else { return false };
        self.is_nil(*index)
            && self.schema.is_some_and(is_nullable)
            && !self.item_schema(0).is_some_and(is_nullable)
    }

    /// Returns the element of an object.
    fn object_element(&self) -> Result<u32, DecodeError> {
        let index = self.element().filter(|index| !self.is_nil(*index));
        let index = index.ok_or_else(|| DecodeError::wrong_kind("an object", self.kind()))?;
        self.visit(index)?;
        Ok(index)
    }

    /// Returns the type of an array and its forms.
    fn item_schema(&self, index: usize) -> Option<&'static Schema> {
        let mut schema = None;
        variants(self.schema?, MAX_UNIONS, &mut |of| {
            schema = schema.or(match of {
                Type::Array(array) => Some(array.items),
                Type::Tuple(items) => items.get(index).copied(),
                _ => None,
            });
        });
        schema
    }
}

/// Calls `see` for the type of a schema, or for those of its variants.
fn variants(schema: &'static Schema, steps: usize, see: &mut dyn FnMut(&'static Type)) {
    match (type_of(schema), steps.checked_sub(1)) {
        (Type::Union(union), Some(steps)) => {
            union.variants.iter().for_each(|variant| variants(variant, steps, see));
        }
        (of, _) => see(of),
    }
}

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
            // An object without any fields has no content. One whose field is text has nothing else.
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

    fn is_tolerant(&self) -> bool {
        self.manner.is_tolerant
    }

    fn assumes_utc(&self) -> bool {
        self.manner.assumes_utc
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
        // In a text of a format or one of a list, white space has no meaning.
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
            return items.iter().enumerate().try_for_each(|(place, index)| {
                let form = self.form.item(place);
                item(&mut Of(self.with(At::Element(*index), self.item_schema(place), form)))
            });
        }
        let Some(index) = self.element().filter(|index| !self.is_nil(*index)) else {
            return Err(DecodeError::wrong_kind("an array", self.kind()));
        };
        self.visit(index)?;
        if !self.manner.is_tolerant && !self.tree.text(index).trim().is_empty() {
            return Err(DecodeError::malformed(NO_TEXT));
        }
        for (place, (index, element)) in self.tree.children(index).enumerate() {
            let form = self.form.item(place);
            if !self.manner.is_tolerant && self.fit(form, element.name, element.namespace).is_none() {
                return Err(DecodeError::unknown(element.name).in_field(element.name.to_owned()));
            }
            item(&mut Of(self.with(At::Element(index), self.item_schema(place), form)))?;
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
                if seen.contains(name) { Ok(()) } else { entry(name, &mut Of(value)) }
            })?;
            seen.extend(names);
        }
        self.others(&rows, index, &mut |_, name, value| entry(name, &mut Of(value)))
    }

    fn object(
        &self,
        names: &[&'static str],
        slots: &mut [&mut dyn Fill],
        rest: &mut AdditionalProperties<'_>,
    ) -> Result<(), DecodeError> {
        let index = self.object_element()?;
        let is_row =
            |row: &&'static Object| row.fields.iter().map(|field| field.name).eq(names.iter().copied());
        let rows: Vec<_> = self.rows().into_iter().filter(is_row).take(1).collect();
        self.check_text(&rows, index)?;
        let is_tolerant = self.manner.is_tolerant;
        let takes_others = rows.is_empty() || !matches!(rest, AdditionalProperties::Ignore);
        let mut fill = |place: Option<usize>, name: &str, value: Cursor<'_>| {
            let place = place.or_else(|| names.iter().position(|known| *known == name));
            match (place.and_then(|place| slots.get_mut(place)), &mut *rest) {
                (Some(slot), _) if slot.is_filled() && !is_tolerant => Err(DecodeError::duplicate(name)),
                (Some(slot), _) => slot.fill(&mut Of(value)),
                (None, AdditionalProperties::Keep(entry)) => entry(name, &mut Of(value)),
                (None, AdditionalProperties::Closed) if !is_tolerant => Err(DecodeError::unknown(name)),
                (None, AdditionalProperties::Ignore | AdditionalProperties::Closed) => Ok(()),
            }
            .map_err(|error| error.in_field(name.to_owned()))
        };
        for row in &rows {
            self.fields(row, index, &mut fill)?;
        }
        if takes_others { self.others(&rows, index, &mut fill) } else { Ok(()) }
    }
}
