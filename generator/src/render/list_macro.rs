//! Prints calls of macros whose input is a list, such as `rt::object! { … }`. `prettyplease` puts their tokens on one line.

use std::iter::Peekable;

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use syn::ItemMacro;

/// Returns the text of a call in braces, with one entry per line. An entry ends with `,` or `;`.
pub(super) fn text(call: ItemMacro) -> syn::Result<String> {
    let attributes = call.attrs.iter().map(|attribute| quote::quote!(#attribute));
    let path = line(&mut quote::ToTokens::into_token_stream(call.mac.path).into_iter().peekable());
    let mut tokens = call.mac.tokens.into_iter().peekable();
    let mut lines: Vec<String> =
        attributes.map(|attribute| line(&mut attribute.into_iter().peekable())).collect();
    lines.push(format!("{path}! {{"));
    while tokens.peek().is_some() {
        let mut entry = line(&mut tokens);
        // `Cat(Cat) => rt::Shape::object("Cat").required(&["name"]),`
        if entry.ends_with(" => ") {
            let expression = tokens.by_ref().take_while(|token| !is(token, ',')).collect();
            entry.push_str(&self::expression(expression)?);
            entry.push(',');
        }
        lines.push(format!("    {entry}"));
    }
    lines.push("}".to_owned());
    Ok(lines.join("\n"))
}

/// Returns the text of the next entry. It ends behind a `,`, a `;` or an attribute, or in front of an
/// expression.
fn line(tokens: &mut Peekable<impl Iterator<Item = TokenTree>>) -> String {
    let mut text = String::new();
    let mut was_word = false;
    while let Some(token) = tokens.next() {
        let is_end = is(&token, ',') || is(&token, ';');
        let is_word = matches!(token, TokenTree::Ident(_) | TokenTree::Literal(_));
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::None => ("", ""),
                };
                let is_attribute = text == "#";
                if text.ends_with(" from") {
                    text.push(' ');
                }
                text.push_str(open);
                let mut inner = group.stream().into_iter().peekable();
                while inner.peek().is_some() {
                    text.push_str(&line(&mut inner));
                    if inner.peek().is_some() {
                        text.push(' ');
                    }
                }
                text.push_str(close);
                if is_attribute {
                    return text;
                }
            }
            TokenTree::Punct(punct) => {
                let mut operator = punct.as_char().to_string();
                let mut last = punct;
                while last.spacing() == Spacing::Joint
                    && let Some(TokenTree::Punct(next)) =
                        tokens.next_if(|token| matches!(token, TokenTree::Punct(_)))
                {
                    operator.push(next.as_char());
                    last = next;
                }
                match operator.as_str() {
                    "=>" | "+" | "=" => text.push_str(&format!(" {operator} ")),
                    ":" => text.push_str(": "),
                    _ => text.push_str(&operator),
                }
                if operator == "=>" && matches!(tokens.peek(), Some(TokenTree::Ident(path)) if path == "rt") {
                    return text;
                }
            }
            word => {
                if was_word {
                    text.push(' ');
                }
                text.push_str(&word.to_string());
            }
        }
        was_word = is_word;
        if is_end {
            return text;
        }
    }
    text
}

/// Returns the text of an expression in an entry.
fn expression(tokens: TokenStream) -> syn::Result<String> {
    let file = syn::parse2(quote::quote!(fn entry() { #tokens }))?;
    let text = prettyplease::unparse(&file);
    let text = text.trim_end().strip_prefix("fn entry() {").and_then(|text| text.strip_suffix('}'));
    Ok(text.unwrap_or_default().trim().to_owned())
}

fn is(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}
