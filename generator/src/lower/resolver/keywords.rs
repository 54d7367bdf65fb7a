//! The keywords of one schema object, in the dialects of OpenAPI 3.0 and 3.1.

use crate::{
    formats::has_format,
    ir::{Kinds, TextFormat},
    lower::resolver::table::{Field, schema_keywords},
    tree::{Node, NodeRef, Value},
};

/// Returns the type of a field.
macro_rules! field {
    (flag) => {
        bool
    };
    (string) => {
        Option<&'d str>
    };
    ($other:ident) => {
        Option<NodeRef<'d>>
    };
}

/// Returns whether a field restricts the values.
macro_rules! restricts {
    (yes, $field:expr) => {
        $field.is_set()
    };
    (more, $field:expr) => {
        $field.is_set()
    };
    (filled, $field:expr) => {
        $field.is_some_and(is_filled)
    };
    (no, $field:expr) => {
        false
    };
}

/// Returns whether a field has a constraint that no Rust type can express.
macro_rules! needs_json_schema {
    (more, $field:expr) => {
        $field.is_set()
    };
    ($other:ident, $field:expr) => {
        false
    };
}

/// Declares [`Keywords`].
macro_rules! keywords {
    (
        combined { $($name:literal $type:ident $field:ident $parts:ident $row:ident
            $constrains:ident $bare:ident $implies:ident $(($flat:ty))?;)* }
        single { $($other_name:literal $other_type:ident $other:ident $other_row:ident $other_constrains:ident;)* }
    ) => {
        /// The keywords of one schema object, not combined with other parts.
        #[derive(Debug, Default)]
        pub(in crate::lower) struct Keywords<'d> {
            $(pub $field: field!($type),)*
            $(pub $other: field!($other_type),)*
            /// The kinds in `type`, without `null`, or `None` without `type`.
            pub kinds: Option<Kinds>,
            /// Whether `nullable`, `type`, `enum` or `const` allow null.
            pub nullable: bool,
            /// Keywords that can be conditions, such as `not`, `if` and `dependentRequired`.
            pub assertions: Vec<(&'d str, NodeRef<'d>)>,
            /// The node itself.
            pub node: Option<NodeRef<'d>>,
            /// The errors in single keywords.
            pub errors: Vec<KeywordError<'d>>,
        }

        impl<'d> Keywords<'d> {
            /// Reads a keyword of the table. Returns whether it is one.
            fn in_table(&mut self, name: &'d str, value: NodeRef<'d>) -> bool {
                match name {
                    $($name => self.$field = self.$type(name, value),)*
                    $($other_name => self.$other = self.$other_type(name, value),)*
                    _ => return false,
                }
                true
            }

            /// Returns whether any keyword besides `type` restricts the values.
            pub fn constrains(&self) -> bool {
                $(restricts!($constrains, self.$field) ||)*
                $(restricts!($other_constrains, self.$other) ||)*
                !self.assertions.is_empty()
            }

            /// Returns whether any keyword has a constraint that no Rust type can express, with any other keywords.
            pub fn needs_json_schema(&self) -> bool {
                $(needs_json_schema!($constrains, self.$field) ||)*
                $(needs_json_schema!($other_constrains, self.$other) ||)*
                false
            }
        }

        /// The keywords, which are suggested for misspelled ones.
        pub(in crate::lower) const KNOWN: &[&str] = &[
            $($name,)*
            $($other_name,)*
            "type",
            "nullable",
            "examples",
            "not",
            "if",
            "then",
            "else",
            "dependentRequired",
            "dependentSchemas",
            "externalDocs",
            "xml",
        ];
    };
}

schema_keywords!(keywords);

/// An error in a keyword.
#[derive(Debug)]
pub(in crate::lower) enum KeywordError<'d> {
    /// The value does not have the expected type.
    Type(NodeRef<'d>, &'d str, &'static str),
    /// The value is not one of the words that the keyword allows.
    Word(NodeRef<'d>, &'static str, &'static str),
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
            keywords
                .errors
                .extend(misplaced.map(|(name, value)| KeywordError::Misplaced(value, name, "a string")));
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
                self.errors.push(KeywordError::Misplaced(value, name, "a response and names a property"))
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

    fn flag(&mut self, name: &'d str, value: NodeRef<'d>) -> bool {
        self.expect(name, value, "a boolean", value.as_bool()).unwrap_or_default()
    }

    fn string(&mut self, name: &'d str, value: NodeRef<'d>) -> Option<&'d str> {
        self.expect(name, value, "a string", value.as_str())
    }

    /// Returns the node of a string.
    fn text(&mut self, name: &'d str, value: NodeRef<'d>) -> Option<NodeRef<'d>> {
        self.string(name, value).map(|_| value)
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

    fn list(&mut self, name: &'d str, value: NodeRef<'d>) -> Option<NodeRef<'d>> {
        self.expect(name, value, "an array", value.is_array().then_some(value))
    }

    fn map(&mut self, name: &'d str, value: NodeRef<'d>) -> Option<NodeRef<'d>> {
        self.expect(name, value, "an object", value.is_object().then_some(value))
    }

    fn schema(&mut self, name: &'d str, value: NodeRef<'d>) -> Option<NodeRef<'d>> {
        let found = (value.is_object() || value.as_bool().is_some()).then_some(value);
        self.expect(name, value, "a schema", found)
    }

    /// Returns a node whose type is checked elsewhere, or not at all.
    fn any(&mut self, _: &'d str, value: NodeRef<'d>) -> Option<NodeRef<'d>> {
        Some(value)
    }
}

/// Returns whether a keyword restricts the values: an empty list or object does not.
fn is_filled(node: NodeRef<'_>) -> bool {
    !node.items().is_empty() || node.entries().len() > 0 || node.as_bool() == Some(false)
}
