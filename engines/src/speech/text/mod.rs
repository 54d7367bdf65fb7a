//! Converts a text to sentences of spoken words.

mod measures;
mod numbers;
mod sentences;
mod tokens;

pub(super) use sentences::{Ending, Sentence, sentences};
pub(super) use tokens::{Token, tokens};
