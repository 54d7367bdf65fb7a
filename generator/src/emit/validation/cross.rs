//! Table rows of constraints across fields.

use proc_macro2::TokenStream;
use quote::quote;

use super::super::literal::{self, count, number, option};
use crate::ir::{Condition, CrossRule, Literal};

/// Emits the row of a constraint.
pub(super) fn rule(rule: &CrossRule) -> TokenStream {
    let pairs = |pairs: &[(String, Literal)]| {
        let pairs = pairs.iter().map(|(name, value)| {
            let value = literal::row(value);
            quote!((#name, #value))
        });
        quote!(&[#(#pairs),*])
    };
    match rule {
        CrossRule::When { name, when, require } => {
            let (when, require) = (pairs(when), pairs(require));
            quote!(CrossRule::When { name: #name, when: #when, require: #require })
        }
        CrossRule::NotTogether { name, fields } => {
            quote!(CrossRule::NotTogether { name: #name, fields: &[#(#fields),*] })
        }
        CrossRule::AtLeastOne { name, fields, above } => {
            let above = option(*above, number);
            quote!(CrossRule::AtLeastOne { name: #name, fields: &[#(#fields),*], above: #above })
        }
        CrossRule::ExactlyOne { name, fields } => {
            quote!(CrossRule::ExactlyOne { name: #name, fields: &[#(#fields),*] })
        }
        CrossRule::TotalItems { name, fields, minimum, maximum } => {
            let (minimum, maximum) = (option(*minimum, count), option(*maximum, count));
            quote! {
                CrossRule::TotalItems {
                    name: #name,
                    fields: &[#(#fields),*],
                    minimum: #minimum,
                    maximum: #maximum,
                }
            }
        }
        CrossRule::Holds { name, condition } => {
            let condition = self::condition(condition);
            quote!(CrossRule::Holds { name: #name, condition: #condition })
        }
    }
}

fn condition(of: &Condition) -> TokenStream {
    let all = |several: &[Condition]| {
        let several = several.iter().map(condition);
        quote!(&[#(#several),*])
    };
    match of {
        Condition::Given(name) => quote!(Condition::Given(#name)),
        Condition::Is(name, value) => {
            let value = literal::row(value);
            quote!(Condition::Is(#name, #value))
        }
        Condition::All(several) => {
            let several = all(several);
            quote!(Condition::All(#several))
        }
        Condition::Any(several) => {
            let several = all(several);
            quote!(Condition::Any(#several))
        }
        Condition::One(several) => {
            let several = all(several);
            quote!(Condition::One(#several))
        }
        Condition::Not(inner) => {
            let inner = condition(inner);
            quote!(Condition::Not(&#inner))
        }
        Condition::If(when, then) => {
            let (when, then) = (condition(when), condition(then));
            quote!(Condition::If(&#when, &#then))
        }
    }
}
