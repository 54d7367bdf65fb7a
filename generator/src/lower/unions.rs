//! Unions: `oneOf`, `anyOf`, and several types at once.

use super::{
    Lowering,
    all_of::Part,
    components::Target,
    flat::{Flat, Union},
    keywords::Keywords,
    place::Place,
    schemas::JsonKind,
};
use crate::{
    diagnostics::Code,
    document::{Node, component_name},
    ir::{Ident, Kind, Kinds, Schema, Shape, TextRules, TextType, Type, TypeId, UnionDef, UnionVariant},
    names::{self, Style},
};

/// A discriminator that is read when all types are known.
#[derive(Debug)]
pub(super) struct Discriminator<'d> {
    /// The union.
    pub id: TypeId,
    pub node: &'d Node,
    pub property: &'d str,
    /// The values that `mapping` gives, and the components that they mean.
    pub mapping: Vec<(&'d str, &'d Node, Option<TypeId>)>,
    /// The component that each variant is, if it is one.
    pub components: Vec<Option<TypeId>>,
}

/// A branch of a union, on its way to a variant.
struct Branch<'d> {
    node: &'d Node,
    component: Option<TypeId>,
    text: String,
}

impl Branch<'_> {
    /// Whether the `type` beside the union adds nothing to this branch.
    fn is_typed(&self, flat: &Flat<'_>) -> bool {
        self.component.is_some() || flat.kinds.is_none() || self.node.get("type").is_some()
    }
}

impl<'d> Lowering<'d, '_> {
    /// The type of a schema that has `oneOf` or `anyOf`. `None`: they say nothing of types, and are gone.
    pub fn union(
        &mut self,
        flat: &mut Flat<'d>,
        parts: &[Part<'d>],
        place: &Place<'d>,
        target: Option<TypeId>,
    ) -> Option<Schema> {
        let mut unions = std::mem::take(&mut flat.unions);
        unions.retain(|union| !self.says_nothing(union));
        let union = match unions.as_slice() {
            [] => return None,
            [union] => union.clone(),
            [_, second, ..] => {
                let message =
                    "several `oneOf` or `anyOf` at once are not supported, so any JSON value is taken";
                self.warn(Code::Unsupported, second.node, message);
                return Some(Schema::new(Type::Any));
            }
        };
        let branches: Vec<&'d Node> = union.node.items().iter().collect();
        flat.nullable |= branches.iter().any(|branch| Self::is_null(branch));
        let branches: Vec<&'d Node> = branches.into_iter().filter(|branch| !Self::is_null(branch)).collect();
        let bare = flat.is_bare();
        if branches.is_empty() {
            return flat.nullable.then(|| Schema::new(Type::Any));
        }
        if branches
            .iter()
            .any(|branch| branch.as_bool() == Some(true) || branch.is_object() && branch.entries().len() == 0)
            && bare
        {
            return Some(Schema::new(Type::Any));
        }
        if bare && let Some(schema) = self.union_of_strings(flat, &branches, parts, place, target) {
            return Some(schema);
        }
        let branches = self.branches(&branches);
        let key = union.node.address();
        if !bare && !self.reading.insert(key) {
            self.warn(
                Code::RecursiveAlias,
                union.node,
                "this union is a part of itself, so any JSON value is taken",
            );
            return Some(Schema::new(Type::Any));
        }
        let schema = match branches.as_slice() {
            [only] => {
                let parts = Self::parts_of(only.node, &union.home, parts, bare && only.is_typed(flat));
                self.schema_of(&parts, &place.retold(), target)
            }
            _ => self.variants(flat, &branches, &union, parts, place, target),
        };
        if !bare {
            self.reading.remove(&key);
        }
        let nullable = schema.ty != Type::Any && (flat.nullable || schema.nullable);
        Some(Schema { nullable, ..schema })
    }

    /// Whether all branches only say which properties must be there, which is no matter of types.
    fn says_nothing(&mut self, union: &Union<'d>) -> bool {
        let branches = union.node.items();
        if branches.is_empty() {
            self.warn(Code::Unsupported, union.node, "a union of nothing has no effect");
            return true;
        }
        let nothing = |branch: &Node| {
            let keywords = Keywords::read(branch);
            keywords.only_requires()
                || (branch.get("not").is_some() && !keywords.constrains() && keywords.reference.is_none())
        };
        let says_nothing = branches.iter().all(nothing);
        if says_nothing {
            let message = "alternatives of required properties are not supported, so they are not checked";
            self.warn(Code::Unsupported, union.node, message).map(|diagnostic| {
                diagnostic.help("`x-rules` can say it: `at_least_one`, `exactly_one`, `not_together`.")
            });
        }
        says_nothing
    }

    /// A union whose branches are all strings: an enum if all of them list values, else a string.
    fn union_of_strings(
        &mut self,
        flat: &mut Flat<'d>,
        branches: &[&'d Node],
        parts: &[Part<'d>],
        place: &Place<'d>,
        target: Option<TypeId>,
    ) -> Option<Schema> {
        if branches.len() < 2 {
            return None;
        }
        let mut values = Vec::new();
        let mut open = Vec::new();
        let mut nullable = flat.nullable;
        for branch in branches {
            let node = self.document.resolve(branch).ok()?.node;
            let keywords = Keywords::read(node);
            let listed = strings(&keywords)?;
            nullable |= keywords.nullable;
            match listed {
                Some(listed) => values.extend(listed),
                None => open.push(*branch),
            }
        }
        flat.nullable = nullable;
        let mut seen = std::collections::HashSet::new();
        values.retain(|value| seen.insert(value.as_str()));
        let Some(first) = open.first() else {
            flat.values_node = flat.node;
            flat.values = Some(values);
            return self.constants(flat, parts, place, target);
        };
        // The rules of the only string hold for all if the listed values keep them as well.
        let schema = self.schema(first, &place.retold());
        let kept = open.len() == 1 && values.iter().all(|value| self.fit(value, &schema.ty, 1).is_some());
        if kept && matches!(&schema.ty, Type::Text(rules) if values.is_empty() || rules.pattern.is_none()) {
            return Some(Schema { nullable, ..schema });
        }
        if !matches!(&schema.ty, Type::Text(rules) if *rules == TextRules::default()) || open.len() > 1 {
            let message = "which of these strings it is can't be told, so their rules are not checked";
            self.warn(Code::UnionOverlap, first, message);
        }
        let rules = TextRules { ty: TextType::String, ..TextRules::default() };
        Some(Schema { nullable, ..Schema::new(Type::Text(rules)) })
    }

    /// The branches, each once.
    fn branches(&mut self, nodes: &[&'d Node]) -> Vec<Branch<'d>> {
        let mut branches: Vec<Branch<'d>> = Vec::with_capacity(nodes.len());
        let mut seen = std::collections::HashSet::new();
        for node in nodes {
            let reference = node.get("$ref").and_then(Node::as_str);
            if reference.is_some_and(|reference| !seen.insert(reference)) {
                self.warn(Code::UnionOverlap, node, "this variant stands twice in the list");
                continue;
            }
            let name = reference.and_then(|reference| component_name(reference, "schemas"));
            let component = name.and_then(|name| self.components.find(&name));
            branches.push(Branch { node, component, text: String::new() });
        }
        let texts = self.variant_texts(&branches.iter().map(|branch| branch.node).collect::<Vec<_>>());
        for (branch, text) in branches.iter_mut().zip(texts) {
            branch.text = text;
        }
        branches
    }

    /// What a variant is made of: the branch, and what stands beside the union.
    fn parts_of(branch: &'d Node, home: &Place<'d>, parts: &[Part<'d>], alone: bool) -> Vec<Part<'d>> {
        let branch = Part { node: branch, home: home.clone(), without_unions: false };
        if alone {
            return vec![branch];
        }
        parts.iter().map(|part| Part { without_unions: true, ..part.clone() }).chain([branch]).collect()
    }

    fn variants(
        &mut self,
        flat: &Flat<'d>,
        branches: &[Branch<'d>],
        union: &Union<'d>,
        parts: &[Part<'d>],
        place: &Place<'d>,
        target: Option<TypeId>,
    ) -> Schema {
        let id = self.new_type(parts, place, target);
        let bare = flat.is_bare();
        let mut found: Vec<(String, Schema, Option<TypeId>)> = Vec::with_capacity(branches.len());
        for branch in branches {
            let here = place.variant(branch.text.clone());
            let home = union.home.variant(branch.text.clone());
            let parts = Self::parts_of(branch.node, &home, parts, bare && branch.is_typed(flat));
            let schema = self.schema_of(&parts, &here, None);
            found.push((branch.text.clone(), schema, branch.component.filter(|_| bare)));
        }
        let schema = self.union_type(id, flat, found, union.node);
        if let (Some(node), Type::Named { .. }) = (flat.discriminator, &schema.ty) {
            self.note_discriminator(id, node);
        }
        schema
    }

    /// A union of the kinds that `type` lists.
    pub fn union_of_kinds(
        &mut self,
        kinds: &[JsonKind],
        flat: &Flat<'d>,
        parts: &[Part<'d>],
        place: &Place<'d>,
        target: Option<TypeId>,
    ) -> Schema {
        let id = self.new_type(parts, place, target);
        let mut found = Vec::with_capacity(kinds.len());
        for kind in kinds {
            let text = format!("{kind:?}");
            let here = place.variant(text.clone());
            let schema = self.of_kind(*kind, flat, &[], &here, None);
            found.push((text, schema, None));
        }
        match flat.node {
            Some(node) => self.union_type(id, flat, found, node),
            None => Schema::new(Type::Any),
        }
    }

    /// Fills a union's type. Variants of one Rust type become one.
    fn union_type(
        &mut self,
        id: TypeId,
        flat: &Flat<'d>,
        found: Vec<(String, Schema, Option<TypeId>)>,
        node: &'d Node,
    ) -> Schema {
        let mut kept: Vec<(String, Schema)> = Vec::with_capacity(found.len());
        let mut components = Vec::with_capacity(found.len());
        let mut nullable = flat.nullable;
        for (text, mut schema, component) in found {
            // Null is the union's own matter, so that no variant holds it.
            nullable |= std::mem::take(&mut schema.nullable);
            if let Some((text, twin)) =
                kept.iter_mut().find(|(_, other)| same_rust_type(&other.ty, &schema.ty))
            {
                // It needs its place in its name no longer.
                let unnumbered =
                    text.trim_end_matches(|character: char| character.is_ascii_digit()).trim_end();
                if !unnumbered.is_empty() {
                    *text = unnumbered.to_owned();
                }
                if *twin != schema {
                    let message = "two variants have one Rust type; they become one, without the rules in which they differ";
                    self.warn(Code::UnionOverlap, node, message);
                    *twin = Schema::new(without_rules(schema.ty));
                }
                continue;
            }
            kept.push((text, schema));
            components.push(component);
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
        self.discriminators.push(Discriminator { id, node, property: "", mapping: Vec::new(), components });
        self.fill(id, flat.docs.clone(), Kind::Union(UnionDef { variants, discriminator: None, open: None }));
        Schema { nullable, ..Self::named(id) }
    }

    /// Keeps a union's discriminator for later; the list's last entry is this union's.
    fn note_discriminator(&mut self, id: TypeId, node: &'d Node) {
        let Some(property) = self.text(node, "propertyName") else {
            self.error(Code::MissingField, node, "a discriminator needs a `propertyName`");
            return;
        };
        let mut mapping = Vec::new();
        for (value, target) in node.get("mapping").into_iter().flat_map(Node::entries) {
            mapping.push((value, target, self.mapped(target)));
        }
        if let Some(noted) = self.discriminators.iter_mut().rev().find(|noted| noted.id == id) {
            noted.node = node;
            noted.property = property;
            noted.mapping = mapping;
        }
    }

    /// The component that a mapping means: by reference, or by name.
    fn mapped(&mut self, node: &'d Node) -> Option<TypeId> {
        let text = node.as_str()?;
        let name = component_name(text, "schemas").unwrap_or_else(|| text.to_owned());
        if let Some(id) = self.components.find(&name) {
            return Some(id);
        }
        match self.target(node) {
            Some(Target::Component(id)) => Some(id),
            _ => None,
        }
    }
}

/// The values that a schema of strings lists, or that it lists none; outer `None`: it is no schema of plain strings.
#[expect(clippy::option_option, reason = "being no string and listing no values are two things")]
fn strings<'d>(keywords: &Keywords<'d>) -> Option<Option<Vec<&'d Node>>> {
    let plain = keywords.all_of.is_none() && keywords.one_of.is_none() && keywords.any_of.is_none();
    let string = Kinds { string: true, ..Kinds::default() };
    let typed = keywords.kinds.map(|kinds| Kinds { null: false, ..kinds } == string);
    let format = keywords.format.and_then(Node::as_str).unwrap_or_default();
    let plain_format = !["date-time", "date", "uuid", "byte", "base64", "binary"].contains(&format);
    if !plain || typed == Some(false) || !plain_format || keywords.content_encoding.is_some() {
        return None;
    }
    let listed = keywords.constant.map(|value| vec![value]);
    match listed.or_else(|| keywords.values.map(|values| values.items().iter().collect())) {
        Some(mut listed) => {
            listed.retain(|value| !value.is_null());
            listed.iter().all(|value| value.as_str().is_some()).then_some(Some(listed))
        }
        None => typed.map(|_| None),
    }
}

/// Whether two types are one in Rust, whatever their rules.
pub(super) fn same_rust_type(one: &Type, other: &Type) -> bool {
    match (one, other) {
        (Type::Integer(a), Type::Integer(b)) => a.width == b.width,
        (Type::Text(a), Type::Text(b)) => a.ty == b.ty,
        (Type::Array(a), Type::Array(b)) => {
            a.items.nullable == b.items.nullable && same_rust_type(&a.items.ty, &b.items.ty)
        }
        (Type::Map(a), Type::Map(b)) => {
            a.values.nullable == b.values.nullable && same_rust_type(&a.values.ty, &b.values.ty)
        }
        (Type::Named { id: a, .. }, Type::Named { id: b, .. }) => a == b,
        _ => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}

fn without_rules(ty: Type) -> Type {
    match ty {
        Type::Integer(rules) => {
            Type::Integer(crate::ir::IntegerRules { width: rules.width, ..Default::default() })
        }
        Type::Number(_) => Type::Number(crate::ir::NumberRules::default()),
        Type::Text(rules) => Type::Text(TextRules { ty: rules.ty, ..TextRules::default() }),
        Type::Array(rules) => Type::Array(Box::new(crate::ir::ArrayRules {
            items: Schema {
                ty: without_rules(rules.items.ty),
                nullable: rules.items.nullable,
                allowed: Vec::new(),
            },
            min_items: None,
            max_items: None,
            unique: false,
        })),
        Type::Map(rules) => Type::Map(Box::new(crate::ir::MapRules {
            values: Schema {
                ty: without_rules(rules.values.ty),
                nullable: rules.values.nullable,
                allowed: Vec::new(),
            },
            min_properties: None,
            max_properties: None,
        })),
        other => other,
    }
}
