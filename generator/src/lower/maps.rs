//! Maps, and what an object may hold beside its properties: `additionalProperties`, `patternProperties`,
//! `propertyNames`.

use super::{
    Lowering,
    all_of::Part,
    flat::Flat,
    literals::literal,
    place::Place,
    unions::{same_rust_type, without_rules},
};
use crate::{
    diagnostics::Code,
    ir::{Additional, Field, Literal, MapRules, NameRules, Schema, TextRules, Type},
    names,
};

/// The values that stand beside the properties, and the rules on their names.
type Values = (Schema, Option<Box<NameRules>>);

impl<'d> Lowering<'d, '_> {
    /// What a struct of these fields may hold beside them.
    pub fn additional(&mut self, flat: &Flat<'d>, place: &Place<'d>, fields: &[Field]) -> Additional {
        if flat.closed && flat.pattern_properties.is_empty() {
            return Additional::Forbidden;
        }
        let Some((schema, names)) = self.values_of(flat, place) else { return Additional::Ignored };
        let taken = |name: &str| fields.iter().any(|field| field.ident.0 == name);
        let preferred = ["additional_properties", "other_properties", "undeclared_properties"];
        Additional::Kept { ident: names::free(&preferred, taken), schema, names }
    }

    /// The type of an object without properties of its own.
    pub fn map(&mut self, flat: &Flat<'d>, place: &Place<'d>) -> Type {
        self.check_required(flat);
        let values = self.values_of(flat, place);
        let (values, names) = values.unwrap_or_else(|| (Schema::new(Type::Any), None));
        for rule in &flat.rules {
            self.warn(Code::BadExtension, rule, "`x-rules` requires an object schema with properties");
        }
        self.without_conditions(flat);
        Type::Map(Box::new(MapRules {
            values,
            min_properties: flat.min_properties.filter(|count| *count > 0),
            max_properties: flat.max_properties,
            names,
        }))
    }

    /// The values that stand beside the properties, if the document says something of them.
    fn values_of(&mut self, flat: &Flat<'d>, place: &Place<'d>) -> Option<Values> {
        let each = flat.property_names.as_ref().and_then(|part| self.each_name(part));
        let additional = flat.additional.as_ref();
        let additional = additional.map(|part| self.at_values(part, place, Place::values));
        let (values, mut names) = match (flat.pattern_properties.as_slice(), additional) {
            ([], Some(values)) => (values, None),
            ([], None) => (each.is_some().then(|| Schema::new(Type::Any))?, None),
            // Without more words, an object of such names has no others.
            ([(_, part)], None) if !flat.closed => (self.at_values(part, place, Place::values), None),
            (patterns, others) => self.by_name(flat, patterns, others, place),
        };
        if each.is_some() {
            let none = || NameRules { each: None, patterns: Vec::new(), others: None, closed: false };
            names.get_or_insert_with(none).each = each;
        }
        Some((values, names.map(Box::new)))
    }

    /// Values whose names tell what they are: of the type that all of them have in common, or any.
    fn by_name(
        &mut self,
        flat: &Flat<'d>,
        patterns: &[(&'d str, Part<'d>)],
        others: Option<Schema>,
        place: &Place<'d>,
    ) -> (Schema, Option<NameRules>) {
        let is_only = patterns.len() == 1 && others.is_none();
        let mut schemas = Vec::with_capacity(patterns.len());
        for (pattern, part) in patterns {
            let schema = if is_only {
                self.at_values(part, place, Place::values)
            } else {
                self.at_values(part, place, |place| place.property(pattern))
            };
            schemas.push((self.pattern_of(pattern, part.node, place), schema));
        }
        let all: Vec<&Schema> = schemas.iter().map(|(_, schema)| schema).chain(&others).collect();
        let values = common(&all);
        let own = |schema: Schema| (schema != values).then_some(schema);
        // A pattern that can't be checked may be any name's.
        let is_whole = schemas.iter().all(|(id, _)| id.is_some());
        let names = NameRules {
            each: None,
            others: others.and_then(own).filter(|_| is_whole),
            patterns: schemas.into_iter().filter_map(|(id, schema)| Some((id?, own(schema)))).collect(),
            closed: flat.closed && is_whole,
        };
        (values, Some(names))
    }

    fn at_values(
        &mut self,
        part: &Part<'d>,
        place: &Place<'d>,
        at: impl Fn(&Place<'d>) -> Place<'d>,
    ) -> Schema {
        self.together(std::slice::from_ref(part), &at(place), at)
    }

    /// What each name must be; `None`: anything, or more than can be checked.
    fn each_name(&mut self, part: &Part<'d>) -> Option<Schema> {
        let owns = self.followed(std::slice::from_ref(part));
        let flat = self.flatten(owns);
        if let Some(values) = &flat.values {
            let texts: Vec<Literal> = values.iter().copied().map(literal).collect();
            let allowed = texts.iter().all(|text| matches!(text, Literal::Text(_))).then_some(texts)?;
            return Some(Schema { allowed, ..Schema::new(Type::Text(TextRules::default())) });
        }
        if flat.kinds.is_some_and(|kinds| !kinds.string) || !flat.unions.is_empty() {
            self.warn(
                Code::Unsupported,
                part.node,
                "property names are strings, so this schema is not checked",
            );
            return None;
        }
        match self.string(&flat, &part.home.property("name")) {
            Type::Text(rules) if rules != TextRules::default() => Some(Schema::new(Type::Text(rules))),
            _ => None,
        }
    }
}

/// The schema that values of all of these have in common.
fn common(schemas: &[&Schema]) -> Schema {
    let Some((first, rest)) = schemas.split_first() else { return Schema::new(Type::Any) };
    if rest.iter().all(|other| other == first) {
        return (*first).clone();
    }
    let same = |other: &&Schema| same_rust_type(&first.ty, &other.ty);
    if rest.iter().all(same) {
        let nullable = schemas.iter().any(|schema| schema.nullable);
        return Schema { nullable, ..Schema::new(without_rules(first.ty.clone())) };
    }
    Schema::new(Type::Any)
}
