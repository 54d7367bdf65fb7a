//! Enums: `enum` and `const`.

use std::collections::HashSet;

use crate::{
    diagnostics::Code,
    ir::{
        EnumDef, EnumVariant, Ident, IntegerEnum, IntegerVariant, Kind, Kinds, Literal, NumberRules, Schema,
        Type,
    },
    lower::{
        resolver::{
            flat::{Flat, ValueWords},
            literal::literal,
        },
        schema::{read::Reading, state::Schemas},
        types::named,
    },
    names::{self, Style},
    renames::Renames,
    tree::NodeRef,
};

/// The node of a value, and what the document says of it.
type Word<'d> = (NodeRef<'d>, ValueWords<'d>);

impl<'d> Schemas<'d, '_> {
    /// Returns the type of a schema that lists its values.
    ///
    /// Returns `None` if the list has no effect, and removes it.
    pub fn constants(&mut self, flat: &mut Flat<'d>, reading: Reading<'_, 'd>) -> Option<Schema> {
        let values: Vec<NodeRef<'d>> =
            flat.values.take()?.into_iter().filter(|value| !value.is_null()).collect();
        let node = flat.values_node.or(flat.node)?;
        if values.is_empty() {
            if flat.nullable {
                return Some(Schema { allowed: vec![Literal::Null], ..Schema::new(Type::Any) });
            }
            self.warn(Code::BadEnum, node, "`enum` has no values, so no value is valid");
            return None;
        }
        let (literals, words) = self.distinct(&values, flat);
        let nullable = flat.nullable;
        let all = |test: fn(&Literal) -> bool| literals.iter().all(test);
        let schema = if let Some(kind) = enum_of(&literals, &words, self.renames) {
            let id = self.new_type(reading);
            self.types.fill(id, flat.docs.clone(), kind);
            named(id)
        } else if all(|literal| matches!(literal, Literal::Boolean(_))) {
            let allowed = if literals.len() == 1 { literals } else { Vec::new() };
            Schema { allowed, ..Schema::new(Type::Boolean) }
        } else if all(|literal| matches!(literal, Literal::Integer(_) | Literal::Number(_))) {
            Schema { allowed: literals, ..Schema::new(Type::Number(NumberRules::default())) }
        } else if flat.is_bare() {
            let allowed =
                if nullable { literals.into_iter().chain([Literal::Null]).collect() } else { literals };
            Schema { allowed, ..Schema::new(Type::Any) }
        } else {
            self.needs_json_schema = true;
            return None;
        };
        self.needs_json_schema |= !flat.is_bare_but_format() || !flat.unions.is_empty();
        Some(Schema { nullable: nullable && schema.ty != Type::Any, ..schema })
    }

    /// Returns the distinct values, converted to the schema's type, with their nodes and names.
    fn distinct(&mut self, values: &[NodeRef<'d>], flat: &Flat<'d>) -> (Vec<Literal>, Vec<Word<'d>>) {
        let mut seen = HashSet::with_capacity(values.len());
        let mut literals = Vec::with_capacity(values.len());
        let mut words = Vec::with_capacity(values.len());
        for node in values {
            let literal = self.as_kind(node, flat.kinds);
            let key = match &literal {
                Literal::Text(text) => format!("\"{text}"),
                Literal::Number(number) => number.to_string(),
                Literal::Integer(integer) => integer.to_string(),
                other => format!("{other:?}"),
            };
            if seen.insert(key) {
                literals.push(literal);
                words.push((*node, flat.value_words.get(&node.id()).copied().unwrap_or_default()));
            } else {
                self.warn(Code::BadEnum, node, "duplicate value in `enum`");
            }
        }
        (literals, words)
    }

    /// Returns a value, converted to the schema's type if the document has another type.
    ///
    /// YAML reads `true` and `1` without quotes as a boolean and a number, for example.
    fn as_kind(&mut self, node: NodeRef<'d>, kinds: Option<Kinds>) -> Literal {
        let found = literal(node);
        let Some(kinds) = kinds else { return found };
        let only_string = Kinds { null: false, ..kinds } == Kinds { string: true, ..Kinds::default() };
        let numeric = kinds.integer || kinds.number;
        let read = match &found {
            Literal::Boolean(_) | Literal::Integer(_) | Literal::Number(_) if only_string => {
                node.as_written().map(Literal::Text)
            }
            Literal::Text(text) if numeric && !kinds.string => text.trim().parse().ok().map(Literal::Integer),
            Literal::Text(text) if kinds.boolean && !kinds.string => text.parse().ok().map(Literal::Boolean),
            Literal::Integer(value) if numeric && !kinds.integer => {
                #[expect(clippy::cast_precision_loss, reason = "the schema says that it is a number")]
                return Literal::Number(*value as f64);
            }
            Literal::Number(_) if kinds.integer && !kinds.number => None,
            _ => return found,
        };
        let message = match &read {
            Some(_) => "the value does not have the schema's `type`; it is converted to that type",
            None => "the value does not have the schema's `type`",
        };
        self.warn(Code::BadEnum, node, message);
        read.unwrap_or(found)
    }
}

/// Returns the enum of these values, if all are strings or all are integers that fit into an `i64`.
fn enum_of(literals: &[Literal], words: &[Word<'_>], renames: &Renames) -> Option<Kind> {
    let text = |literal: &Literal| match literal {
        Literal::Text(text) => Some(text.clone()),
        _ => None,
    };
    let integer = |literal: &Literal| match literal {
        Literal::Integer(value) => i64::try_from(*value).ok(),
        _ => None,
    };
    let descriptions = words.iter().map(|(_, words)| words.description.map(str::to_owned));
    if let Some(texts) = literals.iter().map(text).collect::<Option<Vec<_>>>() {
        let idents = variant_names(&texts, words, renames);
        let variants = texts.into_iter().zip(idents).zip(descriptions);
        let variant = |((wire, ident), description)| EnumVariant { wire, ident, description };
        return Some(Kind::StringEnum(EnumDef { variants: variants.map(variant).collect(), open: None }));
    }
    let values: Vec<i64> = literals.iter().map(integer).collect::<Option<_>>()?;
    let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
    let variants = values.into_iter().zip(variant_names(&texts, words, renames)).zip(descriptions);
    let variant = |((wire, ident), description)| IntegerVariant { wire, ident, description };
    Some(Kind::IntegerEnum(IntegerEnum { variants: variants.map(variant).collect(), open: None }))
}

/// Returns the names of variants, from the settings, from the document, or from the values.
fn variant_names(values: &[String], words: &[Word<'_>], renames: &Renames) -> Vec<Ident> {
    let stated = values.iter().zip(words);
    let siblings: Vec<_> =
        stated.map(|(value, (node, words))| (vec![*node], words.name.unwrap_or(value))).collect();
    names::settle(&renames.texts(&siblings), Style::Variant).into_iter().map(Ident).collect()
}
