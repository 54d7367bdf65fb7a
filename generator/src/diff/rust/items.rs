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
    /// Returns the rule for an item that no longer exists.
    pub const fn removed(self) -> RustRule {
        match self {
            Self::Alias => RustRule::AliasChanged,
            Self::Field => RustRule::FieldRemoved,
            Self::Constructor => RustRule::ConstructorRemoved,
            Self::Default => RustRule::DefaultRemoved,
            Self::Conversion => RustRule::ConversionRemoved,
            Self::Setter => RustRule::SetterRemoved,
            Self::Accessor => RustRule::AccessorRemoved,
            Self::Variant { .. } => RustRule::VariantRemoved,
            Self::Derive => RustRule::TraitRemoved,
            Self::Exhaustive => RustRule::ExhaustiveRemoved,
        }
    }

    /// Returns the rule for an item with another signature.
    pub const fn changed(self) -> RustRule {
        match self {
            Self::Alias => RustRule::AliasChanged,
            Self::Field => RustRule::FieldTypeChanged,
            Self::Constructor => RustRule::ConstructorChanged,
            Self::Default => RustRule::DefaultRemoved,
            Self::Conversion => RustRule::ConversionRemoved,
            Self::Setter => RustRule::SetterChanged,
            Self::Accessor => RustRule::AccessorChanged,
            Self::Variant { .. } => RustRule::VariantTypeChanged,
            Self::Derive => RustRule::TraitRemoved,
            Self::Exhaustive => RustRule::ExhaustiveRemoved,
        }
    }
}

/// Returns the kind of a type: a struct, an enum, an alias.
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
    let mut items = match &def.kind {
        Kind::Struct(body) => of_struct(api, def, body, (sent, read), optional_body),
        Kind::StringEnum(EnumDef { variants, open }) => {
            let part = Part::Variant { exhaustive: open.is_none() };
            let listed = variants.iter().map(|variant| item(part, &variant.ident.0, String::new(), all));
            listed.chain(open.iter().map(|open| item(part, &open.0, "String".to_owned(), all))).collect()
        }
        Kind::IntegerEnum(IntegerEnum { variants, open }) => {
            let part = Part::Variant { exhaustive: open.is_none() };
            let listed = variants.iter().map(|variant| item(part, &variant.ident.0, String::new(), all));
            listed.chain(open.iter().map(|open| item(part, &open.0, "i64".to_owned(), all))).collect()
        }
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

fn of_union(
    outside: &Outside<'_>,
    union: &UnionDef,
    item: &dyn Fn(Part, &str, String, Users) -> Item,
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
    api: &Api,
    def: &TypeDef,
    body: &StructDef,
    (sent, read): (Users, Users),
    optional_body: bool,
) -> Vec<Item> {
    let outside = Outside::of_any_crate(api);
    let all = sent.and(read);
    let origin = def.docs.origin;
    let of_type = |part, name: &str, signature: String, users| Item {
        part,
        name: name.to_owned(),
        signature,
        users,
        origin,
    };
    let mut items: Vec<Item> = Vec::new();
    if body.exhaustive {
        items.push(of_type(Part::Exhaustive, "exhaustive", String::new(), all));
    }
    for field in &body.fields {
        items.extend(of_field(&outside, field, origin, (all, read)));
    }
    if let Additional::Kept { ident, schema, names: _ } = &body.additional {
        let ty = format!("types::Map<{}>", outside.ty(schema));
        items.push(of_type(Part::Field, &ident.0, ty, all));
    }
    let asked: Vec<&Field> = body.fields.iter().filter(|field| field.is_asked()).collect();
    items.push(match asked.as_slice() {
        [] => of_type(Part::Default, "Default", String::new(), sent),
        asked => of_type(Part::Constructor, "new", arguments(&outside, body, asked), sent),
    });
    if body.role == StructRole::Input && body.fields_struct.is_none() {
        let from = conversion(&outside, body, &asked, optional_body);
        items.push(of_type(Part::Conversion, &format!("From<{from}>"), String::new(), sent));
    }
    items
}

/// Returns the items of a field: itself, its setter, and the accessor of its default.
fn of_field(
    outside: &Outside<'_>,
    field: &Field,
    around: Origin,
    (all, read): (Users, Users),
) -> impl Iterator<Item = Item> {
    let origin = field.docs.origin.or(around);
    let item =
        |part, name: &Ident, signature, users| Item { part, name: name.0.clone(), signature, users, origin };
    let own = item(Part::Field, &field.ident, outside.field_ty(field), all);
    let setter = field
        .setter
        .as_ref()
        .map(|setter| item(Part::Setter, setter, outside.argument(&field.held()), Users::CLIENTS));
    let accessor = field
        .default_accessor
        .as_ref()
        .map(|accessor| item(Part::Accessor, accessor, outside.accessor_ty(field).unwrap_or_default(), read));
    [Some(own), setter, accessor].into_iter().flatten()
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
