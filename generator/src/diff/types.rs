//! Compares named types, once for each direction.

use std::collections::HashSet;

use super::{
    compare::{Compare, Found, Resolved, by, type_name},
    json::Covered,
    numbers::is_unlimited,
    position::{Owner, Position},
    rule::{Constraint, Effect, Flow, ValueRule},
    rust::is_inline,
    words::{described_type, values_of},
};
use crate::{
    emit::Outside,
    ir::{
        CrossRule, Kind, Literal, MapRules, Media, MediaLimit, Origin, Provenance, Schema, Stated, StructDef,
        StructRole, Type, TypeDef, TypeId,
    },
    outline::media,
};

impl<'a> Compare<'a> {
    /// Compares all pairs of types, and the pairs that are found in them.
    pub(super) fn all_types(&mut self) {
        let mut next = 0;
        while let Some(pair) = self.types.get(next) {
            let (old, new, flow) = (pair.old, pair.new, pair.flow);
            if let (Some(old), Some(new)) = (self.old.type_def(old), self.new.type_def(new)) {
                let mut name = type_name(new);
                let mut origins = (old.docs.origin, new.docs.origin);
                // Equal inline types are one type, with the name of the first one. If the names differ, one of them changed.
                if is_inline(new) && name != type_name(old) {
                    (name, origins) = (pair.subject.clone(), pair.origins);
                }
                self.type_defs(old, new, &Position::root(Owner::Type(next), &name, flow, origins));
            }
            next += 1;
        }
        self.settle_doubts();
    }

    /// Compares the types that no operation and no webhook has, and that both documents have under one name.
    pub(super) fn unused_types(&mut self) {
        let used: HashSet<TypeId> = self.types.iter().map(|pair| pair.new).collect();
        let [old, new] = [self.old, self.new].map(Outside::of_any_crate);
        let by_path = by(&self.old.types, |def| old.path(def));
        let unused = self.new.types.iter().filter(|def| !used.contains(&def.id) && is_schema(def));
        let pairs: Vec<(&TypeDef, &TypeDef)> =
            unused.filter_map(|to| Some((*by_path.get(&new.path(to))?, to))).collect();
        // A change at the same source location has been reported before.
        let key = |found: &Found| {
            let [old, new] = found.locations();
            (new.or(old), found.message.clone())
        };
        let mut reported: HashSet<_> = self.found.iter().map(key).collect();
        for (from, to) in pairs {
            let name = type_name(to);
            let origins = (from.docs.origin, to.docs.origin);
            let at = Position::root(Owner::Document, &name, Flow::Request, origins);
            let mut found = self.alone(|alone| alone.type_defs(from, to, &at));
            found.retain(|found| found.locations() == [None; 2] || reported.insert(key(found)));
            if let Some(first) = found.first() {
                let others = match found.len() - 1 {
                    0 => String::new(),
                    1 => ", and another change".to_owned(),
                    others => format!(", and {others} other changes"),
                };
                let part = first.subject.strip_prefix(&name).unwrap_or(&first.subject);
                let message = match part.trim_start_matches(['.', ' ']) {
                    "" => format!("{}{others}", first.message),
                    part => format!("{part}: {}{others}", first.message),
                };
                self.change(ValueRule::UnusedSchemaChanged, &at, message, first.values.clone());
            }
        }
    }

    fn type_defs(&mut self, old: &'a TypeDef, new: &'a TypeDef, at: &Position<'_>) {
        // The fields that do not affect values are compared with the items of Rust.
        let TypeDef { id: _, module: _, name: _, constant: _, provenance: _, docs, kind, also } = old;
        let covered = match (kind, &new.kind) {
            (Kind::Struct(old), Kind::Struct(new)) => Covered::Struct(old, new),
            (Kind::Union(_), Kind::Union(_)) => Covered::Union,
            (Kind::Union(_), _) | (_, Kind::Union(_)) => Covered::Alternative,
            _ => Covered::Nothing,
        };
        // A type is compared with the one that an alias stands for, and not with the alias.
        let is_target = |def: &TypeDef, other: &TypeDef| !is_alias(def) && stands_for_type(other);
        let also = also.filter(|_| !is_target(old, new));
        self.json_schemas(also, new.also.filter(|_| !is_target(new, old)), covered, at);
        self.deprecated(docs, &new.docs, [ValueRule::SchemaDeprecated, ValueRule::SchemaUndeprecated], at);
        match (kind, &new.kind) {
            (Kind::Struct(old), Kind::Struct(new)) => self.structs(old, new, at),
            (Kind::StringEnum(_), Kind::StringEnum(_)) | (Kind::IntegerEnum(_), Kind::IntegerEnum(_)) => {
                self.enum_values(&values_of(kind), &values_of(&new.kind), at);
            }
            (Kind::Union(old), Kind::Union(new)) => self.unions(old, new, at),
            (Kind::Alias(old), Kind::Alias(new)) => self.schemas(old, new, at),
            // The contents of operations have been compared.
            (Kind::Choice(_), Kind::Choice(_)) => {}
            _ => self.other_kinds(old, new, at),
        }
    }

    /// Compares a named type with one of another kind, after resolving an alias.
    fn other_kinds(&mut self, old: &TypeDef, new: &TypeDef, at: &Position<'_>) {
        let named = [old, new].map(|def| Schema::new(Type::Named { id: def.id, boxed: false }));
        let [from, to] = [(old, &named[0]), (new, &named[1])].map(|(def, named)| match &def.kind {
            Kind::Alias(target) => target.into(),
            _ => Resolved { def: Some(def), ..named.into() },
        });
        self.nulls(from.nullable, to.nullable, at);
        match is_alias(old) || is_alias(new) {
            true => self.beside_null(&from, &to, at),
            false => self.other_type(&from, &to, at),
        }
    }

    /// Compares types that have nothing in common, unless one is an alternative of the other.
    pub(super) fn other_type(&mut self, from: &Resolved<'_>, to: &Resolved<'_>, at: &Position<'_>) {
        if self.alternative(from, to, at) {
            return;
        }
        let (constraint, effect) = effect_of(from, to);
        let (old, new) = (described_type(self.old, from), described_type(self.new, to));
        self.keyword(constraint, Some(effect), at, Some(old), Some(new));
    }

    pub(super) fn cross_rules(&mut self, old: &StructDef, new: &StructDef, at: &Position<'_>) {
        let only = |one: &StructDef, other: &StructDef| {
            let origins = one.origins.fields().filter(|(name, _)| *name == "x-rules");
            let rules = one.rules.iter().zip(origins.map(|(_, origin)| origin));
            let lone = rules.filter(|(rule, _)| !other.rules.contains(rule));
            lone.map(|(rule, origin)| (Some(cross_rule(rule)), origin)).collect::<Vec<_>>()
        };
        for (text, origin) in only(old, new) {
            let at = at.exactly(origin, Origin::default());
            self.keyword(Constraint::Rules, Some(Effect::Loosened), &at, text, None);
        }
        for (text, origin) in only(new, old) {
            let at = at.exactly(Origin::default(), origin);
            self.keyword(Constraint::Rules, Some(Effect::Tightened), &at, None, text);
        }
    }

    /// Compares the constraints of a string that are documented and not checked.
    pub(super) fn stated(&mut self, old: Option<&Stated>, new: Option<&Stated>, at: &Position<'_>) {
        let pattern = |stated: Option<&Stated>| stated.and_then(|stated| stated.pattern.clone());
        let (from, to) = (pattern(old), pattern(new));
        let effect = Effect::of_bound(from.as_deref(), to.as_deref(), |_, _| false);
        self.keyword(Constraint::Unchecked, effect, at, from, to);
        let (from, to) = (old.and_then(|it| it.media.as_ref()), new.and_then(|it| it.media.as_ref()));
        self.keyword(Constraint::Media, media_effect(from, to), at, from.map(media), to.map(media));
    }
}

const fn is_alias(def: &TypeDef) -> bool {
    matches!(def.kind, Kind::Alias(_))
}

const fn stands_for_type(def: &TypeDef) -> bool {
    matches!(def.kind, Kind::Alias(Schema { ty: Type::Named { .. }, .. }))
}

/// Returns whether fewer or more values are valid if a type becomes one of another shape.
fn effect_of(from: &Resolved<'_>, to: &Resolved<'_>) -> (Constraint, Effect) {
    // Limits may exclude values of the enum.
    let is_enum_of = |kind: &Kind, ty: &Type| match (kind, ty) {
        (Kind::StringEnum(_), Type::Text(_)) | (Kind::IntegerEnum(_), Type::Integer(_)) => is_unlimited(ty),
        _ => false,
    };
    let is_any_map = |rules: &MapRules| {
        let MapRules { values, min_properties, max_properties, names } = rules;
        *values == Schema { nullable: values.nullable, ..Schema::new(Type::Any) }
            && (min_properties, max_properties, names) == (&None, &None, &None)
    };
    // Whether a type without a name has all values of another type, and the keyword that says so.
    let covers =
        |more: &Resolved<'_>, less: &Resolved<'_>| match (more.def, more.ty, less.def.map(|def| &def.kind)) {
            (None, ty, Some(kind)) if is_enum_of(kind, ty) => Some(Constraint::Enum),
            (None, Type::Any, _) => Some(Constraint::Type),
            (None, Type::Map(rules), Some(Kind::Struct(_))) if is_any_map(rules) => Some(Constraint::Type),
            _ => None,
        };
    let loosened = covers(to, from).map(|constraint| (constraint, Effect::Loosened));
    let tightened = covers(from, to).map(|constraint| (constraint, Effect::Tightened));
    loosened.or(tightened).unwrap_or((Constraint::Type, Effect::Changed))
}

/// Returns whether a type is that of a schema. Inputs and outputs of operations are compared by their parts.
fn is_schema(def: &TypeDef) -> bool {
    match &def.kind {
        // The union of all webhooks has their bodies, which are compared.
        Kind::Union(_) if def.provenance == Provenance::AnyWebhook => false,
        Kind::Struct(body) => body.role == StructRole::Object,
        Kind::StringEnum(_) | Kind::IntegerEnum(_) | Kind::Union(_) | Kind::Alias(_) => true,
        Kind::Choice(_) => false,
    }
}

fn media_effect(old: Option<&Media>, new: Option<&Media>) -> Option<Effect> {
    Effect::of_bound(old, new, |looser, stricter| {
        let Media { kind, types, inline, limits: _ } = stricter;
        // No list of types means any type.
        let has_types =
            looser.types.is_empty() || !types.is_empty() && types.iter().all(|ty| looser.types.contains(ty));
        let is_limited = |limit: &MediaLimit| match (looser.limit(*limit), stricter.limit(*limit)) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(loose), Some(strict)) => match limit {
                MediaLimit::MinSide | MediaLimit::MinSeconds => strict >= loose,
                _ => strict <= loose,
            },
        };
        let is_inline = inline.is_none() || *inline == looser.inline;
        *kind == looser.kind && has_types && is_inline && MediaLimit::ALL.iter().all(is_limited)
    })
}

fn cross_rule(rule: &CrossRule) -> String {
    let pairs = |all: &[(String, Literal)]| {
        all.iter().map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
    };
    match rule {
        CrossRule::When { name: _, when, require } => {
            format!("if {} then {}", pairs(when), pairs(require))
        }
        CrossRule::NotTogether { name: _, fields } => format!("not together: {}", fields.join(", ")),
        CrossRule::AtLeastOne { name: _, fields, above } => {
            let above = above.map_or_else(String::new, |above| format!(" above {above}"));
            format!("at least one of {}{above}", fields.join(", "))
        }
        CrossRule::ExactlyOne { name: _, fields } => format!("exactly one of {}", fields.join(", ")),
        CrossRule::TotalItems { name: _, fields, minimum, maximum } => {
            let bound = |value: &Option<u64>| value.map_or("any".to_owned(), |value| value.to_string());
            format!("items of {} in all: {} to {}", fields.join(", "), bound(minimum), bound(maximum))
        }
    }
}
