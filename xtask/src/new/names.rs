//! The names of a family and of the fields of a request, as the command line has them.

use std::str::FromStr;

use anyhow::{Result, bail, ensure};
use clap::ValueEnum;

/// The name of a family, in words that begin with a letter: `sound-effects`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name(String);

impl FromStr for Name {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        ensure!(
            is_name(text, '-'),
            "must be words of lower-case letters and digits, such as `sound-effects`"
        );
        Ok(Self(text.to_owned()))
    }
}

impl Name {
    /// Returns the name as the document has it: `sound-effects`.
    pub fn kebab(&self) -> &str {
        &self.0
    }

    /// Returns the name of the module: `sound_effects`.
    pub fn snake(&self) -> String {
        self.0.replace('-', "_")
    }

    /// Returns the snake-case name of several: `sound_effects`, `melodies`.
    pub fn plural(&self) -> String {
        let snake = self.snake();
        match snake.strip_suffix('y') {
            Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{stem}ies"),
            _ if snake.ends_with('s') => snake,
            _ => snake + "s",
        }
    }

    /// Returns the prefix of types: `SoundEffects`.
    pub fn pascal(&self) -> String {
        pascal(&self.0)
    }
}

/// Returns words as the name of a type: `sound-effects` and `sound_effects` become `SoundEffects`.
pub fn pascal(words: &str) -> String {
    let words = words.split(['-', '_']);
    let capitalized = |word: &str| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect::<String>()
    };
    words.map(capitalized).collect()
}

fn is_name(text: &str, separator: char) -> bool {
    text.split(separator).all(|word| {
        word.starts_with(|first: char| first.is_ascii_lowercase())
            && word.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit())
    })
}

/// The kind of the result of a family's tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Makes {
    Image,
    Video,
    Audio,
    Text,
}

impl Makes {
    /// Returns the name in the document.
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Returns a known model of fal that makes this from a text, and the field of its input for the text.
    pub const fn model(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Image => Some(("fal-ai/nano-banana", "prompt")),
            Self::Video => Some(("fal-ai/wan/v2.7/text-to-video", "prompt")),
            Self::Audio => Some(("fal-ai/elevenlabs/sound-effects/v2", "text")),
            Self::Text => None,
        }
    }
}

/// The type of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// A type of JSON Schema.
    Plain(String),
    /// The URL of a medium, by the shared schema.
    Medium(&'static str),
    /// One of these values.
    Values(Vec<String>),
}

/// An optional field: `format:srt,vtt`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    pub of: Type,
}

impl FromStr for Field {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let Some((name, of)) = text.split_once(':') else {
            bail!("must be `name:type`, such as `seed:integer`")
        };
        ensure!(
            is_name(name, '_'),
            "`{name}` must be words of lower-case letters and digits, such as `max_length`"
        );
        let of = match of {
            "string" | "integer" | "number" | "boolean" => Type::Plain(of.to_owned()),
            "image" => Type::Medium("ImageUrl"),
            "video" => Type::Medium("VideoUrl"),
            "audio" => Type::Medium("AudioUrl"),
            values if values.contains(',') => Type::Values(values.split(',').map(str::to_owned).collect()),
            _ => bail!(
                "the type must be string, integer, number, boolean, image, video, audio, or values such as `srt,vtt`"
            ),
        };
        if let Type::Values(values) = &of {
            ensure!(
                values.iter().all(|value| is_name(value, '_')),
                "each value must be a word, such as `srt`"
            );
        }
        Ok(Self { name: name.to_owned(), of })
    }
}
