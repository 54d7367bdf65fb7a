//! Converts text to sentences, and sentences to plain words and pauses.

mod letters;
mod numbers;
mod quantities;
mod sentences;
mod tokens;

pub(super) use sentences::{Ending, Sentence, sentences};
pub(super) use tokens::{Token, tokens};
