//! Writes values as expressions of generated code.

use proc_macro2::{Literal as Token, TokenStream};
use quote::quote;
use serde_json::Value;

use super::{Builder, Built};
use crate::calendar::{self, Day, Instant};
use crate::emit::scope::{Scope, local};
use crate::ir::{Schema, TextType};

/// Returns the value as an expression in the models crate.
///
/// Returns `None` if every such expression could fail.
pub(in crate::emit) fn expression(scope: &Scope<'_>, schema: &Schema, value: &Value) -> Option<TokenStream> {
    with_constness(scope, schema, value).map(|(tokens, _)| tokens)
}

/// Returns an expression as [`expression`] does, and whether it is a constant that needs no computation.
pub(in crate::emit) fn with_constness(
    scope: &Scope<'_>,
    schema: &Schema,
    value: &Value,
) -> Option<(TokenStream, bool)> {
    let path = |def: &crate::ir::TypeDef| scope.path(def).to_string().replace(' ', "");
    let builder = Builder { scope, path: &path, types: "rt", sets_optional: true };
    let built = builder.build(schema, value)?;
    Some((tokens(&built)?, is_constant(&built)))
}

/// Returns whether a value needs no computation.
///
/// The last segment of a path to a variant is in Pascal case; that of a path to a function is not.
fn is_constant(built: &Built) -> bool {
    match built {
        Built::Plain(_) | Built::Number(_) | Built::Str(_) => true,
        Built::Call(path, items) => {
            let last = path.rsplit("::").next().unwrap_or_default();
            last.starts_with(char::is_uppercase) && items.iter().all(is_constant)
        }
        _ => false,
    }
}

fn tokens(built: &Built) -> Option<TokenStream> {
    let all = |items: &[Built]| items.iter().map(tokens).collect::<Option<Vec<_>>>();
    Some(match built {
        Built::Plain(text) => text.parse().ok()?,
        Built::Number(value) => crate::emit::literal::number(*value),
        Built::Str(text) => quote!(#text),
        Built::Text(text) => quote!(#text.to_owned()),
        Built::Parsed(ty, text) | Built::ParsedAs(ty, text) => parsed(*ty, text)?,
        Built::Json(value) => json(value)?,
        Built::Call(path, arguments) => {
            let path: TokenStream = path.parse().ok()?;
            let arguments = all(arguments)?;
            quote!(#path(#(#arguments),*))
        }
        Built::List(items) => {
            let items = all(items)?;
            quote!(vec![#(#items),*])
        }
        Built::Tuple(items) => {
            let items = all(items)?;
            quote!((#(#items,)*))
        }
        Built::Map(entries) if entries.is_empty() => quote!(rt::Map::new()),
        Built::Map(entries) => {
            let names = entries.iter().map(|(name, _)| name);
            let values = entries.iter().map(|(_, value)| tokens(value)).collect::<Option<Vec<_>>>()?;
            quote!(rt::Map::from([#((#names.to_owned(), #values)),*]))
        }
        Built::Fields(path, fields) => {
            let path: TokenStream = path.parse().ok()?;
            let names = fields.iter().map(|(name, _)| local(name));
            let values = fields.iter().map(|(_, value)| tokens(value)).collect::<Option<Vec<_>>>()?;
            quote!(#path { #(#names: #values,)* })
        }
        Built::Chain(made, calls) => {
            let made = tokens(made)?;
            let setters = calls.iter().map(|(setter, _)| local(setter));
            let values = calls.iter().map(|(_, value)| tokens(value)).collect::<Option<Vec<_>>>()?;
            quote!(#made #(.#setters(#values))*)
        }
        Built::With(made, fields) => {
            let made = tokens(made)?;
            let names = fields.iter().map(|(name, _)| local(name));
            let values = fields.iter().map(|(_, value)| tokens(value)).collect::<Option<Vec<_>>>()?;
            quote!(rt::With::with(#made, |it| { #(it.#names = #values;)* }))
        }
    })
}

/// Emits a date, timestamp or UUID from the numbers in its text, so it can't fail.
fn parsed(ty: TextType, text: &str) -> Option<TokenStream> {
    match ty {
        TextType::Date => {
            let Day { year, month, day } = calendar::day(text)?;
            let [year, month, day] = [year, month.into(), day.into()].map(Token::u16_unsuffixed);
            Some(quote!(rt::Date::nearest(#year, #month, #day)))
        }
        TextType::Timestamp => {
            let Instant { seconds, nanoseconds } = calendar::instant(text)?;
            let seconds = crate::emit::literal::integer(seconds.into());
            let nanoseconds = Token::u32_unsuffixed(nanoseconds);
            Some(quote!(rt::Timestamp::nearest(#seconds, #nanoseconds)))
        }
        TextType::Uuid => {
            let digits: String = text.chars().filter(|c| *c != '-').collect();
            let value: Token = format!("0x{}", digits.to_lowercase()).parse().ok()?;
            (digits.len() == 32).then(|| quote!(rt::Uuid::from_u128(#value)))
        }
        TextType::String | TextType::Base64 | TextType::Foreign(_) => None,
    }
}

fn json(value: &Value) -> Option<TokenStream> {
    Some(match value {
        Value::Null => quote!(rt::Value::Null),
        Value::Bool(value) => quote!(rt::Value::Bool(#value)),
        Value::Number(number) => {
            let number: TokenStream = match number.as_i64() {
                Some(integer) => {
                    let integer = Token::i64_suffixed(integer.checked_abs()?);
                    if number.as_i64()? < 0 { quote!(-#integer) } else { quote!(#integer) }
                }
                None => crate::emit::literal::number(number.as_f64()?),
            };
            quote!(rt::Value::from(#number))
        }
        Value::String(text) => quote!(rt::Value::from(#text)),
        Value::Array(items) => {
            let items = items.iter().map(json).collect::<Option<Vec<_>>>()?;
            quote!(rt::Value::Array(vec![#(#items),*]))
        }
        // `from_iter` of nothing could be an array too.
        Value::Object(entries) if entries.is_empty() => quote!(rt::Value::Object(Default::default())),
        Value::Object(entries) => {
            let names = entries.keys();
            let values = entries.values().map(json).collect::<Option<Vec<_>>>()?;
            quote!(rt::Value::from_iter([#((#names, #values)),*]))
        }
    })
}
