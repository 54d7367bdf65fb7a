//! The roles of components: which of them are multipart bodies or events, and where else they are used.
//!
//! A component has one type. So an event that is also used elsewhere, where its data is a string of JSON, is read as any
//! other schema.

use std::collections::HashSet;

use crate::{
    document::{Document, media},
    ir::TypeId,
    lower::{
        position::Role,
        resolver::components::{Component, Components},
    },
    tree::{Node, NodeId, NodeRef},
};

impl<'d> Components<'d> {
    /// Finds the components that are multipart bodies or events.
    pub(super) fn find_uses(&mut self, document: &'d Document) {
        let mut references = vec![Vec::new(); self.schemas.len()];
        let mut found: Vec<(NodeRef<'d>, Role)> = Vec::new();
        // A schema that extends an event reads the event's keywords in its own role.
        let mut known: HashSet<NodeId> = HashSet::new();
        document.walk(&mut |node| {
            if let Some(list) = self.referred(node).and_then(|id| references.get_mut(id.0)) {
                list.push(node);
            }
            known.extend(node.get("allOf").map_or(&[][..], Node::items).iter().map(Node::id));
            let form = node
                .get("multipart/form-data")
                .and_then(|content| media::target(document, content).get("schema"));
            found.extend(form.map(|schema| (schema, Role::Multipart)));
            let events =
                node.get("text/event-stream").and_then(|content| media::event_schema(document, content));
            found.extend(events.map(|schema| (schema, Role::Event)));
        });
        for (component, references) in self.schemas.iter_mut().zip(references) {
            component.references = references;
        }
        while let Some((schema, role)) = found.pop() {
            self.forms.extend((role == Role::Multipart).then(|| schema.id()));
            known.extend((role == Role::Event).then(|| schema.id()));
            let component = self.referred(schema).and_then(|id| self.get_mut(id));
            if let Some(component) = component.filter(|component| component.role != role) {
                component.role = role;
                found.push((component.node, role));
            }
            if role == Role::Event {
                found.extend(branches(schema).map(|branch| (branch, role)));
            }
        }
        self.keep_plain(&known);
    }

    /// Takes the role from events that are also used elsewhere. `known` are the uses as events.
    fn keep_plain(&mut self, known: &HashSet<NodeId>) {
        let events = self.schemas.iter().filter(|component| component.role == Role::Event);
        let other =
            |event: &Component<'d>| event.references.iter().copied().find(|it| !known.contains(&it.id()));
        let mut left: Vec<NodeRef<'d>> = events.filter_map(other).collect();
        while let Some(schema) = left.pop() {
            left.extend(branches(schema));
            let component = self.referred(schema).and_then(|id| self.get_mut(id));
            if let Some(component) = component.filter(|component| component.role == Role::Event) {
                component.role = Role::Plain;
                component.other = Some(schema);
                left.push(component.node);
            }
        }
    }

    /// Returns whether a schema is only used in multipart bodies, if it is one of those. An inline schema has one use.
    pub fn is_only_form(&self, id: TypeId) -> bool {
        let is_form = |node: &NodeRef<'_>| self.forms.contains(&node.id());
        self.get(id).is_none_or(|component| component.references.iter().all(is_form))
    }

    /// Returns whether nothing but one reference uses a schema. An inline schema has one use.
    pub fn has_one_use(&self, id: TypeId) -> bool {
        self.get(id).is_none_or(|component| component.references.len() == 1)
    }

    /// Returns a `contentSchema` that is not read in this schema of events, and the use of its component elsewhere.
    ///
    /// `other` is the use of the component that contains the schema, and `seen` has the schemas that were searched.
    pub fn unread_content(
        &self,
        schema: NodeRef<'d>,
        other: Option<NodeRef<'d>>,
        seen: &mut HashSet<NodeId>,
    ) -> Option<(NodeRef<'d>, NodeRef<'d>)> {
        if !seen.insert(schema.id()) {
            return None;
        }
        let content = || schema.get("properties")?.get("data")?.get("contentSchema");
        if let Some(found) = other.and_then(|other| Some((content()?, other))) {
            return Some(found);
        }
        let mut parts = schema.get("allOf").map_or(&[][..], Node::items).iter();
        if let Some(found) = parts.find_map(|part| {
            let base = self.referred(part).and_then(|id| self.get(id));
            self.unread_content(base.map_or(part, |base| base.node), other, seen)
        }) {
            return Some(found);
        }
        if let Some(found) = branches(schema).find_map(|branch| self.unread_content(branch, other, seen)) {
            return Some(found);
        }
        let component = self.get(self.referred(schema)?)?;
        self.unread_content(component.node, component.other, seen)
    }
}

/// Returns the branches of a union.
fn branches<'d>(schema: NodeRef<'d>) -> impl Iterator<Item = NodeRef<'d>> {
    ["oneOf", "anyOf"].into_iter().filter_map(|name| schema.get(name)).flat_map(Node::items)
}
