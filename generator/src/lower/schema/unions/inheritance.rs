//! Inheritance: schemas with a `discriminator` and no union that others extend by `allOf`.
//!
//! A reference to such a base also stands for its subtypes, so the base becomes a union of them.

use crate::{
    diagnostics::Code,
    ir::{Module, Schema, TypeId},
    lower::{
        position::SchemaPosition,
        resolver::{flat::Flat, keywords::Keywords, parts::Part},
        schema::state::Schemas,
        types::named,
    },
    tree::{Node, NodeRef},
};

/// The name of the variant for values of the base itself.
const BASE: &str = "Base";

impl<'d> Schemas<'d, '_> {
    /// Lowers the union of a base and its subtypes.
    ///
    /// The subtypes in the mapping come first, then the others in document order. The base itself is a
    /// variant as well, unless a mapping omits it.
    pub fn inherited(&mut self, id: TypeId, node: NodeRef<'d>, position: &SchemaPosition<'d>) -> Schema {
        let discriminator = node.get("discriminator").unwrap_or(node);
        let mapping = discriminator.get("mapping").filter(|mapping| mapping.entries().len() > 0);
        let mapped = mapping.into_iter().flat_map(Node::entries);
        let mapped: Vec<TypeId> = mapped.filter_map(|(_, target)| self.components.mapped(target)).collect();
        let mut members: Vec<TypeId> = Vec::new();
        let subtypes = self.components.get(id).into_iter().flat_map(|component| &component.subtypes);
        for subtype in mapped.iter().chain(subtypes) {
            if *subtype != id && !members.contains(subtype) {
                members.push(*subtype);
            }
        }
        let mut found = Vec::with_capacity(members.len() + 1);
        for member in members {
            let Some(component) = self.components.get(member) else { continue };
            let (name, at, module) = (component.name, component.node, component.position.module());
            if module == position.module() || module == Module::Common {
                found.push((name.to_owned(), named(member), self.components.target(member)));
            } else {
                let message = format!(
                    "`{name}` belongs to another tag than the schema that it extends, so it is not a variant"
                );
                self.warn(Code::BadDiscriminator, at, message);
            }
        }
        if mapping.is_none() || mapped.contains(&id) {
            let is_taken = found.iter().any(|(name, ..)| name == BASE);
            let text = if is_taken { format!("{BASE} itself") } else { BASE.to_owned() };
            let here = position.variant(text.clone()).shared();
            let own = self.schema_of(&[Part::new(node, position.clone())], &here, None);
            found.push((text, own, self.components.target(id)));
        }
        let nullable = Keywords::read(node).nullable;
        let flat = Flat { node: Some(node), docs: self.docs_of(node), nullable, ..Flat::default() };
        let schema = self.union_type(id, &flat, found, node);
        self.note_discriminator(id, discriminator);
        schema
    }
}
