//! The items of a type that programs use: fields, variants, constructors, setters, conversions.

use super::{RustRule, Users, moved::Aliases};
use crate::{
    emit::Outside,
    ir::{
        Additional, Api, Choice, ChoiceRole, EnumDef, Field, Ident, IntegerEnum, Kind, Origin, Schema,
        StructDef, StructRole, Type, TypeDef, UnionDef,
    },
};

/// An item of a type.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub part: Part,
    /// The name in Rust.
    pub name: String,
    /// The type or the arguments on which code that uses the item depends.
    pub signature: String,
    pub users: Users,
    pub origin: Origin,
}

impl Item {
    /// Replaces aliases by the types that they stand for.
    pub fn resolve(&mut self, aliases: &Aliases) {
        self.signature = aliases.resolve(&self.signature);
        if self.part == Part::Conversion {
            self.name = aliases.resolve(&self.name);
        }
    }
}

/// The kind of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Alias,
    Field,
    Constructor,
    Default,
    Conversion,
    Setter,
    Accessor,
    /// A variant of an enum.
    Variant {
        /// Whether a `match` must list it.
        exhaustive: bool,
    },
    Derive,
    /// The permission to list all fields of a struct in a pattern.
    Exhaustive,
}

impl Part {
    /// Returns the rules for an item that no longer exists, and for one with another signature.
    pub const fn rules(self) -> (RustRule, RustRule) {
        match self {
            Self::Alias => (RustRule::AliasChanged, RustRule::AliasChanged),
            Self::Field => (RustRule::FieldRemoved, RustRule::FieldTypeChanged),
            Self::Constructor => (RustRule::ConstructorRemoved, RustRule::ConstructorChanged),
            Self::Default => (RustRule::DefaultRemoved, RustRule::DefaultRemoved),
            Self::Conversion => (RustRule::ConversionRemoved, RustRule::ConversionRemoved),
            Self::Setter => (RustRule::SetterRemoved, RustRule::SetterChanged),
            Self::Accessor => (RustRule::AccessorRemoved, RustRule::AccessorChanged),
            Self::Variant { .. } => (RustRule::VariantRemoved, RustRule::VariantTypeChanged),
            Self::Derive => (RustRule::TraitRemoved, RustRule::TraitRemoved),
            Self::Exhaustive => (RustRule::ExhaustiveRemoved, RustRule::ExhaustiveRemoved),
        }
    }
}

pub(super) fn kind(def: &TypeDef) -> &'static str {
    match def.kind {
        Kind::Struct(_) => "struct",
        Kind::StringEnum(_) => "enum of strings",
        Kind::IntegerEnum(_) => "enum of integers",
        Kind::Union(_) => "enum of alternatives",
        Kind::Alias(_) => "alias",
        Kind::Choice(Choice { role: ChoiceRole::Content, .. }) => "enum of media types",
        Kind::Choice(Choice { role: ChoiceRole::Output, .. }) => "enum of responses",
        Kind::Choice(Choice { role: ChoiceRole::Errors, .. }) => "enum of errors",
    }
}

/// Returns the items of a type. `sent` are the programs that send its values, `read` the programs that read them.
pub(super) fn items(api: &Api, def: &TypeDef, sent: Users, read: Users, optional_body: bool) -> Vec<Item> {
    let outside = Outside::of_any_crate(api);
    let origin = def.docs.origin;
    let all = sent.and(read);
    let item = |part, name: &str, signature: String, users| Item {
        part,
        name: name.to_owned(),
        signature,
        users,
        origin,
    };
    let of_enum = |open: Option<&Ident>, others: &str| -> Vec<Item> {
        let part = Part::Variant { exhaustive: open.is_none() };
        let listed = def.kind.names().map(|name| item(part, &name.0, String::new(), all));
        listed.chain(open.map(|open| item(part, &open.0, others.to_owned(), all))).collect()
    };
    let mut items = match &def.kind {
        Kind::Struct(body) => of_struct(&outside, body, &item, (sent, read), optional_body),
        Kind::StringEnum(EnumDef { open, .. }) => of_enum(open.as_ref(), "String"),
        Kind::IntegerEnum(IntegerEnum { open, .. }) => of_enum(open.as_ref(), "i64"),
        Kind::Union(union) => of_union(&outside, union, &item, (sent, all)),
        Kind::Alias(schema) => vec![item(Part::Alias, "", outside.ty(schema), all)],
        Kind::Choice(choice @ Choice { role, variants }) => {
            let part = Part::Variant { exhaustive: *role == ChoiceRole::Content };
            let payload = |schema: &Schema| match schema.ty {
                Type::Unit => String::new(),
                _ => outside.ty(schema),
            };
            let inner = outside.inner(choice).map(|ty| item(Part::Accessor, "into_inner", ty, read));
            let variants = variants.iter();
            let variants =
                variants.map(|variant| item(part, &variant.ident.0, payload(&variant.payload), all));
            variants.chain(inner).collect()
        }
    };
    items.extend(outside.derives(def).iter().map(|name| item(Part::Derive, name, String::new(), all)));
    items
}

/// Creates an item of a type, from its name, its signature and its users.
type ItemOf<'i> = &'i dyn Fn(Part, &str, String, Users) -> Item;

fn of_union(
    outside: &Outside<'_>,
    union: &UnionDef,
    item: ItemOf<'_>,
    (sent, all): (Users, Users),
) -> Vec<Item> {
    let part = Part::Variant { exhaustive: union.open.is_none() };
    let variants =
        union.variants.iter().map(|variant| item(part, &variant.ident.0, outside.ty(&variant.schema), all));
    let open = union.open.iter().map(|open| item(part, &open.0, "types::Value".to_owned(), all));
    let conversions = outside.conversions(union).into_iter().flatten();
    let conversions =
        conversions.map(|ty| item(Part::Conversion, &format!("From<{ty}>"), String::new(), sent));
    variants.chain(open).chain(conversions).collect()
}

fn of_struct(
    outside: &Outside<'_>,
    body: &StructDef,
    item: ItemOf<'_>,
    (sent, read): (Users, Users),
    optional_body: bool,
) -> Vec<Item> {
    let all = sent.and(read);
    let mut items: Vec<Item> = Vec::new();
    if body.exhaustive {
        items.push(item(Part::Exhaustive, "exhaustive", String::new(), all));
    }
    for field in &body.fields {
        let first = items.len();
        items.push(item(Part::Field, &field.ident.0, outside.field_ty(field), all));
        if let Some(setter) = &field.setter {
            items.push(item(Part::Setter, &setter.0, outside.argument(&field.held()), Users::CLIENTS));
        }
        if let Some(accessor) = &field.default_accessor {
            let ty = outside.accessor_ty(field).unwrap_or_default();
            items.push(item(Part::Accessor, &accessor.0, ty, read));
        }
        items.iter_mut().skip(first).for_each(|item| item.origin = field.docs.origin.or(item.origin));
    }
    if let Additional::Kept { ident, schema, names: _ } = &body.additional {
        let ty = format!("types::Map<{}>", outside.ty(schema));
        items.push(item(Part::Field, &ident.0, ty, all));
    }
    let asked: Vec<&Field> = body.fields.iter().filter(|field| field.is_asked()).collect();
    items.push(match asked.as_slice() {
        [] => item(Part::Default, "Default", String::new(), sent),
        asked => item(Part::Constructor, "new", arguments(outside, body, asked), sent),
    });
    if body.role == StructRole::Input && body.fields_struct.is_none() {
        let from = conversion(outside, body, &asked, optional_body);
        items.push(item(Part::Conversion, &format!("From<{from}>"), String::new(), sent));
    }
    items
}

/// Returns the arguments of a constructor: `name: impl Into<String>, age: i64`.
fn arguments(outside: &Outside<'_>, body: &StructDef, asked: &[&Field]) -> String {
    let Some(fields) = &body.fields_struct else {
        let argument = |field: &&Field| format!("{}: {}", field.ident, outside.argument(&field.schema));
        return asked.iter().map(argument).collect::<Vec<_>>().join(", ");
    };
    let field = |field: &&Field| format!("{}: {}", field.ident, outside.ty(&field.schema));
    let mut arguments: Vec<String> = asked.iter().map(field).collect();
    // The order of fields makes no difference.
    arguments.sort_unstable();
    format!("{fields} {{ {} }}", arguments.join(", "))
}

/// Returns the type that converts into an input: that of the arguments, or of an optional body.
fn conversion(outside: &Outside<'_>, body: &StructDef, asked: &[&Field], optional_body: bool) -> String {
    let argument = |field: &Field| converted(&outside.argument(&field.schema));
    let types: Vec<String> = asked.iter().map(|field| argument(field)).collect();
    match (types.as_slice(), body.fields.last()) {
        ([], Some(last)) if optional_body && !last.required => argument(last),
        ([], _) => "()".to_owned(),
        ([only], _) => only.clone(),
        _ => format!("({})", types.join(", ")),
    }
}

/// Returns the type into which an argument converts: `String` for `impl Into<String>`.
fn converted(argument: &str) -> String {
    let inner = argument.strip_prefix("impl Into<").and_then(|ty| ty.strip_suffix('>'));
    inner.unwrap_or(argument).to_owned()
}
