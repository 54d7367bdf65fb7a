//! Prints tokens on one line, with the usual spaces.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;

/// Words without a space after them.
const OPENING: [&str; 9] = ["(", "[", "::", "&", "<", ".", "!", "#", "'"];

/// Words without a space before them.
const CLOSING: [&str; 9] = [")", "]", ",", ";", ".", "::", "?", ">", ":"];

/// Returns the text of tokens.
pub fn tidy(tokens: &impl ToTokens) -> String {
    let mut words = Vec::new();
    split(tokens.to_token_stream(), &mut words);
    let mut text = String::new();
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|before| words.get(before)).map(String::as_str);
        let after = words.get(at + 1).map(String::as_str);
        // Leaves out trailing commas.
        if word == "," && after.is_none_or(|after| [")", ">", "]", "}"].contains(&after)) {
            continue;
        }
        if before.is_some_and(|before| is_apart(before, word)) {
            text.push(' ');
        }
        text.push_str(word);
    }
    text
}

/// Returns whether there is a space between two words.
fn is_apart(before: &str, word: &str) -> bool {
    if OPENING.contains(&before) || CLOSING.contains(&word) {
        return false;
    }
    let is_name = before.ends_with(|c: char| c.is_alphanumeric() || c == '_') || before == ">";
    !(is_name && ["(", "<", "!"].contains(&word))
}

fn split(tokens: TokenStream, words: &mut Vec<String>) {
    let mut joint = false;
    for token in tokens {
        let is_joint = matches!(&token, TokenTree::Punct(punct) if punct.spacing() == Spacing::Joint);
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::None => ("", ""),
                };
                words.push(open.to_owned());
                split(group.stream(), words);
                words.push(close.to_owned());
            }
            TokenTree::Punct(punct) => match words.last_mut().filter(|_| joint) {
                Some(word) => word.push(punct.as_char()),
                None => words.push(punct.as_char().to_string()),
            },
            // A lifetime is two tokens: a quote and a name.
            other => match words.last_mut().filter(|word| *word == "'") {
                Some(word) => word.push_str(&other.to_string()),
                None => words.push(other.to_string()),
            },
        }
        joint = is_joint && words.last().is_some_and(|word| word != "'");
    }
    words.retain(|word| !word.is_empty());
}
