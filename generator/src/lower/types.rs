//! Types under construction.

use std::ops::{Deref, DerefMut};

use crate::{
    ir::{self, JsonSchemaId, Kind, Schema, StructDef, Type, TypeId},
    lower::position::SchemaPosition,
    tree::NodeRef,
};

/// The maximum number of aliases that a schema is resolved through.
const MAX_ALIASES: usize = 32;

/// The types under construction. The index in the list is the [`TypeId`].
#[derive(Debug, Default)]
pub(in crate::lower) struct Types<'d>(pub Vec<Draft<'d>>);

/// A type under construction.
#[derive(Debug)]
pub(in crate::lower) struct Draft<'d> {
    pub position: SchemaPosition<'d>,
    pub docs: ir::Docs,
    /// The kind, or `None` if the type was not read yet.
    pub kind: Option<Kind>,
    /// The schema of the document, if it is more specific than the kind.
    pub also: Option<JsonSchemaId>,
    pub node: Option<NodeRef<'d>>,
}

impl<'d> Draft<'d> {
    /// Creates the type at a position, which is not read yet.
    pub fn new(position: &SchemaPosition<'d>, node: Option<NodeRef<'d>>) -> Self {
        Self { position: position.clone(), docs: ir::Docs::default(), kind: None, also: None, node }
    }

    /// Visits the schemas of the type. A type that was never filled in has none.
    pub fn schemas(&self, visit: &mut dyn FnMut(&Schema)) {
        if let Some(kind) = &self.kind {
            kind.schemas(visit);
        }
    }
}

/// Returns the schema that names a type.
pub(in crate::lower) fn named(id: TypeId) -> Schema {
    Schema::new(Type::Named { id, boxed: false })
}

/// Returns the type that a type names.
pub(in crate::lower) fn id_of(ty: &Type) -> Option<TypeId> {
    match ty {
        Type::Named { id, .. } => Some(*id),
        _ => None,
    }
}

impl<'d> Types<'d> {
    /// Adds a type at this position, which [`fill`](Self::fill) completes.
    pub fn reserve(&mut self, position: &SchemaPosition<'d>, node: Option<NodeRef<'d>>) -> TypeId {
        self.0.push(Draft::new(position, node));
        TypeId(self.0.len() - 1)
    }

    /// Completes a type.
    pub fn fill(&mut self, id: TypeId, docs: ir::Docs, kind: Kind) {
        if let Some(draft) = self.0.get_mut(id.0) {
            draft.docs = docs;
            draft.kind = Some(kind);
        }
    }

    /// Returns the kind of a type, unless the type was not read yet.
    pub fn kind(&self, id: TypeId) -> Option<&Kind> {
        self.0.get(id.0)?.kind.as_ref()
    }

    /// Returns the schema behind aliases.
    pub fn unaliased<'t>(&'t self, mut schema: &'t Schema) -> &'t Schema {
        // Aliases can be cyclic until a pass breaks the cycles.
        for _ in 0..MAX_ALIASES {
            let Type::Named { id, .. } = schema.ty else { break };
            let Some(Kind::Alias(inner)) = self.kind(id) else { break };
            schema = inner;
        }
        schema
    }

    /// Returns the kind of a type to change it.
    pub fn kind_mut(&mut self, id: TypeId) -> Option<&mut Kind> {
        self.0.get_mut(id.0)?.kind.as_mut()
    }

    /// Returns the struct that a type names.
    pub fn struct_of(&self, ty: &Type) -> Option<&StructDef> {
        match self.kind(id_of(ty)?)? {
            Kind::Struct(def) => Some(def),
            _ => None,
        }
    }

    /// Returns a struct to change it.
    pub fn struct_mut(&mut self, id: TypeId) -> Option<&mut StructDef> {
        match self.kind_mut(id)? {
            Kind::Struct(def) => Some(def),
            _ => None,
        }
    }
}

impl<'d> Deref for Types<'d> {
    type Target = [Draft<'d>];

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Types<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}
