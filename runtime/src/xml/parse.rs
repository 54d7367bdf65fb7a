//! Parses a document.

use std::borrow::Cow;

use quick_xml::XmlVersion;
use quick_xml::errors::{Error, IllFormedError, SyntaxError};
use quick_xml::events::attributes::Attributes;
use quick_xml::events::{BytesRef, Event};
use quick_xml::name::{PrefixDeclaration, QName};
use quick_xml::reader::Reader;

use super::form::{INSTANCE, XML, is_text};
use super::name::is_name;
use super::tree::{Attribute, Element, NONE, Tree};
use crate::codec::{DecodeError, DecodeErrorKind};

/// The maximum nesting of elements, which is that of JSON.
const MAX_DEPTH: usize = 128;

/// The maximum number of attributes of one element.
///
/// Each is compared with all others, because a name may occur once only.
const MAX_ATTRIBUTES: usize = 256;

/// The maximum number of declared namespaces that apply to one element.
const MAX_BINDINGS: usize = 256;

const _: () = assert!(MAX_ATTRIBUTES == 256 && MAX_BINDINGS == 256, "the messages contain the numbers");

/// A message about malformed XML.
type Message = &'static str;

impl<'a> Tree<'a> {
    /// Parses a document.
    ///
    /// Fails if it is not well-formed, if its encoding is not UTF-8, if it has a document type declaration, or if it
    /// exceeds a limit.
    pub(super) fn parse(body: &'a [u8]) -> Result<Self, DecodeError> {
        let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
        let Ok(input) = std::str::from_utf8(body) else {
            let valid = body.utf8_chunks().next().map_or("", |chunk| chunk.valid());
            return Err(DecodeError::syntax(valid, valid.len(), "the body is not UTF-8"));
        };
        let mut parser = Parser {
            input,
            tree: Tree { namespaces: vec![XML.into(), INSTANCE.into()], ..Tree::default() },
            open: Vec::new(),
            bindings: Vec::new(),
            start: 0,
        };
        parser.run()?;
        Ok(parser.tree)
    }
}

struct Parser<'a> {
    input: &'a str,
    tree: Tree<'a>,
    /// The elements around the current position, outermost first.
    open: Vec<Open>,
    /// The declared namespaces that apply here, by their prefixes.
    bindings: Vec<(&'a str, u32)>,
    /// The position of the current event.
    start: usize,
}

struct Open {
    element: u32,
    /// The last element in it.
    last: u32,
    /// The number of namespaces that were declared outside of it.
    bindings: usize,
}

impl<'a> Parser<'a> {
    fn run(&mut self) -> Result<(), DecodeError> {
        let mut reader = Reader::from_str(self.input);
        reader.config_mut().check_comments = true;
        loop {
            let event =
                reader.read_event().map_err(|error| self.unreadable(&error, reader.error_position()))?;
            let end = usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX);
            match event {
                Event::Start(_) => self.start_element(end, 1)?,
                Event::Empty(_) => {
                    self.start_element(end, 2)?;
                    self.end_element();
                }
                Event::End(_) => self.end_element(),
                Event::Text(text) => self.text(text.xml10_content(), false)?,
                Event::CData(text) => self.text(text.xml10_content(), true)?,
                Event::GeneralRef(reference) => self.reference(&reference)?,
                Event::Decl(declaration) => {
                    let encoding = declaration.encoding().and_then(Result::ok);
                    let known = ["utf-8", "utf8", "us-ascii"];
                    let is_known =
                        |it: Cow<'_, str>| known.iter().any(|known| it.eq_ignore_ascii_case(known));
                    if !encoding.is_none_or(is_known) {
                        return Err(self.error("the encoding is not UTF-8"));
                    }
                    if self.start > 0 {
                        return Err(self.error("the XML declaration is not at the start"));
                    }
                }
                Event::DocType(_) => return Err(self.error("a document type declaration is not allowed")),
                Event::PI(_) | Event::Comment(_) => {}
                Event::Eof => return self.finish(),
            }
            self.start = end;
        }
    }

    fn finish(&mut self) -> Result<(), DecodeError> {
        if !self.open.is_empty() {
            return Err(self.error("the document ends within an element"));
        }
        if self.tree.elements.is_empty() {
            return Err(self.error("the document has no element"));
        }
        Ok(())
    }

    /// Returns an error at the current event.
    fn error(&self, message: Message) -> DecodeError {
        DecodeError::syntax(self.input, self.start, message)
    }

    fn unreadable(&self, error: &Error, position: u64) -> DecodeError {
        let message = match error {
            Error::IllFormed(
                IllFormedError::MismatchedEndTag { .. } | IllFormedError::UnmatchedEndTag(_),
            ) => "the end tag does not match the start tag",
            Error::IllFormed(IllFormedError::UnclosedReference) => "`&` must be written as `&amp;`",
            Error::IllFormed(IllFormedError::DoubleHyphenInComment) => "a comment contains `--`",
            Error::Syntax(SyntaxError::UnclosedDoctype) => "a document type declaration is not allowed",
            Error::Syntax(_) => "the document ends within a tag, comment or section",
            _ => "the document is not well-formed",
        };
        let position = usize::try_from(position).unwrap_or(usize::MAX).min(self.input.len());
        DecodeError::syntax(self.input, position, message)
    }

    /// Starts the element whose tag ends at `end`, with an end of this length.
    fn start_element(&mut self, end: usize, length: usize) -> Result<(), DecodeError> {
        if self.open.len() >= MAX_DEPTH {
            return Err(DecodeError::new(DecodeErrorKind::TooDeep));
        }
        if self.open.is_empty() && !self.tree.elements.is_empty() {
            return Err(self.error("the document has a second root element"));
        }
        let tag = self.input.get(self.start + 1..end.saturating_sub(length)).unwrap_or_default();
        let name_end = tag.find([' ', '\t', '\r', '\n']).unwrap_or(tag.len());
        let name = tag.get(..name_end).unwrap_or_default();
        let outer = self.bindings.len();
        let element =
            self.element(name, Attributes::new(tag, name_end)).map_err(|message| self.error(message))?;
        let index = u32::try_from(self.tree.elements.len()).unwrap_or(NONE);
        if let Some(open) = self.open.last_mut() {
            let before = std::mem::replace(&mut open.last, index);
            let (of, is_first) = if before == NONE { (open.element, true) } else { (before, false) };
            match self.tree.elements.get_mut(of as usize) {
                Some(parent) if is_first => parent.first_child = index,
                Some(sibling) => sibling.next = index,
                None => {}
            }
        }
        self.tree.elements.push(element);
        self.open.push(Open { element: index, last: NONE, bindings: outer });
        Ok(())
    }

    fn end_element(&mut self) {
        if let Some(open) = self.open.pop() {
            self.bindings.truncate(open.bindings);
        }
    }

    /// Reads the name and the attributes of an element, and the namespaces that it declares.
    fn element(&mut self, name: &'a str, mut attributes: Attributes<'a>) -> Result<Element<'a>, Message> {
        let first = self.tree.attributes.len();
        let outer = self.bindings.len();
        let mut prefixes = Vec::new();
        for (count, attribute) in attributes.with_checks(false).enumerate() {
            if count == MAX_ATTRIBUTES {
                return Err("an element has more than 256 attributes");
            }
            let attribute = attribute.map_err(|_| "an attribute is not well-formed")?;
            if attribute.value.contains('<') {
                return Err("`<` in an attribute must be written as `&lt;`");
            }
            let value = attribute
                .normalized_value(XmlVersion::Implicit1_0)
                .map_err(|_| "an attribute has an entity that XML does not define")?;
            if !is_text(&value) {
                return Err("an attribute has a character that XML does not allow");
            }
            match attribute.key.as_namespace_binding() {
                Some(PrefixDeclaration::Default) => self.bind(outer, "", value)?,
                Some(PrefixDeclaration::Named(prefix)) => self.bind(outer, prefix, value)?,
                None => {
                    let (prefix, name) = split(attribute.key)?;
                    prefixes.push(prefix);
                    self.tree.attributes.push(Attribute { name, namespace: NONE, value });
                }
            }
        }
        // A namespace may be declared after an attribute that uses it.
        for (index, prefix) in prefixes.into_iter().enumerate() {
            let namespace = if prefix.is_empty() { NONE } else { self.resolve(prefix)? };
            if let Some(attribute) = self.tree.attributes.get_mut(first + index) {
                attribute.namespace = namespace;
            }
        }
        let own = self.tree.attributes.get(first..).unwrap_or_default();
        let mut known = Vec::with_capacity(own.len());
        for attribute in own {
            let key = (attribute.name, self.tree.namespace(attribute.namespace));
            if known.contains(&key) {
                return Err("an element has the same attribute twice");
            }
            known.push(key);
        }
        let is_nil = own.iter().any(|attribute| {
            attribute.name == "nil"
                && self.tree.namespace(attribute.namespace) == Some(INSTANCE)
                && matches!(attribute.value.trim(), "true" | "1")
        });
        let (prefix, name) = split(QName(name))?;
        Ok(Element {
            name,
            namespace: self.resolve(prefix)?,
            text: NONE,
            first_attribute: u32::try_from(first).unwrap_or(NONE),
            attributes: u16::try_from(own.len()).unwrap_or(u16::MAX),
            is_nil,
            first_child: NONE,
            next: NONE,
        })
    }

    /// Declares a namespace, in an element with `outer` namespaces around it.
    fn bind(&mut self, outer: usize, prefix: &'a str, namespace: Cow<'a, str>) -> Result<(), Message> {
        if self.bindings.iter().skip(outer).any(|(known, _)| *known == prefix) {
            return Err("an element has the same attribute twice");
        }
        if self.bindings.len() == MAX_BINDINGS {
            return Err("more than 256 namespaces apply to an element");
        }
        let known =
            self.tree.namespaces.iter().rev().take(MAX_BINDINGS).position(|known| *known == namespace);
        let index = match known {
            Some(back) => self.tree.namespaces.len() - 1 - back,
            None => {
                self.tree.namespaces.push(namespace);
                self.tree.namespaces.len() - 1
            }
        };
        self.bindings.push((prefix, u32::try_from(index).unwrap_or(NONE)));
        Ok(())
    }

    /// Returns the namespace of a prefix; empty for no prefix.
    fn resolve(&self, prefix: &'a str) -> Result<u32, Message> {
        let bound = self.bindings.iter().rev().find(|(known, _)| *known == prefix).map(|(_, index)| *index);
        if let Some(index) = bound {
            // `xmlns=""` removes the default namespace.
            return Ok(if self.tree.namespace(index) == Some("") { NONE } else { index });
        }
        // The prefix `xml` needs no declaration, and documents often lack that of `xsi`.
        match prefix {
            "" => Ok(NONE),
            "xml" => Ok(0),
            "xsi" => Ok(1),
            _ => Err("the prefix of a name is not declared"),
        }
    }

    /// Adds text to the current element.
    fn text(&mut self, text: Cow<'a, str>, is_cdata: bool) -> Result<(), DecodeError> {
        if !is_text(&text) {
            return Err(self.error("the text has a character that XML does not allow"));
        }
        let Some(open) = self.open.last() else {
            if is_cdata || !text.trim().is_empty() {
                return Err(self.error("the document has text outside of its element"));
            }
            return Ok(());
        };
        if is_cdata {
            append(self.tree.cdata.entry(open.element).or_default(), &text);
        } else if open.last != NONE && text.trim().is_empty() {
            // The indentation of elements is not text.
            return Ok(());
        }
        let Some(element) = self.tree.elements.get_mut(open.element as usize) else { return Ok(()) };
        match self.tree.texts.get_mut(element.text as usize) {
            Some(known) => append(known, &text),
            None => {
                element.text = u32::try_from(self.tree.texts.len()).unwrap_or(NONE);
                self.tree.texts.push(text);
            }
        }
        Ok(())
    }

    /// Adds the character of a reference.
    fn reference(&mut self, reference: &BytesRef<'_>) -> Result<(), DecodeError> {
        let character = match (reference.resolve_char_ref(), &**reference) {
            (Ok(Some(character)), _) => character,
            (Ok(None), "lt") => '<',
            (Ok(None), "gt") => '>',
            (Ok(None), "amp") => '&',
            (Ok(None), "apos") => '\'',
            (Ok(None), "quot") => '"',
            _ => return Err(self.error("an entity that XML does not define is not allowed")),
        };
        if self.open.is_empty() {
            return Err(self.error("the document has text outside of its element"));
        }
        self.text(character.to_string().into(), false)
    }
}

fn append(to: &mut Cow<'_, str>, text: &str) {
    if to.is_empty() {
        *to = Cow::Owned(text.to_owned());
    } else {
        to.to_mut().push_str(text);
    }
}

/// Splits a name into its prefix, which can be empty, and the name.
fn split(name: QName<'_>) -> Result<(&str, &str), Message> {
    let (prefix, local) = name.0.split_once(':').unwrap_or(("", name.0));
    if !is_name(local) || name.0.contains(':') && !is_name(prefix) {
        return Err("a name has a character that XML does not allow");
    }
    Ok((prefix, local))
}
