//! The keywords of one schema object, in the dialects of OpenAPI 3.0 and 3.1.

use crate::{
    diagnostics::Code,
    formats::has_format,
    ir::{Kinds, TextFormat},
    lower::resolver::{
        state::Resolver,
        table::{KNOWN, KeywordError, Keywords},
    },
    tree::{Node, NodeRef, Value},
};

impl<'d> Keywords<'d> {
    /// Reads the keywords of an object. Other nodes have no keywords.
    pub fn read(node: NodeRef<'d>) -> Self {
        let mut keywords = Self { node: Some(node), ..Self::default() };
        for (name, value) in node.entries() {
            keywords.keyword(name, value);
        }
        if keywords.constant.is_some_and(Node::is_null)
            || keywords.values.is_some_and(|values| values.items().iter().any(Node::is_null))
        {
            keywords.nullable = true;
        }
        if keywords.prefix_items.is_some() {
            keywords.items = keywords.items.or(keywords.other_items.take());
        }
        if keywords.kinds.is_some_and(|kinds| !kinds.string) {
            let of_strings = [("x-media", keywords.media.take()), ("x-unchecked", keywords.unchecked.take())];
            let without_effect = of_strings.into_iter().filter_map(|(name, value)| Some((name, value?)));
            keywords
                .errors
                .extend(without_effect.map(|(name, value)| KeywordError::NoEffect(value, name, "a string")));
        }
        keywords.check_format_limits();
        keywords
    }

    fn keyword(&mut self, name: &'d str, value: NodeRef<'d>) {
        match name {
            "type" => self.types(value),
            "nullable" => self.nullable |= self.flag(name, value),
            "x-nullable" => self.nullable |= value.as_bool() == Some(true),
            "examples" => self.example = self.example.or_else(|| value.items().first()),
            "required" if value.as_bool().is_some() => self.errors.push(KeywordError::BooleanRequired(value)),
            // Older drafts write `prefixItems` as a list in `items`.
            "items" if value.is_array() => self.prefix_items = self.prefix_items.or(Some(value)),
            "not" | "if" | "dependentRequired" | "dependentSchemas" | "dependencies" => {
                self.assertions.push((name, value));
            }
            // They have no effect without `if`, and are read together with it.
            "then" | "else" => {}
            "xml" => self.xml(value),
            "externalDocs" | "$id" | "$schema" | "$comment" | "$defs" | "definitions" | "$anchor"
            | "$dynamicAnchor" | "$recursiveAnchor" | "$vocabulary" => {}
            // `document::bindings` replaces a `$dynamicRef` without `$ref`.
            "$dynamicRef" | "$recursiveRef" => self.errors.push(KeywordError::Unsupported(value, name)),
            "x-permanent" => {
                self.errors.push(KeywordError::NoEffect(value, name, "a response and names a property"))
            }
            _ if self.in_table(name, value) => {}
            _ => self.errors.push(KeywordError::Unknown(value, name)),
        }
    }

    /// Returns the same schema without the keywords that OpenAPI 3.0 ignores beside `$ref`.
    ///
    /// By the specification, `nullable` is one of them. It is still read: its meaning is clear, and many
    /// documents rely on it.
    pub fn beside_reference(&self) -> Self {
        let is_marked =
            |name| self.node.and_then(|node| node.get(name)).and_then(Node::as_bool) == Some(true);
        let nullable = is_marked("nullable") || is_marked("x-nullable");
        Self { node: self.node, reference: self.reference, nullable, ..Self::default() }
    }

    /// Returns the values that `const` or `enum` lists.
    pub fn listed(&self) -> Option<Vec<NodeRef<'d>>> {
        let constant = self.constant.map(|value| vec![value]);
        constant.or_else(|| self.values.map(|values| values.items().iter().collect()))
    }

    /// Returns whether the schema is composed of others.
    pub fn is_composed(&self) -> bool {
        self.all_of.or(self.one_of).or(self.any_of).is_some()
    }

    /// Checks the only field of `xml` that has a list of values. Its other fields are not read.
    fn xml(&mut self, value: NodeRef<'d>) {
        const EXPECTED: &str = "`element`, `attribute`, `text`, `cdata` or `none`";
        let known = ["element", "attribute", "text", "cdata", "none"];
        let node = value.get("nodeType").filter(|node| !node.as_str().is_some_and(|it| known.contains(&it)));
        self.errors.extend(node.map(|node| KeywordError::Word(node, "nodeType", EXPECTED)));
    }

    /// Converts `minimum: 1, exclusiveMinimum: true` of OpenAPI 3.0 to `exclusiveMinimum: 1`, and the same for maxima.
    pub fn settle_exclusive(&mut self) {
        let settle = |bound: &mut Option<NodeRef<'d>>, exclusive: &mut Option<NodeRef<'d>>| {
            if let Some(is_exclusive) = exclusive.and_then(Node::as_bool) {
                *exclusive = if is_exclusive { bound.take() } else { None };
            }
        };
        settle(&mut self.minimum, &mut self.exclusive_minimum);
        settle(&mut self.maximum, &mut self.exclusive_maximum);
    }

    /// Reads `unevaluated…` keywords as `additionalProperties` and `items`, where they have the same meaning.
    pub fn settle_unevaluated(&mut self, by_name: bool, by_index: bool) {
        let restricts = |node: &NodeRef<'_>| node.as_bool() != Some(true);
        if by_name {
            self.additional = self.additional.or(self.unevaluated_properties.filter(restricts));
        }
        if by_index {
            self.items = self.items.or(self.unevaluated_items.filter(restricts));
        }
    }

    /// Reports limits of formats that are not texts of the schema's format, which must have an order.
    fn check_format_limits(&mut self) {
        const EXPECTED: &str = "a text of the schema's `format`: `date`, `time` or `date-time`";
        let format = match self.format.and_then(Node::as_str) {
            Some("date") => Some(TextFormat::Date),
            Some("time") => Some(TextFormat::Time),
            Some("date-time") => Some(TextFormat::DateTime),
            _ => None,
        };
        let is_wrong = |limit: &mut NodeRef<'_>| {
            !format.zip(limit.as_str()).is_some_and(|(format, text)| has_format(format, text))
        };
        for (name, limit) in [
            ("formatMinimum", &mut self.format_minimum),
            ("formatMaximum", &mut self.format_maximum),
            ("formatExclusiveMinimum", &mut self.format_exclusive_minimum),
            ("formatExclusiveMaximum", &mut self.format_exclusive_maximum),
        ] {
            let wrong = limit.take_if(is_wrong);
            self.errors.extend(wrong.map(|node| KeywordError::Word(node, name, EXPECTED)));
        }
    }

    fn types(&mut self, value: NodeRef<'d>) {
        let mut kinds = Kinds::default();
        let names: Vec<NodeRef<'d>> = match value.value() {
            Value::Array(items) => items.iter().collect(),
            _ => vec![value],
        };
        for name in names {
            match name.as_str() {
                Some("null") => kinds.null = true,
                Some("boolean") => kinds.boolean = true,
                Some("integer") => kinds.integer = true,
                Some("number") => kinds.number = true,
                Some("string") => kinds.string = true,
                Some("array") => kinds.array = true,
                Some("object") => kinds.object = true,
                Some("any") => return,
                Some("file") => kinds.string = true,
                _ if name.is_null() => kinds.null = true,
                _ => {
                    let expected = "`boolean`, `integer`, `number`, `string`, `array` or `object`";
                    self.errors.push(KeywordError::Word(name, "type", expected));
                    return;
                }
            }
        }
        self.nullable |= kinds.null;
        self.kinds = Some(kinds);
    }

    fn expect<T>(
        &mut self,
        name: &'d str,
        value: NodeRef<'d>,
        expected: &'static str,
        found: Option<T>,
    ) -> Option<T> {
        if found.is_none() && !value.is_null() {
            self.errors.push(KeywordError::Type(value, name, expected));
        }
        found
    }

    pub(super) fn flag(&mut self, name: &'d str, value: NodeRef<'d>) -> bool {
        self.expect(name, value, "a boolean", value.as_bool()).unwrap_or_default()
    }

    pub(super) fn string(&mut self, name: &'d str, value: NodeRef<'d>) -> Option<&'d str> {
        self.expect(name, value, "a string", value.as_str())
    }

    /// Returns the node of a string.
    pub(super) fn text(&mut self, name: &'d str, value: NodeRef<'d>) -> Option<NodeRef<'d>> {
        self.string(name, value).map(|_| value)
    }

    pub(super) fn count(&mut self, name: &'d str, value: NodeRef<'d>) -> Option<NodeRef<'d>> {
        self.expect(name, value, "a non-negative integer", value.as_u64().map(|_| value))
    }

    pub(super) fn number(&mut self, name: &'d str, value: NodeRef<'d>) -> Option<NodeRef<'d>> {
        self.expect(name, value, "a number", value.as_f64().map(|_| value))
    }

    /// Returns an exclusive bound: a number (3.1) or a boolean (3.0).
    pub(super) fn bound(&mut self, name: &'d str, value: NodeRef<'d>) -> Option<NodeRef<'d>> {
        let found = value.as_bool().map(|_| value).or_else(|| value.as_f64().map(|_| value));
        self.expect(name, value, "a number (3.1) or a boolean (3.0)", found)
    }

    pub(super) fn list(&mut self, name: &'d str, value: NodeRef<'d>) -> Option<NodeRef<'d>> {
        self.expect(name, value, "an array", value.is_array().then_some(value))
    }

    pub(super) fn map(&mut self, name: &'d str, value: NodeRef<'d>) -> Option<NodeRef<'d>> {
        self.expect(name, value, "an object", value.is_object().then_some(value))
    }

    pub(super) fn schema(&mut self, name: &'d str, value: NodeRef<'d>) -> Option<NodeRef<'d>> {
        let found = (value.is_object() || value.as_bool().is_some()).then_some(value);
        self.expect(name, value, "a schema", found)
    }

    /// Returns a node whose type is checked elsewhere, or not at all.
    pub(super) fn any(&mut self, _: &'d str, value: NodeRef<'d>) -> Option<NodeRef<'d>> {
        Some(value)
    }
}

impl<'d> Resolver<'d, '_> {
    /// Reports the errors in single keywords.
    pub fn report_keyword_errors(&mut self, keywords: &mut Keywords<'d>) {
        for error in std::mem::take(&mut keywords.errors) {
            match error {
                KeywordError::Type(node, name, expected) => {
                    self.wrong_type(node, &format!("`{name}`"), expected)
                }
                KeywordError::Word(node, name, expected) => {
                    let found =
                        node.as_str().map_or_else(|| node.kind_name().to_owned(), |text| format!("`{text}`"));
                    self.error(Code::WrongType, node, format!("`{name}` must be {expected}, not {found}"));
                }
                KeywordError::Unsupported(node, name) => {
                    self.warn(
                        Code::Unsupported,
                        node,
                        format!("unsupported keyword `{name}`, which is not checked"),
                    );
                }
                KeywordError::NoEffect(node, name, position) => {
                    let message = format!("`{name}` has no effect here; it belongs in {position}");
                    self.warn(Code::BadExtension, node, message);
                }
                KeywordError::Unknown(node, name) => {
                    self.unknown_field(node, "a schema", name, KNOWN);
                }
                KeywordError::BooleanRequired(node) => {
                    let message = "`required` must be a list of property names; a boolean has no effect";
                    self.warn(Code::WrongType, node, message);
                }
            }
        }
    }
}
