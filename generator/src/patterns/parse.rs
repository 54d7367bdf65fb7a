//! The parser: the grammar of ECMA-262 with flag `u`, and what Annex B adds to it.
//!
//! Documents are full of patterns that only Annex B allows: `\-`, `\_`, `{`, `]`. These mean the character. An
//! escaped ASCII letter without a meaning (`\A`, `\Z`, `\h`) is an error, as with flag `u`: Annex B reads it as
//! the letter, and no author means that. `\p{…}` and `\u{…}` always mean what they mean with flag `u`.
//!
//! Characters are code points, as with flag `u`: `^.$` matches one emoji.

use unicode_ident::{is_xid_continue, is_xid_start};

use super::Refusal;
use super::groups::Groups;
use super::tree::{Group, Node, Times};

/// The maximum depth of nested groups. The crate `regex` allows 250 levels of its own syntax.
const MAX_DEPTH: usize = 100;

/// The error for `(?i)`, `(?P<name>…)` and `(?>…)`.
const UNKNOWN_GROUP: &str =
    "unknown kind of group; ECMA-262 has no `(?P<` and no `(?>`, and flags such as `(?i)` are not supported";

/// Parses a pattern.
pub(super) fn parse(written: &str) -> Result<Node, Refusal> {
    let chars: Vec<char> = written.chars().collect();
    let groups = Groups::of(&chars);
    let mut parser = Parser { chars, at: 0, groups, opened: 0, depth: 0 };
    let root = parser.choice()?;
    match parser.peek() {
        None => Ok(root),
        Some(_) => Err(Refusal::at(parser.at, "`)` without `(`")),
    }
}

/// A pattern, read up to a character.
pub(super) struct Parser {
    chars: Vec<char>,
    /// The index of the next character.
    pub at: usize,
    pub groups: Groups,
    /// The number of groups that were opened.
    opened: u32,
    depth: usize,
}

impl Parser {
    /// Reads alternatives up to the end of the group or of the pattern.
    fn choice(&mut self) -> Result<Node, Refusal> {
        let first = self.sequence()?;
        if self.peek() != Some('|') {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.eat("|") {
            parts.push(self.sequence()?);
        }
        Ok(Node::Choice(parts))
    }

    fn sequence(&mut self) -> Result<Node, Refusal> {
        let mut parts = Vec::new();
        while self.peek().is_some_and(|next| !matches!(next, '|' | ')')) {
            parts.push(self.term()?);
        }
        Ok(Node::sequence(parts))
    }

    /// Reads a part with its quantifier.
    fn term(&mut self) -> Result<Node, Refusal> {
        let start = self.at;
        let part = self.atom()?;
        let Some(times) = self.quantifier()? else { return Ok(part) };
        if self.is_unrepeatable(start) {
            return Err(Refusal::at(start, "an assertion can't be repeated"));
        }
        Ok(part.repeated(times))
    }

    /// Returns whether ECMA-262 has no quantifier for the part that begins here.
    ///
    /// Annex B allows one after a look-ahead.
    fn is_unrepeatable(&self, start: usize) -> bool {
        let rest = self.chars.get(start..).unwrap_or_default();
        matches!(rest, ['^' | '$', ..] | ['\\', 'b' | 'B', ..] | ['(', '?', '<', '=' | '!', ..])
    }

    fn atom(&mut self) -> Result<Node, Refusal> {
        let start = self.at;
        let Some(next) = self.read() else { return Ok(Node::Empty) };
        match next {
            '^' => Ok(Node::Start),
            '$' => Ok(Node::End),
            '.' => Ok(Node::Any),
            '(' => self.group(start),
            '[' => self.class(start).map(Node::Class),
            '\\' => self.escape(start),
            '*' | '+' | '?' => Err(Refusal::at(start, format!("nothing to repeat before `{next}`"))),
            '{' if self.braces(start).is_some() => Err(Refusal::at(start, "nothing to repeat before `{`")),
            _ => Ok(Node::Char(next.into())),
        }
    }

    /// Reads a group after its `(`.
    fn group(&mut self, start: usize) -> Result<Node, Refusal> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Refusal::at(start, "groups are nested too deeply"));
        }
        let node = if self.eat("?:") {
            self.choice()?
        } else if let Some((behind, negated)) = self.look_around() {
            Node::Look { behind, negated, body: Box::new(self.choice()?) }
        } else {
            let name = match self.eat("?<") {
                true => Some(self.name(start)?),
                false if self.peek() == Some('?') => return Err(Refusal::at(start, UNKNOWN_GROUP)),
                false => None,
            };
            self.opened += 1;
            let number = self.opened;
            let name = name.filter(|name| self.groups.named(name) == Some(number));
            Node::Group(Group { number, name, body: Box::new(self.choice()?) })
        };
        self.depth -= 1;
        if self.eat(")") { Ok(node) } else { Err(Refusal::at(start, "this group is not closed")) }
    }

    /// Reads the beginning of a look-around, and returns whether it looks behind and whether it is negated.
    fn look_around(&mut self) -> Option<(bool, bool)> {
        let kinds =
            [("?=", (false, false)), ("?!", (false, true)), ("?<=", (true, false)), ("?<!", (true, true))];
        kinds.into_iter().find(|(text, _)| self.eat(text)).map(|(_, kind)| kind)
    }

    /// Reads a name and the `>` after it.
    pub fn name(&mut self, start: usize) -> Result<String, Refusal> {
        let rest = self.chars.get(self.at..).unwrap_or_default();
        let name: String = rest.iter().take_while(|next| **next != '>').collect();
        if name.chars().count() == rest.len() || !is_name(&name) {
            return Err(Refusal::at(start, "this name of a group is invalid"));
        }
        self.at += name.chars().count() + 1;
        Ok(name)
    }

    /// Reads a quantifier, if there is one.
    fn quantifier(&mut self) -> Result<Option<Times>, Refusal> {
        let start = self.at;
        let (least, most, length) = match self.peek() {
            Some('*') => (0, None, 1),
            Some('+') => (1, None, 1),
            Some('?') => (0, Some(1), 1),
            Some('{') => match self.braces(start) {
                Some(braces) => braces,
                None => return Ok(None),
            },
            _ => return Ok(None),
        };
        if most.is_some_and(|most| most < least) {
            return Err(Refusal::at(start, "the minimum of this quantifier is above its maximum"));
        }
        let Ok(least) = u32::try_from(least) else {
            return Err(Refusal::at(start, "the minimum of this quantifier is too large"));
        };
        self.at += length;
        // No text is longer than a maximum that does not fit.
        let most = most.and_then(|most| u32::try_from(most).ok());
        Ok(Some(Times { least, most, lazy: self.eat("?") }))
    }

    /// Returns the limits and the length of `{2}`, `{2,}` or `{2,3}`, if the `{` at this position begins one.
    ///
    /// Any other `{` is a plain character.
    fn braces(&self, start: usize) -> Option<(u64, Option<u64>, usize)> {
        let rest = self.chars.get(start + 1..)?;
        let inner: String = rest.iter().take_while(|next| matches!(next, '0'..='9' | ',')).collect();
        if rest.get(inner.len()) != Some(&'}') {
            return None;
        }
        let number = |digits: &str| {
            let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
            is_number.then(|| digits.parse().unwrap_or(u64::MAX))
        };
        let (least, most) = match inner.split_once(',') {
            None => (number(&inner)?, Some(number(&inner)?)),
            Some((least, "")) => (number(least)?, None),
            Some((least, most)) => (number(least)?, Some(number(most)?)),
        };
        Some((least, most, inner.len() + 2))
    }

    /// Returns the next character.
    pub fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    /// Reads the next character.
    pub fn read(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += 1;
        Some(next)
    }

    /// Reads the next characters if they are these.
    pub fn eat(&mut self, text: &str) -> bool {
        let rest = self.chars.get(self.at..).unwrap_or_default();
        let is_next = text.chars().enumerate().all(|(index, wanted)| rest.get(index) == Some(&wanted));
        self.at += if is_next { text.chars().count() } else { 0 };
        is_next
    }

    /// Reads exactly this many hexadecimal digits.
    pub fn hexadecimal(&mut self, count: usize) -> Option<u32> {
        let digits = self.chars.get(self.at..self.at + count)?;
        let value = digits.iter().try_fold(0, |value, digit| Some(value * 16 + digit.to_digit(16)?))?;
        self.at += count;
        Some(value)
    }
}

/// Returns whether a text can be the name of a group.
pub(super) fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    let is_start = |first: char| is_xid_start(first) || matches!(first, '$' | '_');
    chars.next().is_some_and(is_start)
        && chars.all(|next| is_xid_continue(next) || matches!(next, '$' | '\u{200c}' | '\u{200d}'))
}
