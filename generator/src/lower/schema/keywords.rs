//! The keywords of one schema object, in the dialects of OpenAPI 3.0 and 3.1.

use crate::{
    diagnostics::Code,
    document::{Node, NodeRef, Value},
    ir::Kinds,
    lower::{context::Reporting, schema::resolver::Resolver},
};

/// The keywords of one schema object, not combined with other parts.
#[derive(Debug, Default)]
pub(in crate::lower) struct Keywords<'d> {
    pub reference: Option<NodeRef<'d>>,
    /// The kinds in `type`, without `null`, or `None` without `type`.
    pub kinds: Option<Kinds>,
    /// Whether `nullable`, `type`, `enum` or `const` allow null.
    pub nullable: bool,
    pub title: Option<&'d str>,
    pub description: Option<&'d str>,
    pub default: Option<NodeRef<'d>>,
    pub example: Option<NodeRef<'d>>,
    pub deprecated: bool,
    pub read_only: bool,
    pub write_only: bool,
    pub format: Option<NodeRef<'d>>,
    pub content_encoding: Option<&'d str>,
    pub content_media_type: Option<&'d str>,
    pub pattern: Option<NodeRef<'d>>,
    pub min_length: Option<NodeRef<'d>>,
    pub max_length: Option<NodeRef<'d>>,
    pub min_items: Option<NodeRef<'d>>,
    pub max_items: Option<NodeRef<'d>>,
    pub min_properties: Option<NodeRef<'d>>,
    pub max_properties: Option<NodeRef<'d>>,
    pub unique_items: bool,
    pub minimum: Option<NodeRef<'d>>,
    pub maximum: Option<NodeRef<'d>>,
    pub exclusive_minimum: Option<NodeRef<'d>>,
    pub exclusive_maximum: Option<NodeRef<'d>>,
    pub multiple_of: Option<NodeRef<'d>>,
    pub values: Option<NodeRef<'d>>,
    pub constant: Option<NodeRef<'d>>,
    pub properties: Option<NodeRef<'d>>,
    pub pattern_properties: Option<NodeRef<'d>>,
    pub property_names: Option<NodeRef<'d>>,
    pub required: Option<NodeRef<'d>>,
    pub additional: Option<NodeRef<'d>>,
    pub unevaluated_properties: Option<NodeRef<'d>>,
    pub items: Option<NodeRef<'d>>,
    /// `additionalItems`: the items after `prefixItems`, in older drafts.
    pub other_items: Option<NodeRef<'d>>,
    pub unevaluated_items: Option<NodeRef<'d>>,
    pub contains: Option<NodeRef<'d>>,
    pub min_contains: Option<NodeRef<'d>>,
    pub max_contains: Option<NodeRef<'d>>,
    pub prefix_items: Option<NodeRef<'d>>,
    pub all_of: Option<NodeRef<'d>>,
    pub one_of: Option<NodeRef<'d>>,
    pub any_of: Option<NodeRef<'d>>,
    pub discriminator: Option<NodeRef<'d>>,
    pub rules: Option<NodeRef<'d>>,
    /// `x-media`.
    pub media: Option<NodeRef<'d>>,
    /// `x-unchecked`.
    pub unchecked: Option<NodeRef<'d>>,
    /// Keywords that can be conditions, such as `not`, `if` and `dependentRequired`.
    pub assertions: Vec<(&'d str, NodeRef<'d>)>,
    /// The node itself.
    pub node: Option<NodeRef<'d>>,
    /// The errors in single keywords.
    pub faults: Vec<Fault<'d>>,
}

/// The common keywords, which are suggested for misspelled ones.
pub(in crate::lower) const KNOWN: &[&str] = &[
    "$ref",
    "type",
    "nullable",
    "title",
    "description",
    "default",
    "example",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "uniqueItems",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "enum",
    "const",
    "properties",
    "patternProperties",
    "required",
    "additionalProperties",
    "items",
    "prefixItems",
    "allOf",
    "oneOf",
    "anyOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "propertyNames",
    "unevaluatedProperties",
    "contentEncoding",
    "contentMediaType",
    "discriminator",
    "externalDocs",
    "xml",
];

/// An error in a keyword.
#[derive(Debug)]
pub(in crate::lower) enum Fault<'d> {
    /// The value does not have the expected type.
    Type(NodeRef<'d>, &'d str, &'static str),
    /// `type` has an unknown value.
    Kind(NodeRef<'d>),
    /// The keyword is known, but not supported.
    Unsupported(NodeRef<'d>, &'d str),
    /// The extension belongs to another kind of node.
    Misplaced(NodeRef<'d>, &'d str, &'static str),
    /// The keyword is unknown.
    Unknown(NodeRef<'d>, &'d str),
    /// `required` is a boolean, as in draft 3 of JSON Schema.
    BooleanRequired(NodeRef<'d>),
}

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
            let misplaced = of_strings.into_iter().filter_map(|(name, value)| Some((name, value?)));
            keywords.faults.extend(misplaced.map(|(name, value)| Fault::Misplaced(value, name, "a string")));
        }
        keywords
    }

    fn keyword(&mut self, name: &'d str, value: NodeRef<'d>) {
        match name {
            "$ref" => self.reference = Some(value),
            "type" => self.types(value),
            "nullable" => self.nullable |= self.boolean(name, value),
            "x-nullable" => self.nullable |= value.as_bool() == Some(true),
            "title" => self.title = self.string(name, value),
            "description" => self.description = self.string(name, value),
            "default" => self.default = Some(value),
            "example" => self.example = Some(value),
            "examples" => self.example = self.example.or_else(|| value.items().first()),
            "deprecated" => self.deprecated = self.boolean(name, value),
            "readOnly" => self.read_only = self.boolean(name, value),
            "writeOnly" => self.write_only = self.boolean(name, value),
            "format" => self.format = self.string(name, value).map(|_| value),
            "contentEncoding" => self.content_encoding = self.string(name, value),
            "contentMediaType" => self.content_media_type = self.string(name, value),
            "pattern" => self.pattern = self.string(name, value).map(|_| value),
            "minLength" => self.min_length = self.count(name, value),
            "maxLength" => self.max_length = self.count(name, value),
            "minItems" => self.min_items = self.count(name, value),
            "maxItems" => self.max_items = self.count(name, value),
            "minProperties" => self.min_properties = self.count(name, value),
            "maxProperties" => self.max_properties = self.count(name, value),
            "uniqueItems" => self.unique_items = self.boolean(name, value),
            "minimum" => self.minimum = self.number(name, value),
            "maximum" => self.maximum = self.number(name, value),
            "exclusiveMinimum" => self.exclusive_minimum = self.bound(name, value),
            "exclusiveMaximum" => self.exclusive_maximum = self.bound(name, value),
            "multipleOf" => self.multiple_of = self.number(name, value),
            "enum" => self.values = self.array(name, value),
            "const" => self.constant = Some(value),
            "properties" => self.properties = self.object(name, value),
            "patternProperties" => self.pattern_properties = self.object(name, value),
            "propertyNames" => self.property_names = self.schema(name, value),
            "required" => match value.value() {
                Value::Boolean(_) => self.faults.push(Fault::BooleanRequired(value)),
                _ => self.required = self.array(name, value),
            },
            "additionalProperties" => self.additional = self.schema(name, value),
            "unevaluatedProperties" => self.unevaluated_properties = self.schema(name, value),
            // Older drafts write `prefixItems` as a list in `items`.
            "items" if value.is_array() => self.prefix_items = self.prefix_items.or(Some(value)),
            "items" => self.items = self.schema(name, value),
            "additionalItems" => self.other_items = self.schema(name, value),
            "unevaluatedItems" => self.unevaluated_items = self.schema(name, value),
            "contains" => self.contains = self.schema(name, value),
            "minContains" => self.min_contains = self.count(name, value),
            "maxContains" => self.max_contains = self.count(name, value),
            "prefixItems" => self.prefix_items = self.array(name, value),
            "allOf" => self.all_of = self.array(name, value),
            "oneOf" => self.one_of = self.array(name, value),
            "anyOf" => self.any_of = self.array(name, value),
            "discriminator" => self.discriminator = self.object(name, value),
            "x-rules" => self.rules = self.array(name, value),
            "x-media" => self.media = Some(value),
            "x-unchecked" => self.unchecked = Some(value),
            "externalDocs" | "xml" | "$id" | "$schema" | "$comment" | "$defs" | "definitions" | "$anchor"
            | "$dynamicAnchor" | "$recursiveAnchor" | "contentSchema" | "$vocabulary" => {}
            "not" | "if" | "dependentRequired" | "dependentSchemas" | "dependencies" => {
                self.assertions.push((name, value));
            }
            // They have no effect without `if`, and are read together with it.
            "then" | "else" => {}
            // A `$dynamicRef` has another target than `$ref` only if another document extends the schema.
            "$dynamicRef" => self.reference = self.reference.or(Some(value)),
            "$recursiveRef" => {
                self.faults.push(Fault::Unsupported(value, name));
            }
            "x-permanent" => {
                self.faults.push(Fault::Misplaced(value, name, "a response and names a property"))
            }
            _ => self.faults.push(Fault::Unknown(value, name)),
        }
    }

    /// Reads keywords about what is not evaluated like those about what is not listed, where they mean the same.
    pub fn settle_unevaluated(&mut self, by_name: bool, by_index: bool) {
        let restricts = |node: &NodeRef<'_>| node.as_bool() != Some(true);
        if by_name {
            self.additional = self.additional.or(self.unevaluated_properties.filter(restricts));
        }
        if by_index {
            self.items = self.items.or(self.unevaluated_items.filter(restricts));
        }
    }

    /// Returns whether any keyword besides `type` restricts the values.
    pub fn constrains(&self) -> bool {
        let says_something = |node: Option<NodeRef<'_>>| {
            node.is_some_and(|node| node.entries().len() > 0 || node.as_bool() == Some(false))
        };
        self.required.is_some_and(|required| !required.items().is_empty())
            || says_something(self.properties)
            || says_something(self.additional)
            || [
                self.format,
                self.pattern,
                self.min_length,
                self.max_length,
                self.min_items,
                self.max_items,
                self.min_properties,
                self.max_properties,
                self.minimum,
                self.maximum,
                self.exclusive_minimum,
                self.exclusive_maximum,
                self.multiple_of,
                self.values,
                self.constant,
                self.pattern_properties,
                self.property_names,
                self.unevaluated_properties,
                self.items,
                self.prefix_items,
                self.unevaluated_items,
                self.contains,
                self.one_of,
                self.any_of,
                self.rules,
            ]
            .iter()
            .any(Option::is_some)
            || self.unique_items
            || self.content_encoding.is_some()
            || !self.assertions.is_empty()
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
                    self.faults.push(Fault::Kind(name));
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
            self.faults.push(Fault::Type(value, name, expected));
        }
        found
    }

    fn boolean(&mut self, name: &'d str, value: NodeRef<'d>) -> bool {
        self.expect(name, value, "a boolean", value.as_bool()).unwrap_or_default()
    }

    fn string(&mut self, name: &'d str, value: NodeRef<'d>) -> Option<&'d str> {
        self.expect(name, value, "a string", value.as_str())
    }

    fn count(&mut self, name: &'d str, value: NodeRef<'d>) -> Option<NodeRef<'d>> {
        self.expect(name, value, "a non-negative integer", value.as_u64().map(|_| value))
    }

    fn number(&mut self, name: &'d str, value: NodeRef<'d>) -> Option<NodeRef<'d>> {
        self.expect(name, value, "a number", value.as_f64().map(|_| value))
    }

    /// Returns an exclusive bound: a number (3.1) or a boolean (3.0).
    fn bound(&mut self, name: &'d str, value: NodeRef<'d>) -> Option<NodeRef<'d>> {
        let found = value.as_bool().map(|_| value).or_else(|| value.as_f64().map(|_| value));
        self.expect(name, value, "a number (3.1) or a boolean (3.0)", found)
    }

    fn array(&mut self, name: &'d str, value: NodeRef<'d>) -> Option<NodeRef<'d>> {
        self.expect(name, value, "an array", value.is_array().then_some(value))
    }

    fn object(&mut self, name: &'d str, value: NodeRef<'d>) -> Option<NodeRef<'d>> {
        self.expect(name, value, "an object", value.is_object().then_some(value))
    }

    fn schema(&mut self, name: &'d str, value: NodeRef<'d>) -> Option<NodeRef<'d>> {
        let found = (value.is_object() || value.as_bool().is_some()).then_some(value);
        self.expect(name, value, "a schema", found)
    }
}

impl<'d> Resolver<'d, '_> {
    /// Reports the errors in single keywords.
    pub fn say_faults(&mut self, keywords: &mut Keywords<'d>) {
        for fault in std::mem::take(&mut keywords.faults) {
            match fault {
                Fault::Type(node, name, expected) => self.wrong_type(node, &format!("`{name}`"), expected),
                Fault::Kind(node) => {
                    let found =
                        node.as_str().map_or_else(|| node.kind_name().to_owned(), |text| format!("`{text}`"));
                    let expected = "`boolean`, `integer`, `number`, `string`, `array` or `object`";
                    self.error(Code::WrongType, node, format!("`type` must be {expected}, not {found}"));
                }
                Fault::Unsupported(node, name) => {
                    self.warn(
                        Code::Unsupported,
                        node,
                        format!("unsupported keyword `{name}`, which is not checked"),
                    );
                }
                Fault::Misplaced(node, name, place) => {
                    let message = format!("`{name}` has no effect here; it belongs in {place}");
                    self.warn(Code::BadExtension, node, message);
                }
                Fault::Unknown(node, name) => {
                    self.unknown_field(node, "a schema", name, KNOWN);
                }
                Fault::BooleanRequired(node) => {
                    let message = "`required` must be a list of property names; a boolean has no effect";
                    self.warn(Code::WrongType, node, message);
                }
            }
        }
    }
}
