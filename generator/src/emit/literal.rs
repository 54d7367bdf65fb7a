//! The document's constants as Rust expressions.

use std::f64::consts;

use proc_macro2::{Literal as Token, TokenStream};
use quote::{ToTokens, quote};

use super::scope::bare;
use crate::ir::{Kinds, Literal};

/// Emits `Some(…)` or `None`.
pub(super) fn option<T>(value: Option<T>, emit: impl FnOnce(T) -> TokenStream) -> TokenStream {
    match value {
        Some(value) => {
            let value = emit(value);
            quote!(Some(#value))
        }
        None => quote!(None),
    }
}

/// Emits the call `.name(value)`, if there is a value.
pub(super) fn set(name: &str, value: Option<impl ToTokens>) -> Option<TokenStream> {
    let name = bare(name);
    value.map(|value| quote!(.#name(#value)))
}

/// Emits the call `.name()`, if the flag holds.
pub(super) fn flag(name: &str, holds: bool) -> Option<TokenStream> {
    set(name, holds.then(TokenStream::new))
}

/// Emits the call `.name(&[…])`, unless the list is empty.
pub(super) fn list(name: &str, rows: impl IntoIterator<Item = impl ToTokens>) -> Option<TokenStream> {
    let mut rows = rows.into_iter().peekable();
    rows.peek()?;
    set(name, Some(quote!(&[#(#rows),*])))
}

/// Emits an integer without a suffix, such as `-1`.
pub(super) fn integer(value: i128) -> TokenStream {
    let digits = Token::u128_unsuffixed(value.unsigned_abs());
    if value < 0 { quote!(-#digits) } else { quote!(#digits) }
}

/// Emits a count without a suffix, such as `40000`.
pub(super) fn count(value: u64) -> TokenStream {
    integer(i128::from(value))
}

/// Emits a number such as `0.5`, or a constant such as `f64::INFINITY`.
pub(super) fn number(value: f64) -> TokenStream {
    if value.is_nan() {
        return quote!(f64::NAN);
    }
    let sign = value.is_sign_negative().then(|| quote!(-));
    let magnitude = value.abs();
    if magnitude.is_infinite() {
        return quote!(#sign f64::INFINITY);
    }
    let text = format!("{magnitude:?}");
    // Clippy reports `3.14` as an approximation of `PI`, but accepts `3.14e0`.
    let text = if resembles_constant(&text) { format!("{text}e0") } else { text };
    let token = text.parse().unwrap_or_else(|_| Token::f64_unsuffixed(magnitude));
    quote!(#sign #token)
}

/// Returns whether clippy would suggest a constant of the standard library instead.
fn resembles_constant(text: &str) -> bool {
    const WELL_KNOWN: &[f64] = &[
        consts::E,
        consts::FRAC_1_PI,
        consts::FRAC_1_SQRT_2,
        consts::FRAC_2_PI,
        consts::FRAC_2_SQRT_PI,
        consts::FRAC_PI_2,
        consts::FRAC_PI_3,
        consts::FRAC_PI_4,
        consts::FRAC_PI_6,
        consts::FRAC_PI_8,
        consts::LN_2,
        consts::LN_10,
        consts::LOG10_2,
        consts::LOG10_E,
        consts::LOG2_10,
        consts::LOG2_E,
        consts::PI,
        consts::SQRT_2,
        consts::TAU,
        // The golden ratio and Euler's constant, which are in newer standard libraries.
        1.618_033_988_749_895,
        0.577_215_664_901_532_9,
    ];
    let digits = text.len().saturating_sub(2);
    let is_rounded =
        |famous: &f64| famous.to_string().starts_with(text) || format!("{famous:.digits$}") == text;
    digits >= 2 && WELL_KNOWN.iter().any(is_rounded)
}

/// Emits a constant as tables hold it: `Literal::Text("png")`.
pub(super) fn row(literal: &Literal) -> TokenStream {
    match literal {
        Literal::Null => quote!(Literal::Null),
        Literal::Boolean(value) => quote!(Literal::Boolean(#value)),
        Literal::Integer(value) => {
            let value = integer(*value);
            quote!(Literal::Integer(#value))
        }
        Literal::Number(value) => {
            let value = number(*value);
            quote!(Literal::Number(#value))
        }
        Literal::Text(value) => quote!(Literal::Text(#value)),
        Literal::Json(value) => {
            let value = value.to_string();
            quote!(Literal::Json(#value))
        }
    }
}

/// Emits a set of kinds, whose type has this path: `Kinds::STRING.or(Kinds::NULL)`.
pub(super) fn kinds(kinds: Kinds, of: &TokenStream) -> TokenStream {
    let mut names = kinds.names().map(|name| bare(&name.to_uppercase()));
    let first = names.next().unwrap_or_else(|| quote!(NULL));
    quote!(#of::#first #(.or(#of::#names))*)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (value, expected) in [
            (0.5, "0.5"),
            (1.0, "1.0"),
            (-2.0, "- 2.0"),
            ("3.14".parse().unwrap(), "3.14e0"),
            (3.0, "3.0"),
            (2.7, "2.7"),
            ("0.30103".parse().unwrap(), "0.30103e0"),
            (1e300, "1e300"),
            (f64::INFINITY, "f64 :: INFINITY"),
        ] {
            assert_eq!(number(value).to_string(), expected);
        }
    }

    #[test]
    fn integers() {
        for (value, expected) in [(0, "0"), (-1, "- 1"), (i128::from(u64::MAX), "18446744073709551615")] {
            assert_eq!(integer(value).to_string(), expected);
        }
    }
}
