//! Subtypes: the components that extend another one by `allOf`.

use crate::{
    document::component_name,
    ir::TypeId,
    lower::resolver::components::{Component, Components, Subtypes},
    tree::{Node, NodeRef},
};

impl<'d> Components<'d> {
    /// Finds the subtypes of all components.
    pub fn find_subtypes(&mut self) {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.schemas.len()];
        for (index, component) in self.schemas.iter().enumerate() {
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
        self.subtypes = Subtypes(self.schemas.iter().enumerate().map(subtypes).collect());
    }

    /// Returns whether a component is a union of its subtypes.
    pub fn is_extended(&self, id: TypeId) -> bool {
        self.subtypes.0.get(id.0).is_some_and(|subtypes| !subtypes.is_empty())
    }

    /// Returns the component that a reference or a mapping's value names.
    pub fn named_component(&self, node: NodeRef<'d>) -> Option<TypeId> {
        let name = node.as_str()?;
        self.component_of(Some(node)).or_else(|| self.find(name))
    }

    /// Returns the component that the value of a `$ref` names.
    pub fn component_of(&self, reference: Option<NodeRef<'d>>) -> Option<TypeId> {
        let name = component_name(reference?.as_str()?, "schemas")?;
        self.find(&name)
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
