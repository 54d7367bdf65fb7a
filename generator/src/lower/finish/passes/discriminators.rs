//! Discriminators: the property of a union that selects the variant by its value.

use std::collections::{HashMap, HashSet};

use crate::{
    diagnostics::{Code, nearest},
    ir::{Discriminator, Field, Kind, Literal, Schema, StructDef, TagKind, Type, TypeId, UnionVariant},
    lower::{
        finish::state::Finish,
        resolver::components::{Component, Target},
        schema::state::Discriminator as Noted,
        types::named,
    },
    names,
    tree::Node,
};

/// The facts about a variant that its discriminator depends on.
struct VariantFacts {
    /// The types that the variant can have, and those of the component that its branch refers to.
    types: HashSet<TypeId>,
    /// The values that the variant's own schema lists for the property.
    listed: Vec<String>,
    /// The kind of the property's values, if they all have the same.
    kind: Option<TagKind>,
    /// Whether the variant has the property.
    has_property: bool,
    /// Whether the variant has the property and allows objects without it.
    is_optional: bool,
}

impl Finish<'_, '_> {
    /// Fills in the discriminators of all unions.
    ///
    /// A variant's values are those in the mapping, else those that its own schema lists for the property,
    /// else the name of its component. A union without a discriminator gets one if the values of a property distinguish
    /// its variants.
    pub fn settle_discriminators(&mut self) {
        for noted in std::mem::take(&mut self.schema_notes.discriminators) {
            let found = match noted.property {
                "" => self.implied(noted.id).map(|found| (found, None)),
                _ => self.discriminator(&noted),
            };
            if let (Some((found, default)), Some(Kind::Union(def))) = (found, self.types.kind_mut(noted.id)) {
                def.discriminator = Some(found).filter(|found| !found.values.is_empty());
                def.default_variant = default;
            }
        }
    }

    /// Returns the first property whose values distinguish all variants that are objects.
    ///
    /// Each of these variants lists its own values of the property, and no other variant lists them.
    fn implied(&self, id: TypeId) -> Option<Discriminator> {
        let Some(Kind::Union(def)) = self.types.kind(id) else { return None };
        let mut objects: Vec<(usize, &StructDef)> = Vec::new();
        for (position, variant) in def.variants.iter().enumerate() {
            let leaves = self.leaves(&variant.schema);
            for leaf in &leaves.schemas {
                match self.types.struct_of(&leaf.ty) {
                    Some(def) => objects.push((position, def)),
                    None if self.can_be_object(leaf) => return None,
                    None => {}
                }
            }
            if leaves.is_cut {
                return None;
            }
        }
        let (first, def) = objects.first()?;
        objects.iter().any(|(position, _)| position != first).then_some(())?;
        def.fields.iter().find_map(|field| self.named_by(&field.wire, &objects))
    }

    /// Returns the property as a discriminator, unless two of these variants share a value of it.
    fn named_by(&self, wire: &str, objects: &[(usize, &StructDef)]) -> Option<Discriminator> {
        let mut values: Vec<(String, usize)> = Vec::new();
        let mut positions: HashMap<String, usize> = HashMap::new();
        let mut kind = None;
        for (position, def) in objects {
            let (own, listed) = self.constants_of(&field(&def.fields, wire)?.schema)?;
            if *kind.get_or_insert(own) != own {
                return None;
            }
            for value in listed {
                match positions.insert(value.clone(), *position) {
                    None => values.push((value, *position)),
                    Some(other) if other == *position => {}
                    Some(_) => return None,
                }
            }
        }
        Some(Discriminator { property: wire.to_owned(), kind: kind?, values })
    }

    /// Returns whether values of a leaf, which is no struct, can be objects.
    fn can_be_object(&self, leaf: &Schema) -> bool {
        match leaf.ty {
            Type::Named { id, .. } => {
                !matches!(self.types.kind(id), Some(Kind::StringEnum(_) | Kind::IntegerEnum(_)))
            }
            _ => matches!(leaf.ty, Type::Any | Type::Map(_) | Type::Unit),
        }
    }

    /// Returns the discriminator of the document, and the variant of all other values.
    fn discriminator(&mut self, noted: &Noted<'_>) -> Option<(Discriminator, Option<usize>)> {
        let variants: Vec<VariantFacts> = match self.types.kind(noted.id) {
            Some(Kind::Union(def)) => {
                let variants = def.variants.iter().zip(&noted.targets);
                let facts_of = |(variant, target): (&UnionVariant, &Option<Target<'_>>)| {
                    self.facts(&variant.schema, noted.property, target.as_ref())
                };
                variants.map(facts_of).collect()
            }
            _ => return None,
        };
        let kind = same(variants.iter().map(|variant| variant.kind)).flatten().unwrap_or(TagKind::Text);
        let mut values: Vec<(String, usize)> = Vec::new();
        let mut seen = HashSet::new();
        let mut mapped = vec![false; variants.len()];
        for (value, node, target) in &noted.mapping {
            let position = target.as_ref().and_then(|target| variant_with(&variants, &noted.targets, target));
            let Some(position) = position else {
                self.report_no_variant(noted, &format!("`{value}`"), node);
                continue;
            };
            if let Some(mapped) = mapped.get_mut(position) {
                *mapped = true;
            }
            if seen.insert((*value).to_owned()) {
                values.push(((*value).to_owned(), position));
            }
        }
        let default = noted.default.as_ref().and_then(|(node, target)| {
            let position = target.as_ref().and_then(|target| variant_with(&variants, &noted.targets, target));
            if position.is_none() {
                self.report_no_variant(noted, "any other value", node);
            }
            position
        });
        if default.is_none() {
            self.check_absence(noted, &variants);
        }
        let mut listings: HashMap<&str, usize> = HashMap::new();
        for value in variants.iter().flat_map(|variant| &variant.listed) {
            *listings.entry(value).or_default() += 1;
        }
        for (position, VariantFacts { listed, has_property, .. }) in variants.iter().enumerate() {
            if mapped.get(position) == Some(&true) {
                continue;
            }
            let component = noted.targets.get(position).and_then(|target| target.as_ref()?.id);
            let component = component.and_then(|id| self.components.get(id));
            let is_own = |value: &String| listings.get(value.as_str()) == Some(&1);
            let mut own: Vec<String> = listed.iter().filter(|value| is_own(value)).cloned().collect();
            if own.is_empty() {
                own.extend(component.map(|component| {
                    let name = self.document.written_name(component.name);
                    own_value(component, name, listed)
                }));
            }
            if own.is_empty() {
                own.clone_from(listed);
            }
            if !has_property && default != Some(position) {
                let message =
                    format!("variant {} of this union has no property `{}`", position + 1, noted.property);
                self.warn_again(Code::BadDiscriminator, noted.node, message);
            }
            if own.is_empty() {
                let message = format!(
                    "no value of `{}` selects variant {} of this union",
                    noted.property,
                    position + 1
                );
                self.warn_again(Code::BadDiscriminator, noted.node, message);
            }
            for value in own {
                if seen.insert(value.clone()) {
                    values.push((value, position));
                }
            }
        }
        // A mapping can have keys that are not values of the property. Such a property is read as text.
        let is_value = |(value, _): &(String, usize)| !matches!(kind.literal(value), Literal::Text(_));
        let kind = if values.iter().all(is_value) { kind } else { TagKind::Text };
        Some((Discriminator { property: noted.property.to_owned(), kind, values }, default))
    }

    /// Reports variants that allow objects without the property, unless the schemas leave only one variant.
    fn check_absence(&mut self, noted: &Noted<'_>, variants: &[VariantFacts]) {
        let optional = variants.iter().enumerate().filter(|(_, variant)| variant.is_optional);
        let positions: Vec<String> = optional.map(|(position, _)| (position + 1).to_string()).collect();
        let (property, count) = (noted.property, positions.len());
        let help =
            format!("require `{property}` in each variant, or name the variant in `defaultMapping` (3.2)");
        let diagnostic = match self.is_3_2() {
            true if count > 0 => {
                let message =
                    format!("`{property}` is optional, so the discriminator needs a `defaultMapping`");
                self.error(Code::BadDiscriminator, noted.node, message)
            }
            false if count > 1 => {
                let positions = positions.join(", ");
                let message =
                    format!("variants {positions} of this union allow objects without `{property}`");
                self.warn_again(Code::BadDiscriminator, noted.node, message)
            }
            _ => return,
        };
        diagnostic
            .note("an object without it is read as the variant whose properties it has, or else as the first one")
            .help(help);
    }

    /// Reports a mapping to a schema that is not a variant.
    fn report_no_variant(&mut self, noted: &Noted<'_>, what: &str, node: &Node) {
        let message = format!("{what} is mapped to a schema that is not a variant of this union");
        let names = noted.targets.iter().flatten().filter_map(|target| target.id);
        let names = names.filter_map(|id| self.components.get(id));
        let wanted = node.as_str().and_then(|text| text.rsplit('/').next()).unwrap_or_default();
        let near = nearest(wanted, names.map(|component| component.name));
        self.warn_again(Code::BadDiscriminator, node, message).near("a variant with a similar name", near);
    }

    fn facts(&self, schema: &Schema, property: &str, target: Option<&Target<'_>>) -> VariantFacts {
        let mut leaves = self.leaves(schema);
        let field_of = |leaf: &&Schema| field(&self.types.struct_of(&leaf.ty)?.fields, property);
        let fields: Vec<&Field> = leaves.schemas.iter().filter_map(field_of).collect();
        let has_property = leaves.is_cut || fields.len() == leaves.schemas.len();
        let kind = same(fields.iter().map(|field| self.tag_kind(&field.schema)));
        let is_optional = has_property && fields.iter().any(|field| !field.required);
        let listed = fields.into_iter().filter_map(|field| self.constants_of(&field.schema));
        let listed = listed.flat_map(|(_, values)| values).collect();
        if let Some(component) = target.and_then(|target| target.id) {
            leaves.types.extend(self.leaves(&named(component)).types);
        }
        VariantFacts { listed, kind, has_property, is_optional, types: leaves.types }
    }
}

/// Returns the value if all are equal.
fn same<T: PartialEq>(mut values: impl Iterator<Item = T>) -> Option<T> {
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// Returns the variant that is this component, or a union that contains it.
fn variant_with(
    variants: &[VariantFacts],
    targets: &[Option<Target<'_>>],
    target: &Target<'_>,
) -> Option<usize> {
    let direct = targets.iter().position(|own| own.as_ref().is_some_and(|own| own.is(target)));
    direct.or_else(|| {
        let component = target.id?;
        variants.iter().position(|variant| variant.types.contains(&component))
    })
}

/// Returns the value that selects a component with this name.
///
/// This is its `x-discriminator-value`, else its name, spelled as in the listed values.
fn own_value(component: &Component<'_>, name: &str, listed: &[String]) -> String {
    let extensions = ["x-discriminator-value", "x-ms-discriminator-value"];
    if let Some(value) = extensions.iter().find_map(|name| component.node.get(name)).and_then(Node::as_str) {
        return value.to_owned();
    }
    let folded = names::pascal(name).to_lowercase();
    let written = listed.iter().find(|value| names::pascal(value).to_lowercase() == folded);
    written.map_or(name, String::as_str).to_owned()
}

fn field<'a>(fields: &'a [Field], wire: &str) -> Option<&'a Field> {
    fields.iter().find(|field| field.wire == wire)
}
