//! Sharing: equal inline schemas of a module become one type and aliases of it.
//!
//! Documents repeat themselves: the same inline `user` can occur in a hundred schemas. The first one in the
//! document defines the type, and the others are aliases of it. So a name depends on the position alone:
//! adding a schema to the document does not rename existing types. Components always have types of their own,
//! because the document distinguishes them. Modules do not share types, so that a change to one tag leaves
//! the code of other tags unchanged.

use std::collections::HashMap;

use crate::{
    ir::{JsonSchema, JsonSchemaId, Keyword, Kind, Module, PatternId, StructRole, Type, TypeId},
    lower::{
        finish::state::{Finish, renumbered},
        types::{Draft, named},
    },
    names::Strength,
    patterns::Decision,
};

impl Finish<'_, '_> {
    /// Makes each inline schema that equals an earlier one an alias of it.
    pub fn share(&mut self) {
        let mut same = Same { patterns: self.first_patterns(), json_schemas: Vec::new() };
        same.json_schemas = self.first_json_schemas(&same);
        let firsts = firsts(&self.types, &same);
        for (index, (draft, first)) in self.types.iter_mut().zip(firsts).enumerate() {
            if first != index {
                draft.kind = Some(Kind::Alias(named(TypeId(first))));
                draft.also = None;
            }
        }
        self.keep_used_json_schemas(|_, _| {});
        self.drop_unused_patterns();
    }

    /// Returns for each JSON Schema the first one of its module with the same keywords.
    fn first_json_schemas(&self, same: &Same) -> Vec<JsonSchemaId> {
        let drafts = &self.json_schemas.drafts;
        // Keywords have no hash, but equal texts mean equal keywords.
        let mut first: HashMap<(Module, String), JsonSchemaId> = HashMap::with_capacity(drafts.len());
        let drafts = drafts.iter().enumerate();
        drafts
            .map(|(index, draft)| {
                let mut schema = draft.schema.clone();
                patterns_of(&mut schema, &mut |id| same.pattern(id));
                let key = (draft.position.module, format!("{schema:?}"));
                *first.entry(key).or_insert(JsonSchemaId(index))
            })
            .collect()
    }

    /// Returns for each pattern the first one of its module with the same text and meaning.
    fn first_patterns(&self) -> Vec<PatternId> {
        let mut first: HashMap<(Module, &str, &Decision), PatternId> =
            HashMap::with_capacity(self.patterns.len());
        let patterns = self.patterns.iter().enumerate();
        patterns
            .map(|(index, pattern)| {
                let key = (pattern.position.module, pattern.written.as_str(), &pattern.decision);
                *first.entry(key).or_insert(PatternId(index))
            })
            .collect()
    }

    /// Removes the patterns of types that have become aliases.
    fn drop_unused_patterns(&mut self) {
        let mut used = vec![false; self.patterns.len()];
        self.every_pattern(&mut |id| {
            if let Some(used) = used.get_mut(id.0) {
                *used = true;
            }
        });
        let ids = renumbered(used.iter().copied());
        self.every_pattern(&mut |id| *id = ids.get(id.0).copied().map_or(*id, PatternId));
        let mut used = used.into_iter();
        self.patterns.retain(|_| used.next().unwrap_or_default());
    }

    fn every_pattern(&mut self, visit: &mut dyn FnMut(&mut PatternId)) {
        self.every_schema(&mut |schema| schema.patterns_mut(visit));
        let kinds = self.types.iter_mut().filter_map(|draft| draft.kind.as_mut());
        kinds.for_each(|kind| kind.own_patterns_mut(visit));
        for draft in &mut self.json_schemas.drafts {
            patterns_of(&mut draft.schema, visit);
        }
    }
}

/// Calls `visit` for each pattern of a JSON Schema.
fn patterns_of(schema: &mut JsonSchema, visit: &mut dyn FnMut(&mut PatternId)) {
    schema.visit_mut(&mut |keyword| match keyword {
        Keyword::Pattern(id) => visit(id),
        Keyword::Properties { patterns, .. } => patterns.iter_mut().for_each(|(id, _)| visit(id)),
        _ => {}
    });
}

/// The first equal pattern and JSON Schema for each one.
struct Same {
    patterns: Vec<PatternId>,
    json_schemas: Vec<JsonSchemaId>,
}

impl Same {
    /// Replaces a pattern by the first equal one.
    fn pattern(&self, id: &mut PatternId) {
        *id = self.patterns.get(id.0).copied().unwrap_or(*id);
    }

    /// Returns the first equal JSON Schema.
    fn json_schema(&self, id: JsonSchemaId) -> JsonSchemaId {
        self.json_schemas.get(id.0).copied().unwrap_or(id)
    }
}

/// Returns for each type the first equal one, which can be the type itself.
///
/// Inline types come after the types that contain them, so the search begins at the end. Recursive types are
/// not shared.
fn firsts(types: &[Draft<'_>], same: &Same) -> Vec<usize> {
    // The class of each type, identified by the last type in it.
    let mut classes: Vec<usize> = (0..types.len()).collect();
    let mut firsts = classes.clone();
    let mut known: HashMap<(Module, Vec<&str>), Vec<Class>> = HashMap::new();
    for (index, draft) in types.iter().enumerate().rev() {
        let Some((kind, names)) = draft.shareable() else { continue };
        let mut kind = kind.clone();
        let also = draft.also.map(|id| same.json_schema(id));
        kind.schemas_mut(&mut |schema| {
            schema.visit_mut(&mut |schema| {
                if let Type::Named { id, .. } = &mut schema.ty {
                    *id = TypeId(at(&classes, id.0));
                }
                schema.patterns_mut(&mut |id| same.pattern(id));
                schema.also = schema.also.map(|id| same.json_schema(id));
            });
        });
        kind.own_patterns_mut(&mut |id| same.pattern(id));
        let alike = known.entry((draft.position.module, names)).or_default();
        let class = alike
            .iter()
            .find(|class| class.kind == kind && class.also == also)
            .map_or(index, |class| class.last);
        if class == index {
            alike.push(Class { last: index, kind, also });
        }
        set(&mut classes, index, class);
        set(&mut firsts, class, index);
    }
    classes.iter().map(|class| at(&firsts, *class)).collect()
}

/// A class of equal types.
struct Class {
    /// The last type of the class.
    last: usize,
    /// The kind of the types, with type ids replaced by class ids.
    kind: Kind,
    /// The first JSON Schema that is equal to those of the types.
    also: Option<JsonSchemaId>,
}

impl Draft<'_> {
    /// Returns the kind and its wire names, if other types can be aliases of this one.
    fn shareable(&self) -> Option<(&Kind, Vec<&str>)> {
        if self.position.strength() == Strength::Component {
            return None;
        }
        let kind = self.kind.as_ref()?;
        let names = match kind {
            Kind::Struct(def) if def.role == StructRole::Object => {
                def.fields.iter().map(|field| field.wire.as_str()).collect()
            }
            Kind::StringEnum(def) => def.variants.iter().map(|variant| variant.wire.as_str()).collect(),
            Kind::Union(def) => def.variants.iter().map(|variant| variant.ident.0.as_str()).collect(),
            Kind::IntegerEnum(_) => Vec::new(),
            Kind::Struct(_) | Kind::Alias(_) | Kind::Choice(_) => return None,
        };
        Some((kind, names))
    }
}

fn at(list: &[usize], position: usize) -> usize {
    list.get(position).copied().unwrap_or(position)
}

fn set(list: &mut [usize], position: usize, value: usize) {
    if let Some(slot) = list.get_mut(position) {
        *slot = value;
    }
}
