//! URI templates (RFC 6570).

/// The maximum number of digits of a prefix length.
const PREFIX_DIGITS: usize = 4;

/// Returns whether `text` is a URI template of any level: `/pets{/id}{?limit,fields*}`.
///
/// An apostrophe is a literal, as erratum 6937 says.
pub fn is_uri_template(text: &str) -> bool {
    let mut rest = text;
    loop {
        let end = rest.find('{').unwrap_or(rest.len());
        let (literals, expression) = rest.split_at(end);
        if !are_literals(literals) {
            return false;
        }
        if expression.is_empty() {
            return true;
        }
        let Some((expression, behind)) = expression.get(1..).and_then(|inner| inner.split_once('}')) else {
            return false;
        };
        if !is_expression(expression) {
            return false;
        }
        rest = behind;
    }
}

/// Returns whether `text` is the inside of an expression: an operator, then variables.
///
/// The operators that RFC 6570 reserves for extensions are also in its grammar.
fn is_expression(text: &str) -> bool {
    let variables =
        text.strip_prefix(['+', '#', '.', '/', ';', '?', '&', '=', ',', '!', '@', '|']).unwrap_or(text);
    variables.split(',').all(is_variable)
}

/// Returns whether `text` is a variable, optionally with a modifier: `*`, or `:` and a length.
fn is_variable(text: &str) -> bool {
    let name = match text.split_once(':') {
        Some((name, length)) if is_length(length) => name,
        Some(_) => return false,
        None => text.strip_suffix('*').unwrap_or(text),
    };
    name.split('.').all(|part| {
        !part.is_empty()
            && are_encoded(part, |character| character.is_ascii_alphanumeric() || character == '_')
    })
}

/// Returns whether `text` is a length from 1 to 9999.
fn is_length(text: &str) -> bool {
    text.len() <= PREFIX_DIGITS
        && text.starts_with(|first: char| matches!(first, '1'..='9'))
        && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn are_literals(text: &str) -> bool {
    are_encoded(text, |character| match character {
        '\0'..='\x7f' => {
            character.is_ascii_graphic()
                && !matches!(character, '"' | '%' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}')
        }
        _ => is_beyond_ascii(character),
    })
}

/// Returns whether each character is allowed or is a part of a percent-encoded byte.
fn are_encoded(text: &str, is_allowed: impl Fn(char) -> bool) -> bool {
    let mut characters = text.chars();
    let is_hex = |character: Option<char>| character.is_some_and(|it| it.is_ascii_hexdigit());
    while let Some(character) = characters.next() {
        let is_valid = match character {
            '%' => is_hex(characters.next()) && is_hex(characters.next()),
            character => is_allowed(character),
        };
        if !is_valid {
            return false;
        }
    }
    true
}

/// Returns whether IRIs may contain a character: `ucschar` or `iprivate` of RFC 3987.
///
/// The last two code points of each plane are not characters.
const fn is_beyond_ascii(character: char) -> bool {
    let code = character as u32;
    match code {
        0xa0..=0xd7ff | 0xe000..=0xfdcf | 0xfdf0..=0xffef => true,
        0x1_0000..=0xd_fffd | 0xe_1000..=0x10_fffd => code & 0xffff <= 0xfffd,
        _ => false,
    }
}
