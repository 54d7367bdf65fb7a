//! Types: structs, enums, unions, aliases, documented alternatives.

use super::{
    block::Block,
    rules::properties,
    words::{Here, flag, joined, labelled, listed, literal, number, quoted, row, status, xml},
};
use crate::{
    emit,
    ir::{
        Additional, Choice, ChoiceRole, ChoiceVariant, CrossRule, Discriminator, EnumDef, EnumVariant, Field,
        Ident, IntegerEnum, IntegerVariant, Kind, Kinds, Literal, Shape, StructDef, StructRole, TagKind,
        Type, TypeDef, UnionDef, UnionVariant,
    },
};

/// The number of kinds of JSON values.
const ALL_KINDS: usize = 6;

impl Here<'_> {
    /// Returns the block of a type. An input has none: the operation shows its fields.
    pub(super) fn type_def(self, def: &TypeDef) -> Option<Block> {
        let TypeDef { id: _, module: _, name, constant, provenance: _, docs, kind, also } = def;
        let facts = joined([
            labelled("also", also.map(|id| self.json_schema(id))),
            row(constant, name),
            status(docs),
        ]);
        Some(match kind {
            Kind::Struct(StructDef { role: StructRole::Input, .. }) => return None,
            Kind::Struct(body) => self.structure(name, body, &facts),
            Kind::StringEnum(EnumDef { variants, open }) => {
                let line = |EnumVariant { wire, ident, description: _ }: &_| format!("{ident} = {wire:?}");
                enumeration([&name.0, "", &facts], variants.iter().map(line), (open.as_ref(), "String"))
            }
            Kind::IntegerEnum(IntegerEnum { variants, open }) => {
                let line = |IntegerVariant { wire, ident, description: _ }: &_| format!("{ident} = {wire}");
                let words = [&name.0, "of integers", &facts];
                enumeration(words, variants.iter().map(line), (open.as_ref(), "i64"))
            }
            Kind::Union(body) => self.union(name, body, &facts),
            Kind::Alias(schema) => {
                Block::line(joined([format!("type {name} ="), self.schema(schema), facts]))
            }
            Kind::Choice(body) => self.choice(name, body, &facts),
        })
    }

    fn structure(self, name: &Ident, body: &StructDef, facts: &str) -> Block {
        let StructDef {
            role,
            fields,
            fields_struct: _,
            // The settings decide it for all of them, see the section `lib`.
            exhaustive: _,
            additional,
            min_properties,
            origins: _,
            max_properties,
            rules,
        } = body;
        let role = match role {
            StructRole::Object => "",
            StructRole::Input => "of an input",
            StructRole::Response => "of a response",
        };
        let closed = flag("closed", matches!(additional, Additional::Forbidden));
        let bounds = properties(*min_properties, *max_properties);
        let head = joined(["struct", &name.0, role, closed, &bounds, facts]);
        let fields = fields.iter().map(|field| self.field(field)).collect();
        Block::over(head, fields)
            .with(self.additional(additional))
            .with(rules.iter().map(cross_rule))
            .with(methods(body))
    }

    /// Returns the line of a field: `created_at "createdAt": rt::Timestamp required`.
    fn field(self, field: &Field) -> Block {
        let name = match field.ident.0.trim_start_matches("r#") == field.wire {
            true => field.ident.to_string(),
            false => format!("{} {:?}", field.ident, field.wire),
        };
        let rules = self.rules(&field.schema);
        Block::line(format!("{name}: {}", joined([self.field_ty(field), facts(field, &rules)])))
    }

    fn additional(self, additional: &Additional) -> Option<Block> {
        match additional {
            Additional::Ignored | Additional::Forbidden => None,
            Additional::Kept { ident, schema, names } => {
                let ty = format!("* {ident}: rt::Map<{}>", self.ty(schema));
                Some(Block::line(joined([ty, self.values(schema, names.as_deref())])))
            }
        }
    }

    fn union(self, name: &Ident, body: &UnionDef, facts: &str) -> Block {
        let UnionDef { variants, discriminator, default_variant, overlap: _, open } = body;
        let by = discriminator.as_ref().map(|Discriminator { property, kind, values: _ }| {
            let kind = match kind {
                TagKind::Text => "",
                TagKind::Integer => "integer",
                TagKind::Boolean => "boolean",
            };
            joined([kind, property])
        });
        let head = joined(["union", &name.0, &labelled("by", by), facts]);
        let variants = variants.iter().enumerate().map(|(index, variant)| {
            let values = discriminator.iter().flat_map(|discriminator| &discriminator.values);
            let tags = values.filter(|(_, of)| *of == index).map(|(value, _)| value.clone()).collect();
            self.union_variant(variant, tags, *default_variant == Some(index))
        });
        Block::over(head, variants.collect()).with(others(open.as_ref(), "rt::Value"))
    }

    /// Returns `Cat(Box<Cat>): object {kind, lives, name?} closed tagged "cat"`.
    fn union_variant(self, variant: &UnionVariant, tags: Vec<String>, is_default: bool) -> Block {
        let UnionVariant { ident, schema, shape } = variant;
        let head = joined([format!("{ident}({})", self.ty(schema)), self.rules(schema)]);
        let tags: Vec<String> = tags.iter().map(|tag| format!("{tag:?}")).collect();
        let tagged = (!tags.is_empty()).then(|| tags.join(" | "));
        Block::line(joined([
            format!("{head}:"),
            self::shape(shape, ident),
            labelled("tagged", tagged),
            flag("default", is_default).to_owned(),
        ]))
    }

    fn choice(self, name: &Ident, body: &Choice, facts: &str) -> Block {
        let Choice { role, variants } = body;
        let of = match role {
            ChoiceRole::Content => "of media types",
            ChoiceRole::Output => "of responses",
            ChoiceRole::Errors => "of errors",
        };
        let variants = variants.iter().map(|variant| {
            // The rules of the payload are those of the operation's contents.
            let ChoiceVariant { ident, payload, docs: _ } = variant;
            let payload = match payload.ty {
                Type::Unit => String::new(),
                _ => format!("({})", self.ty(payload)),
            };
            let text = match role {
                ChoiceRole::Errors => format!("= {:?}", emit::error_text(variant)),
                ChoiceRole::Content | ChoiceRole::Output => String::new(),
            };
            Block::line(joined([format!("{ident}{payload}"), text]))
        });
        Block::over(joined(["enum", &name.0, of, facts]), variants.collect())
    }
}

/// Returns what a line says of a field after its type. `rules` are those of its schema.
///
/// [`methods`] has the names of setters and accessors.
pub(super) fn facts(field: &Field, rules: &str) -> String {
    let Field {
        wire: _,
        ident: _,
        default_accessor: _,
        setter: _,
        schema: _,
        // The type shows it.
        null_is_absent: _,
        required,
        required_at: _,
        // It makes no difference to the code.
        required_one_way: _,
        constant,
        default,
        xml: form,
        docs,
    } = field;
    joined([
        flag("required", *required),
        rules,
        &labelled("const", constant.as_ref().map(literal)),
        &labelled("default", default.as_ref().map(literal)),
        &labelled("xml", form.as_ref().map(xml)),
        &status(docs),
    ])
}

/// Returns lines with the constructor, the setters and the accessors of defaults.
pub(super) fn methods(body: &StructDef) -> Vec<Block> {
    let asked: Vec<&Ident> =
        body.fields.iter().filter(|field| field.is_asked()).map(|field| &field.ident).collect();
    let setters: Vec<&Ident> = body.fields.iter().filter_map(|field| field.setter.as_ref()).collect();
    let defaults: Vec<&Ident> =
        body.fields.iter().filter_map(|field| field.default_accessor.as_ref()).collect();
    let new = match &body.fields_struct {
        Some(fields) => Some(format!("new({fields})")),
        None => (!asked.is_empty()).then(|| format!("new({})", listed(&asked))),
    };
    let setters = (!setters.is_empty()).then(|| format!("setters {}", listed(&setters)));
    let defaults = (!defaults.is_empty()).then(|| format!("defaults {}", listed(&defaults)));
    new.into_iter().chain(setters).chain(defaults).map(Block::line).collect()
}

/// Returns the block of an enum. Other values are in the variant `open`, with a value of type `ty`.
fn enumeration(
    [name, of, facts]: [&str; 3],
    variants: impl Iterator<Item = String>,
    (open, ty): (Option<&Ident>, &str),
) -> Block {
    let head = joined(["enum", name, of, flag("closed", open.is_none()), facts]);
    Block::over(head, variants.map(Block::line).collect()).with(others(open, ty))
}

/// Returns the line of the variant for values that the document does not list.
fn others(open: Option<&Ident>, ty: &str) -> Option<Block> {
    open.map(|open| Block::line(format!("{open}({ty}): any other value")))
}

/// Returns the shape by which a decoder tells a variant: `object {kind: "cat", lives, good?} closed`.
fn shape(shape: &Shape, ident: &Ident) -> String {
    let Shape { name, kinds, required, known, constants, closed } = shape;
    let kinds = self::kinds(*kinds);
    let called = (*name != ident.0 && *name != kinds).then(|| format!("{name:?}"));
    // The lists have the order of the known properties. Otherwise they are shown by themselves.
    let ordered =
        |names: Vec<&String>| known.iter().filter(|known| names.contains(known)).eq(names.iter().copied());
    let are_required_ordered = ordered(required.iter().collect());
    let are_constants_ordered = ordered(constants.iter().map(|(property, _)| property).collect());
    let values =
        |values: &[String]| values.iter().map(|value| format!("{value:?}")).collect::<Vec<_>>().join(" | ");
    let properties = known.iter().map(|property| {
        let optional = if are_required_ordered && !required.contains(property) { "?" } else { "" };
        let constant = constants.iter().find(|(name, _)| are_constants_ordered && name == property);
        let constant = constant.map_or_else(String::new, |(_, of)| format!(": {}", values(of)));
        format!("{property}{optional}{constant}")
    });
    let properties: Vec<String> = properties.collect();
    let braces = !properties.is_empty() || *closed;
    let constants = constants.iter().filter(|_| !are_constants_ordered);
    let constants = constants.map(|(property, of)| format!("{property}: {}", values(of)));
    joined(
        [
            kinds,
            if braces { format!("{{{}}}", properties.join(", ")) } else { String::new() },
            if are_required_ordered { String::new() } else { format!("requires {}", required.join(", ")) },
        ]
        .into_iter()
        .chain(constants)
        .chain([flag("closed", *closed).to_owned(), labelled("called", called)]),
    )
}

fn kinds(kinds: Kinds) -> String {
    let names: Vec<&str> = kinds.names().collect();
    if names.len() == ALL_KINDS { "any".to_owned() } else { names.join(" or ") }
}

/// Returns a rule across fields: `rule on "speed": when "mode" = "fast" require "quality" = "low"`.
fn cross_rule(rule: &CrossRule) -> Block {
    let pairs = |pairs: &[(String, Literal)]| {
        let pairs = pairs.iter().map(|(name, value)| format!("{name:?} = {}", literal(value)));
        pairs.collect::<Vec<_>>().join(", ")
    };
    let (name, text) = match rule {
        CrossRule::When { name, when, require } => {
            (name, format!("when {} require {}", pairs(when), pairs(require)))
        }
        CrossRule::NotTogether { name, fields } => (name, format!("not together {}", quoted(fields))),
        CrossRule::AtLeastOne { name, fields, above } => {
            let text = format!("at least one of {}", quoted(fields));
            (name, joined([text, labelled("above", above.map(number))]))
        }
        CrossRule::ExactlyOne { name, fields } => (name, format!("exactly one of {}", quoted(fields))),
        CrossRule::TotalItems { name, fields, minimum, maximum } => {
            let text = format!("items in all of {}", quoted(fields));
            (name, joined([text, labelled("minimum", *minimum), labelled("maximum", *maximum)]))
        }
    };
    Block::line(format!("rule on {name:?}: {text}"))
}
