//! Schemas: from keywords to types.

use crate::{
    diagnostics::Code,
    document::media,
    ir::{ContentFormat, Kind, Literal, Schema, Type, TypeId},
    lower::{
        position::{Role, SchemaPosition},
        resolver::{
            components::Target,
            flat::Flat,
            kinds::{JsonKind, kinds_of, list},
            parts::{Part, Piece},
        },
        schema::state::{Example, Schemas},
        types::named,
    },
    tree::{Node, NodeRef, Value},
};

/// A schema that is being read.
#[derive(Clone, Copy)]
pub(in crate::lower) struct Reading<'p, 'd> {
    pub parts: &'p [Part<'d>],
    pub position: &'p SchemaPosition<'d>,
    /// The type of the schema, if it was reserved.
    pub target: Option<TypeId>,
}

impl<'d> Schemas<'d, '_> {
    /// Reads a schema.
    pub fn schema(&mut self, node: NodeRef<'d>, position: &SchemaPosition<'d>) -> Schema {
        self.schema_of(&[Part::new(node, position.clone())], position)
    }

    /// Reads the schema that is composed of these parts.
    pub fn schema_of(&mut self, parts: &[Part<'d>], position: &SchemaPosition<'d>) -> Schema {
        self.read(Reading { parts, position, target: None })
    }

    /// Reads a schema whose type, if it needs one, is `target`.
    pub fn schema_into(
        &mut self,
        node: NodeRef<'d>,
        position: &SchemaPosition<'d>,
        target: TypeId,
    ) -> Schema {
        let parts = [Part::new(node, position.clone())];
        self.read(Reading { parts: &parts, position, target: Some(target) })
    }

    /// Reads a schema.
    pub fn read(&mut self, reading: Reading<'_, 'd>) -> Schema {
        let Reading { parts, position, .. } = reading;
        let Some(first) = parts.first() else { return Schema::new(Type::Any) };
        if let Some(schema) = self.read_before(reading, first.node) {
            return schema;
        }
        if position.is_too_deep() || self.fuel == 0 {
            let message = "the schemas are nested too deeply, so the Rust type is any JSON value";
            self.warn(Code::TooDeep, first.node, message);
            return self.any_value(reading);
        }
        // Schemas with a type can refer to themselves. This one is an array or map without a type of its own.
        let alone = parts.len() == 1 && first.without.is_empty();
        if alone && !self.open.insert(first.node.id()) {
            let message = "the schema refers to itself, so the Rust type is any JSON value";
            self.warn(Code::RecursiveAlias, first.node, message);
            return self.any_value(reading);
        }
        let schema = self.read_parts(reading, first.node);
        if alone {
            self.open.remove(&first.node.id());
        }
        schema
    }

    fn read_parts(&mut self, reading: Reading<'_, 'd>, first: NodeRef<'d>) -> Schema {
        let pieces = self.pieces(reading.parts, false);
        self.fuel = self.fuel.saturating_sub(pieces.len().max(1));
        let extending = first.get("allOf").and(reading.target).map(|_| first);
        if let Some(schema) = self.as_reference(&pieces, extending) {
            return schema;
        }
        let owns = if pieces.iter().any(|piece| matches!(piece, Piece::Reference(..))) {
            let owns = self.followed(reading.parts);
            self.fuel = self.fuel.saturating_sub(owns.len().max(1));
            owns
        } else {
            pieces.into_iter().filter_map(Piece::own).collect()
        };
        let needs_json_schema = self.parts_need_json_schema(&owns);
        let outer = std::mem::replace(&mut self.needs_json_schema, needs_json_schema);
        let first_type = self.types.len();
        let flat = self.flatten(owns);
        self.needs_json_schema |= flat.contradicts;
        let schema = self.of_flat(flat, reading);
        if std::mem::replace(&mut self.needs_json_schema, outer) {
            self.add_json_schema(schema, reading, first_type)
        } else {
            schema
        }
    }

    /// Returns any JSON value, which the document's schema checks.
    fn any_value(&mut self, reading: Reading<'_, 'd>) -> Schema {
        self.add_json_schema(Schema::new(Type::Any), reading, self.types.len())
    }

    /// Adds the document's schema to a type, or to a schema without a type of its own.
    ///
    /// `first` is the number of types before the schema was read.
    fn add_json_schema(&mut self, schema: Schema, reading: Reading<'_, 'd>, first: usize) -> Schema {
        let Reading { parts, position, target } = reading;
        // Another row checks the constraints of a loose part.
        if parts.iter().any(|part| part.is_loose) {
            return schema;
        }
        if position.role == Role::Event {
            self.report_unchecked_event(parts);
            return schema;
        }
        let nodes = parts.iter().map(|part| part.node).collect();
        let typing = self.typing();
        let id = self.json_schema_id(nodes, position, typing);
        match schema.ty {
            Type::Named { id: of, .. } if of.0 >= first || Some(of) == target => {
                if let Some(draft) = self.types.get_mut(of.0) {
                    draft.also = Some(id);
                }
                schema
            }
            _ => Schema { also: Some(id), ..schema },
        }
    }

    /// Reports conditions on a whole event.
    ///
    /// For JSON Schema, the data of an event is text. The tables check the value that the text contains.
    fn report_unchecked_event(&mut self, parts: &[Part<'d>]) {
        for keyword in ["not", "if", "dependentRequired", "dependentSchemas"] {
            if let Some(node) = parts.iter().find_map(|part| part.node.get(keyword)) {
                self.warn(Code::Unsupported, node, format!("`{keyword}` of an event is not checked"));
            }
        }
    }

    /// Returns schemas that need no reading: booleans, and schemas that were read before.
    fn read_before(&mut self, reading: Reading<'_, 'd>, node: NodeRef<'d>) -> Option<Schema> {
        match (reading.parts, node.value()) {
            ([_], Value::Boolean(true)) => Some(Schema::new(Type::Any)),
            ([_], Value::Boolean(false)) => Some(self.any_value(reading)),
            ([part], Value::Object(_)) if part.without.is_empty() && !reading.position.is_shared => {
                let id = *self.known.get(&node.id())?;
                Some(Schema { nullable: self.is_nullable(node), ..named(id) })
            }
            (_, Value::Object(_)) => None,
            ([_], _) => {
                self.wrong_type(node, "a schema", "an object");
                Some(Schema::new(Type::Any))
            }
            _ => None,
        }
    }

    /// Returns the target's schema for a single reference without further constraints.
    ///
    /// Documentation and `nullable` next to the reference are allowed. A schema that extends a base by `allOf` is not the
    /// union of the base's subtypes, nor the union that lists the schema itself.
    fn as_reference(&mut self, pieces: &[Piece<'d>], extending: Option<NodeRef<'d>>) -> Option<Schema> {
        let mut found = None;
        let mut nullable = false;
        for piece in pieces {
            match piece {
                Piece::Reference(_, _, true) => return None,
                Piece::Reference(target, node, false) if found.is_none() => {
                    found = Some((target.clone(), *node))
                }
                Piece::Reference(..) => return None,
                Piece::Own(own) if own.keywords.constrains() => return None,
                Piece::Own(own) => nullable |= own.keywords.nullable,
            }
        }
        let (target, node) = found?;
        if let (Some(extending), Some(base)) = (extending, target.id) {
            let mut unions = [target.node.get("oneOf"), target.node.get("anyOf")].into_iter().flatten();
            let is_own = |node: NodeRef<'d>| node.id() == extending.id();
            if self.components.is_extended(base) || unions.any(|union| self.lists(union, &is_own)) {
                return None;
            }
        }
        let schema = self.referred(target, node);
        Some(Schema { nullable: schema.ty != Type::Any && (schema.nullable || nullable), ..schema })
    }

    fn referred(&mut self, target: Target<'d>, reference: NodeRef<'d>) -> Schema {
        let Target { id, node, position } = target;
        if let Some(id) = id {
            return Schema { nullable: self.is_nullable(node), ..named(id) };
        }
        if !self.known.contains_key(&node.id()) && !self.open_targets.insert(node.id()) {
            let message = "the reference leads back to itself, so the Rust type is any JSON value";
            self.warn(Code::RecursiveAlias, reference, message);
            let parts = [Part::new(node, position.clone())];
            return self.any_value(Reading { parts: &parts, position: &position, target: None });
        }
        let schema = self.schema(node, &position);
        self.open_targets.remove(&node.id());
        schema
    }

    /// Returns the schema for the combined keywords.
    fn of_flat(&mut self, mut flat: Flat<'d>, reading: Reading<'_, 'd>) -> Schema {
        if reading.position.role == Role::EventData
            && let Some(schema) = self.content_of(&flat, reading.position)
        {
            return schema;
        }
        self.keep_real_unions(&mut flat);
        self.note_assertions(&flat);
        if flat.values.is_some()
            && let Some(schema) = self.constants(&mut flat, reading)
        {
            return schema;
        }
        if !flat.unions.is_empty()
            && let Some(schema) = self.union(&mut flat, reading)
        {
            return schema;
        }
        let nullable = flat.nullable;
        let kinds = kinds_of(&flat, self.options.untyped);
        if !kinds.object {
            for rule in &flat.rules {
                self.warn(Code::BadExtension, rule, "`x-rules` requires an object schema with properties");
                self.needs_json_schema |= !flat.assertions.is_empty();
            }
        }
        let schema = match list(kinds).as_slice() {
            [] if flat.kinds.is_some() => Schema { allowed: vec![Literal::Null], ..Schema::new(Type::Any) },
            [] => {
                self.needs_json_schema |= !flat.is_bare();
                Schema::new(Type::Any)
            }
            [kind] => self.of_kind(*kind, &flat, reading),
            kinds if kinds.len() >= 5 => Schema::new(Type::Any),
            kinds => self.union_of_kinds(kinds, &flat, reading),
        };
        Schema { nullable: nullable && schema.ty != Type::Any, ..schema }
    }

    /// Returns the schema of the value that a string contains as JSON (`contentSchema`).
    fn content_of(&mut self, flat: &Flat<'d>, position: &SchemaPosition<'d>) -> Option<Schema> {
        let content = flat.content_schema.as_ref()?;
        let is_json = flat
            .merged
            .content_media_type
            .is_none_or(|media_type| media::format(&media::essence(media_type), None) == ContentFormat::Json);
        let position = position.in_role(Role::Plain);
        is_json.then(|| self.schema(content.node, &position))
    }

    /// Returns the type of a schema's values of one kind.
    pub fn of_kind(&mut self, kind: JsonKind, flat: &Flat<'d>, reading: Reading<'_, 'd>) -> Schema {
        Schema::new(match kind {
            JsonKind::Boolean => Type::Boolean,
            JsonKind::Integer => self.integer(flat),
            JsonKind::Number => Type::Number(self.number(flat)),
            JsonKind::String => self.string(flat, reading.position),
            JsonKind::Array => self.array(flat, reading.position),
            JsonKind::Object => self.object_type(flat, reading),
        })
    }

    /// Returns the id of the type of a schema.
    pub fn new_type(&mut self, reading: Reading<'_, 'd>) -> TypeId {
        let Reading { parts, position, target } = reading;
        let id = target.unwrap_or_else(|| self.types.reserve(position, parts.first().map(|part| part.node)));
        if let [part] = parts
            && part.without.is_empty()
            && !position.is_shared
        {
            self.known.entry(part.node.id()).or_insert(id);
        }
        id
    }

    /// Reads every component.
    pub fn read_components(&mut self) {
        for index in 0..self.components.schemas.len() {
            let id = TypeId(index);
            let Some(component) = self.components.get(id) else { continue };
            let (node, position) = (component.node, component.position.in_role(component.role));
            let schema = if self.components.is_extended(id) {
                self.inherited(id, node, &position)
            } else {
                self.schema_into(node, &position, id)
            };
            self.note_examples(&schema, node, false);
            if schema.ty == (Type::Named { id, boxed: false }) && self.types.kind(id).is_some() {
                continue;
            }
            // References to the component add the nullability, so that no type is nullable twice.
            let docs = self.docs_of(node);
            self.types.fill(id, docs, Kind::Alias(Schema { nullable: false, ..schema }));
        }
    }

    /// Stores the examples of a schema. They are checked when all types are known.
    ///
    /// `is_json` says whether examples that are text contain JSON.
    pub fn note_examples(&mut self, schema: &Schema, node: NodeRef<'d>, is_json: bool) {
        let examples = node.get("examples");
        for example in node.get("example").into_iter().chain(examples.map_or(&[][..], Node::items)) {
            self.add_example(schema, example, false);
        }
        for (_, example) in examples.into_iter().flat_map(Node::entries) {
            let Some(example) = self.resolve_in(example, "examples", "an example") else { continue };
            self.note_example_object(schema, example.node, is_json);
        }
    }

    fn add_example(&mut self, schema: &Schema, node: NodeRef<'d>, is_text: bool) {
        self.notes.examples.push(Example { schema: schema.clone(), node, is_text, fits: true });
    }

    /// Stores the examples in an Example Object: its data, its text, or its `value`, which can be either.
    fn note_example_object(&mut self, schema: &Schema, example: NodeRef<'d>, is_json: bool) {
        let (data, text) = (example.get("dataValue"), example.get("serializedValue"));
        for name in ["value", "externalValue"] {
            if let (Some(node), true) = (example.get(name), data.or(text).is_some()) {
                let message = format!("an example has either `{name}`, or `dataValue` and `serializedValue`");
                self.warn(Code::BadExample, node, message);
            }
        }
        if let Some(data) = data.or_else(|| example.get("value")) {
            self.add_example(schema, data, false);
        }
        let Some(text) = text.filter(|_| is_json) else { return };
        self.add_example(schema, text, true);
        let parsed = text.as_str().and_then(|text| serde_json::from_str::<serde_json::Value>(text).ok());
        if parsed.is_none() {
            self.warn(Code::BadExample, text, "`serializedValue` is not JSON, but its media type is");
        } else if data.is_some_and(|data| parsed != Some(data.to_json())) {
            self.warn(Code::BadExample, text, "`serializedValue` is not the same value as `dataValue`");
        }
    }
}
