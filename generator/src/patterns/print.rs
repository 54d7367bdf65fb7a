//! The printer: a tree in the syntax of `regex` or of `fancy-regex`.
//!
//! Both syntaxes are the same, except for word boundaries and for what only `fancy-regex` has. Nothing is printed
//! that the two crates read in different ways: every set but `\p{…}` is spelled out.

use super::Engine;
use super::reduce::reduce;
use super::tree::{Class, Group, Item, Named, Node, Repeat, SURROGATES, Set, Times};

/// Any character except the line terminators of ECMA-262.
const DOT: &str = r"[^\n\r\x{2028}\x{2029}]";

/// The characters of `\s`. Unlike Unicode's `White_Space`, it includes U+FEFF and excludes U+0085.
const SPACE: &str = r"\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}";

/// Any character, and none.
const ALL: &str = r"[\s\S]";
const NONE: &str = r"[^\s\S]";

/// Word boundaries between ASCII characters, as `fancy-regex` can express them.
const BOUNDARY: &str = "(?:(?<=[A-Za-z0-9_])(?![A-Za-z0-9_])|(?<![A-Za-z0-9_])(?=[A-Za-z0-9_]))";
const NO_BOUNDARY: &str = "(?:(?<=[A-Za-z0-9_])(?=[A-Za-z0-9_])|(?<![A-Za-z0-9_])(?![A-Za-z0-9_]))";

/// Returns a tree in the syntax of an engine.
///
/// `used` are the groups to which back-references refer. For `fancy-regex`, no other groups capture, because it is
/// faster without them.
pub(super) fn print(root: &Node, engine: Engine, used: &[u32]) -> String {
    let captures = |group| engine == Engine::Regex || used.contains(&group);
    Printer { engine, printed: Vec::new() }.node(&reduce(root, captures))
}

struct Printer {
    engine: Engine,
    /// The groups that were printed: the first one has the number 1.
    printed: Vec<u32>,
}

impl Printer {
    fn node(&mut self, node: &Node) -> String {
        match node {
            Node::Empty => String::new(),
            Node::Char(code) => literal(*code),
            Node::Any => DOT.to_owned(),
            Node::Set(set) => lone_set(set),
            Node::Class(class) => self::class(class),
            Node::Start => "^".to_owned(),
            Node::End => "$".to_owned(),
            Node::Boundary { negated } => boundary(self.engine, *negated).to_owned(),
            Node::Group(group) => self.group(group),
            Node::Look { behind, negated, body } => {
                let direction = if *behind { "<" } else { "" };
                let sign = if *negated { '!' } else { '=' };
                format!("(?{direction}{sign}{})", self.node(body))
            }
            Node::Reference { group, .. } => self.reference(*group),
            Node::Repeat(repeat) => self.repeat(repeat),
            Node::Sequence(parts) => parts.iter().map(|part| self.part(part)).collect(),
            Node::Choice(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.node(part)).collect();
                parts.join("|")
            }
        }
    }

    /// Prints a part of a sequence.
    fn part(&mut self, node: &Node) -> String {
        let text = self.node(node);
        if matches!(node, Node::Choice(_)) { format!("(?:{text})") } else { text }
    }

    fn group(&mut self, group: &Group) -> String {
        self.printed.push(group.number);
        let name = group.name.as_ref().filter(|name| self.engine == Engine::Regex && is_plain_name(name));
        let name = name.map(|name| format!("?<{name}>")).unwrap_or_default();
        format!("({name}{})", self.node(&group.body))
    }

    /// Prints a back-reference: to a group without a match, it matches the empty text.
    fn reference(&self, group: u32) -> String {
        let index = self.printed.iter().position(|printed| *printed == group);
        index.map(|index| format!("(?({0})\\{0})", index + 1)).unwrap_or_default()
    }

    fn repeat(&mut self, Repeat { body, times }: &Repeat) -> String {
        let text = self.node(body);
        let text = match **body {
            Node::Choice(_) | Node::Sequence(_) | Node::Repeat(_) => format!("(?:{text})"),
            _ => text,
        };
        text + &quantifier(times)
    }
}

fn quantifier(times: &Times) -> String {
    let lazy = if times.lazy { "?" } else { "" };
    match (times.least, times.most) {
        (0, None) => format!("*{lazy}"),
        (1, None) => format!("+{lazy}"),
        (0, Some(1)) => format!("?{lazy}"),
        (least, None) => format!("{{{least},}}{lazy}"),
        (least, Some(most)) if least == most => format!("{{{least}}}{lazy}"),
        (least, Some(most)) => format!("{{{least},{most}}}{lazy}"),
    }
}

/// Returns a word boundary. ECMA-262 means words of ASCII characters.
fn boundary(engine: Engine, negated: bool) -> &'static str {
    match (engine, negated) {
        (Engine::Regex, false) => r"(?-u:\b)",
        (Engine::Fancy, false) => BOUNDARY,
        (_, true) => NO_BOUNDARY,
    }
}

/// Returns whether `regex` allows a name for a group.
fn is_plain_name(name: &str) -> bool {
    !name.starts_with(|first: char| first.is_ascii_digit())
        && name.chars().all(|next| next.is_ascii_alphanumeric() || next == '_')
}

/// Prints a character outside of a class.
fn literal(code: u32) -> String {
    match char::from_u32(code) {
        None => NONE.to_owned(),
        Some(meta) if r"\.+*?()|[{^$".contains(meta) => format!("\\{meta}"),
        Some(other) => character(other),
    }
}

/// Prints a character that has no special meaning.
fn character(character: char) -> String {
    match character {
        '\t' => r"\t".to_owned(),
        '\n' => r"\n".to_owned(),
        '\r' => r"\r".to_owned(),
        ' '..='~' => character.to_string(),
        letter if letter.is_alphanumeric() => letter.to_string(),
        other => format!("\\x{{{:x}}}", u32::from(other)),
    }
}

/// Prints a set outside of a class.
fn lone_set(set: &Set) -> String {
    match &set.of {
        Named::Property(_) => members(set),
        Named::Surrogate if set.negated => ALL.to_owned(),
        Named::Surrogate => NONE.to_owned(),
        _ if set.negated => members(set),
        _ => format!("[{}]", members(set)),
    }
}

/// Prints a set as members of a class.
fn members(set: &Set) -> String {
    let members = match &set.of {
        Named::Digit => "0-9",
        Named::Word => "A-Za-z0-9_",
        Named::Space => SPACE,
        Named::Surrogate => return if set.negated { r"\s\S".to_owned() } else { String::new() },
        Named::Property(name) => return format!("\\{}{{{name}}}", if set.negated { 'P' } else { 'p' }),
    };
    if set.negated { format!("[^{members}]") } else { members.to_owned() }
}

fn class(class: &Class) -> String {
    let mut text = String::new();
    let last = class.items.len().saturating_sub(1);
    for (index, item) in class.items.iter().enumerate() {
        match item {
            Item::Set(set) => text += &members(set),
            // A hyphen at the end needs no backslash.
            Item::Range(0x2d, 0x2d) if index == last && !text.is_empty() => text.push('-'),
            Item::Range(low, high) => range(*low, *high, &mut text),
        }
    }
    match (text.is_empty(), class.negated) {
        (true, true) => ALL.to_owned(),
        (true, false) => NONE.to_owned(),
        (false, true) => format!("[^{text}]"),
        (false, false) => format!("[{text}]"),
    }
}

/// Prints the characters from `low` to `high`, without surrogates.
fn range(low: u32, high: u32, text: &mut String) {
    let below = (low, high.min(SURROGATES.start() - 1));
    let above = (low.max(SURROGATES.end() + 1), high);
    for (low, high) in [below, above] {
        let (Some(first), Some(last)) = (char::from_u32(low), char::from_u32(high)) else { continue };
        if low > high {
            continue;
        }
        *text += &member(first, text.is_empty());
        if low < high {
            *text += "-";
            *text += &member(last, false);
        }
    }
}

/// Prints a character of a class.
fn member(member: char, is_first: bool) -> String {
    match member {
        '\\' | '[' | ']' | '-' | '&' | '~' => format!("\\{member}"),
        '^' if is_first => r"\^".to_owned(),
        other => character(other),
    }
}
