//! The types of unions. Variants with the same Rust type become one.
//!
//! A schema with a `discriminator` and no union that others extend by `allOf` becomes a union of them, because a reference to
//! it also stands for its subtypes.

use crate::{
    diagnostics::Code,
    ir::{Ident, Kind, Module, Schema, Shape, TypeId, UnionDef, UnionVariant},
    lower::{
        position::SchemaPosition,
        resolver::{components::Target, flat::Flat, parts::Part, table::Keywords},
        schema::{
            state::{Discriminator, Schemas},
            unions::same::{same_rust_type, without_rules},
        },
        types::named,
    },
    names::{self, Style},
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
            let (name, at, module) = (component.name, component.node, component.position.module);
            if module == position.module || module == Module::Common {
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
            let own = self.schema_of(&[Part::new(node, position.clone())], &here);
            found.push((text, own, self.components.target(id)));
        }
        let nullable = Keywords::read(node).nullable;
        let flat = Flat { node: Some(node), docs: self.docs_of(node), nullable, ..Flat::default() };
        let schema = self.union_type(id, &flat, found, node);
        self.note_discriminator(id, discriminator);
        schema
    }

    /// Fills in a union's type. Variants with the same Rust type become one.
    pub fn union_type(
        &mut self,
        id: TypeId,
        flat: &Flat<'d>,
        found: Vec<(String, Schema, Option<Target<'d>>)>,
        node: NodeRef<'d>,
    ) -> Schema {
        let mut kept: Vec<(String, Schema)> = Vec::with_capacity(found.len());
        let mut targets = Vec::with_capacity(found.len());
        let mut nullable = flat.nullable;
        for (text, mut schema, target) in found {
            // The union itself is nullable, not its variants.
            nullable |= std::mem::take(&mut schema.nullable);
            if let Some((text, twin)) =
                kept.iter_mut().find(|(_, other)| same_rust_type(&other.ty, &schema.ty))
            {
                // A merged variant needs no number in its name.
                let unnumbered =
                    text.trim_end_matches(|character: char| character.is_ascii_digit()).trim_end();
                if !unnumbered.is_empty() {
                    *text = unnumbered.to_owned();
                }
                if *twin != schema {
                    self.needs_json_schema = true;
                    *twin = Schema::new(without_rules(schema.ty));
                }
                continue;
            }
            kept.push((text, schema));
            targets.push(target);
        }
        let texts: Vec<&str> = kept.iter().map(|(text, _)| text.as_str()).collect();
        let idents = names::settle(&texts, Style::Variant);
        let variant = |((name, schema), ident)| {
            let shape = Shape { name, ..Shape::default() };
            UnionVariant { ident: Ident(ident), schema, shape }
        };
        let variants = kept.into_iter().zip(idents).map(variant).collect();
        self.notes.discriminators.push(Discriminator {
            id,
            node,
            property: "",
            mapping: Vec::new(),
            default: None,
            targets,
        });
        let kind = Kind::Union(UnionDef { variants, ..UnionDef::default() });
        self.types.fill(id, flat.docs.clone(), kind);
        Schema { nullable, ..named(id) }
    }

    /// Stores a union's discriminator, which is read when all types are known.
    ///
    /// The last entry of the list belongs to this union.
    pub fn note_discriminator(&mut self, id: TypeId, node: NodeRef<'d>) {
        let Some(property) = self.needed_text(node, "propertyName", "discriminator") else { return };
        let mapping = node.get("mapping").into_iter().flat_map(Node::entries);
        let mapping = mapping.map(|(value, target)| (value, target, self.mapped(target))).collect();
        let default = node.get("defaultMapping").map(|target| (target, self.mapped(target)));
        if let Some(noted) = self.notes.discriminators.iter_mut().rev().find(|noted| noted.id == id) {
            noted.node = node;
            noted.property = property;
            noted.mapping = mapping;
            noted.default = default;
        }
    }

    /// Returns the schema that a mapping refers to, by reference or by name.
    fn mapped(&mut self, node: NodeRef<'d>) -> Option<Target<'d>> {
        node.as_str()?;
        match self.components.mapped(node) {
            Some(id) => self.components.target(id),
            None => self.target(node),
        }
    }
}
