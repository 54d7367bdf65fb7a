//! Maps and additional properties.
//!
//! The keywords are `additionalProperties`, `patternProperties` and `propertyNames`.

use std::slice;

use crate::{
    diagnostics::Code,
    ir::{Additional, Field, Literal, MapRules, NameRules, Schema, TextRules, Type},
    lower::{
        position::SchemaPosition,
        resolver::{
            flat::Flat,
            literal::{least, literal},
            parts::Part,
        },
        schema::{state::Schemas, unions::same::common},
    },
    names,
    tree::Node,
};

/// The schema of additional properties, and the constraints on their names.
type Values = (Schema, Option<Box<NameRules>>);

impl<'d> Schemas<'d, '_> {
    /// Returns the additional properties of a struct with these fields.
    pub fn additional(
        &mut self,
        flat: &Flat<'d>,
        position: &SchemaPosition<'d>,
        fields: &[Field],
    ) -> Additional {
        if flat.closed && flat.pattern_properties.is_empty() {
            return Additional::Forbidden;
        }
        let Some((schema, names)) = self.values_of(flat, position) else { return Additional::Ignored };
        let taken = |name: &str| fields.iter().any(|field| field.ident.0 == name);
        let preferred = ["additional_properties", "other_properties", "undeclared_properties"];
        Additional::Kept { ident: names::free(&preferred, taken), schema, names }
    }

    /// Returns the type of an object without declared properties.
    pub fn map(&mut self, flat: &Flat<'d>, position: &SchemaPosition<'d>) -> Type {
        self.check_required(flat);
        let values = self.values_of(flat, position);
        let (values, names) = values.unwrap_or_else(|| (Schema::new(Type::Any), None));
        for rule in &flat.rules {
            self.warn(Code::BadExtension, rule, "`x-rules` requires an object schema with properties");
            self.needs_json_schema |= !flat.assertions.is_empty();
        }
        Type::Map(Box::new(MapRules {
            values,
            min_properties: least(flat.merged.min_properties),
            max_properties: flat.merged.max_properties.and_then(Node::as_u64),
            names,
        }))
    }

    /// Returns the additional properties, if the document describes them.
    fn values_of(&mut self, flat: &Flat<'d>, position: &SchemaPosition<'d>) -> Option<Values> {
        let each = flat.property_names.as_ref().and_then(|part| self.each_name(part));
        let additional = flat.additional.as_slice();
        let additional =
            (!additional.is_empty()).then(|| self.together(additional, position, SchemaPosition::values));
        let (values, mut names) = match (flat.pattern_properties.as_slice(), additional) {
            ([], Some(values)) => (values, None),
            ([], None) => (each.is_some().then(|| Schema::new(Type::Any))?, None),
            // Without `additionalProperties`, all names are taken to match the only pattern.
            ([(_, part)], None) if !flat.closed => {
                (self.together(slice::from_ref(part), position, SchemaPosition::values), None)
            }
            (patterns, others) => self.by_name(flat, patterns, others, position),
        };
        if each.is_some() {
            let none = || NameRules { each: None, patterns: Vec::new(), others: None, closed: false };
            names.get_or_insert_with(none).each = each;
        }
        Some((values, names.map(Box::new)))
    }

    /// Returns properties whose schema depends on their name.
    ///
    /// Their type is the one that all schemas have in common, or any JSON value.
    fn by_name(
        &mut self,
        flat: &Flat<'d>,
        patterns: &[(&'d str, Part<'d>)],
        others: Option<Schema>,
        position: &SchemaPosition<'d>,
    ) -> (Schema, Option<NameRules>) {
        let is_only = patterns.len() == 1 && others.is_none();
        let mut schemas = Vec::with_capacity(patterns.len());
        for (pattern, part) in patterns {
            let at = |at: &SchemaPosition<'d>| if is_only { at.values() } else { at.property(pattern) };
            let schema = self.together(slice::from_ref(part), position, at);
            schemas.push((self.pattern_of_names(pattern, part.node, position), schema));
        }
        let all = schemas.iter().map(|(_, schema)| schema).chain(&others);
        let values = common(all).unwrap_or_else(|| Schema::new(Type::Any));
        let own = |schema: Schema| (schema != values).then_some(schema);
        // A pattern that can't be checked could match any name.
        let is_whole = schemas.iter().all(|(id, _)| id.is_some());
        let names = NameRules {
            each: None,
            others: others.and_then(own).filter(|_| is_whole),
            patterns: schemas.into_iter().filter_map(|(id, schema)| Some((id?, own(schema)))).collect(),
            closed: flat.closed && is_whole,
        };
        (values, Some(names))
    }

    /// Returns the schema of property names.
    ///
    /// Returns `None` if any name is valid or the check is unsupported.
    fn each_name(&mut self, part: &Part<'d>) -> Option<Schema> {
        if part.node.as_bool() == Some(false) {
            self.needs_json_schema = true;
            return None;
        }
        let owns = self.followed(slice::from_ref(part));
        let flat = self.flatten(owns);
        if let Some(values) = &flat.values {
            let allowed: Vec<Literal> = values.iter().copied().map(literal).collect();
            if !allowed.iter().all(|text| matches!(text, Literal::Text(_))) {
                self.needs_json_schema = true;
                return None;
            }
            return Some(Schema { allowed, ..Schema::new(Type::Text(TextRules::default())) });
        }
        if flat.kinds.is_some_and(|kinds| !kinds.string) || !flat.unions.is_empty() {
            self.needs_json_schema = true;
            return None;
        }
        match self.string(&flat, &part.home.property("name")) {
            Type::Text(rules) if rules != TextRules::default() => Some(Schema::new(Type::Text(rules))),
            _ => None,
        }
    }
}
