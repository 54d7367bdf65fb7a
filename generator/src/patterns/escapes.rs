//! The parser's part for escapes and character classes.

use super::Refusal;
use super::parse::Parser;
use super::tree::{Class, Item, Named, Node, Set};

/// The meaning of an escape, inside and outside of a class.
enum Escape {
    Char(u32),
    Set(Set),
}

impl Parser {
    /// Reads an escape outside of a class, after its backslash.
    pub fn escape(&mut self, start: usize) -> Result<Node, Refusal> {
        match self.peek() {
            Some(letter @ ('b' | 'B')) => {
                self.read();
                return Ok(Node::Boundary { negated: letter == 'B' });
            }
            Some('k') => {
                self.read();
                return self.reference_by_name(start);
            }
            Some('1'..='9') => {
                if let Some(group) = self.reference() {
                    return Ok(Node::Reference { group, at: start });
                }
            }
            _ => {}
        }
        Ok(match self.character_escape(start)? {
            Escape::Char(code) => Node::Char(code),
            Escape::Set(set) => Node::Set(set),
        })
    }

    fn reference_by_name(&mut self, start: usize) -> Result<Node, Refusal> {
        if !self.eat("<") {
            return Err(Refusal::at(start, "`\\k` needs the name of a group, as in `\\k<name>`"));
        }
        let name = self.name(start)?;
        if self.groups.is_ambiguous(&name) {
            return Err(Refusal::at(start, format!("several groups have the name `{name}`")));
        }
        let Some(group) = self.groups.named(&name) else {
            return Err(Refusal::at(start, format!("no group has the name `{name}`")));
        };
        Ok(Node::Reference { group, at: start })
    }

    /// Reads the number of a group, if there is a group of this number.
    fn reference(&mut self) -> Option<u32> {
        let start = self.at;
        let mut number: u32 = 0;
        while let Some(digit) = self.peek().and_then(|next| next.to_digit(10)) {
            number = number.saturating_mul(10).saturating_add(digit);
            self.at += 1;
        }
        if number <= self.groups.count() {
            return Some(number);
        }
        self.at = start;
        None
    }

    /// Reads an escape that stands for a character or a set, after its backslash.
    fn character_escape(&mut self, start: usize) -> Result<Escape, Refusal> {
        let Some(letter) = self.read() else {
            return Err(Refusal::at(start, "the pattern ends with a backslash"));
        };
        let set = |of, negated| Ok(Escape::Set(Set { of, negated }));
        match letter {
            'd' | 'D' => return set(Named::Digit, letter == 'D'),
            'w' | 'W' => return set(Named::Word, letter == 'W'),
            's' | 'S' => return set(Named::Space, letter == 'S'),
            'p' | 'P' => return set(self.property(start)?, letter == 'P'),
            _ => {}
        }
        let code = match letter {
            't' => 0x9,
            'n' => 0xa,
            'v' => 0xb,
            'f' => 0xc,
            'r' => 0xd,
            '0'..='7' => self.octal(letter),
            'c' => self.control().ok_or_else(|| Refusal::at(start, "`\\c` needs a letter, as in `\\cJ`"))?,
            'x' => self
                .hexadecimal(2)
                .ok_or_else(|| Refusal::at(start, "`\\x` needs two hexadecimal digits, as in `\\x20`"))?,
            'u' => self.unicode().ok_or_else(|| {
                Refusal::at(start, "`\\u` needs a code point, as in `\\u00e9` or `\\u{1f600}`")
            })?,
            letter if letter.is_ascii_alphabetic() => {
                return Err(Refusal::at(start, format!("ECMA-262 has no escape `\\{letter}`")));
            }
            other => other.into(),
        };
        Ok(Escape::Char(code))
    }

    /// Reads the rest of `\0` or, as Annex B allows, of an octal number up to 377.
    fn octal(&mut self, first: char) -> u32 {
        let mut value = first.to_digit(8).unwrap_or_default();
        for _ in 0..2 {
            let Some(digit) = self.peek().and_then(|next| next.to_digit(8)) else { break };
            if value * 8 + digit > 0o377 {
                break;
            }
            value = value * 8 + digit;
            self.at += 1;
        }
        value
    }

    fn control(&mut self) -> Option<u32> {
        let letter = self.peek().filter(char::is_ascii_alphabetic)?;
        self.at += 1;
        Some(u32::from(letter) % 32)
    }

    /// Reads the rest of `\u00e9`, of `\u{e9}` or of a surrogate pair.
    fn unicode(&mut self) -> Option<u32> {
        if self.eat("{") {
            let mut code: u32 = 0;
            let mut digits = 0;
            while let Some(digit) = self.peek().and_then(|next| next.to_digit(16)) {
                code = code.checked_mul(16)?.checked_add(digit)?;
                digits += 1;
                self.at += 1;
            }
            return (digits > 0 && code <= 0x10_ffff && self.eat("}")).then_some(code);
        }
        let high = self.hexadecimal(4)?;
        let after_high = self.at;
        if (0xd800..0xdc00).contains(&high)
            && self.eat("\\u")
            && let Some(low) = self.hexadecimal(4)
            && (0xdc00..0xe000).contains(&low)
        {
            return Some(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00));
        }
        self.at = after_high;
        Some(high)
    }

    /// Reads `{Letter}` or `{Script=Greek}` after `\p`.
    fn property(&mut self, start: usize) -> Result<Named, Refusal> {
        if !self.eat("{") {
            return Err(Refusal::at(start, "`\\p` needs a property in braces, as in `\\p{L}`"));
        }
        let mut text = String::new();
        while let Some(next) =
            self.peek().filter(|next| next.is_ascii_alphanumeric() || matches!(next, '_' | '='))
        {
            text.push(next);
            self.at += 1;
        }
        let is_closed = self.eat("}");
        let value = text.rsplit('=').next().unwrap_or_default();
        if is_closed && matches!(value, "Cs" | "Surrogate") {
            return Ok(Named::Surrogate);
        }
        let is_known = is_closed && regex_syntax::parse(&format!("\\p{{{text}}}")).is_ok();
        if !is_known {
            return Err(Refusal::at(start, "unknown Unicode property"));
        }
        Ok(Named::Property(text))
    }

    /// Reads a class after its `[`.
    pub fn class(&mut self, start: usize) -> Result<Class, Refusal> {
        let negated = self.eat("^");
        let mut items = Vec::new();
        loop {
            let first_at = self.at;
            let first = match self.member(start)? {
                None => return Ok(Class { negated, items }),
                Some(first) => first,
            };
            if !self.eat("-") {
                items.push(item(first));
                continue;
            }
            let second = self.member(start)?;
            if let (Escape::Char(low), Some(Escape::Char(high))) = (&first, &second) {
                if low > high {
                    return Err(Refusal::at(first_at, "the ends of this range are in the wrong order"));
                }
                items.push(Item::Range(*low, *high));
                continue;
            }
            // As Annex B allows: `[\w-.]` has a hyphen, which is not a range.
            items.extend([item(first), Item::Range('-'.into(), '-'.into())]);
            match second {
                Some(second) => items.push(item(second)),
                None => return Ok(Class { negated, items }),
            }
        }
    }

    /// Reads a member of a class, or its `]`.
    fn member(&mut self, start: usize) -> Result<Option<Escape>, Refusal> {
        let at = self.at;
        match self.read() {
            None => Err(Refusal::at(start, "this character class is not closed")),
            Some(']') => Ok(None),
            Some('\\') if self.eat("b") => Ok(Some(Escape::Char(8))),
            Some('\\') => self.character_escape(at).map(Some),
            Some(plain) => Ok(Some(Escape::Char(plain.into()))),
        }
    }
}

fn item(member: Escape) -> Item {
    match member {
        Escape::Char(code) => Item::Range(code, code),
        Escape::Set(set) => Item::Set(set),
    }
}
