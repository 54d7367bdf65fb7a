//! From a text to what is said: sentences, and in them words of plain letters and pauses.

mod letters;
mod numbers;
mod quantities;
mod sentences;
mod tokens;

pub(super) use sentences::{Ending, Sentence, sentences};
pub(super) use tokens::{Token, tokens};
