//! The syntax tree of an ECMA-262 regular expression.

/// An expression, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    /// The empty text.
    Empty,
    /// A code point, which may be a lone surrogate.
    Char(u32),
    /// `.`: any character but a line terminator.
    Any,
    /// `\d`, `\W`, `\p{L}`.
    Set(Set),
    /// `[…]`.
    Class(Class),
    /// `^`.
    Start,
    /// `$`.
    End,
    /// `\b`, or `\B` if negated.
    Boundary { negated: bool },
    /// A group that captures. Groups that don't are not in the tree.
    Group(Group),
    /// Look-ahead or look-behind.
    Look { behind: bool, negated: bool, body: Box<Node> },
    /// A back-reference to a group, by number, and its position in the pattern.
    Reference { group: u32, at: usize },
    /// A repetition.
    Repeat(Repeat),
    /// One part after the other.
    Sequence(Vec<Node>),
    /// One of several parts.
    Choice(Vec<Node>),
}

/// A group that captures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    /// Its number, from 1.
    pub number: u32,
    /// Its name, unless an earlier group has the same one.
    pub name: Option<String>,
    /// The captured node.
    pub body: Box<Node>,
}

/// A repetition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Repeat {
    /// The repeated node.
    pub body: Box<Node>,
    /// The number of repetitions.
    pub times: Times,
}

/// A quantifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Times {
    /// The minimum number of repetitions.
    pub least: u32,
    /// The maximum number of repetitions.
    pub most: Option<u32>,
    /// Whether it prefers few repetitions.
    pub lazy: bool,
}

/// A set of characters with a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Set {
    /// Which set.
    pub of: Named,
    /// Whether it is the complement of the set.
    pub negated: bool,
}

/// The sets that have names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    /// `\d`.
    Digit,
    /// `\w`.
    Word,
    /// `\s`.
    Space,
    /// `\p{…}`: the text between the braces.
    Property(String),
    /// `\p{Surrogate}`, which no text in UTF-8 has.
    Surrogate,
}

/// A character class: `[^a-z\d]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Class {
    /// Whether it begins with `^`.
    pub negated: bool,
    /// Its members. Without any, it matches no character.
    pub items: Vec<Item>,
}

/// A member of a character class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    /// The code points from the first to the second.
    Range(u32, u32),
    /// A set.
    Set(Set),
}

/// The code points that are surrogates. No text in UTF-8 has them.
pub(super) const SURROGATES: std::ops::RangeInclusive<u32> = 0xd800..=0xdfff;

impl Node {
    /// Returns the sequence of these parts.
    pub fn sequence(mut parts: Vec<Self>) -> Self {
        parts.retain(|part| *part != Self::Empty);
        if parts.len() > 1 { Self::Sequence(parts) } else { parts.pop().unwrap_or(Self::Empty) }
    }

    /// Returns the repetition of a part.
    pub fn repeated(self, times: Times) -> Self {
        match self {
            // ECMA-262 drops repetitions beyond the minimum that match the empty text, with their groups.
            part if part.is_assertion() => Some(part).filter(|_| times.least > 0).unwrap_or(Self::Empty),
            Self::Empty => Self::Empty,
            body => Self::Repeat(Repeat { body: Box::new(body), times }),
        }
    }

    /// Returns the nodes directly within it.
    pub fn parts(&self) -> &[Self] {
        match self {
            Self::Group(Group { body, .. }) | Self::Look { body, .. } | Self::Repeat(Repeat { body, .. }) => {
                std::slice::from_ref(body)
            }
            Self::Sequence(parts) | Self::Choice(parts) => parts,
            _ => &[],
        }
    }

    /// Returns the same nodes mutably.
    pub fn parts_mut(&mut self) -> &mut [Self] {
        match self {
            Self::Group(Group { body, .. }) | Self::Look { body, .. } | Self::Repeat(Repeat { body, .. }) => {
                std::slice::from_mut(body)
            }
            Self::Sequence(parts) | Self::Choice(parts) => parts,
            _ => &mut [],
        }
    }

    /// Returns whether it can match the empty text.
    pub fn can_be_empty(&self) -> bool {
        match self {
            Self::Empty
            | Self::Start
            | Self::End
            | Self::Boundary { .. }
            | Self::Look { .. }
            | Self::Reference { .. } => true,
            Self::Char(_) | Self::Any | Self::Set(_) | Self::Class(_) => false,
            Self::Group(group) => group.body.can_be_empty(),
            Self::Repeat(repeat) => repeat.times.least == 0 || repeat.body.can_be_empty(),
            Self::Sequence(parts) => parts.iter().all(Self::can_be_empty),
            Self::Choice(parts) => parts.iter().any(Self::can_be_empty),
        }
    }

    /// Returns whether `regex` can express it exactly: it has no look-around, no back-reference and no `\B`.
    ///
    /// `(?-u:\B)` of `regex` also matches between the bytes of a character. `is_match` discards such a match, and
    /// another one with it: `é|(?-u:\B)` does not match in `0é`.
    pub fn is_regular(&self) -> bool {
        !matches!(self, Self::Look { .. } | Self::Reference { .. } | Self::Boundary { negated: true })
            && self.parts().iter().all(Self::is_regular)
    }

    /// Returns whether it matches exactly one character, whichever one that is.
    pub fn is_one_character(&self) -> bool {
        match self {
            Self::Char(code) => !SURROGATES.contains(code),
            Self::Any | Self::Set(_) | Self::Class(_) => true,
            _ => false,
        }
    }

    /// Returns whether it is a single assertion, which matches no character.
    pub fn is_assertion(&self) -> bool {
        matches!(self, Self::Start | Self::End | Self::Boundary { .. } | Self::Look { .. })
    }
}
