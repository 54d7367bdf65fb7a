//! Inheritance: schemas with a `discriminator` and no union that others extend by `allOf`.
//!
//! A reference to such a base also stands for its subtypes, so the base becomes a union of them.

use crate::{
    diagnostics::Code,
    document::{Node, NodeRef, component_name},
    ir::{Module, Schema, TypeId},
    lower::{
        lowering::Lowering,
        place::Place,
        schema::{
            components::{Component, Subtypes},
            flat::Flat,
            keywords::Keywords,
            parts::Part,
        },
    },
};

/// The name of the variant for values of the base itself.
const BASE: &str = "Base";

impl<'d> Lowering<'d, '_> {
    /// Finds the subtypes of all components.
    pub fn find_subtypes(&mut self) {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.components.schemas.len()];
        for (index, component) in self.components.schemas.iter().enumerate() {
            for member in component.node.get("allOf").map_or(&[][..], Node::items) {
                let base = self.component_of(member.get("$ref"));
                if let Some(children) = base.and_then(|base| children.get_mut(base.0)) {
                    children.push(index);
                }
            }
        }
        let subtypes = |(index, component): (usize, &Component<'d>)| {
            if is_base(component.node) { descendants(index, &children) } else { Vec::new() }
        };
        self.subtypes = Subtypes(self.components.schemas.iter().enumerate().map(subtypes).collect());
    }

    /// Returns whether a component is a union of its subtypes.
    pub fn is_extended(&self, id: TypeId) -> bool {
        self.subtypes.0.get(id.0).is_some_and(|subtypes| !subtypes.is_empty())
    }

    /// Lowers the union of a base and its subtypes.
    ///
    /// The subtypes in the mapping come first, then the others in document order. The base itself is a
    /// variant as well, unless a mapping omits it.
    pub fn inherited(&mut self, id: TypeId, node: NodeRef<'d>, place: &Place<'d>) -> Schema {
        let discriminator = node.get("discriminator").unwrap_or(node);
        let mapping = discriminator.get("mapping").filter(|mapping| mapping.entries().len() > 0);
        let mapped = mapping.into_iter().flat_map(Node::entries);
        let mapped: Vec<TypeId> = mapped.filter_map(|(_, target)| self.named_component(target)).collect();
        let mut members: Vec<TypeId> = Vec::new();
        for subtype in mapped.iter().chain(self.subtypes.0.get(id.0).into_iter().flatten()) {
            if *subtype != id && !members.contains(subtype) {
                members.push(*subtype);
            }
        }
        let mut found = Vec::with_capacity(members.len() + 1);
        for member in members {
            let Some(component) = self.components.get(member) else { continue };
            let (name, at, module) = (component.name, component.node, component.place.module());
            if module == place.module() || module == Module::Common {
                found.push((name.to_owned(), Self::named(member), Some(member)));
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
            let here = place.variant(text.clone()).shared();
            let own = self.schema_of(&[Part::new(node, place.clone())], &here, None);
            found.push((text, own, Some(id)));
        }
        let nullable = Keywords::read(node).nullable;
        let flat = Flat { node: Some(node), docs: self.docs_of(node), nullable, ..Flat::default() };
        let schema = self.union_type(id, &flat, found, node);
        self.note_discriminator(id, discriminator);
        schema
    }

    /// Returns the component that a reference or a mapping's value names.
    fn named_component(&self, node: NodeRef<'d>) -> Option<TypeId> {
        let name = node.as_str()?;
        self.component_of(Some(node)).or_else(|| self.components.find(name))
    }

    fn component_of(&self, reference: Option<NodeRef<'d>>) -> Option<TypeId> {
        let name = component_name(reference?.as_str()?, "schemas")?;
        self.components.find(&name)
    }
}

/// Returns whether a schema has a discriminator, but no union of its own.
fn is_base(node: NodeRef<'_>) -> bool {
    let property = node.get("discriminator").and_then(|discriminator| discriminator.get("propertyName"));
    property.and_then(Node::as_str).is_some() && node.get("oneOf").or_else(|| node.get("anyOf")).is_none()
}

/// Returns all direct and indirect subtypes of a component in document order.
fn descendants(of: usize, children: &[Vec<usize>]) -> Vec<TypeId> {
    let mut seen = vec![of];
    let mut next = 0;
    while let Some(found) = seen.get(next).and_then(|index| children.get(*index)) {
        for child in found {
            if !seen.contains(child) {
                seen.push(*child);
            }
        }
        next += 1;
    }
    let mut subtypes: Vec<TypeId> = seen.into_iter().skip(1).map(TypeId).collect();
    subtypes.sort_unstable();
    subtypes
}
