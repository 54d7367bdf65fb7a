//! Names of types, table rows and patterns.

use std::collections::{HashMap, HashSet};

use crate::{
    ir::{Field, Ident, JsonSchemaDef, Kind, Module, Origin, Pattern, Schema, TagId, Type, TypeDef, TypeId},
    lower::{finish::state::Finish, position::SchemaPosition, types::Draft},
    names::{self, Claim, Strength},
    options::Constructors,
};

impl Finish<'_, '_> {
    /// Decides the names of types, rows and patterns, and moves these to the API.
    pub fn settle_names(&mut self) {
        let names = self.type_names();
        self.name_fields_structs(&names);
        let mut constants = self.constants(&names).into_iter().map(Ident);
        // The order is that of the claims.
        let drafts = std::mem::take(&mut self.types.0).into_iter().zip(names);
        let types = drafts.zip(constants.by_ref()).enumerate();
        let types = types.map(|(index, ((draft, name), constant))| TypeDef {
            id: TypeId(index),
            module: draft.position.module,
            name: Ident(name),
            constant,
            provenance: draft.position.provenance(),
            docs: draft.docs,
            kind: draft.kind.unwrap_or(Kind::Alias(Schema::new(Type::Any))),
            also: draft.also,
        });
        self.api.types = types.collect();
        let operations = self.api.operations.iter_mut().map(|operation| &mut operation.constant);
        operations.zip(constants.by_ref()).for_each(|(slot, constant)| *slot = constant);
        let patterns = std::mem::take(&mut self.patterns).into_iter().zip(constants.by_ref());
        let patterns = patterns.map(|(pattern, constant)| Pattern {
            module: pattern.position.module,
            constant,
            written: pattern.written,
            engine: pattern.decision.engine,
            source: pattern.decision.source,
        });
        self.api.patterns = patterns.collect();
        let rows = self.api.shared_errors.iter_mut().flat_map(|errors| &mut errors.row_constants);
        rows.zip(constants.by_ref()).for_each(|(slot, constant)| *slot = constant);
        let schemas = std::mem::take(&mut self.json_schemas.drafts).into_iter().zip(constants);
        let schemas = schemas.map(|(draft, constant)| JsonSchemaDef {
            origin: draft.nodes.first().map_or_else(Origin::default, |node| Origin::of(node)),
            module: draft.position.module,
            constant,
            schema: draft.schema,
        });
        self.api.json_schemas = schemas.collect();
    }

    /// Returns the names of types.
    fn type_names(&self) -> Vec<String> {
        let claim = |draft: &Draft<'_>| {
            let is_nested = draft.position.strength() != Strength::Component;
            let node = draft.node.filter(|_| is_nested);
            let renamed = node.and_then(|node| self.renames.of_schema(node));
            Claim {
                space: draft.position.module,
                strength: draft.position.strength(),
                short: names::free_type(renamed.map_or_else(|| draft.position.name(), names::pascal)),
                long: names::free_type(draft.position.long_name()),
                identity: draft.position.identity(),
            }
        };
        names::decide(&self.types.iter().map(claim).collect::<Vec<_>>())
    }

    /// Returns the names of statics: of types, operations, patterns, shared errors and JSON Schemas.
    fn constants(&self, type_names: &[String]) -> Vec<String> {
        let at = |position: &SchemaPosition<'_>, strength: Strength, short: String, end: &str| Claim {
            space: position.module,
            strength,
            long: format!("{short}_{end}"),
            short,
            identity: position.identity(),
        };
        let plain = |space: Module, strength: Strength, name: &str, end: &str| Claim {
            space,
            strength,
            short: name.to_owned(),
            long: format!("{name}{end}"),
            identity: name.to_owned(),
        };
        let tags = (0..self.api.tags.len()).map(|tag| Module::Tag(TagId(tag)));
        let mut claims: Vec<Claim<Module>> =
            tags.map(|tag| plain(tag, Strength::Fixed, "OPERATIONS", "")).collect();
        claims.push(plain(Module::Responses, Strength::Fixed, "API_ERRORS", ""));
        let fixed = claims.len();
        claims.extend(self.types.iter().zip(type_names).map(|(draft, name)| {
            let strength = draft.position.strength().min(Strength::Component);
            at(&draft.position, strength, names::constant(name), "SCHEMA")
        }));
        claims.extend(self.api.operations.iter().map(|operation| Claim {
            identity: operation.id.clone(),
            ..plain(Module::Tag(operation.tag), Strength::Operation, &operation.constant.0, "_OPERATION")
        }));
        claims.extend(self.patterns.iter().map(|pattern| {
            let short = names::constant(&format!("{}Pattern", pattern.position.name()));
            at(&pattern.position, Strength::Nested, short, "OF_FIELD")
        }));
        let rows = self.api.shared_errors.iter().flat_map(|errors| &errors.row_constants);
        claims.extend(rows.map(|row| plain(Module::Responses, Strength::Nested, &row.0, "_RESPONSE")));
        claims.extend(self.json_schemas.drafts.iter().map(|draft| {
            let short = format!("{}_JSON_SCHEMA", names::constant(&draft.position.name()));
            at(&draft.position, Strength::Nested, short, "OF_FIELD")
        }));
        names::decide(&claims).split_off(fixed)
    }

    /// Names the structs of required fields after their types.
    fn name_fields_structs(&mut self, names: &[String]) {
        let mut taken: HashMap<Module, HashSet<&str>> = HashMap::new();
        for (draft, name) in self.types.iter().zip(names) {
            taken.entry(draft.position.module).or_default().insert(name);
        }
        let named = self.options.constructors == Constructors::Named;
        for (draft, name) in self.types.iter_mut().zip(names) {
            let asked: Vec<&Field> = match &draft.kind {
                Some(Kind::Struct(def)) => def.fields.iter().filter(|field| field.is_asked()).collect(),
                _ => Vec::new(),
            };
            if asked.len() <= MAX_ARGUMENTS && !(named && can_be_mistaken(&asked)) {
                continue;
            }
            let taken = taken.get(&draft.position.module);
            let preferred = [format!("{name}Fields"), format!("{name}RequiredFields")];
            let preferred: Vec<&str> = preferred.iter().map(String::as_str).collect();
            let free = names::free(&preferred, |name| taken.is_some_and(|taken| taken.contains(name)));
            if let Some(Kind::Struct(def)) = &mut draft.kind {
                def.fields_struct = Some(free);
            }
        }
    }
}

/// Returns whether a reader of arguments can mistake one for another: a `bool`, or neighbours of one type.
fn can_be_mistaken(asked: &[&Field]) -> bool {
    let is_boolean = |field: &&Field| field.schema.ty == Type::Boolean;
    let is_alike = |pair: &[&Field]| match pair {
        [one, other] => are_alike(&one.schema.ty, &other.schema.ty),
        _ => false,
    };
    asked.len() > 1 && (asked.iter().any(is_boolean) || asked.windows(2).any(is_alike))
}

/// Returns whether a value of one type can be taken for one of the other, whatever the constraints are.
fn are_alike(one: &Type, other: &Type) -> bool {
    match (one, other) {
        (Type::Text(one), Type::Text(other)) => one.ty == other.ty,
        (Type::Integer(_) | Type::Number(_), Type::Integer(_) | Type::Number(_)) => true,
        (Type::Array(one), Type::Array(other)) => are_alike(&one.items.ty, &other.items.ty),
        (Type::Map(one), Type::Map(other)) => are_alike(&one.values.ty, &other.values.ty),
        (Type::Named { id: one, .. }, Type::Named { id: other, .. }) => one == other,
        (one, other) => one == other,
    }
}

/// The maximum number of required fields that are arguments of `new`.
const MAX_ARGUMENTS: usize = 7;
