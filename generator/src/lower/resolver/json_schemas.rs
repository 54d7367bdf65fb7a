//! Reads schemas of the document as JSON Schemas: lists of keywords for the tables.
//!
//! A schema is read this way if its Rust type can't express all constraints: see `json_schema_need`.

use std::collections::HashSet;

use crate::{
    ir::{JsonSchema, JsonSchemaId, Keyword, Kinds, Literal, TextFormat},
    lower::{
        position::SchemaPosition,
        resolver::{
            kinds::kinds_of,
            literal::{least, literal},
            parts::Part,
            state::{JsonSchemaDraft, Resolver, Typing},
            table::Keywords,
        },
    },
    options::Untyped,
    tree::{Node, NodeRef},
};

/// The sources of the keywords of one schema object.
#[derive(Clone, Copy)]
struct Reader<'k, 'd> {
    keywords: &'k Keywords<'d>,
    position: &'k SchemaPosition<'d>,
    typing: Typing,
}

impl<'d> Resolver<'d, '_> {
    /// Reads the keywords of a schema that a row refers to.
    pub fn read_json_schema(&mut self, id: JsonSchemaId) {
        let Some(draft) = self.json_schemas.drafts.get(id.0) else { return };
        let (nodes, typing, position) = (draft.nodes.clone(), draft.typing, draft.position.clone());
        let schema = match nodes.as_slice() {
            [node] => self.as_json_schema(node, &position, typing),
            nodes => {
                let parts: Vec<Part<'d>> =
                    nodes.iter().map(|node| Part::new(node, position.clone())).collect();
                let mut keywords: Vec<Keyword> = self.implied(&parts, typing).into_iter().collect();
                let all = nodes.iter().map(|node| self.as_json_schema(node, &position, typing.part()));
                keywords.push(Keyword::AllOf(all.collect()));
                JsonSchema(keywords)
            }
        };
        if let Some(draft) = self.json_schemas.drafts.get_mut(id.0) {
            draft.schema = schema;
        }
    }

    /// Returns how schemas without `type` are read.
    pub fn typing(&self) -> Typing {
        match self.options.untyped {
            Untyped::Implied => Typing::Implied,
            Untyped::Any => Typing::None,
        }
    }

    pub fn json_schema_id(
        &mut self,
        nodes: Vec<NodeRef<'d>>,
        position: &SchemaPosition<'d>,
        typing: Typing,
    ) -> JsonSchemaId {
        let ids = nodes.iter().map(|node| node.id()).collect();
        *self.json_schemas.known.entry((ids, typing)).or_insert_with(|| {
            let draft =
                JsonSchemaDraft { nodes, typing, position: position.clone(), schema: JsonSchema::default() };
            self.json_schemas.drafts.push(draft);
            JsonSchemaId(self.json_schemas.drafts.len() - 1)
        })
    }

    fn as_json_schema(
        &mut self,
        node: NodeRef<'d>,
        position: &SchemaPosition<'d>,
        typing: Typing,
    ) -> JsonSchema {
        if node.as_bool() == Some(false) {
            return JsonSchema::never();
        }
        if !node.is_object() {
            return JsonSchema::default();
        }
        let mut keywords = Keywords::read(node);
        self.report_keyword_errors(&mut keywords);
        keywords.settle_exclusive();
        let reference = keywords.reference.and_then(|reference| self.target(reference)).map(|target| {
            Keyword::Ref(self.json_schema_id(vec![target.node], &target.position, typing.within()))
        });
        if keywords.reference.is_some() && !self.is_3_1() {
            let referred = JsonSchema(reference.into_iter().collect());
            return if keywords.beside_reference().nullable { referred.or_null() } else { referred };
        }
        let reader = Reader { keywords: &keywords, position, typing };
        let mut found = Vec::new();
        match keywords.kinds {
            Some(kinds) => {
                found.push(Keyword::Type(Kinds { null: kinds.null || keywords.nullable, ..kinds }))
            }
            None => found.extend(self.implied(&[Part::new(node, position.clone())], typing)),
        }
        let constant = keywords.constant.map(std::slice::from_ref);
        for values in constant.into_iter().chain(keywords.values.map(Node::items)) {
            let mut allowed: Vec<Literal> = values.iter().map(literal).collect();
            // The type decides whether null is allowed.
            if keywords.nullable && !allowed.contains(&Literal::Null) {
                allowed.push(Literal::Null);
            }
            found.push(Keyword::Enum(allowed));
        }
        found.extend(reference);
        keywords.plain(&mut found);
        self.text_keywords(reader, &mut found);
        self.array_keywords(reader, &mut found);
        self.object_keywords(reader, &mut found);
        self.applicators(reader, &mut found);
        if let Some(node) = keywords.unevaluated_items {
            found.push(Keyword::UnevaluatedItems(self.boxed(node, &position.items(), typing.within())));
        }
        if let Some(node) = keywords.unevaluated_properties {
            found.push(Keyword::UnevaluatedProperties(self.boxed(node, &position.values(), typing.within())));
        }
        let schema = JsonSchema(found);
        let says_nullable = ["nullable", "x-nullable"].iter().any(|name| node.get(name).is_some());
        if says_nullable && keywords.nullable && keywords.is_composed() {
            // OpenAPI 3.0 adds null to the values that the other keywords accept.
            return schema.or_null();
        }
        schema
    }

    /// Returns the type that the keywords of a schema imply.
    fn implied(&mut self, parts: &[Part<'d>], typing: Typing) -> Option<Keyword> {
        let is_alone = matches!(parts, [part] if part.node.entries().all(|(name, _)| name == "$ref"));
        if typing != Typing::Implied || is_alone {
            return None;
        }
        let owns = self.followed(parts);
        let flat = self.flatten(owns);
        if flat.kinds.is_some() || flat.values.is_some() {
            return None;
        }
        let kinds = kinds_of(&flat, Untyped::Implied);
        let null = flat.nullable;
        (kinds != Kinds::default()).then_some(Keyword::Type(Kinds { null, ..kinds }))
    }

    fn text_keywords(&mut self, reader: Reader<'_, 'd>, found: &mut Vec<Keyword>) {
        let keywords = reader.keywords;
        let mut shortest = least(keywords.min_length);
        let mut most = keywords.max_length.and_then(Node::as_u64);
        let unchecked = keywords.unchecked.map_or(&[][..], Node::items);
        if let Some(node) = keywords.pattern
            && !unchecked.iter().any(|keyword| keyword.as_str() == Some("pattern"))
            && let Some((id, lengths)) = self.pattern(node, reader.position)
        {
            found.push(Keyword::Pattern(id));
            shortest = shortest.max(lengths.least);
            most = [most, lengths.most].into_iter().flatten().min();
        }
        let limits = [("minLength", shortest), ("maxLength", most)];
        found.extend(limits.into_iter().filter_map(|(name, limit)| Some(Keyword::Count(name, limit?))));
        let format = keywords.format.and_then(Node::as_str).unwrap_or_default();
        let format = TextFormat::from_name(format, self.options.formats);
        found.extend(format.map(Keyword::Format));
    }

    fn array_keywords(&mut self, reader: Reader<'_, 'd>, found: &mut Vec<Keyword>) {
        let Reader { keywords, position, typing } = reader;
        let count = |node: Option<NodeRef<'d>>| node.and_then(Node::as_u64);
        let items = position.items();
        let prefix = keywords.prefix_items.map_or(&[][..], Node::items);
        let prefix: Vec<JsonSchema> =
            prefix.iter().map(|item| self.as_json_schema(item, &items, typing.within())).collect();
        let others = keywords.items.map(|node| self.boxed(node, &items, typing.within()));
        if !prefix.is_empty() || others.is_some() {
            found.push(Keyword::Items { prefix, others });
        }
        if let Some(node) = keywords.contains {
            let schema = self.boxed(node, &items, Typing::None);
            let minimum = count(keywords.min_contains).unwrap_or(1);
            found.push(Keyword::Contains { schema, minimum, maximum: count(keywords.max_contains) });
        }
    }

    fn object_keywords(&mut self, reader: Reader<'_, 'd>, found: &mut Vec<Keyword>) {
        let Reader { keywords, position, typing } = reader;
        let required = keywords.required.map_or(&[][..], Node::items).iter();
        let required = required.filter(|name| !self.json_schemas.undemanded.contains(&name.id()));
        let required: Vec<String> = required.filter_map(Node::as_str).map(str::to_owned).collect();
        if !required.is_empty() {
            found.push(Keyword::Required(required));
        }
        let properties = keywords.properties.into_iter().flat_map(Node::entries);
        let mut listed: Vec<(String, JsonSchema)> = properties
            .map(|(name, node)| {
                (name.to_owned(), self.as_json_schema(node, &position.property(name), typing.within()))
            })
            .collect();
        listed.sort_by(|(one, _), (other, _)| one.cmp(other));
        let patterns = keywords.pattern_properties.into_iter().flat_map(Node::entries);
        let patterns: Vec<_> = patterns
            .filter_map(|(pattern, node)| {
                let at = position.property(pattern);
                let id = self.pattern_of_names(pattern, node, &at)?;
                Some((id, self.as_json_schema(node, &at, typing.within())))
            })
            .collect();
        let others = keywords.additional.map(|node| self.boxed(node, &position.values(), typing.within()));
        if !listed.is_empty() || !patterns.is_empty() || others.is_some() {
            found.push(Keyword::Properties { listed, patterns, others });
        }
        if let Some(node) = keywords.property_names {
            found.push(Keyword::PropertyNames(self.boxed(node, &position.property("name"), Typing::None)));
        }
    }

    fn applicators(&mut self, reader: Reader<'_, 'd>, found: &mut Vec<Keyword>) {
        let Reader { keywords, position, typing } = reader;
        let mut all = |node: Option<NodeRef<'d>>, typing| -> Option<Vec<JsonSchema>> {
            let node = node.filter(|node| !node.items().is_empty() && !self.is_restated(node))?;
            Some(node.items().iter().map(|node| self.as_json_schema(node, position, typing)).collect())
        };
        let mut parts = all(keywords.all_of, typing.part()).unwrap_or_default();
        parts.retain(|part| *part != JsonSchema::default());
        found.extend((!parts.is_empty()).then_some(Keyword::AllOf(parts)));
        let any = all(keywords.any_of, typing.within());
        let one = all(keywords.one_of, typing.within());
        let tag = keywords.discriminator.and_then(|it| it.get("propertyName")).and_then(Node::as_str);
        for (node, branches, plain) in [
            (keywords.any_of, any, Keyword::AnyOf as fn(Vec<JsonSchema>) -> Keyword),
            (keywords.one_of, one, Keyword::OneOf),
        ] {
            let nodes = node.map_or(&[][..], Node::items);
            found.extend(branches.map(|branches| match tag {
                Some(tag) => self.discriminated(tag, keywords.discriminator, nodes, branches),
                None => plain(branches),
            }));
        }
        for (keyword, node) in &keywords.assertions {
            if self.is_restated(node) {
                continue;
            }
            self.condition(keyword, node, reader, found);
        }
    }

    /// Returns whether an assertion only restates a rule of `x-rules`.
    fn is_restated(&self, node: NodeRef<'d>) -> bool {
        self.json_schemas.restated.get(&node.id()) == Some(&true)
    }

    fn condition(
        &mut self,
        keyword: &str,
        node: NodeRef<'d>,
        reader: Reader<'_, 'd>,
        found: &mut Vec<Keyword>,
    ) {
        let Reader { keywords, position, .. } = reader;
        match keyword {
            "not" => found.push(Keyword::Not(self.boxed(node, position, Typing::None))),
            "if" => {
                let branch = |name| keywords.node.and_then(|schema| schema.get(name));
                let condition = self.boxed(node, position, Typing::None);
                let then = branch("then").map(|node| self.boxed(node, position, Typing::None));
                let otherwise = branch("else").map(|node| self.boxed(node, position, Typing::None));
                found.push(Keyword::If { condition, then, otherwise });
            }
            // `dependencies` of older drafts holds both lists of names and schemas.
            _ => {
                let (lists, schemas): (Vec<_>, Vec<_>) =
                    node.entries().partition(|(_, wanted)| wanted.is_array());
                if !lists.is_empty() {
                    let lists = lists.into_iter().map(|(name, list)| (name.to_owned(), names(list)));
                    found.push(Keyword::DependentRequired(lists.collect()));
                }
                if !schemas.is_empty() {
                    let schemas = schemas.into_iter().map(|(name, node)| {
                        (name.to_owned(), self.as_json_schema(node, position, Typing::None))
                    });
                    found.push(Keyword::DependentSchemas(schemas.collect()));
                }
            }
        }
    }

    fn boxed(&mut self, node: NodeRef<'d>, position: &SchemaPosition<'d>, typing: Typing) -> Box<JsonSchema> {
        Box::new(self.as_json_schema(node, position, typing))
    }

    /// Returns the keyword of a union with a discriminator, which chooses the branch that applies.
    ///
    /// Without the property, any branch may apply.
    fn discriminated(
        &self,
        property: &str,
        discriminator: Option<NodeRef<'d>>,
        nodes: &'d [Node],
        branches: Vec<JsonSchema>,
    ) -> Keyword {
        let mapping = discriminator.and_then(|it| it.get("mapping"));
        let default = discriminator.and_then(|it| it.get("defaultMapping")).and_then(Node::as_str);
        let names: Vec<HashSet<&str>> = nodes.iter().map(|node| self.names_of(node)).collect();
        let tags: Vec<Vec<Literal>> =
            nodes.iter().zip(&names).map(|(node, names)| tags(node, names, mapping)).collect();
        let chosen = branches.into_iter().enumerate().map(|(position, branch)| {
            let (Some(names), Some(own)) = (names.get(position), tags.get(position)) else { return branch };
            if own.is_empty() {
                return branch;
            }
            let own = if default.is_some_and(|default| names.contains(default)) {
                let others = tags.iter().enumerate().filter(|(other, _)| *other != position);
                let others = others.flat_map(|(_, tags)| tags.clone()).collect();
                Keyword::Not(Box::new(JsonSchema(vec![Keyword::Enum(others)])))
            } else {
                Keyword::Enum(own.clone())
            };
            let listed = vec![(property.to_owned(), JsonSchema(vec![own]))];
            let tagged = Keyword::Properties { listed, patterns: Vec::new(), others: None };
            JsonSchema(vec![Keyword::AllOf(vec![JsonSchema(vec![tagged]), branch])])
        });
        Keyword::AnyOf(chosen.collect())
    }

    /// Returns the texts by which a mapping can name a branch or one of its own branches: references and names.
    fn names_of(&self, branch: NodeRef<'d>) -> HashSet<&'d str> {
        let (mut names, mut seen, mut left) = (HashSet::new(), HashSet::new(), vec![branch]);
        while let Some(node) = left.pop() {
            if !seen.insert(node.id()) {
                continue;
            }
            if let Some(reference) = node.get("$ref") {
                let texts = reference.as_str().map(|text| [Some(text), text.rsplit('/').next()]);
                names.extend(texts.into_iter().flatten().flatten());
                let id = self.components.named(reference);
                left.extend(id.and_then(|id| self.components.get(id)).map(|component| component.node));
                continue;
            }
            let of = |name: &str| node.get(name).map_or(&[][..], Node::items);
            left.extend(of("oneOf").iter().chain(of("anyOf")));
            if let [only] = of("allOf") {
                left.push(only);
            }
        }
        names
    }
}

/// Returns the values of a discriminator that choose a branch.
fn tags(branch: NodeRef<'_>, names: &HashSet<&str>, mapping: Option<NodeRef<'_>>) -> Vec<Literal> {
    let Some(reference) = branch.get("$ref").and_then(Node::as_str) else { return Vec::new() };
    let name = reference.rsplit('/').next().unwrap_or(reference);
    let mapped = mapping.into_iter().flat_map(Node::entries);
    let mapped = mapped.filter(|(_, target)| target.as_str().is_some_and(|target| names.contains(target)));
    mapped.map(|(tag, _)| tag).chain([name]).map(|tag| Literal::Text(tag.to_owned())).collect()
}

fn names(list: NodeRef<'_>) -> Vec<String> {
    list.items().iter().filter_map(Node::as_str).map(str::to_owned).collect()
}
