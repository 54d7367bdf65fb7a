//! Converts values of the document, such as defaults and examples, to idiomatic Rust.
//!
//! A value first becomes a tree, [`Built`]. `tokens` turns the tree into an expression for generated code,
//! and `lines` turns it into statements for an example in the documentation.

mod lines;
mod tokens;

use serde_json::{Map, Value};

use super::scope::Scope;
use crate::ir::{
    Additional, Kind, Literal, Schema, Shape, Stream, StructDef, TextType, Type, TypeDef, UnionDef,
    UnionVariant, Width,
};
use crate::tree::whole;

pub(super) use lines::Lines;
pub(super) use tokens::{expression, with_constness};

/// The maximum depth of a value.
const MAX_STEPS: usize = 24;

/// A value in Rust.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Built {
    /// A complete expression, such as a number or a path.
    Plain(String),
    /// An `f64`.
    Number(f64),
    /// A string literal, where a borrowed string is enough.
    Str(String),
    /// A `String`.
    Text(String),
    /// A value that is parsed from a string.
    Parsed(TextType, String),
    /// The same, where the context does not determine the type.
    ParsedAs(TextType, String),
    /// Any JSON value.
    Json(Value),
    /// A call of a function or variant.
    Call(String, Vec<Self>),
    /// `vec![…]`.
    List(Vec<Self>),
    /// A tuple.
    Tuple(Vec<Self>),
    /// A map from strings.
    Map(Vec<(String, Self)>),
    /// A struct of public fields.
    Fields(String, Vec<(String, Self)>),
    /// A value, and the calls of its setters.
    Chain(Box<Self>, Vec<(String, Self)>),
    /// A value, and assignments to its fields.
    With(Box<Self>, Vec<(String, Self)>),
}

impl Built {
    /// Adds the calls of setters, and assignments to fields.
    pub(super) fn with(self, chained: Vec<(String, Self)>, set: Vec<(String, Self)>) -> Self {
        let made = if chained.is_empty() { self } else { Self::Chain(Box::new(self), chained) };
        if set.is_empty() { made } else { Self::With(Box::new(made), set) }
    }
}

/// Builds trees from values.
pub(super) struct Builder<'a> {
    pub(super) scope: &'a Scope<'a>,
    /// Returns the path of a type.
    pub(super) path: &'a dyn Fn(&TypeDef) -> String,
    /// The module of the runtime's types.
    pub(super) types: &'a str,
    /// Whether the tree sets optional fields.
    pub(super) sets_optional: bool,
}

impl Builder<'_> {
    /// Returns the tree of a value, or `None` if the value has no Rust expression.
    pub(super) fn build(&self, schema: &Schema, value: &Value) -> Option<Built> {
        self.schema(schema, value, MAX_STEPS)
    }

    /// Returns the tree of an operation's input.
    pub(super) fn input(&self, def: &TypeDef, value: &Value) -> Option<Built> {
        self.named(def, value, MAX_STEPS)
    }

    fn schema(&self, schema: &Schema, value: &Value, steps: usize) -> Option<Built> {
        self.wrapped(schema, value, steps, ["None", "Some"].map(str::to_owned))
    }

    /// Returns the tree of a value that can be absent, within the `Option` of its field.
    fn optional(&self, schema: &Schema, value: &Value, steps: usize) -> Option<Built> {
        let around = ["Null", "Value"].map(|variant| format!("{}::Nullable::{variant}", self.types));
        self.wrapped(schema, value, steps, around)
    }

    /// Returns the tree of an argument, which converts into the value.
    fn argument(&self, schema: &Schema, value: &Value, steps: usize) -> Option<Built> {
        let built = match self.scope.is_wrapped(schema) && !value.is_null() {
            true => self.ty(&schema.ty, value, steps.checked_sub(1)?)?,
            false => self.schema(schema, value, steps)?,
        };
        Some(match built {
            Built::Text(text) => Built::Str(text),
            Built::Parsed(ty, text) if self.scope.argument(schema).1 => Built::ParsedAs(ty, text),
            built => built,
        })
    }

    /// Returns the tree of a value. `around` are the variants of the type around it for null and others, if it is nullable.
    fn wrapped(&self, schema: &Schema, value: &Value, steps: usize, around: [String; 2]) -> Option<Built> {
        let [null, some] = around;
        let steps = steps.checked_sub(1)?;
        let is_wrapped = self.scope.is_wrapped(schema);
        if is_wrapped && value.is_null() {
            return Some(Built::Plain(null));
        }
        let built = self.ty(&schema.ty, value, steps)?;
        Some(if is_wrapped { Built::Call(some, vec![built]) } else { built })
    }

    fn ty(&self, ty: &Type, value: &Value, steps: usize) -> Option<Built> {
        Some(match ty {
            Type::Any => Built::Json(value.clone()),
            Type::Unit => return None,
            Type::Boolean => Built::Plain(value.as_bool()?.to_string()),
            Type::Integer(rules) => Built::Plain(integer(rules.width, value)?),
            Type::Number(_) => Built::Number(value.as_f64()?),
            Type::Text(rules) => match rules.ty {
                TextType::String => Built::Text(value.as_str()?.to_owned()),
                TextType::Foreign(_) => return None,
                other => Built::Parsed(other, value.as_str()?.to_owned()),
            },
            Type::Bytes => self.bytes("Bytes", value)?,
            Type::Stream(stream) if **stream == Stream::Bytes => self.bytes("ByteStream", value)?,
            Type::Stream(_) => return None,
            Type::File => Built::Call(
                format!("{}::File::new", self.types),
                vec![Built::Str("file".to_owned()), Built::Str(value.as_str()?.to_owned())],
            ),
            Type::Array(rules) => {
                let items = value.as_array()?.iter().map(|item| self.schema(&rules.items, item, steps));
                Built::List(items.collect::<Option<_>>()?)
            }
            Type::Tuple(schemas) => {
                let pairs = schemas.iter().zip(value.as_array()?);
                Built::Tuple(
                    pairs.map(|(schema, item)| self.schema(schema, item, steps)).collect::<Option<_>>()?,
                )
            }
            Type::Map(rules) => self.map(&rules.values, value.as_object()?.iter(), steps)?,
            Type::Named { id, boxed } => {
                let built = self.named(self.scope.api.type_def(*id)?, value, steps)?;
                if *boxed { Built::Call("Box::new".to_owned(), vec![built]) } else { built }
            }
        })
    }

    fn bytes(&self, ty: &str, value: &Value) -> Option<Built> {
        let text = Built::Str(value.as_str()?.to_owned());
        Some(Built::Call(format!("{}::{ty}::from", self.types), vec![text]))
    }

    fn map<'v>(
        &self,
        values: &Schema,
        entries: impl Iterator<Item = (&'v String, &'v Value)>,
        steps: usize,
    ) -> Option<Built> {
        let entry =
            |(name, value): (&String, &Value)| Some((name.clone(), self.schema(values, value, steps)?));
        Some(Built::Map(entries.map(entry).collect::<Option<_>>()?))
    }

    fn named(&self, def: &TypeDef, value: &Value, steps: usize) -> Option<Built> {
        let path = (self.path)(def);
        let variant = |ident: &crate::ir::Ident| format!("{path}::{ident}");
        Some(match &def.kind {
            Kind::Alias(schema) => self.schema(schema, value, steps)?,
            Kind::Struct(body) => self.structure(&path, body, value.as_object()?, steps)?,
            Kind::StringEnum(body) => {
                let found = body.variants.iter().find(|variant| value.as_str() == Some(&variant.wire))?;
                Built::Plain(variant(&found.ident))
            }
            Kind::IntegerEnum(body) => {
                let found = value.as_number().and_then(whole)?;
                let found = body.variants.iter().find(|variant| i128::from(variant.wire) == found)?;
                Built::Plain(variant(&found.ident))
            }
            Kind::Union(body) => {
                let mut fitting = fitting(body, value).into_iter();
                fitting.find_map(|chosen| {
                    Some(Built::Call(
                        variant(&chosen.ident),
                        vec![self.schema(&chosen.schema, value, steps)?],
                    ))
                })?
            }
            // A value without further context belongs to the first alternative.
            Kind::Choice(body) => {
                let first = body.variants.first()?;
                match first.payload.ty {
                    Type::Unit => Built::Plain(variant(&first.ident)),
                    _ => Built::Call(variant(&first.ident), vec![self.schema(&first.payload, value, steps)?]),
                }
            }
        })
    }

    /// Returns a struct: the call of its constructor, and assignments to its other fields.
    fn structure(
        &self,
        path: &str,
        body: &StructDef,
        entries: &Map<String, Value>,
        steps: usize,
    ) -> Option<Built> {
        let (mut asked, mut set, mut chained) = (Vec::new(), Vec::new(), Vec::new());
        for field in &body.fields {
            let value = entries.get(&field.wire);
            let name = field.ident.to_string();
            if field.is_asked() {
                let built = match body.fields_struct {
                    Some(_) => self.schema(&field.schema, value?, steps)?,
                    None => self.argument(&field.schema, value?, steps)?,
                };
                asked.push((name, built));
            } else if let (true, Some(value)) = (field.required, value) {
                if !field.constant.as_ref().is_some_and(|constant| constant.is(value)) {
                    set.push((name, self.schema(&field.schema, value, steps)?));
                }
            } else if let (true, Some(value)) = (self.sets_optional, value)
                && !(field.null_is_absent && value.is_null())
            {
                let schema = field.held();
                match &field.setter {
                    Some(setter) => chained.push((setter.to_string(), self.argument(&schema, value, steps)?)),
                    None => {
                        let value = self.optional(&schema, value, steps)?;
                        set.push((name, Built::Call("Some".to_owned(), vec![value])));
                    }
                }
            }
        }
        if let Additional::Kept { ident, schema, .. } = &body.additional {
            let is_other =
                |(name, _): &(&String, &Value)| !body.fields.iter().any(|field| field.wire == **name);
            let mut others = entries.iter().filter(is_other).peekable();
            if others.peek().is_some() {
                set.push((ident.to_string(), self.map(schema, others, steps)?));
            }
        }
        let made = match (&body.fields_struct, asked.is_empty()) {
            (_, true) => Built::Call(format!("{path}::default"), Vec::new()),
            (Some(fields), _) => {
                let fields = path
                    .rsplit_once("::")
                    .map_or(fields.to_string(), |(module, _)| format!("{module}::{fields}"));
                Built::Call(format!("{path}::new"), vec![Built::Fields(fields, asked)])
            }
            (None, _) => {
                Built::Call(format!("{path}::new"), asked.into_iter().map(|(_, value)| value).collect())
            }
        };
        Some(made.with(chained, set))
    }
}

/// Returns a constant of the document as JSON.
pub(super) fn json(literal: &Literal) -> Value {
    match literal {
        Literal::Null => Value::Null,
        Literal::Boolean(value) => (*value).into(),
        Literal::Integer(value) => i64::try_from(*value)
            .map(Value::from)
            .or_else(|_| u64::try_from(*value).map(Value::from))
            .unwrap_or_default(),
        Literal::Number(value) => (*value).into(),
        Literal::Text(text) => text.as_str().into(),
        Literal::Json(value) => value.clone(),
    }
}

fn integer(width: Width, value: &Value) -> Option<String> {
    let value = value.as_number().and_then(whole)?;
    width.range().contains(&value).then(|| value.to_string())
}

/// Returns the variants that a value can belong to.
///
/// These are the variants whose shape matches, and only that of its discriminator if it has one. As in the runtime, a
/// variant of integers comes before one of all numbers.
fn fitting<'a>(body: &'a UnionDef, value: &Value) -> Vec<&'a UnionVariant> {
    let fitting = body.candidates(value).map(|(_, variant)| variant);
    let mut fitting: Vec<_> = fitting.filter(|variant| has_shape(&variant.shape, value)).collect();
    if value.is_number() {
        fitting.sort_by_key(|variant| variant.shape.kinds.number);
    }
    fitting
}

fn has_shape(shape: &Shape, value: &Value) -> bool {
    let kinds = shape.kinds;
    match value {
        Value::Null => kinds.null,
        Value::Bool(_) => kinds.boolean,
        Value::Number(_) => {
            kinds.number || (kinds.integer && value.as_f64().is_some_and(|value| value.fract() == 0.0))
        }
        Value::String(_) => kinds.string,
        Value::Array(_) => kinds.array,
        Value::Object(entries) => {
            let is_constant = |(name, allowed): &(String, Vec<String>)| {
                let found = entries.get(name).and_then(|value| match value {
                    Value::String(text) => Some(text.clone()),
                    Value::Number(number) => Some(number.to_string()),
                    Value::Bool(value) => Some(value.to_string()),
                    _ => None,
                });
                found.is_none_or(|found| allowed.contains(&found))
            };
            kinds.object
                && shape.required.iter().all(|name| entries.contains_key(name))
                && shape.constants.iter().all(is_constant)
                && (!shape.closed || entries.keys().all(|name| shape.known.contains(name)))
        }
    }
}
