//! Finds the types that can't have a derive of the standard library from the options.
//!
//! A type can't have it if a part of it can't: `Eq` with an `f64`, `Hash` with a file, `Copy` with a string.

use std::collections::BTreeSet;

use crate::{
    ir::{
        Additional, Api, Derive, Field, Kind, RustPath, Schema, StructDef, StructRole, TextType, Type, TypeId,
    },
    lower::finish::state::Finish,
};

impl Finish<'_, '_> {
    /// Excludes the types that can't have the derives.
    pub fn settle_derives(&mut self) {
        let api = &self.api;
        let settled = self.options.derives.iter().map(|path| {
            let left_out = Trait::of(path).map_or_else(BTreeSet::new, |derived| lacking(api, derived));
            Derive { path: path.clone(), left_out }
        });
        self.api.derives = settled.collect();
    }
}

/// A trait that can be derived only if all fields have it. Other traits are not checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trait {
    Copy,
    Default,
    Eq,
    Hash,
    Ord,
    PartialOrd,
}

impl Trait {
    fn of(path: &RustPath) -> Option<Self> {
        let is_std = !path.as_str().contains("::")
            || ["std::", "core::", "::std::", "::core::"].iter().any(|root| path.as_str().starts_with(root));
        match path.last() {
            _ if !is_std => None,
            "Copy" => Some(Self::Copy),
            "Default" => Some(Self::Default),
            "Eq" => Some(Self::Eq),
            "Hash" => Some(Self::Hash),
            "Ord" => Some(Self::Ord),
            "PartialOrd" => Some(Self::PartialOrd),
            _ => None,
        }
    }

    fn is_order(self) -> bool {
        matches!(self, Self::Ord | Self::PartialOrd)
    }
}

/// Returns the types that can't have a trait, as a fixpoint because types can be recursive.
fn lacking(api: &Api, derived: Trait) -> BTreeSet<TypeId> {
    let mut lacking = BTreeSet::new();
    loop {
        let before = lacking.len();
        for def in &api.types {
            if !lacking.contains(&def.id) && !kind_can(&def.kind, derived, &lacking) {
                lacking.insert(def.id);
            }
        }
        if lacking.len() == before {
            return lacking;
        }
    }
}

fn kind_can(kind: &Kind, derived: Trait, lacking: &BTreeSet<TypeId>) -> bool {
    match kind {
        Kind::Struct(def) => def.role == StructRole::Object && struct_can(def, derived, lacking),
        Kind::StringEnum(def) => match derived {
            Trait::Copy => def.open.is_none(),
            _ => derived != Trait::Default,
        },
        Kind::IntegerEnum(_) => derived != Trait::Default,
        Kind::Union(def) => {
            let variants = || def.variants.iter().all(|variant| can(&variant.schema, derived, lacking));
            let unknown = || def.open.is_none() || type_can(&Type::Any, derived, lacking);
            derived != Trait::Default && unknown() && variants()
        }
        Kind::Alias(schema) => can(schema, derived, lacking),
        Kind::Choice(_) => false,
    }
}

fn struct_can(def: &StructDef, derived: Trait, lacking: &BTreeSet<TypeId>) -> bool {
    // An optional field is an `Option`, whose default is `None`.
    let field = |field: &Field| {
        (derived == Trait::Default && !field.required) || can(&field.schema, derived, lacking)
    };
    let more = match &def.additional {
        Additional::Kept { schema, .. } => many_can(schema, derived, lacking),
        Additional::Ignored | Additional::Forbidden => true,
    };
    more && def.fields.iter().all(field)
}

fn can(schema: &Schema, derived: Trait, lacking: &BTreeSet<TypeId>) -> bool {
    (derived == Trait::Default && schema.nullable) || type_can(&schema.ty, derived, lacking)
}

fn type_can(ty: &Type, derived: Trait, lacking: &BTreeSet<TypeId>) -> bool {
    match ty {
        // `serde_json::Value` does not implement `Ord`.
        Type::Any => derived != Trait::Copy && !derived.is_order(),
        Type::Unit | Type::Boolean | Type::Integer(_) => true,
        Type::Number(_) => matches!(derived, Trait::Copy | Trait::Default | Trait::PartialOrd),
        Type::Text(rules) => match rules.ty {
            TextType::String | TextType::Base64 => derived != Trait::Copy,
            TextType::Timestamp | TextType::Date => derived != Trait::Default,
            // A type from the options is taken to have all derives from the options.
            TextType::Uuid | TextType::Foreign(_) => true,
        },
        Type::Bytes => derived != Trait::Copy,
        Type::File => matches!(derived, Trait::Default | Trait::Eq),
        Type::Stream(_) => derived == Trait::Default,
        Type::Array(rules) => many_can(&rules.items, derived, lacking),
        Type::Tuple(items) => items.iter().all(|item| can(item, derived, lacking)),
        Type::Map(rules) => many_can(&rules.values, derived, lacking),
        // The default of a boxed type, which contains itself, would be infinite.
        Type::Named { boxed: true, .. } if matches!(derived, Trait::Copy | Trait::Default) => false,
        Type::Named { id, .. } => !lacking.contains(id),
    }
}

/// Returns whether an array or a map of these values can have a trait.
fn many_can(values: &Schema, derived: Trait, lacking: &BTreeSet<TypeId>) -> bool {
    match derived {
        Trait::Copy => false,
        Trait::Default => true,
        _ => can(values, derived, lacking),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_traits_of_the_standard_library_are_recognised() {
        let of = |text| Trait::of(&RustPath::parse(text).unwrap());
        assert_eq!(of("Eq"), Some(Trait::Eq));
        assert_eq!(of("std::hash::Hash"), Some(Trait::Hash));
        assert_eq!(of("::core::cmp::Ord"), Some(Trait::Ord));
        assert_eq!(of("derive_more::Eq"), None);
        assert_eq!(of("schemars::JsonSchema"), None);
    }
}
