//! Names of types, table rows and patterns.

use std::collections::{HashMap, HashSet};

use crate::{
    ir::{Ident, JsonSchemaDef, Kind, Module, Pattern, Schema, TagId, Type, TypeDef, TypeId},
    lower::finish::state::Finish,
    names::{self, Claim, Claims, Strength},
};

/// The names of a type.
pub(in crate::lower) struct TypeNames {
    pub name: String,
    pub constant: String,
}

impl Finish<'_, '_> {
    /// Moves types, rows and patterns to the API, with their names.
    pub fn settle_names(&mut self) {
        let names = self.decide_names();
        let drafts = std::mem::take(&mut self.types).into_iter().zip(names).enumerate();
        let types = drafts.map(|(index, (draft, names))| TypeDef {
            id: TypeId(index),
            module: draft.place.module(),
            name: Ident(names.name),
            constant: Ident(names.constant),
            provenance: draft.place.provenance(),
            docs: draft.docs,
            kind: draft.kind.unwrap_or(Kind::Alias(Schema::new(Type::Any))),
            also: draft.also,
        });
        self.api.types = types.collect();
    }

    /// Decides the names of all types, rows and patterns. Moves rows and patterns to the API.
    fn decide_names(&mut self) -> Vec<TypeNames> {
        let names = self.type_names();
        self.name_fields_structs(&names);
        let mut claims = Claims::new();
        let fixed = |space: Module, name: &str| Claim {
            space,
            strength: Strength::Fixed,
            short: name.to_owned(),
            long: name.to_owned(),
            identity: name.to_owned(),
        };
        for tag in 0..self.api.tags.len() {
            claims.add(fixed(Module::Tag(TagId(tag)), "OPERATIONS"));
        }
        claims.add(fixed(Module::Responses, "API_ERRORS"));
        let first = self.api.tags.len() + 1;
        for (draft, name) in self.types.iter().zip(&names) {
            let short = names::constant(name);
            claims.add(Claim {
                space: draft.place.module(),
                strength: draft.place.strength().min(Strength::Component),
                long: format!("{short}_SCHEMA"),
                short,
                identity: draft.place.identity(),
            });
        }
        for operation in &self.api.operations {
            claims.add(Claim {
                space: Module::Tag(operation.tag),
                strength: Strength::Operation,
                short: operation.constant.0.clone(),
                long: format!("{}_OPERATION", operation.constant),
                identity: operation.id.clone(),
            });
        }
        for pattern in &self.resolver.patterns {
            let short = names::constant(&format!("{}Pattern", pattern.place.name()));
            claims.add(Claim {
                space: pattern.place.module(),
                strength: Strength::Nested,
                long: format!("{short}_OF_FIELD"),
                short,
                identity: pattern.place.identity(),
            });
        }
        for row in self.shared_error_rows() {
            claims.add(Claim {
                space: Module::Responses,
                strength: Strength::Nested,
                long: format!("{row}_RESPONSE"),
                short: row.0.clone(),
                identity: row.0.clone(),
            });
        }
        for draft in &self.resolver.json_schemas.drafts {
            let short = format!("{}_JSON_SCHEMA", names::constant(&draft.place.name()));
            claims.add(Claim {
                space: draft.place.module(),
                strength: Strength::Nested,
                long: format!("{short}_OF_FIELD"),
                short,
                identity: draft.place.identity(),
            });
        }
        let mut constants = claims.decide().into_iter().skip(first);
        let type_names = names
            .into_iter()
            .map(|name| TypeNames {
                constant: constants.next().unwrap_or_else(|| names::constant(&name)),
                name,
            })
            .collect();
        for (operation, constant) in self.api.operations.iter_mut().zip(constants.by_ref()) {
            operation.constant = Ident(constant);
        }
        self.api.patterns = std::mem::take(&mut self.resolver.patterns)
            .into_iter()
            .zip(constants.by_ref())
            .map(|(pattern, constant)| Pattern {
                module: pattern.place.module(),
                constant: Ident(constant),
                written: pattern.written,
                engine: pattern.decision.engine,
                source: pattern.decision.source,
            })
            .collect();
        for (row, constant) in self.shared_error_rows().iter_mut().zip(constants.by_ref()) {
            row.0 = constant;
        }
        self.api.json_schemas = std::mem::take(&mut self.resolver.json_schemas.drafts)
            .into_iter()
            .zip(constants)
            .map(|(draft, constant)| JsonSchemaDef {
                module: draft.place.module(),
                constant: Ident(constant),
                provenance: draft.place.provenance(),
                schema: draft.schema,
            })
            .collect();
        type_names
    }

    /// Returns the names of the rows of shared errors.
    fn shared_error_rows(&mut self) -> &mut [Ident] {
        self.api.shared_errors.as_mut().map_or(&mut [], |errors| &mut errors.row_constants)
    }

    fn type_names(&self) -> Vec<String> {
        let mut claims = Claims::new();
        for draft in self.types.iter() {
            claims.add(Claim {
                space: draft.place.module(),
                strength: draft.place.strength(),
                short: names::free_type(draft.place.name()),
                long: names::free_type(draft.place.long_name()),
                identity: draft.place.identity(),
            });
        }
        claims.decide()
    }

    /// Names the structs of required fields after their types.
    fn name_fields_structs(&mut self, names: &[String]) {
        let mut taken: HashMap<Module, HashSet<&str>> = HashMap::new();
        for (draft, name) in self.types.iter().zip(names) {
            taken.entry(draft.place.module()).or_default().insert(name);
        }
        for (draft, name) in self.types.iter_mut().zip(names) {
            if !Self::has_many_required_fields(draft.kind.as_ref()) {
                continue;
            }
            let taken = taken.get(&draft.place.module());
            let preferred = [format!("{name}Fields"), format!("{name}RequiredFields")];
            let preferred: Vec<&str> = preferred.iter().map(String::as_str).collect();
            let free = names::free(&preferred, |name| taken.is_some_and(|taken| taken.contains(name)));
            if let Some(Kind::Struct(def)) = &mut draft.kind {
                def.fields_struct = Some(free);
            }
        }
    }

    /// Returns whether a type has too many required fields for arguments.
    fn has_many_required_fields(kind: Option<&Kind>) -> bool {
        match kind {
            Some(Kind::Struct(def)) => {
                def.fields.iter().filter(|field| field.is_asked()).count() > MAX_ARGUMENTS
            }
            _ => false,
        }
    }
}

/// The maximum number of required fields that are arguments of `new`.
const MAX_ARGUMENTS: usize = 7;
