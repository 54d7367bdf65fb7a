//! The types of unions. Variants with the same Rust type become one.

use crate::{
    diagnostics::Code,
    ir::{Ident, Kind, Kinds, Schema, Shape, TypeId, UnionDef, UnionVariant},
    lower::{
        resolver::{components::Target, flat::Flat},
        schema::{
            notes::Discriminator,
            state::Schemas,
            unions::same::{same_rust_type, without_rules},
        },
        types::named,
    },
    names::{self, Style},
    tree::{Node, NodeRef},
};

impl<'d> Schemas<'d, '_> {
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
        let variants = kept
            .iter()
            .zip(idents)
            .map(|((text, schema), ident)| UnionVariant {
                ident: Ident(ident),
                schema: schema.clone(),
                shape: Shape {
                    name: text.clone(),
                    kinds: Kinds::default(),
                    required: Vec::new(),
                    known: Vec::new(),
                    constants: Vec::new(),
                    closed: false,
                },
            })
            .collect();
        self.notes.discriminators.push(Discriminator {
            id,
            node,
            property: "",
            mapping: Vec::new(),
            default: None,
            targets,
        });
        self.types.fill(
            id,
            flat.docs.clone(),
            Kind::Union(UnionDef {
                variants,
                discriminator: None,
                default_variant: None,
                overlap: None,
                open: None,
            }),
        );
        Schema { nullable, ..named(id) }
    }

    /// Stores a union's discriminator, which is read when all types are known.
    ///
    /// The last entry of the list belongs to this union.
    pub fn note_discriminator(&mut self, id: TypeId, node: NodeRef<'d>) {
        let Some(property) = self.text(node, "propertyName") else {
            self.error(Code::MissingField, node, "missing field `propertyName` in discriminator");
            return;
        };
        let mut mapping = Vec::new();
        for (value, target) in node.get("mapping").into_iter().flat_map(Node::entries) {
            mapping.push((value, target, self.mapped(target)));
        }
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
